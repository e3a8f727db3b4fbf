/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/origin.h"

#include <string.h>

#include "core/sort.h"
#include "forecast/local/panel_season.h"

enum {
    LONGEST = 2000, /* most rows that forecasters read, unless a few seasons need more */
    LEARNED = 5000, /* most series that the maps are learned from */
    BLOCK   = 256   /* runs between two calls of go_on() */
};

typedef struct work {
    const fgti_origin *o;
    int64_t            begin;  /* the first series of the block */
    int64_t                 period; /* at most 4 rows more than any run: all longer seasons are equivalent */
    fgti_maps          maps;
    fgti_panel_season       season;
    double            *room; /* [workers,room_size] */
    int64_t            room_size;
    fgti_long_maps         *own; /* [workers]: maps of one series */
} work;

/* Returns how many of n rows the forecasters read. A season that n rows do not contain twice does not
 * increase this number. */
static int64_t origin_count_seen(const fgti_panel *p, int64_t n)
{
    int64_t most = LONGEST;
    if (n > 2 * p->period + 1 && most < 4 * p->period) most = 4 * p->period;
    if (n >= 2 * p->longer && most <= 2 * p->longer) most = 2 * p->longer + 1;
    return n < most ? n : most;
}

static const fgti_rows *origin_series_of(const fgti_origin *o, int64_t i)
{
    return &o->panel->rows[o->series ? o->series[i] : i];
}

static int64_t back_to(const fgti_origin *o, int64_t origin)
{
    return o->back + origin * o->step;
}

/* The earliest origin of a series. */
static int64_t find_earliest(const fgti_origin *o, int64_t n)
{
    int64_t j = o->first + o->origins - 1;
    while (j > o->first && n - back_to(o, j) < o->least) j--;
    return j;
}

/* The rows of series i that forecasters read before an origin. */
static fgti_rows before(const fgti_origin *o, int64_t i, int64_t origin)
{
    const fgti_rows *r = origin_series_of(o, i);
    const int64_t    n = r->n - back_to(o, origin), k = origin_count_seen(o->panel, n);
    return (fgti_rows){r->y + n - k, k};
}

static fgti_rows before_earliest(const fgti_origin *o, int64_t i)
{
    return before(o, i, find_earliest(o, origin_series_of(o, i)->n));
}

/* Forecasts one series from all origins. */
static void origin_run(void *arg, int64_t i, int32_t worker)
{
    const work        *w = arg;
    const fgti_origin *o = w->o;
    const fgti_panel  *p = o->panel;
    const fgti_rows   *all      = origin_series_of(o, w->begin + i);
    const int64_t      earliest = find_earliest(o, all->n), series = all - p->rows;
    double            *f    = w->room + worker * w->room_size;
    fgti_maps          maps = w->maps;
    if (all->n - back_to(o, earliest) >= FGTI_LONG_LEAST) {
        fgti_long_maps_fit(&w->own[worker], all->y, all->n - back_to(o, earliest));
        maps.own = &w->own[worker];
    }
    for (int64_t j = o->first; j <= earliest; j++) {
        const fgti_rows r = before(o, w->begin + i, j);
        fgti_history    history;
        maps.end   = r.y + r.n - all->y;
        maps.model = o->find_model ? o->find_model(o->arg, series, j) : NULL;
        fgti_history_init(r.y, r.n, w->period, p->longer, f + FGTI_MEMBERS * p->h, &history);
        fgti_panel_season_apply(&w->season, &history);
        fgti_members_forecast(&history, &maps, p->h, f);
        o->take(o->arg, series, j, f);
    }
}

/* ---- maps ---- */

/* Takes evenly spaced series of the runs. The caller frees *rows with fgti_free(). */
static fgt_status origin_choose(fgt_context *ctx, const fgti_origin *o, fgti_rows **rows, int64_t *count)
{
    *count = o->count < LEARNED ? o->count : LEARNED;
    FGTI_TRY(FGTI_NEW(ctx, *count, "series", rows));
    for (int64_t i = 0; i < *count; i++) (*rows)[i] = before_earliest(o, i * o->count / *count);
    return FGT_OK;
}

/* Subtracts the season of each series from it. The results are stored one after another in *rest. */
static fgt_status origin_flatten(fgt_context *ctx, const work *w, fgti_rows *rows, int64_t count,
                                 double **rest)
{
    int64_t all = 0;
    for (int64_t i = 0; i < count; i++) all += rows[i].n;
    FGTI_TRY(FGTI_NEW(ctx, all, "seasons", rest));
    double *at = *rest;
    for (int64_t i = 0; i < count; i++) {
        fgti_history history;
        fgti_history_init(rows[i].y, rows[i].n, w->period, 0, w->room, &history);
        fgti_panel_season_apply(&w->season, &history);
        memcpy(at, history.values.rest, (size_t)history.n * sizeof *at);
        rows[i].y = at;
        at += history.n;
    }
    return FGT_OK;
}

