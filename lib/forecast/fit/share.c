/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/fit/share.h"

#include <math.h>
#include <string.h>

#include "core/size.h"
#include "forecast/build/token_layers.h"
#include "forecast/linear/gain.h"
#include "model/access.h"
#include "model/guard.h"
#include "model/pass/own_pass.h"
#include "train/loss/loss.h"

/* Number of windows per horizon whose forecasts are compared. */
enum { WINDOWS = 4 };

/* Returns the next parameter of a last map, beginning with parameter *i. */
static const fgti_param *next(const fgti_share *s, int64_t *i)
{
    const fgti_param *p;
    while ((p = fgti_model_param(s->f->model, (*i)++)) && !fgti_is_last_map(p->full_name)) continue;
    return p;
}

static int64_t count_last(const fgti_share *s)
{
    const fgti_param *p;
    int64_t           sum = 0;
    for (int64_t i = 0; (p = next(s, &i));) sum += p->count;
    return sum;
}

static void keep_trained(fgti_share *s)
{
    const fgti_real  *weights = fgti_model_slabs(s->f->model).weights;
    fgti_real        *to      = s->trained;
    const fgti_param *p;
    for (int64_t i = 0; (p = next(s, &i)); to += p->count)
        memcpy(to, weights + p->offset, (size_t)p->count * sizeof *to);
}

/* ---- the map, if the layers are trained apart ---- */

/* Returns the next parameter of the map in closed form. */
static const fgti_param *next_of_map(const fgti_share *s, int64_t *i)
{
    const fgti_param *p;
    while ((p = fgti_model_param(s->f->model, (*i)++)) && strncmp(p->full_name, "skip.", 5) != 0 &&
           strncmp(p->full_name, "past_linear.", 12) != 0)
        continue;
    return p;
}

/* Parameters that are frozen at their initial values, which have no effect. If only a share of the layers is
 * kept, the layers must not change the input of the map, and must add nothing if their last maps are 0. */
static const char *const held[FGTI_HELD] = {"revin.weight",      "revin.bias",      "effect_in.weight",
                                            "effect_in.bias",    "effect_out.weight", "effect_out.bias",
                                            "targets.weight",    "targets.bias"};

static fgt_status share_hold(fgti_share *s)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_param(s->f->model, i)); i++)
        for (int k = 0; k < FGTI_HELD; k++) {
            if (p->frozen || strcmp(p->full_name, held[k]) != 0) continue;
            FGTI_TRY(fgt_model_set_frozen(s->f->model, held[k], 1));
            s->held[k] = true;
        }
    return FGT_OK;
}

static void let_go(fgti_share *s)
{
    for (int k = 0; k < FGTI_HELD; k++) /* the names exist, so it cannot fail */
        if (s->held[k]) s->held[k] = fgt_model_set_frozen(s->f->model, held[k], 0) != FGT_OK;
}

/* Saves the map M and replaces it by the last value: for each step the last lag has the weight 1. */
static fgt_status set_apart(fgti_share *s)
{
    fgti_real        *weights = fgti_model_slabs(s->f->model).weights, *to;
    const int64_t     lags    = s->f->info.input_len;
    const fgti_param *p;
    int64_t           count = 0;
    for (int64_t i = 0; (p = next_of_map(s, &i));) count += p->count;
    FGTI_TRY(share_hold(s));
    FGTI_TRY(FGTI_NEW(s->f->ctx, count, "share of the layers", &s->map));
    keep_trained(s);
    to = s->map;
    for (int64_t i = 0; (p = next_of_map(s, &i)); to += p->count) {
        fgti_real *w     = weights + p->offset;
        const bool lines = !strcmp(p->full_name, "skip.weight");
        memcpy(to, w, (size_t)p->count * sizeof *to);
        for (int64_t k = 0; k < p->count; k++) w[k] = (fgti_real)(lines && k % lags == lags - 1);
    }
    fgti_model_changed(s->f->model);
    return FGT_OK;
}

