/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of series by themselves, the series of one step together. */
#include <math.h>
#include <string.h>

#include "core/opts.h"
#include "core/size.h"
#include "forecast/local/forecast_local.h"
#include "forecast/series/series.h"

enum { LEAST = 4, RESULTS = 9 }; /* LEAST: fewest rows before the rows that a forecast does not know */

/* A number of a result. */
typedef union number {
    double  real;
    int64_t whole;
} number;

_Static_assert(sizeof(number) == sizeof(double) && sizeof(number) == sizeof(int64_t), "numbers of 8 bytes");

/* An array of results. `all` is the host's and has `width` numbers for each series, *part for each series of
 * the group that is being forecast. */
typedef struct result {
    number *all, **part;
    int64_t width;
    number  none; /* of a series that is too short */
} result;

/* The series of one group that are long enough. */
typedef struct part {
    fgt_local_opts o;
    int64_t        count, *which, *rows;
    const double **values;
    result         result[RESULTS];
} part;

#define FIELD(p, name, size, missing)                                 \
    {                                                                 \
        (number *)(p)->o.name, (number **)(void *)&(p)->o.name, size, \
        {                                                             \
            missing                                                   \
        }                                                             \
    }

static void list_results(part *p)
{
    const int64_t h = p->o.horizon, q = h * p->o.level_count;
    const result  all[RESULTS] = {
         FIELD(p, forecast, h, .real = NAN),      FIELD(p, quantiles, q, .real = NAN),
         FIELD(p, hindcast, h, .real = NAN),      FIELD(p, hindcast_quantiles, q, .real = NAN),
         FIELD(p, weights, p->o.member_count, 0), FIELD(p, left_out, FGT_LEFT_OUT, .whole = -1),
         FIELD(p, begin, 1, .whole = 0),          FIELD(p, shifted, 1, .whole = -1),
         FIELD(p, stuck, 1, .whole = -1),
    };
    memcpy(p->result, all, sizeof all);
}

/* Makes room for the results of `count` series, and marks all results as missing. */
static fgt_status allocate_part(fgt_context *ctx, int64_t count, part *p)
{
    FGTI_TRY(FGTI_NEW(ctx, count, "series", &p->which));
    FGTI_TRY(FGTI_NEW(ctx, count, "series", &p->rows));
    FGTI_TRY(FGTI_NEW(ctx, count, "series", &p->values));
    list_results(p);
    for (int k = 0; k < RESULTS; k++) *p->result[k].part = NULL;
    for (int k = 0; k < RESULTS; k++) {
        const result *r = &p->result[k];
        int64_t       size;
        if (!r->all) continue;
        if (!fgti_size_mul(count, r->width, &size))
            return fgti_fail(&ctx->error, FGT_E_SIZE, "%lld forecasts of %lld rows overflow the memory",
                             (long long)count, (long long)p->o.horizon);
        FGTI_TRY(FGTI_NEW(ctx, size, "forecasts", r->part));
        for (int64_t i = 0; i < size; i++) r->all[i] = r->none;
    }
    return FGT_OK;
}

static void part_done(fgt_context *ctx, part *p)
{
    for (int k = 0; k < RESULTS; k++)
        if (p->result[k].part) fgti_free(ctx, *p->result[k].part);
    fgti_free(ctx, p->which);
    fgti_free(ctx, p->rows);
    fgti_free(ctx, (void *)p->values);
}

static void part_take(const fgt_series *all, int64_t group, int64_t back, part *p)
{
    p->count = 0;
    for (int64_t i = 0; i < all->count; i++) {
        const fgt_series_info *s = &all->one[i].info;
        if (s->group != group || s->rows - back < (back ? LEAST : 1)) continue;
        p->values[p->count]  = s->values;
        p->rows[p->count]    = s->rows - back;
        p->which[p->count++] = i;
    }
}

/* Copies the results of the part to the series that it has. */
static void part_spread(const part *p)
{
    for (int k = 0; k < RESULTS; k++) {
        const result *r = &p->result[k];
        for (int64_t i = 0; r->all && i < p->count; i++)
            memcpy(r->all + p->which[i] * r->width, *r->part + i * r->width,
                   (size_t)r->width * sizeof *r->all);
    }
}

static fgt_status forecast_groups(const fgt_series *all, int64_t back, bool by_step, part *p)
{
    for (int64_t g = 0; g < all->groups; g++) {
        part_take(all, g, back, p);
        if (by_step) p->o.season = all->group[g].seasons[0];
        if (by_step) p->o.long_season = all->group[g].seasons[1];
        if (p->count) FGTI_TRY(fgt_forecast_local(all->ctx, p->values, p->rows, p->count, &p->o));
        part_spread(p);
    }
    return FGT_OK;
}

fgt_status fgt_series_forecast(const fgt_series *series, int64_t back, const fgt_local_opts *opts)
{
    part p = {0};
    if (!series) return FGT_E_ARG;
    fgti_error *err = &series->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_local_opts", opts, &p.o, sizeof p.o));
    const bool by_step = !p.o.season;
    if (back < 0) return fgti_fail(err, FGT_E_ARG, "series: back is negative (got %lld)", (long long)back);
    if (by_step && p.o.long_season)
        return fgti_fail(err, FGT_E_ARG, "series: long_season is given without season (got %lld, need 0)",
                         (long long)p.o.long_season);
    if (p.o.model || p.o.judged)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "series: a model of the host is not supported here");
    FGTI_TRY(fgti_local_read_opts(series->ctx, opts, &p.o));
    fgt_status s = allocate_part(series->ctx, series->count, &p);
    if (s == FGT_OK) s = forecast_groups(series, back, by_step, &p);
    part_done(series->ctx, &p);
    return s;
}
