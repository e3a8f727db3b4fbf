/* SPDX-License-Identifier: BSD-3-Clause */
/* A series among others of another kind, without training. */
#include <fighter/experimental/local.h>
#include <math.h>
#include <string.h>

#include "../one_context.h"
#include "draws.h"

enum { COUNT = 10, ROWS = 60, H = 12, MONTHS = 12 };

typedef void (*kind_fn)(double *y, uint64_t *seed);

/* The first series is as `kind` says, the others stay at a level. */
static void run_beside(kind_fn kind, double level, double deviation, double first[H], double range[H][2])
{
    static const double quantile[] = {.1, .9};
    double              y[COUNT][ROWS], forecast[COUNT][H], q[COUNT][H][2];
    const double       *values[COUNT];
    int64_t             rows[COUNT];
    uint64_t            seed = 6;
    kind(y[0], &seed);
    for (int i = 1; i < COUNT; i++)
        for (int t = 0; t < ROWS; t++) y[i][t] = level + deviation * draw_normal(&seed);
    for (int i = 0; i < COUNT; i++) {
        values[i] = y[i];
        rows[i]   = ROWS;
    }
    OK(fgt_forecast_local(ctx, values, rows, COUNT,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .levels = quantile,
                                    .level_count = 2, .forecast = forecast[0], .quantiles = q[0][0])));
    memcpy(first, forecast[0], sizeof forecast[0]);
    memcpy(range, q[0], sizeof q[0]);
}

static void steady(double *y, uint64_t *seed)
{
    for (int t = 0; t < ROWS; t++) y[t] = 100 + 5 * draw_normal(seed);
}

static void lifted(double *y, uint64_t *seed)
{
    for (int t = 0; t < ROWS; t++) y[t] = (t < ROWS - MONTHS ? 100 : 160) + 5 * draw_normal(seed);
}

/* Columns that never change have no errors, so intervals of the others once had no width. */
static void constants_say_nothing_of_others(void **state)
{
    double forecast[H], range[H][2];
    (void)state;
    run_beside(steady, 50, 0, forecast, range);
    for (int t = 0; t < H; t++) assert_true(range[t][1] - range[t][0] > 8 && fabs(forecast[t] - 100) < 5);
}

/* Nine series of noise lean on their mean, the tenth has another level since a year. */
static void a_panel_does_not_lean_for_all(void **state)
{
    double forecast[H], range[H][2];
    (void)state;
    run_beside(lifted, 100, 5, forecast, range);
    for (int t = 0; t < H; t++) assert_true(forecast[t] > 125 && range[t][1] > 155);
}

/* A season that one origin has seen, with a row or two more than a season before it. */
static void one_origin_is_not_enough_for_a_season(void **state)
{
    enum { LEAST = MONTHS + 2, AHEAD = 6 };
    double   y[2 * MONTHS + AHEAD], forecast[AHEAD], error = 0, before = 0;
    uint64_t seed = 9;
    (void)state;
    for (int rows = LEAST + AHEAD; rows < 2 * MONTHS; rows++)
        for (int draw = 0; draw < 10; draw++) {
            const double  *values = y;
            const int64_t  shown  = rows;
            for (int t = 0; t < rows + AHEAD; t++)
                y[t] = 1000 + 300 * sin(6.283185307179586 * t / MONTHS + draw) + 30 * draw_normal(&seed);
            OK(fgt_forecast_local(
                ctx, &values, &shown, 1,
                &FGT_OPTS(fgt_local_opts, .horizon = AHEAD, .season = MONTHS, .forecast = forecast)));
            for (int t = 0; t < AHEAD; t++) {
                error += fabs(forecast[t] - y[rows + t]);
                before += fabs(y[rows - MONTHS + t] - y[rows + t]);
            }
        }
    print_message("%.2f of the error of the season before\n", error / before);
    assert_true(error < 1.1 * before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(constants_say_nothing_of_others),
                                       WITH_CONTEXT(a_panel_does_not_lean_for_all),
                                       WITH_CONTEXT(one_origin_is_not_enough_for_a_season)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
