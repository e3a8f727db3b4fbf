/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/runs.h"

#include <math.h>

#include "core/sort.h"

enum { ORIGINS_OF_MANY = 6, ORIGINS_OF_FEW = 12, FEW = 3, LONG = 500, KEPT = 1 << 25 };
#define LARGEST 50 /* errors are limited to this number of units */

static int64_t rows_before(const fgti_runs *r, int64_t series, int64_t origin)
{
    return r->panel->rows[series].n - r->panel->h - origin * r->step;
}

/* Returns the fewest rows before an origin. In a panel of few series, this is a season or more if the rows of
 * the forecast itself are enough for it; shorter runs are left out. */
static int64_t runs_least_of(const fgti_runs *r, int64_t series)
{
    enum { MANY = 20 };
    const fgti_panel *p    = r->panel;
    const int64_t     most = p->count < MANY && !r->many ? rows_before(r, series, 0) : 0;
    const int64_t     full = 2 * p->period + 2, longer = 2 * p->longer + 2;
    return most >= longer && longer > full ? longer : most >= full ? full : r->least;
}

/* Lists the series with enough rows before origin j, in order. series may be NULL. */
static int64_t find_runs(const fgti_runs *r, int64_t j, int64_t *series)
{
    const fgti_panel *p     = r->panel;
    int64_t           count = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (rows_before(r, i, j) < runs_least_of(r, i)) continue;
        if (series) series[count] = i;
        count++;
    }
    return j > 0 && 5 * count < p->count ? 0 : count;
}

/* ---- the errors of a run ---- */

typedef struct sink {
    fgti_runs *runs;
    int64_t    first;  /* the first origin */
    int64_t    stride; /* every stride-th series is kept */
    int64_t   *place;  /* [runs]: index of the kept errors, or -1 */
    fgti_go_on go_on;
    void      *arg;
} sink;

static int64_t find_run(const fgti_runs *r, int64_t series, int64_t origin)
{
    int64_t begin = r->begin[origin], end = r->begin[origin + 1];
    while (end - begin > 1) {
        const int64_t middle = begin + (end - begin) / 2;
        if (r->series[middle] <= series) begin = middle;
        else end = middle;
    }
    return begin;
}

static double error_of(double unit, double forecast, double truth)
{
    return fmin(fmax((forecast - truth) / unit, -LARGEST), LARGEST);
}

static void runs_take(void *arg, int64_t series, int64_t origin, const double *f)
{
    const sink       *s      = arg;
    fgti_runs        *r      = s->runs;
    const fgti_panel *p      = r->panel;
    const int64_t     h      = p->h, run = find_run(r, series, origin);
    const double     *truth  = p->rows[series].y + p->rows[series].n - h - origin * r->step;
    float            *error  = s->place[run] < 0 ? NULL : r->error + s->place[run] * FGTI_MEMBERS * h;
    for (int k = 0; k < FGTI_MEMBERS; k++) {
        double sum = 0;
        for (int64_t t = 0; t < h; t++) {
            const double e = error_of(r->unit[run], f[k * h + t], truth[t]);
            if (error) error[k * h + t] = (float)e;
            sum += fabs(e) / (double)h;
        }
        r->size[run * FGTI_MEMBERS + k] = (float)sum;
    }
}

static bool go_on_origin(void *arg, int64_t done)
{
    const sink   *s   = arg;
    const int64_t all = s->runs->begin[s->first] + done;
    return s->go_on(s->arg, all < fgti_runs_count(s->runs) ? all : fgti_runs_count(s->runs));
}

static void list_runs(sink *s)
{
    fgti_runs *r    = s->runs;
    int64_t    kept = 0;
    for (int64_t j = 0; j < r->origins; j++) {
        find_runs(r, j, r->series + r->begin[j]);
        r->kept_begin[j] = kept;
        for (int64_t run = r->begin[j]; run < r->begin[j + 1]; run++) {
            s->place[run] = r->series[run] % s->stride ? -1 : kept;
            if (s->place[run] >= 0) r->kept[kept++] = run;
            r->unit[run] = fgti_panel_unit(r->panel, r->series[run], rows_before(r, r->series[run], j));
        }
    }
    r->kept_begin[r->origins] = kept;
}

static const double *runs_find_model(void *arg, int64_t series, int64_t origin)
{
    const sink      *s = arg;
    const fgti_runs *r = s->runs;
    const double    *f = r->model ? r->model + find_run(r, series, origin) * r->panel->h : NULL;
    return f && !isnan(*f) ? f : NULL;
}

/* Asks the host's model for its forecasts of all runs. */
static fgt_status runs_ask_model(fgt_context *ctx, const sink *s)
{
    fgti_runs             *r = s->runs;
    const fgti_host_model *m = r->panel->model;
    const int64_t          h = r->panel->h;
    if (!m) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, fgti_runs_count(r) * h, "forecasts", &r->model));
    for (int64_t j = 0; j < r->origins; j++) {
        if (!s->go_on(s->arg, 0)) return fgti_origin_cancelled(ctx);
        for (int64_t run = r->begin[j]; run < r->begin[j + 1]; run++)
            if (h + j * r->step > m->rows) r->model[run * h] = NAN;
            else FGTI_TRY(m->forecast(m->arg, r->series[run], h + j * r->step, r->model + run * h));
    }
    return FGT_OK;
}

