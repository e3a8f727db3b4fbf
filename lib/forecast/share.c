/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/share.h"

#include <math.h>
#include <string.h>

#include "forecast/token_layers.h"
#include "model/access.h"

/* As for forms of the map, in linear_weights.c and linear_forms.c. */
#define MOST_HORIZONS 75
#define PER_HORIZON   1.5
#define ENOUGH        30

/* The next parameter of a last map, from number *i on. */
static const fgti_param *next(const fgti_share *s, int64_t *i)
{
    const fgti_param *p;
    while ((p = fgti_model_param(s->f->model, (*i)++)) && !fgti_is_last_map(p->full_name)) continue;
    return p;
}

static void count(fgti_share *s)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = next(s, &i));) s->count += p->count;
}

/* Quantiles in their order are no linear function of what the layers add. */
fgt_status fgti_share_new(fgt_forecaster *f, const fgt_source *validation, int64_t stride,
                          const fgt_loss_opts *loss, fgti_share *s)
{
    fgti_error *err = &f->ctx->error;
    *s              = (fgti_share){.f = f};
    if (!validation || !f->info.linear || f->info.quantile_count) return FGT_OK;
    count(s);
    if (!s->count) return FGT_OK;
    FGTI_TRY(fgti_source_check(err, "fit", validation, &s->validation));
    const double h = (double)f->info.pred_len;
    s->horizons    = ((double)s->validation.count * (double)stride + h - 1) / h;
    FGTI_TRY(fgti_loss_read(err, loss, &s->loss));
    FGTI_TRY(FGTI_NEW(f->ctx, s->count, "share of the layers", &s->trained));
    return fgti_batch_create(f->model, fgti_model_options(f->model)->batch, FGT_F32, s->validation.get_value,
                             &s->loss, &s->batch);
}

void fgti_share_done(fgti_share *s)
{
    if (s->trained) fgti_batch_destroy(s->f->ctx, &s->batch);
    fgti_free(s->f->ctx, s->trained);
    *s = (fgti_share){0};
}

static void scale(fgti_share *s, double share)
{
    fgti_real        *weights = fgti_model_slabs(s->f->model).weights;
    const fgti_real  *from    = s->trained;
    const fgti_param *p;
    for (int64_t i = 0; (p = next(s, &i));)
        for (int64_t k = 0; k < p->count; k++)
            weights[p->offset + k] = (fgti_real)(share * (double)*from++);
    fgti_model_changed(s->f->model);
}

static void keep_trained(fgti_share *s)
{
    const fgti_real  *weights = fgti_model_slabs(s->f->model).weights;
    fgti_real        *to      = s->trained;
    const fgti_param *p;
    for (int64_t i = 0; (p = next(s, &i)); to += p->count)
        memcpy(to, weights + p->offset, (size_t)p->count * sizeof *to);
}

static fgt_status measure(fgti_share *s, double share, double *loss)
{
    scale(s, share);
    return fgti_evaluate(s->f->model, &s->batch, &s->validation, &s->loss, loss, NULL);
}

/* gain: E_0 / E_1 - 1 */
static double share_of(const fgti_share *s, double gain)
{
    const double n = s->horizons;
    return 1 / (1 + fmax(ENOUGH / n, 1) * exp(-gain * fmin(n, MOST_HORIZONS) / PER_HORIZON));
}

fgt_status fgti_share_choose(fgti_share *s, double *loss)
{
    double     without, mixed, best = 1;
    fgt_status status;
    if (!s->count || !isfinite(*loss) || !(*loss > 0)) return FGT_OK;
    keep_trained(s);
    status              = measure(s, 0, &without);
    const double middle = share_of(s, without / *loss - 1);
    if (status == FGT_OK) status = measure(s, middle, &mixed);
    if (status != FGT_OK) {
        scale(s, 1);
        return status;
    }
    const bool few = s->horizons < ENOUGH; /* they cannot tell that all of it is better */
    if (few || without < *loss) {
        best  = 0;
        *loss = without;
    }
    if (mixed < *loss) {
        best  = middle;
        *loss = mixed;
    }
    scale(s, best);
    return FGT_OK;
}
