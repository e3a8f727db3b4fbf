/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_THREADS_H
#define FGTI_THREADS_H

/* Loops over tasks that run in parallel. The number and the borders of the tasks depend only on the problem;
 * the workers share the tasks among them. So the bits of a result do not depend on the number of threads. */

#include <stdbool.h>

#include "core/status.h"

typedef struct fgti_pool fgti_pool;

/* The function that runs one task, 0 .. tasks-1. worker, 0 .. workers-1, is the number of the thread that
 * runs the task. The number selects the scratch and the arena that the call may use. */
typedef void (*fgti_task_fn)(void *arg, int64_t task, int32_t worker);

/* Catches a size or a flag that is passed by mistake as the number of threads. */
#define FGTI_THREADS_MAX 1024

/* Where the tasks run: only on the calling thread (workers == 1), in the library's pool, or in the host's
 * executor. */
typedef struct fgti_exec {
    int32_t      workers;
    fgti_pool   *pool;
    fgt_executor host;           /* host.run == NULL: not given */
    int32_t      locks;          /* number of locks that the calling thread holds; above 0: host.run is not
                                  * called, because threads of the host may wait for these locks */
    void        *worker_scratch; /* worker_bytes of memory for each worker, for packed operands */
    size_t       worker_bytes;
    void        *shared; /* a block for operands that all workers read; may be NULL */
    size_t       shared_bytes;
} fgti_exec;

/* Sets *exec up for `workers` workers, each with worker_bytes of aligned scratch. */
fgt_status fgti_exec_init(fgt_context *ctx, fgti_exec *exec, int32_t workers, const fgt_executor *host,
                          size_t worker_bytes);
/* Makes the block that all workers share at least `bytes` large. fgti_exec_done() frees it. */
fgt_status fgti_exec_share(fgt_context *ctx, fgti_exec *exec, size_t bytes);
void       fgti_exec_done(fgt_context *ctx, fgti_exec *exec);

/* Runs all tasks and returns when they are finished. Any worker may run a task, in any order. Only one thread
 * at a time may call it, and never from inside a task. */
void fgti_parallel(const fgti_exec *exec, int64_t tasks, fgti_task_fn fn, void *arg);

static inline void *fgti_worker_scratch(const fgti_exec *exec, int32_t worker)
{
    return (char *)exec->worker_scratch + (size_t)worker * exec->worker_bytes;
}

#endif
