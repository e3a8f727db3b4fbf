/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of series that a host passes as arrays. */
#include "forecast/local/forecast_local.h"

#include <math.h>
#include <string.h>

#include "core/float_env.h"
#include "core/gaps.h"
#include "core/opts.h"
#include "core/wild.h"
#include "forecast/local/bounds.h"
#include "forecast/local/local_weights.h"
#include "forecast/local/long_season.h"
#include "forecast/local/model_share.h"
#include "forecast/local/rare.h"
#include "forecast/local/shift.h"
#include "forecast/local/spread.h"
#include "forecast/local/unseen.h"

enum { K = FGTI_MEMBERS };
#define LARGEST 1e150 /* largest magnitude of a value, so that its square is finite */

_Static_assert(K == FGT_LOCAL_MEMBERS, "the header has another number of members");

typedef struct job {
    fgt_context   *ctx;
    fgt_local_opts o;
    fgti_rows      *rows;   /* [N]: the series with filled gaps, each in its own scale */
    double        *values; /* rows of all series, one series after another */
    double        *scale;  /* [N]: a power of 2 */
    int64_t       *end;    /* [N]: number of rows that the host passed */
    fgti_shift    *shift;  /* [N] */
    int64_t        *stuck;  /* [N]: results of fgti_shift_find_stuck() for the host's rows */
    fgti_bounds   *bounds; /* [N] */
    double        *model;  /* [N,H]: forecasts of the host's model; NULL: there is no model */
    fgti_host_model host;
    fgti_panel     panel;
    fgti_runs      runs;
    fgti_spread   *spread;
    double        *weight; /* [N,K] */
} job;

/* ---- the series ---- */

static fgt_status local_refuse(fgt_context *ctx, int64_t series, const char *wrong)
{
    return fgti_fail(&ctx->error, FGT_E_DATA, "series %lld of the array: %s", (long long)series, wrong);
}

static fgt_status check_series(fgt_context *ctx, const double *y, int64_t n, int64_t series)
{
    int64_t count = 0;
    if (n > 0 && !y) return fgti_fail(&ctx->error, FGT_E_ARG, "series %lld is NULL", (long long)series);
    for (int64_t t = 0; t < n; t++) {
        count += !isnan(y[t]);
        if (fabs(y[t]) > LARGEST)
            return fgti_fail(&ctx->error, FGT_E_DATA,
                             "series %lld, row %lld: %g is too large (values need to be within 1e150)",
                             (long long)series, (long long)t, y[t]);
    }
    return count ? FGT_OK : local_refuse(ctx, series, "no value (a forecast needs one)");
}

static void take_scale(job *j, int64_t series, double *y, int64_t n)
{
    double most = 0;
    int    exponent;
    for (int64_t t = 0; t < n; t++) most = fmax(most, fabs(y[t]));
    (void)frexp(most, &exponent);
    const double scale = most > 0 ? ldexp(1, exponent) : 1;
    for (int64_t t = 0; t < n; t++) y[t] /= scale;
    j->scale[series] = scale;
    j->rows[series]  = (fgti_rows){y, n};
}

/* Replaces outliers of the series y [n] by their expected values. raw: the host's series; row `from` of it is
 * the first row of y. scratch [3 n] */
static void calm(const job *j, int64_t series, int64_t from, const double *raw, double *y, int64_t n,
                 double *scratch)
{
    const int64_t period = j->o.season < n ? j->o.season : n, more = j->o.long_season;
    int64_t       row[FGT_LEFT_OUT];
    int           count = 0;
    if (!j->o.keep_outliers)
        count = fgti_wild_leave_out(raw + from, y, n, period, more < n ? more : 0, scratch, row);
    for (int i = 0; j->o.left_out && i < FGT_LEFT_OUT; i++)
        j->o.left_out[series * FGT_LEFT_OUT + i] = i < count ? from + row[i] : -1;
}

