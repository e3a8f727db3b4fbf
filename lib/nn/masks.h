/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MASKS_H
#define FGTI_MASKS_H

#include "nn/layer.h"

/* The masks of attention, checked against this pass's sizes; NULL: not set. */
fgt_status fgti_key_padding(const fgti_run *run, int64_t time, const int32_t **padding);
/* I32 mask in *blocked, or a real mask in *additive: [rows,columns]. */
fgt_status fgti_attn_mask(const fgti_run *run, int64_t rows, int64_t columns, const int32_t **blocked,
                          const fgti_real **additive);
fgt_status fgti_diag_drop(const fgti_run *run, int64_t time, const int32_t **drop);
fgt_status fgti_diag_scale(const fgti_run *run, int64_t groups, int64_t heads, int64_t time,
                           const fgti_real **scale);
/* In a stream: the number of tokens of such a mask, at least `all`, the tokens so far. 0: not set. */
fgt_status fgti_stream_side(const fgti_run *run, fgt_mask which, int64_t all, int64_t *side);
/* I32 [queries,sampled], numbers of keys 0 .. keys-1; FGT_E_DATA if one is out of range. */
fgt_status fgti_sampled_keys(const fgti_run *run, int64_t queries, int64_t sampled, int64_t keys,
                             const int32_t **sample);
/* Real [width,rounds,columns]. */
fgt_status fgti_rotations(const fgti_run *run, int64_t width, int64_t rounds, int64_t columns,
                          const fgti_real **rotations);

#endif
