/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/optim/clip.h"

#include <math.h>

#include <fighter/train.h>

#include "core/context.h"
#include "core/tensor.h"
#include "core/vec/vec.h"
#include "train/cut.h"

typedef struct squares {
    const fgti_vec  *vec;
    const fgti_real *x;
    fgti_cut         cut;
    double           partial[FGTI_CHUNKS];
} squares;

static void square_chunk(void *arg, int64_t chunk, int32_t worker)
{
    (void)worker;
    squares *s        = arg;
    s->partial[chunk] = s->vec->sumsq(fgti_cut_length(&s->cut, chunk), s->x + chunk * s->cut.size);
}

static double sum_squares(const fgt_context *ctx, int64_t n, const fgti_real *x)
{
    squares s   = {.vec = ctx->vec, .x = x, .cut = fgti_cut_of(n, FGTI_GRAIN)};
    double  sum = 0;
    fgti_parallel(&ctx->exec, s.cut.count, square_chunk, &s);
    for (int64_t i = 0; i < s.cut.count; i++) sum += s.partial[i];
    return sum;
}

/* 1e-6 as in torch.nn.utils.clip_grad_norm_ */
double fgti_clip_factor(double max_norm, double norm)
{
    const double factor = max_norm / (norm + 1e-6);
    return factor < 1 ? factor : 1;
}

fgt_status fgt_clip_gradients(fgt_context *ctx, const fgt_view *gradients, int64_t count, double max_norm,
                              double *norm)
{
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!(max_norm > 0)) return fgti_fail(err, FGT_E_ARG, "clip: max_norm is %g, must be above 0", max_norm);
    if (count < 0 || (count && !gradients))
        return fgti_fail(err, FGT_E_ARG, "clip: gradients or count is wrong (need an array and its length)");
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const fgt_view *g = &gradients[i];
        FGTI_TRY(fgti_view_check(err, "a gradient", g, FGTI_REAL, g->rank, g->shape));
        const double square = sum_squares(ctx, fgt_view_count(g), g->data);
        if (!isfinite(square))
            return fgti_fail(err, FGT_E_NONFINITE, "clip: gradient %lld is NaN or infinite", (long long)i);
        sum += square;
    }
    const double factor = fgti_clip_factor(max_norm, sqrt(sum));
    for (int64_t i = 0; factor < 1 && i < count; i++)
        ctx->vec->scale(fgt_view_count(&gradients[i]), (fgti_real)factor, gradients[i].data);
    if (norm) *norm = sqrt(sum);
    return FGT_OK;
}