static fgt_status local_take_series(job *j, const double *const *values, const int64_t *rows, int64_t count)
{
    int64_t all = 0, most = 0;
    double *scratch;
    for (int64_t i = 0; i < count; i++) {
        if (rows[i] > most) most = rows[i];
        if (rows[i] < 0 || !fgti_size_add(all, rows[i], &all))
            return fgti_fail(&j->ctx->error, FGT_E_SIZE, "series %lld has %lld rows", (long long)i,
                             (long long)rows[i]);
        FGTI_TRY(check_series(j->ctx, values[i], rows[i], i));
    }
    FGTI_TRY(FGTI_NEW(j->ctx, count, "series", &j->rows));
    FGTI_TRY(FGTI_NEW(j->ctx, count, "series", &j->scale));
    FGTI_TRY(FGTI_NEW(j->ctx, count, "series", &j->end));
    FGTI_TRY(FGTI_NEW(j->ctx, count, "series", &j->shift));
    FGTI_TRY(FGTI_NEW(j->ctx, count, "series", &j->stuck));
    FGTI_TRY(FGTI_NEW(j->ctx, count, "series", &j->bounds));
    FGTI_TRY(FGTI_NEW(j->ctx, all, "series", &j->values));
    FGTI_TRY(FGTI_NEW(j->ctx, 3 * most, "series", &scratch));
    double *y = j->values;
    for (int64_t i = 0; i < count; i++) {
        const int64_t filled = fgti_gaps_fill(values[i], rows[i], y);
        const int64_t leading = fgti_rare_count_leading(y, filled, j->o.season), n = filled - leading;
        y += leading;
        calm(j, i, rows[i] - n, values[i], y, n, scratch);
        take_scale(j, i, y, n);
        j->end[i] = rows[i];
        if (j->o.begin) j->o.begin[i] = rows[i] - n;
        y += n;
    }
    fgti_free(j->ctx, scratch);
    return FGT_OK;
}

/* The last value of a series, if it was left out as an outlier, may be the first value of a new level. last:
 * this value, as the host passed it. */
static void doubt_last(const job *j, int64_t i, double last)
{
    enum { FARTHEST = 10 }; /* in ranges of the other values: a value further away is a typing error */
    const double size = last / j->scale[i] - j->rows[i].y[j->rows[i].n - 1];
    if (!(fabs(size) > 0 && fabs(size) < FARTHEST) || j->shift[i].rows) return;
    j->shift[i] = (fgti_shift){.rows = 1, .factor = 1, .size = size, .left_out = true};
}

/* Whether at least half of the last `rows` rows have a value. Filled rows are no evidence of a new level. */
static bool are_known(const double *last, int64_t rows)
{
    int64_t known = 0;
    for (int64_t t = 0; t < rows; t++) known += !isnan(last[t]);
    return 2 * known >= rows;
}

static fgt_status find_shifts(job *j, const double *const *values, int64_t count)
{
    const int64_t m = j->o.season;
    for (int64_t i = 0; i < count; i++) {
        const double *y = j->rows[i].y;
        const int64_t n = j->rows[i].n, begin = j->end[i] - n;
        j->bounds[i]    = fgti_bounds_of(y, n);
        j->shift[i]     = (fgti_shift){.factor = 1};
        if (!fgti_rare_is(y, n, m < n ? m : 1)) {
            FGTI_TRY(fgti_shift_find(j->ctx, y, n, m, &j->shift[i]));
            if (!are_known(values[i] + j->end[i] - j->shift[i].rows, j->shift[i].rows))
                j->shift[i] = (fgti_shift){.factor = 1};
            doubt_last(j, i, values[i][j->end[i] - 1]);
        }
        j->stuck[i] = fgti_shift_find_stuck(values[i] + begin, n);
        if (j->o.shifted) j->o.shifted[i] = j->shift[i].rows ? j->end[i] - j->shift[i].rows : -1;
        if (j->o.stuck) j->o.stuck[i] = j->stuck[i] < 0 ? -1 : begin + j->stuck[i];
    }
    return FGT_OK;
}

