/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/origin.h"

#include <string.h>

#include "core/sort.h"

enum {
    LONGEST = 2000, /* rows that forecasters see, or a few seasons */
    LEARNED = 5000, /* series from which the maps are learned */
    BLOCK   = 256   /* runs between two calls of go_on() */
};

typedef struct work {
    const fgti_origin *o;
    int64_t            begin;  /* the first run of the block */
    int64_t            period; /* at most 4 rows longer than any run: all longer seasons are alike */
    fgti_maps          maps;
    double            *room; /* [workers,room_size] */
    int64_t            room_size;
} work;

/* How many of n rows forecasters see; seasons that n rows do not hold twice ask for none. */
static int64_t count_seen(const fgti_panel *p, int64_t n)
{
    int64_t most = LONGEST;
    if (n > 2 * p->period + 1 && most < 4 * p->period) most = 4 * p->period;
    if (n >= 2 * p->longer && most <= 2 * p->longer) most = 2 * p->longer + 1;
    return n < most ? n : most;
}

/* The rows that forecasters see of run i. */
static fgti_rows before(const fgti_origin *o, int64_t i)
{
    const fgti_rows *r = &o->panel->rows[o->series ? o->series[i] : i];
    const int64_t    n = r->n - o->back, k = count_seen(o->panel, n);
    return (fgti_rows){r->y + n - k, k};
}

static void run(void *arg, int64_t i, int32_t worker)
{
    const work       *w = arg;
    const fgti_panel *p = w->o->panel;
    const fgti_rows   r = before(w->o, w->begin + i);
    double           *f = w->room + worker * w->room_size;
    fgti_past         past;
    fgti_past_init(r.y, r.n, w->period, p->longer, f + FGTI_MEMBERS * p->h, &past);
    fgti_members_forecast(&past, &w->maps, p->h, f);
    w->o->take(w->o->arg, w->begin + i, f);
}

/* ---- maps ---- */

/* Evenly spaced ones of the runs; fgti_free() is due. */
static fgt_status choose(fgt_context *ctx, const fgti_origin *o, fgti_rows **rows, int64_t *count)
{
    *count = o->count < LEARNED ? o->count : LEARNED;
    FGTI_TRY(FGTI_NEW(ctx, *count, "series", rows));
    for (int64_t i = 0; i < *count; i++) (*rows)[i] = before(o, i * o->count / *count);
    return FGT_OK;
}

/* The series become those without their seasons, one after another in *rest. */
static fgt_status flatten(fgt_context *ctx, const work *w, fgti_rows *rows, int64_t count, double **rest)
{
    int64_t all = 0;
    for (int64_t i = 0; i < count; i++) all += rows[i].n;
    FGTI_TRY(FGTI_NEW(ctx, all, "seasons", rest));
    double *at = *rest;
    for (int64_t i = 0; i < count; i++) {
        fgti_past past;
        fgti_past_init(rows[i].y, rows[i].n, w->period, 0, w->room, &past);
        memcpy(at, past.values.rest, (size_t)past.n * sizeof *at);
        rows[i].y = at;
        at += past.n;
    }
    return FGT_OK;
}

static int by_rows(const void *a, const void *b, const void *arg)
{
    const int64_t x = ((const fgti_rows *)a)->n, y = ((const fgti_rows *)b)->n;
    (void)arg;
    return (x > y) - (x < y);
}

static fgt_status find_lags(fgt_context *ctx, const fgti_panel *p, const fgti_rows *rows, int64_t count,
                            int64_t *lags)
{
    fgti_rows *sorted;
    FGTI_TRY(FGTI_NEW(ctx, count, "series", &sorted));
    memcpy(sorted, rows, (size_t)count * sizeof *sorted);
    fgti_sort(sorted, count, sizeof *sorted, by_rows, NULL);
    *lags = fgti_shared_lags(p->period, sorted[count / 2].n);
    fgti_free(ctx, sorted);
    return FGT_OK;
}

static fgt_status learn(fgt_context *ctx, work *w, fgti_shared **values, fgti_shared **flat)
{
    const fgti_panel *p = w->o->panel;
    fgti_rows        *rows;
    double           *rest = NULL;
    int64_t           count, lags = 0;
    FGTI_TRY(choose(ctx, w->o, &rows, &count));
    fgt_status s = find_lags(ctx, p, rows, count, &lags);
    if (s == FGT_OK) s = fgti_shared_new(ctx, rows, count, lags, p->h, values);
    if (s == FGT_OK && p->period > 1) s = flatten(ctx, w, rows, count, &rest);
    if (rest) s = fgti_shared_new(ctx, rows, count, lags, p->h, flat);
    w->maps = (fgti_maps){ctx->vec, *values, *flat};
    fgti_free(ctx, rest);
    fgti_free(ctx, rows);
    return s;
}

/* ---- all runs ---- */

static fgt_status run_all(fgt_context *ctx, work *w)
{
    const fgti_origin *o = w->o;
    for (w->begin = 0; w->begin < o->count; w->begin += BLOCK) {
        const int64_t rest = o->count - w->begin, n = rest < BLOCK ? rest : BLOCK;
        fgti_parallel(&ctx->exec, n, run, w);
        if (!o->go_on(o->arg, w->begin + n))
            return fgti_fail(&ctx->error, FGT_E_CANCELLED, "forecasts: the callback asked to stop");
    }
    return FGT_OK;
}

fgt_status fgti_origin_run(fgt_context *ctx, const fgti_origin *origin)
{
    const fgti_panel *p      = origin->panel;
    work              w      = {.o = origin};
    int64_t           most   = 0;
    fgti_shared      *values = NULL, *flat = NULL;
    for (int64_t i = 0; i < origin->count; i++) {
        const int64_t n = before(origin, i).n;
        if (n > most) most = n;
    }
    w.period     = p->period < most + 4 ? p->period : most + 4;
    w.room_size  = FGTI_MEMBERS * p->h + fgti_past_room(most, w.period, p->h) +
                  fgti_shared_scratch(fgti_shared_lags(w.period, most));
    fgt_status s = FGTI_NEW(ctx, ctx->exec.workers * w.room_size, "forecasts", &w.room);
    if (s == FGT_OK) s = learn(ctx, &w, &values, &flat);
    if (s == FGT_OK) s = run_all(ctx, &w);
    fgti_shared_free(ctx, &values);
    fgti_shared_free(ctx, &flat);
    fgti_free(ctx, w.room);
    return s;
}
