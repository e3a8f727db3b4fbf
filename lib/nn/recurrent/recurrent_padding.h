/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_PADDING_H
#define FGTI_RECURRENT_PADDING_H

/* What a recurrent layer does with tokens that FGT_MASK_KEY_PADDING marks: h_t = h_{t-1}, c_t = c_{t-1}. So
 * the last state is that of the last token that counts, and reading backwards begins there. A step works on
 * whole blocks of rows, so what it must not change goes aside before it, [2,rows,h], and back after it. */

#include "nn/layer.h"

/* One step of a block of rows. */
typedef struct fgti_padding {
    const int32_t *mask;             /* [B,T] from the step's token on, or NULL */
    int64_t        row, nodes, time; /* the block's first row, of B N; N, T */
} fgti_padding;

/* Forward, before and after: the states. */
void fgti_padding_save(const fgti_padding *p, const fgti_step *s, fgti_real *aside);
void fgti_padding_restore(const fgti_padding *p, const fgti_step *s, const fgti_real *aside);
/* Backward, before and after: dh_{t-1} = dh_t + dy_t, dc_{t-1} = dc_t, da = 0, `width` elements a row. */
void fgti_padding_save_grad(const fgti_padding *p, const fgti_vec *vec, const fgti_step *s, fgti_real *aside);
void fgti_padding_restore_grad(const fgti_padding *p, const fgti_step *s, int64_t width,
                               const fgti_real *aside);

#endif
