/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/fit/share.h"

#include <math.h>
#include <string.h>

#include "core/size.h"
#include "forecast/fit/token_layers.h"
#include "forecast/linear/unit_root.h"
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

/* ---- the map, where the layers are trained apart ---- */

/* The next parameter of the map in closed form. */
static const fgti_param *next_of_map(const fgti_share *s, int64_t *i)
{
    const fgti_param *p;
    while ((p = fgti_model_param(s->f->model, (*i)++)) && strcmp(p->full_name, "skip.weight") != 0 &&
           strcmp(p->full_name, "skip.bias") != 0)
        continue;
    return p;
}

/* Layers of which a share is kept must not change what the map reads, nor add anything with their last maps
 * at 0. So these stay as they were made, without effect. */
static const char *const held[FGTI_HELD] = {"revin.weight",      "revin.bias",      "effect_in.weight",
                                            "effect_in.bias",    "effect_out.weight", "effect_out.bias",
                                            "targets.weight",    "targets.bias"};

static fgt_status hold(fgti_share *s)
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
    for (int k = 0; k < FGTI_HELD; k++) /* the names are there: it cannot fail */
        if (s->held[k]) s->held[k] = fgt_model_set_frozen(s->f->model, held[k], 0) != FGT_OK;
}

/* Keeps the map M and puts the last value in its place: of each step the last lag has the weight 1. */
static fgt_status set_apart(fgti_share *s)
{
    fgti_real        *weights = fgti_model_slabs(s->f->model).weights, *to;
    const int64_t     lags    = s->f->info.input_len;
    const fgti_param *p;
    int64_t           count = 0;
    for (int64_t i = 0; (p = next_of_map(s, &i));) count += p->count;
    FGTI_TRY(hold(s));
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

/* share of the last value, and the rest of M */
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
    const int64_t     windows = s->validation.count, lags = s->f->info.input_len;
    fgt_context      *ctx     = s->f->ctx;
    const fgti_param *p;
    int64_t           count = 0, at = 0;
    s->tested = fgti_forecast_steps(windows * s->stride, s->f->info.pred_len);
    const int64_t cells = fgti_mul(windows, fgti_mul(s->tested, s->f->info.columns));
    FGTI_TRY(FGTI_NEW(ctx, cells, "share of the layers", &s->gain));
    FGTI_TRY(FGTI_NEW(ctx, cells, "share of the layers", &s->last));
    FGTI_TRY(FGTI_NEW(ctx, s->tested, "share of the layers", &s->odds));
    for (int64_t i = 0; (p = next_of_map(s, &i));) count += p->count;
    FGTI_TRY(FGTI_NEW(ctx, count, "share of the layers", &s->plain));
    for (int64_t i = 0; (p = next_of_map(s, &i)); at += p->count)
        for (int64_t k = lags - 1; k < p->count && !strcmp(p->full_name, "skip.weight"); k += lags)
            s->plain[at + k] = 1;
    return FGT_OK;
}

/* Quantiles in their order are no linear function of what the layers add. */
fgt_status fgti_share_new(fgt_forecaster *f, const fgt_source *validation, int64_t stride, bool apart,
                          const fgt_loss_opts *loss, fgti_share *s)
{
    fgti_error *err = &f->ctx->error;
    *s              = (fgti_share){.f = f};
    if (!validation || !f->info.linear || f->info.quantile_count) return FGT_OK;
    s->count = count_last(s);
    if (!s->count) return FGT_OK;
    FGTI_TRY(fgti_source_check(err, "fit", validation, &s->validation));
    const double h = (double)f->info.pred_len;
    s->horizons    = ((double)s->validation.count * (double)stride + h - 1) / h;
    FGTI_TRY(fgti_loss_read(err, loss, &s->loss));
    FGTI_TRY(FGTI_NEW(f->ctx, s->count, "share of the layers", &s->trained));
    s->stride = stride;
    if (s->horizons < ENOUGH) FGTI_TRY(new_gains(s));
    FGTI_TRY(fgti_batch_create(f->model, fgti_model_options(f->model)->batch, FGT_F32,
                               s->validation.get_value, &s->loss, &s->batch));
    return apart ? set_apart(s) : FGT_OK;
}

static void scale(fgti_share *s, double share)
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

/* Layers that were trained apart are of no use beside the map: after an error it is alone. Those that were
 * not trained yet are as before. */
void fgti_share_done(fgti_share *s)
{
    if (s->map && !s->chosen) {
        scale(s, s->began ? 0 : 1);
        mix_map(s, 0);
        fgti_model_changed(s->f->model);
    }
    let_go(s);
    if (s->trained) fgti_batch_destroy(s->f->ctx, &s->batch);
    fgti_free(s->f->ctx, s->trained);
    fgti_free(s->f->ctx, s->map);
    fgti_free(s->f->ctx, s->gain);
    fgti_free(s->f->ctx, s->last);
    fgti_free(s->f->ctx, s->odds);
    fgti_free(s->f->ctx, s->plain);
    *s = (fgti_share){0};
}

/* ---- choosing ---- */

static fgt_status measure(fgti_share *s, double share, double *loss)
{
    scale(s, share);
    return fgti_evaluate(s->f->model, &s->batch, &s->validation, &s->loss, loss, NULL);
}

/* The map changes places with s->plain, at first the last value. */
static void swap_map(fgti_share *s)
{
    fgti_real        *weights = fgti_model_slabs(s->f->model).weights, *plain = s->plain;
    const fgti_param *p;
    for (int64_t i = 0; (p = next_of_map(s, &i));)
        for (int64_t k = 0; k < p->count; k++, plain++) {
            const fgti_real keep   = weights[p->offset + k];
            weights[p->offset + k] = *plain;
            *plain                 = keep;
        }
    fgti_model_changed(s->f->model);
}

