/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_padding.h"

#include <string.h>

static bool marked(const fgti_padding *p, int64_t r)
{
    return p->mask && p->mask[(p->row + r) / p->nodes * p->time];
}

static void recurrent_padding_copy(int64_t n, const fgti_real *src, fgti_real *dst)
{
    memcpy(dst, src, (size_t)n * sizeof *dst);
}

void fgti_padding_save(const fgti_padding *p, const fgti_step *s, fgti_real *aside)
{
    const int64_t h = s->h;
    for (int64_t r = 0; r < s->rows; r++) {
        if (!marked(p, r)) continue;
        recurrent_padding_copy(h, s->h_in + r * s->ldh_in, aside + r * h);
        if (s->c_in) recurrent_padding_copy(h, s->c_in + r * s->ldc_in, aside + (s->rows + r) * h);
    }
}

void fgti_padding_restore(const fgti_padding *p, const fgti_step *s, const fgti_real *aside)
{
    const int64_t h = s->h;
    for (int64_t r = 0; r < s->rows; r++) {
        if (!marked(p, r)) continue;
        recurrent_padding_copy(h, aside + r * h, s->h_out + r * s->ldh_out);
        if (s->c_out) recurrent_padding_copy(h, aside + (s->rows + r) * h, s->c_out + r * s->ldc_out);
    }
}

void fgti_padding_save_grad(const fgti_padding *p, const fgti_vec *vec, const fgti_step *s, fgti_real *aside)
{
    const int64_t h = s->h;
    for (int64_t r = 0; r < s->rows; r++) {
        if (!marked(p, r)) continue;
        recurrent_padding_copy(h, s->dh + r * h, aside + r * h);
        vec->axpy(h, 1, s->dy + r * s->lddy, aside + r * h);
        recurrent_padding_copy(h, s->dc + r * h, aside + (s->rows + r) * h);
    }
}

void fgti_padding_restore_grad(const fgti_padding *p, const fgti_step *s, int64_t width,
                               const fgti_real *aside)
{
    const int64_t h = s->h;
    for (int64_t r = 0; r < s->rows; r++) {
        if (!marked(p, r)) continue;
        recurrent_padding_copy(h, aside + r * h, s->dh + r * h);
        recurrent_padding_copy(h, aside + (s->rows + r) * h, s->dc + r * h);
        memset(s->a + r * s->lda, 0, (size_t)width * sizeof *s->a);
    }
}