/* Forecasts from `origins` origins, the first one of them s->first. The maps are learned from the rows before
 * all of these origins. */
static fgt_status add_origins(fgt_context *ctx, sink *s, int64_t origins)
{
    fgti_runs        *r = s->runs;
    const fgti_origin o = {.panel      = r->panel,
                           .count      = r->begin[s->first + 1] - r->begin[s->first],
                           .series     = r->series + r->begin[s->first],
                           .first      = s->first,
                           .origins    = origins,
                           .step       = r->step,
                           .back       = r->panel->h,
                           .least      = r->least,
                           .find_model = runs_find_model,
                           .take       = runs_take,
                           .go_on      = go_on_origin,
                           .arg        = s};
    return fgti_origin_run(ctx, &o);
}

/* ---- all origins ---- */

static fgt_status runs_allocate(fgt_context *ctx, sink *s)
{
    fgti_runs    *r    = s->runs;
    const int64_t runs = fgti_runs_count(r), all = r->panel->count;
    const int64_t most = r->origins * ((all + s->stride - 1) / s->stride);
    FGTI_TRY(FGTI_NEW(ctx, runs, "errors", &r->series));
    FGTI_TRY(FGTI_NEW(ctx, runs, "errors", &r->unit));
    FGTI_TRY(FGTI_NEW(ctx, runs, "errors", &s->place));
    FGTI_TRY(FGTI_NEW(ctx, runs * FGTI_MEMBERS, "errors", &r->size));
    FGTI_TRY(FGTI_NEW(ctx, most, "errors", &r->kept));
    return FGTI_NEW(ctx, most * FGTI_MEMBERS * r->panel->h, "errors", &r->error);
}

static fgt_status runs_find_median(fgt_context *ctx, const fgti_panel *p, int64_t *median)
{
    double *rows;
    FGTI_TRY(FGTI_NEW(ctx, p->count, "errors", &rows));
    for (int64_t i = 0; i < p->count; i++) rows[i] = (double)p->rows[i].n;
    fgti_sort_doubles(rows, p->count);
    *median = (int64_t)rows[p->count / 2];
    fgti_free(ctx, rows);
    return FGT_OK;
}

static int64_t runs_find_step(int64_t median, int64_t h, int64_t origins, int64_t most)
{
    const int64_t least = h / 3 > 0 ? h / 3 : 1, step = median / (3 * origins);
    return step < least ? least : step < most ? step : most;
}

/* Sets step and many, and returns how many origins there may be. */
static int64_t find_origins(fgti_runs *r, int64_t median)
{
    const fgti_panel *p    = r->panel;
    const int64_t     most = p->model ? FGTI_ORIGINS_BESIDE : FGTI_ORIGINS;
    r->step                = runs_find_step(median, p->h, most, p->model ? INT64_MAX : 2 * p->h);
    const int64_t all      = (median / 3 - p->h) / r->step;
    r->many                = median >= LONG && all >= ORIGINS_OF_MANY;
    if (r->many) return all < most ? all : most;
    r->step = runs_find_step(median, p->h, ORIGINS_OF_MANY, 2 * p->h);
    return p->count > FEW ? ORIGINS_OF_MANY : ORIGINS_OF_FEW;
}

static void runs_find_least(fgti_runs *r)
{
    enum { LEAST = 4, MOST = 30 };
    const int64_t season = r->panel->period + 2;
    r->least             = season < LEAST ? LEAST : season < MOST ? season : MOST;
    if (5 * find_runs(r, 0, NULL) < r->panel->count) r->least = LEAST;
}

static fgt_status runs_compute(fgt_context *ctx, sink *s)
{
    fgti_runs *r = s->runs;
    FGTI_TRY(runs_allocate(ctx, s));
    list_runs(s);
    FGTI_TRY(runs_ask_model(ctx, s));
    if (r->many) return add_origins(ctx, s, r->origins);
    for (; s->first < r->origins; s->first++) FGTI_TRY(add_origins(ctx, s, 1));
    return FGT_OK;
}

fgt_status fgti_runs_new(fgt_context *ctx, const fgti_panel *panel, fgti_go_on go_on, void *arg,
                         fgti_runs *runs)
{
    int64_t median = 0;
    *runs = (fgti_runs){.panel = panel};
    FGTI_TRY(runs_find_median(ctx, panel, &median));
    const int64_t most = find_origins(runs, median);
    runs_find_least(runs);
    for (int64_t count; runs->origins < most; runs->origins++) {
        if (!(count = find_runs(runs, runs->origins, NULL))) break;
        runs->begin[runs->origins + 1] = runs->begin[runs->origins] + count;
    }
    /* the most series whose errors are kept */
    const int64_t room = KEPT / (FGTI_MEMBERS * panel->h * (runs->origins + 1)) + 1;
    sink s = {.runs = runs, .stride = (panel->count + room - 1) / room, .go_on = go_on, .arg = arg};
    const fgt_status status = runs_compute(ctx, &s);
    fgti_free(ctx, s.place);
    return status;
}

void fgti_runs_done(fgt_context *ctx, fgti_runs *runs)
{
    fgti_free(ctx, runs->series);
    fgti_free(ctx, runs->unit);
    fgti_free(ctx, runs->size);
    fgti_free(ctx, runs->model);
    fgti_free(ctx, runs->kept);
    fgti_free(ctx, runs->error);
}
