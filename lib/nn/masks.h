/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MASKS_H
#define FGTI_MASKS_H

/* Masks of attention: access to their values, and checks of their sizes. */

#include "nn/layer.h"

/* Each function gets a mask of attention, and checks the mask against the sizes of this pass. NULL: the mask
 * is not set. */
fgt_status fgti_key_padding(const fgti_run *run, int64_t time, const int32_t **padding);
/* Sets *blocked to an I32 mask, or *additive to a mask of real numbers. Both are [rows,columns]. */
fgt_status fgti_attn_mask(const fgti_run *run, int64_t rows, int64_t columns, const int32_t **blocked,
                          const fgti_real **additive);
fgt_status fgti_diag_drop(const fgti_run *run, int64_t time, const int32_t **drop);
fgt_status fgti_diag_scale(const fgti_run *run, int64_t groups, int64_t heads, int64_t time,
                           const fgti_real **scale);
/* Sets *side to the number of tokens of the mask `which` in a stream; 0: the mask is not set. The mask must
 * have at least `all` tokens, the number of tokens so far. */
fgt_status fgti_stream_side(const fgti_run *run, fgt_mask which, int64_t all, int64_t *side);
/* Gets the mask I32 [queries,sampled], whose numbers are keys 0 .. keys-1. FGT_E_DATA: a number is out of
 * range. */
fgt_status fgti_sampled_keys(const fgti_run *run, int64_t queries, int64_t sampled, int64_t keys,
                             const int32_t **sample);
/* Gets the mask of real numbers [width,rounds,columns]. */
fgt_status fgti_rotations(const fgti_run *run, int64_t width, int64_t rounds, int64_t columns,
                          const fgti_real **rotations);

#endif
