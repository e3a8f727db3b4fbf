/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MASKS_H
#define FGTI_MASKS_H

/* Masks of attention: access to their values, and checks of their sizes. */

#include "nn/layer.h"

/* Get the masks of attention and check them against the sizes of this pass; NULL: not set. */
fgt_status fgti_key_padding(const fgti_run *run, int64_t time, const int32_t **padding);
/* An I32 mask goes to *blocked, a mask of real numbers to *additive; both are [rows,columns]. */
fgt_status fgti_attn_mask(const fgti_run *run, int64_t rows, int64_t columns, const int32_t **blocked,
                          const fgti_real **additive);
fgt_status fgti_diag_drop(const fgti_run *run, int64_t time, const int32_t **drop);
fgt_status fgti_diag_scale(const fgti_run *run, int64_t groups, int64_t heads, int64_t time,
                           const fgti_real **scale);
/* In a stream: *side gets the number of tokens of the mask `which`. It is at least `all`, the number of
 * tokens so far; 0: the mask is not set. */
fgt_status fgti_stream_side(const fgti_run *run, fgt_mask which, int64_t all, int64_t *side);
/* I32 [queries,sampled], numbers of keys 0 .. keys-1. FGT_E_DATA: a number is out of range. */
fgt_status fgti_sampled_keys(const fgti_run *run, int64_t queries, int64_t sampled, int64_t keys,
                             const int32_t **sample);
/* Real numbers [width,rounds,columns]. */
fgt_status fgti_rotations(const fgti_run *run, int64_t width, int64_t rounds, int64_t columns,
                          const fgti_real **rotations);

#endif
