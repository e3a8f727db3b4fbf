/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/workspace/workspace_opts.h"

#include "core/opts.h"
#include "core/threads.h"

/* Most tokens of a stream. No memory holds so many. */
#define TOKENS_MOST (INT64_C(1) << 40)

fgt_status fgti_workspace_opts_read(fgti_error *err, const fgt_workspace_opts *opts, int64_t batch,
                                    fgt_workspace_opts *out)
{
    FGTI_TRY(fgti_opts_read(err, "workspace", opts, out, sizeof *out));
    if (out->batch < 0)
        return fgti_fail(err, FGT_E_ARG, "workspace: batch is out of range (got %lld, need 0 or more)",
                         (long long)out->batch);
    if (out->threads < 0 || out->threads > FGTI_THREADS_MAX)
        return fgti_fail(err, FGT_E_ARG, "workspace: threads is out of range (got %d, need 0 .. %d)",
                         out->threads, FGTI_THREADS_MAX);
    if (out->tokens < 0 || out->tokens > TOKENS_MOST)
        return fgti_fail(err, FGT_E_ARG, "workspace: tokens is out of range (got %lld, need 0 .. %lld)",
                         (long long)out->tokens, (long long)TOKENS_MOST);
    FGTI_TRY(fgti_reserved_check(err, "workspace", out->reserved));
    if (!out->batch) out->batch = batch;
    if (!out->threads) out->threads = 1;
    return FGT_OK;
}
