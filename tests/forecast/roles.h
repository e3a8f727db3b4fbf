/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FORECAST_ROLES_H
#define TESTS_FORECAST_ROLES_H

/* Hourly rows with targets, a past and a known column, and small forecasters of them. */

#include "small_series.h"

enum { N = 24 * 7 * 6, WIDE = 4, L = 48, H = 8, HOUR = 3600000 };

/* a: twice k, and a day's rhythm. b: what p was H rows before. k: known, drawn at random.
 * p: a past column. */
static const char *const names[WIDE] = {"a", "b", "k", "p"};
static double            rows[N][WIDE];
static int64_t           times[N];
static const fgt_split   parts    = {0, 700, 700, 850, 850, N};
static const char *const k_name[] = {"k"}, *const p_name[] = {"p"};

static inline double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}

static inline int fill(void **state)
{
    uint64_t seed = 1;
    for (int r = 0; r < N; r++) {
        times[r]   = INT64_C(1467331200000) + (int64_t)r * HOUR;
        rows[r][2] = draw(&seed) > 0.2 ? 1 : 0;
        rows[r][3] = draw(&seed);
        rows[r][0] = 100 + 4 * rows[r][2] + 3 * sin(r * 6.283185307 / 24) + 0.2 * draw(&seed);
        rows[r][1] = 10 + (r < H ? 0 : rows[r - H][3]);
    }
    return set_up(state);
}

/* Columns in this order, with times unless told otherwise. */
static inline fgt_table *table_of(const int *order, int count, int64_t begin, int64_t end, bool timed)
{
    static double copy[N * WIDE];
    const char   *name[WIDE];
    fgt_table    *t;
    const int64_t n = end - begin;
    for (int c = 0; c < count; c++) {
        name[c] = names[order[c]];
        for (int64_t r = 0; r < n; r++) copy[r * count + c] = rows[begin + r][order[c]];
    }
    OK(fgt_table_create(ctx, name, FGT_VIEW_OF(FGT_DTYPE_F64, copy, n, count), &t));
    if (timed) OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times + begin, n), 0));
    return t;
}

static const int all[] = {0, 1, 2, 3}, mixed[] = {3, 2, 1, 0}, only_k[] = {2};

static inline fgt_table *whole(void)
{
    return table_of(all, WIDE, 0, N, true);
}

static inline fgt_forecaster *make(const fgt_table *t, fgt_forecaster_opts o)
{
    fgt_forecaster *f;
    o.size      = sizeof o;
    o.input_len = L;
    o.pred_len  = H;
    o.tokens.dim    = 8;
    o.tokens.patch  = 8;
    o.tokens.stride = 8;
    o.seed      = 1;
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    return f;
}

static inline fgt_forecaster *make_full(const fgt_table *t)
{
    return make(t, (fgt_forecaster_opts){.inputs.known       = k_name,
                                         .inputs.known_count = 1,
                                         .inputs.past        = p_name,
                                         .inputs.past_count  = 1});
}

#endif