/* Moves all rows of a series to the new level if its level shifted in the last rows. The moved series rows
 * [N] point into *values; the caller frees both with fgti_free(). */
static fgt_status move_levels(const job *j, fgti_rows **rows, double **values)
{
    int64_t all = 0;
    double *y;
    for (int64_t i = 0; i < j->panel.count; i++) all += j->shift[i].rows ? j->rows[i].n : 0;
    FGTI_TRY(FGTI_NEW(j->ctx, j->panel.count, "series", rows));
    FGTI_TRY(FGTI_NEW(j->ctx, all, "series", values));
    y = *values;
    for (int64_t i = 0; i < j->panel.count; i++) {
        const fgti_rows *r = &j->rows[i];
        (*rows)[i]         = *r;
        if (!j->shift[i].rows) continue;
        memcpy(y, r->y, (size_t)r->n * sizeof *y);
        fgti_shift_move(&j->shift[i], y, r->n);
        (*rows)[i].y = y;
        y += r->n;
    }
    return FGT_OK;
}

/* ---- forecasts ---- */

/* Widens the quantiles q [h,Q] of a series whose level shifted. They then include the old level, to the
 * extent to which the series may return to it. g is the forecast without a model, at the new level. */
static void hold_both(const job *j, int64_t i, const double *members, const double *f, double *q)
{
    const fgti_shift *s      = &j->shift[i];
    const int64_t     h      = j->panel.h, levels = j->o.level_count;
    const double      odds   = fgti_shift_odds(s), model = j->weight[i * K + FGTI_MODEL];
    for (int64_t t = 0; q && s->rows && t < h; t++) {
        const bool   alone = s->rows == 1;
        const double g     = model < 1 ? (f[t] - model * members[FGTI_MODEL * h + t]) / (1 - model) : f[t];
        const bool   stays = s->left_out || model == 1;
        const double old   = !alone ? fgti_shift_back(s, g) : stays ? g : g - s->size;
        const double last  = alone ? g + s->size : g;
        for (int64_t k = 0; k < levels; k++) {
            const double l = j->o.levels[k];
            if (l < odds) q[t * levels + k] += fmin(fmin(old, last) - f[t], 0);
            if (1 - l < odds) q[t * levels + k] += fmax(fmax(old, last) - f[t], 0);
        }
    }
}

/* Computes the forecast f [h] and the quantiles q [h,Q] of a series, from members [K,h] in the scale of the
 * series. */
static void blend(const job *j, const fgti_spread *spread, int64_t i, const double *members, double *f,
                  double *q)
{
    const int64_t h = j->panel.h;
    const double *w = j->weight + i * K;
    for (int64_t t = 0; t < h; t++) {
        double least = members[t], most = members[t];
        f[t] = 0;
        for (int k = 0; k < K; k++) {
            f[t] += w[k] * members[k * h + t];
            least = fmin(least, members[k * h + t]);
            most  = fmax(most, members[k * h + t]);
        }
        f[t] = fmin(fmax(f[t], least), most); /* rounding may move the mean out of this range */
    }
    if (q) fgti_spread_quantiles(spread, i, w, members, f, q);
}

/* Widens the quantiles of a series so that they include the last value. Called if the series is stuck or at
 * an exact level. */
static void hold_last(const job *j, int64_t i, double *q)
{
    const int64_t levels = j->o.level_count;
    const double  last   = j->rows[i].y[j->rows[i].n - 1];
    for (int64_t t = 0; t < j->panel.h * levels; t++) {
        if (j->o.levels[t % levels] < .5) q[t] = fmin(q[t], last);
        if (j->o.levels[t % levels] > .5) q[t] = fmax(q[t], last);
    }
}

