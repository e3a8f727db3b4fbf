/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/loss/spectral.h"

#include <math.h>
#include <string.h>

#include "core/size.h"

enum {
    LANES  = FGTI_DFT_LANES,
    ARRAYS = 6
}; /* ARRAYS: real and imaginary parts of the differences, of the spectrum, and of a spare array */

fgt_status fgti_spectral_init(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                              fgti_spectral *s)
{
    *s = (fgti_spectral){0};
    if (!(opts->spectral > 0)) return FGT_OK;
    if (y->rank < 2)
        return fgti_fail(&ctx->error, FGT_E_SHAPE, "loss: spectral needs y with an axis of time");
    s->length       = y->shape[1];
    const int64_t n = fgti_mul(fgti_mul(ctx->exec.workers, ARRAYS), fgti_mul(s->length, LANES));
    FGTI_TRY(FGTI_NEW(ctx, s->length, "table of a transform", &s->turn));
    FGTI_TRY(FGTI_NEW(ctx, n, "transforms", &s->memory));
    fgti_dft_plan(s->length, s->turn);
    return FGT_OK;
}

void fgti_spectral_done(fgt_context *ctx, fgti_spectral *s)
{
    fgti_free(ctx, s->turn);
    fgti_free(ctx, s->memory);
    *s = (fgti_spectral){0};
}

static fgti_planes planes(const fgti_spectral *s, int32_t worker, int number)
{
    const int64_t each  = s->length * LANES;
    fgti_real    *first = s->memory + (worker * ARRAYS + 2 * number) * each;
    return (fgti_planes){first, first + each};
}

fgti_real *fgti_spectral_input(const fgti_spectral *s, int32_t worker)
{
    return planes(s, worker, 0).re;
}

/* Adds |E_f| of each lane to the loss of the lane, and replaces E_f by E_f/|E_f|. */
static void take_size(fgti_real *re, fgti_real *im, double *loss)
{
    for (int i = 0; i < LANES; i++) {
        const double size = sqrt((double)re[i] * (double)re[i] + (double)im[i] * (double)im[i]);
        loss[i] += size;
        re[i] = size > 0 ? (fgti_real)((double)re[i] / size) : 0;
        im[i] = size > 0 ? (fgti_real)((double)im[i] / size) : 0;
    }
}

const fgti_real *fgti_spectral_run(const fgti_spectral *s, int32_t worker, double *loss)
{
    const int64_t     h = s->length, frequencies = h / 2 + 1;
    const size_t      row = LANES * sizeof(fgti_real);
    const fgti_planes e = planes(s, worker, 0), spectrum = planes(s, worker, 1), spare = planes(s, worker, 2);
    memset(e.im, 0, (size_t)h * row);
    memset(loss, 0, LANES * sizeof *loss);
    fgti_dft_run(h, s->turn, e, spectrum, spare);
    for (int64_t f = 0; f < frequencies; f++)
        take_size(spectrum.re + f * LANES, spectrum.im + f * LANES, loss);
    memset(spectrum.re + frequencies * LANES, 0, (size_t)(h - frequencies) * row);
    memset(spectrum.im + frequencies * LANES, 0, (size_t)(h - frequencies) * row);
    /* exchanging real and imaginary parts makes this the inverse transform */
    fgti_dft_run(h, s->turn, (fgti_planes){spectrum.im, spectrum.re}, e, spare);
    for (int64_t i = 0; i < h * LANES; i++) e.im[i] /= (fgti_real)frequencies;
    for (int i = 0; i < LANES; i++) loss[i] /= (double)frequencies;
    return e.im;
}