/* last: the forecasts that the last value gives beside what is known of the rows. */
static fgt_status find_last(fgti_share *s)
{
    const int64_t c = s->f->info.columns, cells = s->f->info.pred_len * c, all = s->tested * c;
    int64_t       n;
    fgt_status    status = FGT_OK;
    scale(s, 0);
    swap_map(s);
    for (int64_t at = 0; status == FGT_OK && at < s->validation.count; at += n) {
        status         = fgti_batch_predict(s->f->model, &s->batch, &s->validation, at, &n);
        const float *y = s->batch.y.data;
        for (int64_t i = 0; status == FGT_OK && i < n * all; i++)
            s->last[at * all + i] = y[i / all * cells + ((INT64_C(1) << i % all / c) - 1) * c + i % c];
    }
    swap_map(s);
    return status;
}

/* Gains of forecasts with this share of the layers over the last value in each window, unit_root.h. */
static fgt_status find_gains(fgti_share *s, double share)
{
    const int64_t c = s->f->info.columns, cells = s->f->info.pred_len * c, all = s->tested * c;
    int64_t       n;
    scale(s, share);
    for (int64_t at = 0; at < s->validation.count; at += n) {
        FGTI_TRY(fgti_batch_predict(s->f->model, &s->batch, &s->validation, at, &n));
        const float *y = s->batch.y.data, *truth = s->batch.target.data;
        for (int64_t i = 0; i < n * all; i++) {
            const int64_t cell = i / all * cells + ((INT64_C(1) << i % all / c) - 1) * c + i % c;
            const double  last = (double)s->last[at * all + i];
            const double  g    = ((double)truth[cell] - last) * ((double)y[cell] - last);
            s->gain[i % all * s->validation.count + at + i / all] = isnan(g) ? 0 : g;
        }
    }
    return FGT_OK;
}

/* The odds that forecasts with this share of the layers beat the last value by more than chance. */
static fgt_status find_odds(fgti_share *s, double share, double *odds)
{
    const int64_t windows = s->validation.count;
    FGTI_TRY(find_gains(s, share));
    for (int64_t k = 0; k < s->tested; k++) {
        const int64_t steps = INT64_C(1) << k, block = steps > s->stride ? steps / s->stride : 1;
        double       *gain = s->gain + k * s->f->info.columns * windows;
        s->odds[k]         = fgti_forecast_odds_of_all(gain, s->f->info.columns, windows, block);
    }
    *odds = fgti_mean_odds(s->odds, s->tested);
    return FGT_OK;
}

/* Whether the layers foretell any of the series. Their epoch was chosen on these rows, so their odds are too
 * high by themselves; where the map foretells nothing, layers are not likely to either. */
static fgt_status find_probability(fgti_share *s, double *p)
{
    double map, layers;
    FGTI_TRY(find_last(s));
    FGTI_TRY(find_odds(s, 0, &map));
    FGTI_TRY(find_odds(s, 1, &layers));
    *p = 1 / (1 + exp(-layers - fmin(map, 0)));
    return FGT_OK;
}

/* gain: E_0 / E_1 - 1 */
static double share_of(const fgti_share *s, double gain)
{
    const double n = s->horizons;
    return 1 / (1 + fmax(ENOUGH / n, 1) * exp(-gain * fmin(n, MOST_HORIZONS) / PER_HORIZON));
}

/* The lowest point of the parabola through the losses with the shares 0, 1/2 and 1, of few horizons less. */
static double share_of_parabola(const fgti_share *s, double none, double half, double all)
{
    const double bend = 2 * (none + all - 2 * half), slope = all - none - bend;
    const double best = bend > 0 ? fmin(fmax(-slope / (2 * bend), 0), 1) : all < none;
    return best * fmin(s->horizons / ENOUGH, 1);
}

/* *share: one that is likely to be good. */
static fgt_status try_shares(fgti_share *s, double all, double *none, double *share, double *mixed)
{
    double half;
    FGTI_TRY(measure(s, 0, none));
    *share = share_of(s, *none / all - 1);
    if (s->map) {
        FGTI_TRY(measure(s, 0.5, &half));
        *share = share_of_parabola(s, *none, half, all);
    }
    return measure(s, *share, mixed);
}

/* *best: the share to keep, and *loss with it. */
static fgt_status find_best(fgti_share *s, double *loss, double *best)
{
    double     none, middle, mixed, p;
    const bool few = s->horizons < ENOUGH; /* they cannot tell that all of it is better */
    p = 1;
    if (s->plain) FGTI_TRY(find_probability(s, &p));
    FGTI_TRY(try_shares(s, *loss, &none, &middle, &mixed));
    *best = 1;
    if (few || none < *loss) {
        *best = 0;
        *loss = none;
    }
    if (mixed < *loss) {
        *best = middle;
        *loss = mixed;
    }
    if (p == 1 || !(*best > 0)) return FGT_OK;
    *best *= p;
    FGTI_TRY(measure(s, *best, loss));
    if (*loss < none) return FGT_OK;
    *best = 0;
    *loss = none;
    return FGT_OK;
}

fgt_status fgti_share_choose(fgti_share *s, double *loss)
{
    double best, least = *loss;
    if (!s->count || !isfinite(*loss) || !(*loss > 0)) return FGT_OK;
    keep_trained(s);
    const fgt_status status = find_best(s, &least, &best);
    if (status != FGT_OK) {
        scale(s, s->map ? 0 : 1);
        return status;
    }
    scale(s, best);
    s->chosen = true;
    *loss     = least;
    return FGT_OK;
}