static void put_numbers(const job *j, int64_t i, int64_t count, double *f)
{
    for (int64_t t = 0; t < count; t++) f[t] = j->scale[i] * fgti_bounds_keep(&j->bounds[i], f[t]);
}

/* Converts forecasts to the host's scale, and limits them by the bounds of the series. */
static void local_put(const job *j, int64_t i, double *f, double *q)
{
    put_numbers(j, i, j->panel.h, f);
    if (q) put_numbers(j, i, j->panel.h * j->o.level_count, q);
}

/* ---- the host's model ---- */

static fgt_status local_ask_model(void *arg, int64_t series, int64_t back, double *f)
{
    const job *j = arg;
    const int64_t rows = j->end[series] - back;
    *j->ctx->error.text = 0;
    const fgt_status s  = j->o.model(j->o.model_user, series, rows, f);
    if (s != FGT_OK && !*j->ctx->error.text)
        return fgti_fail(&j->ctx->error, s, "series %lld, row %lld: the model returned status %d",
                         (long long)series, (long long)rows, (int)s);
    FGTI_TRY(s);
    for (int64_t t = 0; t < j->panel.h; t++) f[t] = fabs(f[t]) <= LARGEST ? f[t] / j->scale[series] : NAN;
    return FGT_OK;
}

/* Checks a shift by the host's model. If the model forecasts the last rows at their level (its known columns
 * explain them), there was no shift. If the model misses these rows, its weight becomes 0, because it has
 * learned the old level. f [h] is memory. */
static fgt_status doubt_model(job *j, int64_t i, double *f)
{
    const fgti_shift *s = &j->shift[i];
    const int64_t     h = j->panel.h, rows = s->rows < h ? s->rows : h;
    const double     *y = j->rows[i].y + j->rows[i].n - s->rows;
    double            missed = 0;
    if (!rows || s->left_out || isnan(j->model[i * h])) return FGT_OK;
    FGTI_TRY(local_ask_model(j, i, s->rows, f));
    for (int64_t t = 0; t < rows; t++) missed += (y[t] - f[t]) / (double)rows;
    if (fabs(missed) < fabs(s->size) / 2) {
        j->shift[i] = (fgti_shift){.factor = 1};
        if (j->o.shifted) j->o.shifted[i] = -1;
    } else if (s->rows > 1) {
        j->model[i * h] = NAN;
    }
    return FGT_OK;
}

static fgt_status ask_model_last(job *j)
{
    const int64_t h = j->panel.h, count = j->panel.count;
    if (!j->o.model) return FGT_OK;
    FGTI_TRY(FGTI_NEW(j->ctx, (count + 1) * h, "forecasts", &j->model));
    for (int64_t i = 0; i < count; i++) {
        FGTI_TRY(local_ask_model(j, i, 0, j->model + i * h));
        FGTI_TRY(doubt_model(j, i, j->model + count * h));
    }
    return FGT_OK;
}

static const double *local_find_model(void *arg, int64_t series, int64_t origin)
{
    (void)origin;
    const job    *j = arg;
    const double *f = j->model ? j->model + series * j->panel.h : NULL;
    return f && !isnan(*f) ? f : NULL;
}

/* Passes judged forecasts to the host. The model's forecast is passed unchanged. The other two forecasts are
 * limited by the bounds of the rows before them. */
static fgt_status take_judged(void *arg, int64_t series, int64_t back, double *f)
{
    const job        *j = arg;
    const fgti_rows  *y = &j->rows[series];
    const int64_t     h = j->panel.h;
    const fgti_bounds b = fgti_bounds_of(y->y, y->n - back);
    for (int64_t t = 0; t < 3 * h; t++) f[t] = j->scale[series] * (t < h ? f[t] : fgti_bounds_keep(&b, f[t]));
    *j->ctx->error.text = 0;
    const fgt_status s  = j->o.judged(j->o.judged_user, series, j->end[series] - back, f);
    if (s == FGT_OK || *j->ctx->error.text) return s;
    return fgti_fail(&j->ctx->error, s, "series %lld: the call that judges the model returned status %d",
                     (long long)series, (int)s);
}