/* Sets the map to `share` times the last value plus (1 - share) times M. */
static void mix_map(fgti_share *s, double share)
{
    fgti_real        *weights = fgti_model_slabs(s->f->model).weights;
    const int64_t     lags    = s->f->info.input_len;
    const fgti_real  *map     = s->map;
    const fgti_param *p;
    for (int64_t i = 0; (p = next_of_map(s, &i)); map += p->count) {
        const bool lines = !strcmp(p->full_name, "skip.weight");
        for (int64_t k = 0; k < p->count; k++) {
            const double last       = lines && k % lags == lags - 1;
            weights[p->offset + k] = (fgti_real)(share * last + (1 - share) * (double)map[k]);
        }
    }
}

/* ---- memory ---- */

bool fgti_share_can_be_apart(const fgt_forecaster *f)
{
    const fgti_share s = {.f = (fgt_forecaster *)f}; /* only read */
    int64_t          i = 0;
    return f->info.linear && !f->info.quantile_count && count_last(&s) && next_of_map(&s, &i);
}

static fgt_status new_gains(fgti_share *s)
{
    const int64_t h = s->f->info.pred_len, few = h / (WINDOWS * s->stride);
    s->step   = few > 0 ? few : 1;
    s->tested = (s->validation.count + s->step - 1) / s->step;
    s->blocks = s->validation.count * s->stride / h + 1;
    FGTI_TRY(FGTI_NEW(s->f->ctx, fgti_mul(s->tested, h * s->f->info.columns), "share of the layers",
                      &s->before));
    FGTI_TRY(FGTI_NEW(s->f->ctx, s->blocks, "share of the layers", &s->gain));
    return FGTI_NEW(s->f->ctx, s->blocks, "share of the layers", &s->spare);
}

static fgt_status new_share(fgti_share *s, bool apart)
{
    if (!s->f->info.quantile_count) s->count = count_last(s);
    if (!s->count) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->f->ctx, s->count, "share of the layers", &s->trained));
    FGTI_TRY(new_gains(s));
    return apart ? set_apart(s) : FGT_OK;
}

fgt_status fgti_share_new(fgt_forecaster *f, const fgt_source *validation, int64_t stride, bool apart,
                          const fgt_loss_opts *loss, fgti_share *s)
{
    fgti_error *err = &f->ctx->error;
    *s              = (fgti_share){.f = f, .stride = stride, .start_loss = NAN};
    if (!validation || !f->info.linear) return FGT_OK;
    FGTI_TRY(fgti_source_check(err, "fit", validation, &s->validation));
    FGTI_TRY(fgti_loss_read(err, loss, &s->loss));
    const fgti_slabs w = fgti_model_slabs(f->model);
    FGTI_TRY(FGTI_NEW(f->ctx, w.size, "share of the layers", &s->start));
    memcpy(s->start, w.weights, (size_t)w.size * sizeof *w.weights);
    FGTI_TRY(fgti_batch_create(f->model, fgti_model_options(f->model)->batch, FGT_DTYPE_F32,
                               s->validation.get_value, &s->loss, &s->batch));
    return new_share(s, apart);
}

static void share_scale_weights(fgti_share *s, double share)
{
    fgti_real        *weights = fgti_model_slabs(s->f->model).weights;
    const fgti_real  *from    = s->trained;
    const fgti_param *p;
    for (int64_t i = 0; (p = next(s, &i));)
        for (int64_t k = 0; k < p->count; k++)
            weights[p->offset + k] = (fgti_real)(share * (double)*from++);
    if (s->map) mix_map(s, share);
    fgti_model_changed(s->f->model);
}

/* Exchanges the weights with the saved weights from before the training. */
static void swap_start(fgti_share *s)
{
    const fgti_slabs w = fgti_model_slabs(s->f->model);
    for (int64_t i = 0; i < w.size; i++) {
        const fgti_real v = w.weights[i];
        w.weights[i]      = s->start[i];
        s->start[i]       = v;
    }
    fgti_model_changed(s->f->model);
}

/* Layers that were trained apart do not fit a model that has the map, because they were trained with the
 * last value in its place. So if no share was chosen, because of an error, all weights are restored. */
void fgti_share_done(fgti_share *s)
{
    if (s->map && !s->chosen) swap_start(s);
    let_go(s);
    if (s->start) fgti_batch_destroy(s->f->ctx, &s->batch);
    fgti_free(s->f->ctx, s->start);
    fgti_free(s->f->ctx, s->trained);
    fgti_free(s->f->ctx, s->map);
    fgti_free(s->f->ctx, s->before);
    fgti_free(s->f->ctx, s->gain);
    fgti_free(s->f->ctx, s->spare);
    *s = (fgti_share){0};
}

