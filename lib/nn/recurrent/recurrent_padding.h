/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_PADDING_H
#define FGTI_RECURRENT_PADDING_H

/* Tokens that FGT_MASK_KEY_PADDING marks do not change the states: h_t = h_{t-1}, c_t = c_{t-1}. So the last
 * state is the state of the last token without a mark, and the second direction starts there. A step computes
 * whole blocks of rows. So states that must not change are saved before the step, [2,rows,h], and restored
 * after it. */

#include "nn/layer.h"

/* The marks of one step of a block of rows. */
typedef struct fgti_padding {
    const int32_t *mask;             /* [B,T]: the mask from the step's token on, or NULL */
    int64_t        row, nodes, time; /* number of the block's first row among B N rows; N; T */
} fgti_padding;

/* Forward: save() keeps the states before a step, restore() puts them back for padded tokens after it. */
void fgti_padding_save(const fgti_padding *p, const fgti_step *s, fgti_real *aside);
void fgti_padding_restore(const fgti_padding *p, const fgti_step *s, const fgti_real *aside);
/* Backward, before and after a step: dh_{t-1} = dh_t + dy_t, dc_{t-1} = dc_t, da = 0, `width` elements a
 * row. */
void fgti_padding_save_grad(const fgti_padding *p, const fgti_vec *vec, const fgti_step *s, fgti_real *aside);
void fgti_padding_restore_grad(const fgti_padding *p, const fgti_step *s, int64_t width,
                               const fgti_real *aside);

#endif
