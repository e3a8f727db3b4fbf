/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/runs.h"

#include <math.h>

#include "core/sort.h"

enum { ORIGINS_OF_MANY = 6, FEW = 3, KEPT = 1 << 25 };
#define LARGEST 50 /* units of an error that counts */

/* The series that have rows enough before origin j, in order; series may be NULL. */
static int64_t find_runs(const fgti_runs *r, int64_t j, int64_t *series)
{
    const fgti_panel *p     = r->panel;
    int64_t           count = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (p->rows[i].n - p->h - j * r->step < r->least) continue;
        if (series) series[count] = i;
        count++;
    }
    return j > 0 && 5 * count < p->count ? 0 : count;
}

/* ---- the errors of a run ---- */

typedef struct sink {
    fgti_runs *runs;
    int64_t    origin, stride; /* of kept series */
    int64_t   *place;          /* [runs of the origin]: of the kept errors, or -1 */
    fgti_go_on go_on;
    void      *arg;
} sink;

static double error_of(const fgti_panel *p, int64_t series, double forecast, double truth)
{
    return fmin(fmax((forecast - truth) / p->unit[series], -LARGEST), LARGEST);
}

static void take(void *arg, int64_t i, const double *f)
{
    const sink       *s      = arg;
    fgti_runs        *r      = s->runs;
    const fgti_panel *p      = r->panel;
    const int64_t     h      = p->h, run = r->begin[s->origin] + i, series = r->series[run];
    const double     *truth  = p->rows[series].y + p->rows[series].n - h - s->origin * r->step;
    float            *error  = s->place[i] < 0 ? NULL : r->error + s->place[i] * FGTI_MEMBERS * h;
    for (int k = 0; k < FGTI_MEMBERS; k++) {
        double sum = 0;
        for (int64_t t = 0; t < h; t++) {
            const double e = error_of(p, series, f[k * h + t], truth[t]);
            if (error) error[k * h + t] = (float)e;
            sum += fabs(e) / (double)h;
        }
        r->size[run * FGTI_MEMBERS + k] = (float)sum;
    }
}

static bool go_on_origin(void *arg, int64_t done)
{
    const sink *s = arg;
    return s->go_on(s->arg, s->runs->begin[s->origin] + done);
}

static fgt_status add_origin(fgt_context *ctx, sink *s)
{
    fgti_runs        *r = s->runs;
    const int64_t     j = s->origin, count = r->begin[j + 1] - r->begin[j];
    const fgti_origin o = {.panel  = r->panel,
                           .count  = count,
                           .series = r->series + r->begin[j],
                           .back   = r->panel->h + j * r->step,
                           .take   = take,
                           .go_on  = go_on_origin,
                           .arg    = s};
    FGTI_TRY(FGTI_NEW(ctx, count, "errors", &s->place));
    find_runs(r, j, r->series + r->begin[j]);
    int64_t kept = r->kept_begin[j];
    for (int64_t i = 0; i < count; i++) {
        const int64_t run = r->begin[j] + i;
        s->place[i]       = r->series[run] % s->stride ? -1 : kept;
        if (s->place[i] >= 0) r->kept[kept++] = run;
    }
    r->kept_begin[j + 1] = kept;
    const fgt_status status = fgti_origin_run(ctx, &o);
    fgti_free(ctx, s->place);
    return status;
}

/* ---- all origins ---- */

static fgt_status allocate(fgt_context *ctx, fgti_runs *r, int64_t stride)
{
    const int64_t runs = fgti_runs_count(r), most = r->origins * ((r->panel->count + stride - 1) / stride);
    FGTI_TRY(FGTI_NEW(ctx, runs, "errors", &r->series));
    FGTI_TRY(FGTI_NEW(ctx, runs * FGTI_MEMBERS, "errors", &r->size));
    FGTI_TRY(FGTI_NEW(ctx, most, "errors", &r->kept));
    return FGTI_NEW(ctx, most * FGTI_MEMBERS * r->panel->h, "errors", &r->error);
}

static fgt_status find_step(fgt_context *ctx, const fgti_panel *p, int64_t *step)
{
    enum { PARTS = 3 * ORIGINS_OF_MANY };
    const int64_t least = p->h / 3 > 0 ? p->h / 3 : 1, most = 2 * p->h;
    double       *rows;
    FGTI_TRY(FGTI_NEW(ctx, p->count, "errors", &rows));
    for (int64_t i = 0; i < p->count; i++) rows[i] = (double)p->rows[i].n;
    fgti_sort_doubles(rows, p->count);
    *step = (int64_t)rows[p->count / 2] / PARTS;
    if (*step < least) *step = least;
    if (*step > most) *step = most;
    fgti_free(ctx, rows);
    return FGT_OK;
}

static void find_least(fgti_runs *r)
{
    enum { LEAST = 4, MOST = 30 };
    const int64_t season = r->panel->period + 2;
    r->least             = season < LEAST ? LEAST : season < MOST ? season : MOST;
    if (5 * find_runs(r, 0, NULL) < r->panel->count) r->least = LEAST;
}

fgt_status fgti_runs_new(fgt_context *ctx, const fgti_panel *panel, fgti_go_on go_on, void *arg,
                         fgti_runs *runs)
{
    const int64_t most = panel->count > FEW ? ORIGINS_OF_MANY : FGTI_ORIGINS;
    *runs = (fgti_runs){.panel = panel};
    FGTI_TRY(find_step(ctx, panel, &runs->step));
    find_least(runs);
    for (int64_t count; runs->origins < most; runs->origins++) {
        if (!(count = find_runs(runs, runs->origins, NULL))) break;
        runs->begin[runs->origins + 1] = runs->begin[runs->origins] + count;
    }
    const int64_t room = KEPT / (FGTI_MEMBERS * panel->h * (runs->origins + 1)) + 1; /* series */
    sink          s    = {
                 .runs = runs, .stride = (panel->count + room - 1) / room, .go_on = go_on, .arg = arg};
    FGTI_TRY(allocate(ctx, runs, s.stride));
    for (; s.origin < runs->origins; s.origin++) FGTI_TRY(add_origin(ctx, &s));
    return FGT_OK;
}

void fgti_runs_done(fgt_context *ctx, fgti_runs *runs)
{
    fgti_free(ctx, runs->series);
    fgti_free(ctx, runs->size);
    fgti_free(ctx, runs->kept);
    fgti_free(ctx, runs->error);
}
