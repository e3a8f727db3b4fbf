/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/vision/places.h"

fgt_status fgti_places_plan(fgt_context *ctx, const fgti_layer *l)
{
    if (l->inputs > 1) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_ARG,
                     "the layer needs two inputs, tokens and ids (an fgt_value()): use fgt_model_add_from()");
}

static fgt_status out_of_range(const fgti_run *run, int64_t b, int64_t i, int32_t id, int64_t time)
{
    return fgti_fail(run->error, FGT_E_DATA,
                     "id is out of range (got %d at sample %lld of the batch, position %lld, need 0 .. %lld)",
                     id, (long long)b, (long long)i, (long long)time - 1);
}

static fgt_status check_sample(const fgti_run *run, const int32_t *ids, int64_t k, int64_t b, int64_t time,
                               int32_t *number)
{
    for (int64_t t = 0; number && t < time; t++) number[t] = -1;
    for (int64_t i = 0; i < k; i++) {
        if (ids[i] < 0 || ids[i] >= time) return out_of_range(run, b, i, ids[i], time);
        if (!number) continue;
        if (number[ids[i]] >= 0)
            return fgti_fail(run->error, FGT_E_DATA,
                             "id %d of sample %lld of the batch is at positions %d and %lld", ids[i],
                             (long long)b, number[ids[i]], (long long)i);
        number[ids[i]] = (int32_t)i;
    }
    return FGT_OK;
}

fgt_status fgti_places_check(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t time,
                             int32_t *number)
{
    const int64_t k = io->input[1].shape.time, planned = l->input[1].shape.time;
    if (k != planned)
        return fgti_fail(run->error, FGT_E_SHAPE, "a sample has %lld ids, need %lld", (long long)k,
                         (long long)planned);
    for (int64_t b = 0; b < run->batch; b++) {
        int32_t *const own = number ? number + b * time : NULL;
        const fgt_status s = check_sample(run, fgti_ids_of(io, 1) + b * k, k, b, time, own);
        if (s != FGT_OK) return fgti_error_at(run->error, b, s);
    }
    return FGT_OK;
}