/* ---- choosing ---- */

static fgt_status find_loss(fgti_share *s, double *loss)
{
    return fgti_evaluate(s->f->model, &s->batch, &s->validation, &s->loss, loss, NULL);
}

/* Layers that are trained apart start with the last value instead of the map, so the loss of these weights is
 * not the loss before the training. */
fgt_status fgti_share_start_loss(fgti_share *s, double *loss)
{
    FGTI_TRY(find_loss(s, loss));
    if (!s->map) s->start_loss = *loss;
    return FGT_OK;
}

/* Forecasts *n of the compared windows, from number *at on. */
static fgt_status share_predict(fgti_share *s, int64_t at, int64_t *n)
{
    *n = fgti_least(s->batch.size, s->tested - at);
    for (int64_t i = 0; i < *n; i++) s->batch.index[i] = (at + i) * s->step;
    FGTI_TRY(fgti_batch_load(s->f->model, &s->batch, &s->validation, s->batch.index, *n));
    return fgti_model_predict(s->f->model, &s->batch.x, &s->batch.y);
}

static fgt_status find_before(fgti_share *s)
{
    const int64_t cells = s->f->info.pred_len * s->f->info.columns;
    int64_t       n;
    share_scale_weights(s, 0);
    for (int64_t at = 0; at < s->tested; at += n) {
        FGTI_TRY(share_predict(s, at, &n));
        memcpy(s->before + at * cells, s->batch.y.data, (size_t)(n * cells) * sizeof *s->before);
    }
    return FGT_OK;
}

/* Finds the gains of forecasts with all of the layers over forecasts without layers. *share: the share of the
 * layers with the least squared error. */
static fgt_status find_gains(fgti_share *s, double *share)
{
    const int64_t h = s->f->info.pred_len, cells = h * s->f->info.columns;
    double        gain = 0, square = 0;
    int64_t       n;
    memset(s->gain, 0, (size_t)s->blocks * sizeof *s->gain);
    share_scale_weights(s, 1);
    for (int64_t at = 0; at < s->tested; at += n) {
        FGTI_TRY(share_predict(s, at, &n));
        const float *y = s->batch.y.data, *truth = s->batch.target.data, *before = s->before + at * cells;
        for (int64_t i = 0; i < n * cells; i++) {
            const double d = (double)y[i] - (double)before[i], g = ((double)truth[i] - (double)before[i]) * d;
            if (isnan(g)) continue;
            s->gain[(at + i / cells) * s->step * s->stride / h] += g;
            gain += g;
            square += d * d;
        }
    }
    *share = square > 0 ? fmin(fmax(gain / square, 0), 1) : 0;
    return FGT_OK;
}

/* Scales the layers to the share that is kept. *share: this share; *loss: the loss of the scaled layers. */
static fgt_status keep_share(fgti_share *s, double *share, double *loss)
{
    double p;
    keep_trained(s);
    FGTI_TRY(find_before(s));
    FGTI_TRY(find_gains(s, share));
    p = fgti_odds_of_gain(s->gain, s->spare, s->blocks);
    fgti_probabilities_of_gain(&p, 1);
    *share *= p;
    share_scale_weights(s, *share);
    return find_loss(s, loss);
}

fgt_status fgti_share_choose(fgti_share *s, fgt_fit_report *report)
{
    double     kept = report->best_epoch ? report->best_loss : NAN, start = s->start_loss;
    fgt_status status = FGT_OK;
    if (!s->start) return FGT_OK;
    if (s->count && kept > 0 && isfinite(kept)) status = keep_share(s, &report->share, &kept);
    if (status == FGT_OK) {
        swap_start(s);
        if (isnan(start)) status = find_loss(s, &start);
        if (status != FGT_OK || kept < start) swap_start(s);
    }
    if (status != FGT_OK) { /* fgti_share_done() restores layers that were trained apart */
        if (s->count && !s->map) share_scale_weights(s, 1);
        return status;
    }
    s->chosen         = true;
    report->best_loss = kept < start ? kept : start;
    if (kept < start) return FGT_OK;
    report->best_epoch = 0;
    if (s->count) report->share = 0;
    return FGT_OK;
}