/* ---- the forecasts ---- */

static bool local_go_on(void *arg, int64_t done)
{
    const job *j = arg;
    const int64_t all = fgti_runs_count(&j->runs) + j->panel.count;
    return !j->o.progress || j->o.progress(j->o.user, done, all) == FGT_OK;
}

static bool go_on_last(void *arg, int64_t done)
{
    const job *j = arg;
    return local_go_on(arg, fgti_runs_count(&j->runs) + done);
}

static void local_take(void *arg, int64_t i, int64_t origin, const double *members)
{
    (void)origin;
    const job    *j = arg;
    const int64_t h = j->panel.h, levels = j->o.level_count;
    double       *f = j->o.forecast + i * h, *q = levels ? j->o.quantiles + i * h * levels : NULL;
    blend(j, j->spread, i, members, f, q);
    hold_both(j, i, members, f, q);
    if (q && (j->stuck[i] >= 0 || j->shift[i].exact)) hold_last(j, i, q);
    local_put(j, i, f, q);
}

static fgt_status forecast_next(job *j)
{
    fgti_rows        *rows   = NULL;
    double           *values = NULL;
    fgti_panel        moved  = j->panel;
    const fgti_origin last   = {.panel      = &moved,
                                .count      = moved.count,
                                .origins    = 1,
                                .find_model = local_find_model,
                                .take       = local_take,
                                .go_on      = go_on_last,
                                .arg        = j};
    fgt_status s = move_levels(j, &rows, &values);
    moved.rows   = rows;
    if (s == FGT_OK) s = fgti_origin_run(j->ctx, &last);
    fgti_free(j->ctx, rows);
    fgti_free(j->ctx, values);
    return s;
}

/* Copies the weights. The host may know fewer members than this version has. */
static void local_copy_weights(const job *j)
{
    const int64_t m = j->o.member_count;
    for (int64_t i = 0; i < j->panel.count; i++)
        for (int64_t k = 0; k < m; k++) j->o.weights[i * m + k] = k < K ? j->weight[i * K + k] : 0;
}

static fgt_status local_forecast(job *j)
{
    const fgt_local_opts *o      = &j->o;
    const fgti_judged     judged = {take_judged, j};
    FGTI_TRY(ask_model_last(j));
    FGTI_TRY(fgti_runs_new(j->ctx, &j->panel, local_go_on, j, &j->runs));
    FGTI_TRY(fgti_long_season_try(j->ctx, &j->panel, &j->runs, local_go_on, j));
    FGTI_TRY(FGTI_NEW(j->ctx, j->panel.count * K, "weights", &j->weight));
    FGTI_TRY(fgti_weights_find(j->ctx, &j->runs, 0, j->weight));
    fgti_unseen_season(&j->panel, j->weight);
    FGTI_TRY(fgti_model_share(j->ctx, &j->runs, 0, j->model, j->weight, o->judged ? &judged : NULL));
    FGTI_TRY(fgti_spread_new(j->ctx, &j->runs, 0, j->shift, j->weight, o->levels, o->level_count,
                             &j->spread));
    FGTI_TRY(forecast_next(j));
    if (o->weights) local_copy_weights(j);
    return FGT_OK;
}

/* ---- the last rows ---- */

