/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_PADDING_H
#define FGTI_RECURRENT_PADDING_H

/* Tokens that FGT_MASK_KEY_PADDING marks do not change the states: h_t = h_{t-1}, c_t = c_{t-1}. So the state
 * at the end is the state of the last token without a mark, and the second direction starts at this token. A
 * step computes whole blocks of rows. So states that must not change are saved before the step, [2,rows,h],
 * and restored after it. */

#include "nn/layer.h"

/* The marks of one step of a block of rows. */
typedef struct fgti_padding {
    const int32_t *mask;             /* the mask [B,T] from the step's token on, or NULL */
    int64_t        row, nodes, time; /* row: number of the block's first row among B N rows; nodes: N; time:
                                      * T */
} fgti_padding;

/* Forward: fgti_padding_save() keeps the states before a step, and fgti_padding_restore() puts them back
 * after the step for padded tokens. */
void fgti_padding_save(const fgti_padding *p, const fgti_step *s, fgti_real *aside);
void fgti_padding_restore(const fgti_padding *p, const fgti_step *s, const fgti_real *aside);
/* Backward, before and after a step. For padded tokens dh_{t-1} = dh_t + dy_t, dc_{t-1} = dc_t and da = 0,
 * where a row of da has `width` elements. */
void fgti_padding_save_grad(const fgti_padding *p, const fgti_vec *vec, const fgti_step *s, fgti_real *aside);
void fgti_padding_restore_grad(const fgti_padding *p, const fgti_step *s, int64_t width,
                               const fgti_real *aside);

#endif
