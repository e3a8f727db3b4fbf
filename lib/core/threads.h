/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_THREADS_H
#define FGTI_THREADS_H

/* Work is cut into tasks whose number and borders depend on the problem alone;
 * lanes only say who does which. So the bits do not depend on the thread count. */

#include "core/status.h"

typedef struct fgti_pool fgti_pool;

/* task in 0 .. tasks-1; lane in 0 .. lanes-1 names the scratch the call may use. */
typedef void (*fgti_task_fn)(void *arg, int64_t task, int32_t lane);

/* Who runs tasks: this thread alone (lanes 1), our pool, or the host's executor. */
typedef struct fgti_exec {
    int32_t      lanes;
    fgti_pool   *pool;
    fgt_executor host; /* host.run == NULL: not given */
    void        *lane_scratch; /* lanes blocks of lane_bytes, for packed operands */
    size_t       lane_bytes;
    void        *shared; /* for operands that all lanes read; NULL: there is none */
    size_t       shared_bytes;
} fgti_exec;

/* Sets *exec up for `lanes` lanes, each with lane_bytes of aligned scratch. */
fgt_status fgti_exec_init(fgt_context *ctx, fgti_exec *exec, int32_t lanes, const fgt_executor *host,
                          size_t lane_bytes);
/* Adds memory for all lanes together, which fgti_exec_done frees too. */
fgt_status fgti_exec_share(fgt_context *ctx, fgti_exec *exec, size_t bytes);
void       fgti_exec_done(fgt_context *ctx, fgti_exec *exec);

/* Runs all tasks and returns when they are done. Which lane does which task, and in which order, is left to
 * chance. To be called from one thread at a time, and never from within a task. */
void fgti_parallel(const fgti_exec *exec, int64_t tasks, fgti_task_fn fn, void *arg);

static inline void *fgti_lane_scratch(const fgti_exec *exec, int32_t lane)
{
    return (char *)exec->lane_scratch + (size_t)lane * exec->lane_bytes;
}

#endif