/* Takes the last h rows off the series, and converts all errors to the units of the shorter series. */
static fgt_status local_go_back(job *j, fgti_panel *before)
{
    const fgti_panel *p = &j->panel;
    fgti_runs        *r = &j->runs;
    for (int64_t i = 0; i < p->count; i++)
        if (j->rows[i].n > p->h) j->rows[i].n -= p->h;
    FGTI_TRY(fgti_panel_new(j->ctx, j->rows, p->count, p->period, p->longer, p->h, before));
    before->model = p->model;
    for (int64_t run = 0, kept = 0, o = 0, all = r->kept_begin[r->origins]; run < fgti_runs_count(r); run++) {
        if (run == r->begin[o + 1]) o++;
        const int64_t i    = r->series[run];
        const double  unit = fgti_panel_unit(before, i, j->rows[i].n - o * r->step), by = r->unit[run] / unit;
        r->unit[run]       = unit;
        for (int k = 0; k < K; k++) r->size[run * K + k] = (float)(by * (double)r->size[run * K + k]);
        if (kept == all || r->kept[kept] != run) continue;
        float *error = r->error + kept++ * K * p->h;
        for (int64_t t = 0; t < K * p->h; t++) error[t] = (float)(by * (double)error[t]);
    }
    r->panel = before;
    return FGT_OK;
}

/* Forecasts from origin 0, with weights from older origins. spread NULL: no quantiles. */
static fgt_status blend_last(job *j, const fgti_panel *before, const fgti_spread *spread)
{
    const fgti_runs *r = &j->runs;
    const int64_t    h = before->h, levels = j->o.level_count;
    double          *q = spread ? j->o.hindcast_quantiles : NULL, *member;
    FGTI_TRY(FGTI_NEW(j->ctx, K * h, "forecasts", &member));
    for (int64_t kept = 0; kept < r->kept_begin[1]; kept++) {
        const int64_t i     = r->series[r->kept[kept]];
        const double *truth = j->rows[i].y + j->rows[i].n;
        for (int64_t t = 0; t < K * h; t++)
            member[t] = truth[t % h] + (double)r->error[kept * K * h + t] * r->unit[r->kept[kept]];
        double *f_i = j->o.hindcast + i * h, *q_i = q ? q + i * h * levels : NULL;
        blend(j, spread, i, member, f_i, q_i);
        local_put(j, i, f_i, q_i);
    }
    fgti_free(j->ctx, member);
    return FGT_OK;
}

/* Makes the forecasts of the last rows. This overwrites the weights, units and errors of the final
 * forecasts. */
static fgt_status forecast_last(job *j)
{
    const fgt_local_opts *o      = &j->o;
    const int64_t         size   = j->panel.count * j->panel.h, levels = o->level_count;
    const int64_t         first  = fgti_runs_earlier(&j->runs);
    fgti_panel            before = {0};
    fgti_spread          *spread = NULL;
    for (int64_t i = 0; o->hindcast && i < size; i++) o->hindcast[i] = NAN;
    for (int64_t i = 0; o->hindcast_quantiles && i < size * levels; i++) o->hindcast_quantiles[i] = NAN;
    if (!o->hindcast || !j->runs.origins) return FGT_OK;
    fgt_status s = local_go_back(j, &before);
    if (s == FGT_OK) s = fgti_weights_find(j->ctx, &j->runs, first, j->weight);
    if (s == FGT_OK) fgti_unseen_season(&before, j->weight);
    if (s == FGT_OK) s = fgti_model_share(j->ctx, &j->runs, first, NULL, j->weight, NULL);
    if (s == FGT_OK && first < j->runs.origins)
        s = fgti_spread_new(j->ctx, &j->runs, first, NULL, j->weight, o->levels, levels, &spread);
    if (s == FGT_OK) s = blend_last(j, &before, spread);
    fgti_spread_free(j->ctx, &spread);
    fgti_panel_done(j->ctx, &before);
    return s;
}

/* ---- the call ---- */

