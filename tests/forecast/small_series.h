/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FORECAST_SMALL_SERIES_H
#define TESTS_FORECAST_SMALL_SERIES_H

/* For the tests of lib/forecast: a context that counts what is live and fails on demand, a small series,
 * files in a directory of its own. */

#include <math.h>

#include <fighter/forecast.h>

#include "../directory.h"
#include "../one_context.h"
#include "forecast/forecaster_impl.h"

#define ROWS    200
#define COLUMNS 3

static double          values[ROWS][COLUMNS];
static const fgt_split split = {0, 120, 120, 160, 160, 200};

/* Two rhythms, a trend after the training rows, a step: no column is like another. */
static inline void fill_values(void)
{
    for (int r = 0; r < ROWS; r++) {
        values[r][0] = 10 + 3 * sin(r * 0.5) + (r > 120 ? 0.2 * r : 0);
        values[r][1] = -2 + cos(r * 0.25);
        values[r][2] = 1e4 + 100 * (r % 7);
    }
}

static inline int set_up(void **state)
{
    fill_values();
    return make_directory(state) || test_open_threads(2);
}

static inline int tear_down(void **state)
{
    return remove_directory(state) || test_close(state);
}

static inline fgt_table *new_table(void)
{
    static const char *const names[] = {"load", "a,\"b\"", "\xc3\xb6l"};
    fgt_table               *table;
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, COLUMNS), &table));
    return table;
}

/* Variates have no order, so blocks that read their tokens in order do not take them. */
static inline bool takes(int32_t block, int32_t tokens)
{
    return tokens != FGT_TOKENS_VARIATE || !(fgt_block_get_traits(block) & FGT_BLOCK_TRAIT_ORDER);
}

/* Small windows; the other options as given. */
static inline fgt_forecaster *new_forecaster(fgt_forecaster_opts o, const fgt_table *table)
{
    fgt_forecaster *f;
    o.size      = sizeof o;
    o.input_len = 24;
    o.pred_len  = 8;
    o.tokens.dim    = 8;
    o.tokens.patch  = 8;
    o.tokens.stride = 4;
    o.seed      = 3;
    OK(fgt_forecaster_create(ctx, table, &split, &o, &f));
    return f;
}

#endif
