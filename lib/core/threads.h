/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_THREADS_H
#define FGTI_THREADS_H

/* Loops over tasks that run in parallel. The number and the borders of the tasks depend on the problem alone;
 * the workers only share them out. So the bits of a result do not depend on the number of threads. */

#include <stdbool.h>

#include "core/status.h"

typedef struct fgti_pool fgti_pool;

/* One task, 0 .. tasks-1. worker, 0 .. workers-1, is the number of the thread that runs it: it selects the
 * scratch and the arena that the call may use. */
typedef void (*fgti_task_fn)(void *arg, int64_t task, int32_t worker);

/* Guards against a size or a flag that is passed as the number of threads. */
#define FGTI_THREADS_MAX 1024

/* The runner of tasks: the calling thread alone (workers == 1), our pool, or the host's executor. */
typedef struct fgti_exec {
    int32_t      workers;
    fgti_pool   *pool;
    fgt_executor host;           /* host.run == NULL: not given */
    int32_t      locks;          /* that the calling thread holds and the host's threads may wait for, in
                                  * predictions of theirs: host.run is not called meanwhile */
    void        *worker_scratch; /* a block of worker_bytes for each worker, for packed operands */
    size_t       worker_bytes;
    void        *shared; /* a block for operands that all workers read, or NULL */
    size_t       shared_bytes;
} fgti_exec;

/* Sets *exec up for `workers` workers, each with worker_bytes of aligned scratch. */
fgt_status fgti_exec_init(fgt_context *ctx, fgti_exec *exec, int32_t workers, const fgt_executor *host,
                          size_t worker_bytes);
/* Makes the block that all workers share at least so large. fgti_exec_done() frees it too. */
fgt_status fgti_exec_share(fgt_context *ctx, fgti_exec *exec, size_t bytes);
void       fgti_exec_done(fgt_context *ctx, fgti_exec *exec);

/* Runs all tasks and returns when they are done. Tasks may run on any worker and in any order. Only one
 * thread at a time may call it, and never from inside a task. */
void fgti_parallel(const fgti_exec *exec, int64_t tasks, fgti_task_fn fn, void *arg);

static inline void *fgti_worker_scratch(const fgti_exec *exec, int32_t worker)
{
    return (char *)exec->worker_scratch + (size_t)worker * exec->worker_bytes;
}

#endif