static int origin_by_rows(const void *a, const void *b, const void *arg)
{
    const int64_t x = ((const fgti_rows *)a)->n, y = ((const fgti_rows *)b)->n;
    (void)arg;
    return (x > y) - (x < y);
}

/* Finds the number of lags of the linear map. The number follows from the length of a typical series: the
 * series that has the middle row of all rows. So a few short series do not lower it. */
static fgt_status find_lags(fgt_context *ctx, const fgti_panel *p, const fgti_rows *rows, int64_t count,
                            int64_t *lags)
{
    fgti_rows *sorted;
    int64_t    all = 0, seen = 0, middle = 0;
    FGTI_TRY(FGTI_NEW(ctx, count, "series", &sorted));
    memcpy(sorted, rows, (size_t)count * sizeof *sorted);
    fgti_sort(sorted, count, sizeof *sorted, origin_by_rows, NULL);
    for (int64_t i = 0; i < count; i++) all += sorted[i].n;
    while (2 * (seen += sorted[middle].n) < all) middle++;
    *lags = fgti_shared_lags(p->period, sorted[middle].n);
    fgti_free(ctx, sorted);
    return FGT_OK;
}

static fgt_status origin_learn(fgt_context *ctx, work *w, fgti_shared **values, fgti_shared **flat)
{
    const fgti_panel *p = w->o->panel;
    fgti_rows        *rows;
    double           *rest = NULL;
    int64_t           count, lags = 0;
    FGTI_TRY(origin_choose(ctx, w->o, &rows, &count));
    fgt_status s = find_lags(ctx, p, rows, count, &lags);
    if (s == FGT_OK) s = fgti_panel_season_new(ctx, rows, count, w->period, &w->season);
    if (s == FGT_OK) s = fgti_shared_new(ctx, rows, count, lags, p->h, values);
    if (s == FGT_OK && p->period > 1) s = origin_flatten(ctx, w, rows, count, &rest);
    if (rest) s = fgti_shared_new(ctx, rows, count, lags, p->h, flat);
    w->maps = (fgti_maps){.vec = ctx->vec, .values = *values, .flat = *flat};
    fgti_free(ctx, rest);
    fgti_free(ctx, rows);
    return s;
}

/* ---- all runs ---- */

fgt_status fgti_origin_cancelled(fgt_context *ctx)
{
    return fgti_fail(&ctx->error, FGT_E_CANCELLED, "forecasts: the callback asked to stop");
}

static fgt_status origin_run_all(fgt_context *ctx, work *w)
{
    const fgti_origin *o = w->o;
    const int64_t      block = BLOCK / o->origins + 1;
    for (w->begin = 0; w->begin < o->count; w->begin += block) {
        const int64_t rest = o->count - w->begin, n = rest < block ? rest : block;
        fgti_parallel(&ctx->exec, n, origin_run, w);
        if (!o->go_on(o->arg, (w->begin + n) * o->origins))
            return fgti_origin_cancelled(ctx);
    }
    return FGT_OK;
}

/* Allocates w->room and w->own for each worker. */
static fgt_status origin_take_room(fgt_context *ctx, work *w)
{
    const fgti_panel *p    = w->o->panel;
    const int32_t     all  = ctx->exec.workers;
    int64_t           seen = 0, most = 0;
    for (int64_t i = 0; i < w->o->count; i++) {
        const int64_t n = before(w->o, i, w->o->first).n, rows = origin_series_of(w->o, i)->n;
        if (n > seen) seen = n;
        if (rows > most) most = rows;
    }
    w->period    = p->period < seen + 4 ? p->period : seen + 4;
    w->room_size = FGTI_MEMBERS * p->h + fgti_history_room(seen, w->period, p->h) +
                   fgti_long_maps_scratch(p->h) + fgti_shared_scratch(fgti_shared_lags(w->period, seen));
    FGTI_TRY(FGTI_NEW(ctx, all * w->room_size, "forecasts", &w->room));
    FGTI_TRY(FGTI_NEW(ctx, all, "maps", &w->own));
    for (int32_t i = 0; i < all; i++)
        FGTI_TRY(fgti_long_maps_new(ctx, most, w->period, p->longer, p->h, &w->own[i]));
    return FGT_OK;
}

fgt_status fgti_origin_run(fgt_context *ctx, const fgti_origin *origin)
{
    work         w      = {.o = origin};
    fgti_shared *values = NULL, *flat = NULL;
    fgt_status   s = origin_take_room(ctx, &w);
    if (s == FGT_OK) s = origin_learn(ctx, &w, &values, &flat);
    if (s == FGT_OK) s = origin_run_all(ctx, &w);
    fgti_shared_free(ctx, &values);
    fgti_shared_free(ctx, &flat);
    fgti_panel_season_done(ctx, &w.season);
    for (int32_t i = 0; w.own && i < ctx->exec.workers; i++) fgti_long_maps_done(ctx, &w.own[i]);
    fgti_free(ctx, w.own);
    fgti_free(ctx, w.room);
    return s;
}
