/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_THREADS_H
#define FGTI_THREADS_H

/* Work is cut into tasks whose number and borders depend on the problem alone;
 * workers only say who does which. So the bits do not depend on the thread count. */

#include "core/status.h"

typedef struct fgti_pool fgti_pool;

/* task in 0 .. tasks-1; worker in 0 .. workers-1 names the scratch the call may use. */
typedef void (*fgti_task_fn)(void *arg, int64_t task, int32_t worker);

/* Who runs tasks: this thread alone (workers 1), our pool, or the host's executor. */
typedef struct fgti_exec {
    int32_t      workers;
    fgti_pool   *pool;
    fgt_executor host;           /* host.run == NULL: not given */
    void        *worker_scratch; /* workers blocks of worker_bytes, for packed operands */
    size_t       worker_bytes;
    void        *shared; /* for operands that all workers read; NULL: there is none */
    size_t       shared_bytes;
} fgti_exec;

/* Sets *exec up for `workers` workers, each with worker_bytes of aligned scratch. */
fgt_status fgti_exec_init(fgt_context *ctx, fgti_exec *exec, int32_t workers, const fgt_executor *host,
                          size_t worker_bytes);
/* Adds memory for all workers together, which fgti_exec_done frees too. */
fgt_status fgti_exec_share(fgt_context *ctx, fgti_exec *exec, size_t bytes);
void       fgti_exec_done(fgt_context *ctx, fgti_exec *exec);

/* Runs all tasks and returns when they are done. Which worker does which task, and in which order, is left to
 * chance. To be called from one thread at a time, and never from within a task. */
void fgti_parallel(const fgti_exec *exec, int64_t tasks, fgti_task_fn fn, void *arg);

static inline void *fgti_worker_scratch(const fgti_exec *exec, int32_t worker)
{
    return (char *)exec->worker_scratch + (size_t)worker * exec->worker_bytes;
}

#endif
