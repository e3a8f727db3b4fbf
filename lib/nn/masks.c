/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/masks.h"

static fgt_status checked(const fgti_run *run, fgt_mask which, const char *what, int32_t dtype, int32_t rank,
                          const int64_t *shape, const void **data)
{
    const fgt_view *v = run->mask[which];
    *data             = NULL;
    if (!v) return FGT_OK;
    FGTI_TRY(fgti_view_check(run->error, what, v, dtype, rank, shape));
    *data = v->data;
    return FGT_OK;
}

fgt_status fgti_key_padding(const fgti_run *run, int64_t time, const int32_t **padding)
{
    return checked(run, FGT_MASK_KEY_PADDING, "the key padding mask", FGT_DTYPE_I32, 2,
                   (int64_t[]){run->batch, time}, (const void **)padding);
}

fgt_status fgti_attn_mask(const fgti_run *run, int64_t rows, int64_t columns, const int32_t **blocked,
                          const fgti_real **additive)
{
    const fgt_view *v       = run->mask[FGT_MASK_ATTENTION];
    const int64_t   shape[] = {rows, columns};
    *blocked                = NULL;
    *additive               = NULL;
    if (v && v->dtype == FGT_DTYPE_I32)
        return checked(run, FGT_MASK_ATTENTION, "the attention mask", FGT_DTYPE_I32, 2, shape,
                       (const void **)blocked);
    return checked(run, FGT_MASK_ATTENTION, "the attention mask", FGTI_REAL, 2, shape,
                   (const void **)additive);
}

fgt_status fgti_diag_drop(const fgti_run *run, int64_t time, const int32_t **drop)
{
    return checked(run, FGT_MASK_DIAG_DROP, "the diagonal mask", FGT_DTYPE_I32, 1, &time,
                   (const void **)drop);
}

fgt_status fgti_diag_scale(const fgti_run *run, int64_t groups, int64_t heads, int64_t time,
                           const fgti_real **scale)
{
    return checked(run, FGT_MASK_DIAG_SCALE, "the diagonal factors", FGTI_REAL, 3,
                   (int64_t[]){groups, heads, time}, (const void **)scale);
}

fgt_status fgti_stream_side(const fgti_run *run, fgt_mask which, int64_t all, int64_t *side)
{
    const fgt_view *v = run->mask[which];
    *side             = 0;
    if (!v) return FGT_OK;
    if (v->rank > 0 && v->rank <= FGT_MAX_RANK) *side = v->shape[v->rank - 1];
    if (*side >= all) return FGT_OK;
    return fgti_fail(run->error, FGT_E_SHAPE,
                     "a mask is too short (got %lld tokens, need %lld as the stream)", (long long)*side,
                     (long long)all);
}

fgt_status fgti_sampled_keys(const fgti_run *run, int64_t queries, int64_t sampled, int64_t keys,
                             const int32_t **sample)
{
    FGTI_TRY(checked(run, FGT_MASK_SAMPLED_KEYS, "the mask of sampled keys", FGT_DTYPE_I32, 2,
                     (int64_t[]){queries, sampled}, (const void **)sample));
    for (int64_t i = 0; *sample && i < queries * sampled; i++)
        if ((*sample)[i] < 0 || (*sample)[i] >= keys)
            return fgti_fail(run->error, FGT_E_DATA,
                             "sampled key is out of range (got %d of query %lld, need 0 .. %lld)",
                             (*sample)[i], (long long)(i / sampled), (long long)keys - 1);
    return FGT_OK;
}

fgt_status fgti_rotations(const fgti_run *run, int64_t width, int64_t rounds, int64_t columns,
                          const fgti_real **rotations)
{
    return checked(run, FGT_MASK_ROTATIONS, "the value of rotations", FGTI_REAL, 3,
                   (int64_t[]){width, rounds, columns}, (const void **)rotations);
}