fgt_status fgti_local_read_opts(fgt_context *ctx, const fgt_local_opts *opts, fgt_local_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_local_opts, horizon, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
        FGTI_FIELD(fgt_local_opts, season, I64, 1, FGTI_OPT_SIZE_MAX, 1),
        FGTI_FIELD(fgt_local_opts, long_season, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_local_opts, level_count, I64, 0, 1000, 0),
        FGTI_FIELD(fgt_local_opts, member_count, I64, 0, 1000, 0),
        FGTI_FIELD(fgt_local_opts, keep_outliers, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_local_opts, reserved, BOOL, 0, 0, 0),
        FGTI_FIELD(fgt_local_opts, model_rows, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        {0},
    };
    fgti_error *err = &ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_local_opts", opts, o, sizeof *o));
    FGTI_TRY(fgti_opts_check(err, "forecast", table, o));
    if (!o->forecast) return fgti_fail(err, FGT_E_ARG, "forecast is NULL (need an array for the forecasts)");
    if (o->level_count && (!o->levels || !o->quantiles))
        return fgti_fail(err, FGT_E_ARG, "levels or quantiles is NULL (got level_count %lld, need 0)",
                         (long long)o->level_count);
    if (!o->weights != !o->member_count)
        return fgti_fail(
            err, FGT_E_ARG,
            "weights and member_count do not go together (got one of them, need both or neither)");
    if (o->hindcast_quantiles && !o->hindcast)
        return fgti_fail(err, FGT_E_ARG, "hindcast is NULL, hindcast_quantiles is not");
    for (int64_t i = 0; i < o->level_count; i++)
        if (!(o->levels[i] > 0 && o->levels[i] < 1) || (i && o->levels[i] <= o->levels[i - 1]))
            return fgti_fail(err, FGT_E_ARG,
                             "levels[%lld] is wrong (got %g, need above the one before, between 0 and 1)",
                             (long long)i, o->levels[i]);
    return FGT_OK;
}

static fgt_status local_run(job *j, const double *const *values, const int64_t *rows, int64_t count)
{
    const fgt_local_opts *o = &j->o;
    int64_t               size;
    if (!fgti_size_mul(count, o->horizon, &size) || !fgti_size_mul(size, 8 * (o->level_count + K), &size))
        return fgti_fail(&j->ctx->error, FGT_E_SIZE, "%lld forecasts of %lld rows overflow the memory",
                         (long long)count, (long long)o->horizon);
    FGTI_TRY(local_take_series(j, values, rows, count));
    FGTI_TRY(find_shifts(j, values, count));
    FGTI_TRY(fgti_panel_new(j->ctx, j->rows, count, o->season, o->long_season, o->horizon, &j->panel));
    if (o->model) j->panel.model = &j->host;
    FGTI_TRY(local_forecast(j));
    return forecast_last(j);
}

fgt_status fgt_forecast_local(fgt_context *ctx, const double *const *values, const int64_t *rows,
                              int64_t count, const fgt_local_opts *opts)
{
    job j = {.ctx = ctx};
    if (!ctx) return FGT_E_ARG;
    FGTI_TRY(fgti_local_read_opts(ctx, opts, &j.o));
    j.host = (fgti_host_model){local_ask_model, &j, j.o.model_rows};
    if (!values || !rows || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "values or rows is NULL, or count is out of range (got %lld, need at least 1)",
                         (long long)count);
    const fgti_float_env env = fgti_float_env_enter();
    const fgt_status     s   = local_run(&j, values, rows, count);
    fgti_spread_free(ctx, &j.spread);
    fgti_runs_done(ctx, &j.runs);
    fgti_panel_done(ctx, &j.panel);
    fgti_free(ctx, j.weight);
    fgti_free(ctx, j.end);
    fgti_free(ctx, j.shift);
    fgti_free(ctx, j.stuck);
    fgti_free(ctx, j.bounds);
    fgti_free(ctx, j.model);
    fgti_free(ctx, j.rows);
    fgti_free(ctx, j.scale);
    fgti_free(ctx, j.values);
    fgti_float_env_leave(env);
    return s;
}

const char *fgt_local_get_member_name(int64_t member)
{
    return member >= 0 && member < K ? fgti_member_name((int)member) : NULL;
}
