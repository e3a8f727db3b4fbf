/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts without training of series that changed in their last rows, and of exact lines. */
#include <fighter/experimental/local.h>
#include <math.h>

#include "../one_context.h"
#include "draws.h"

enum { ROWS = 120, H = 12, MONTHS = 12, Q = 3 };

static const double level[Q] = {.1, .5, .9};
static double       y[ROWS], forecast[H], quantile[H][Q];
static int64_t      shifted, stuck;

static void run(int64_t n, int64_t season)
{
    const double *values[] = {y};
    OK(fgt_forecast_local(ctx, values, &n, 1,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = season, .levels = level,
                                    .level_count = Q, .forecast = forecast, .quantiles = quantile[0],
                                    .shifted = &shifted, .stuck = &stuck)));
}

static double month(int t)
{
    return 5 * sin(6.283185307179586 * t / MONTHS);
}

static void fill(double height, uint64_t *seed)
{
    for (int t = 0; t < ROWS; t++) y[t] = 100 + height * month(t) + draw_normal(seed);
}

/* Within: how far beside the interval the value may be. */
static void assert_holds(double value, double within)
{
    for (int t = 0; t < H; t++)
        assert_true(quantile[t][0] <= value + within && value - within <= quantile[t][2]);
}

/* As the header has it, at the edge, too: with 9 rows of the new level, the 80 % interval begins at .1. */
static void the_old_level_leaves_after_eight_rows(void **state)
{
    uint64_t seed = 13;
    (void)state;
    for (int k = 8; k < 10; k++) {
        fill(0, &seed);
        for (int t = ROWS - k; t < ROWS; t++) y[t] += 12;
        run(ROWS, 1);
        assert_int_equal(shifted, ROWS - k);
        for (int t = 0; t < H; t++) assert_true((quantile[t][0] <= 101) == (k == 8));
    }
}

/* One row may be an outlier; after two rows the forecast follows, and the interval holds both levels. */
static void intervals_hold_both_levels(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int k = 1; k < 8; k++) {
        for (int sign = -1; sign < 2; sign += 2) {
            fill(0, &seed);
            for (int t = ROWS - k; t < ROWS; t++) y[t] += 12 * sign;
            run(ROWS, 1);
            assert_int_equal(shifted, ROWS - k);
            assert_holds(100, 1.5);
            assert_holds(100 + 12 * sign, 1.5);
            for (int t = 0; t < H && k > 1; t++) assert_true(fabs(forecast[t] - 100 - 12 * sign) < 3);
            for (int t = 0; t < H; t++) assert_true(quantile[t][1] == forecast[t]);
        }
    }
}

/* Where all series shift, the errors of the last origins are the shift, and widen no series. */
static void a_shift_of_all_widens_none(void **state)
{
    enum { N = 6, SHIFTED = 4, ALL = 200, AHEAD = 14 };
    static double rows[N][ALL], next[N][AHEAD], q[N][AHEAD][Q];
    const double *values[N];
    int64_t       count[N];
    uint64_t      seed = 11;
    (void)state;
    for (int i = 0; i < N; i++) {
        for (int t = 0; t < ALL; t++)
            rows[i][t] = 50 + draw_normal(&seed) + (t >= ALL - SHIFTED ? 40 : 0);
        values[i] = rows[i];
        count[i]  = ALL;
    }
    OK(fgt_forecast_local(ctx, values, count, N,
                          &FGT_OPTS(fgt_local_opts, .horizon = AHEAD, .season = 7, .levels = level,
                                    .level_count = Q, .forecast = next[0], .quantiles = q[0][0])));
    for (int i = 0; i < N; i++)
        for (int t = 0; t < AHEAD; t++) {
            assert_true(q[i][t][0] <= 51 && q[i][t][0] > 40);
            assert_true(q[i][t][2] >= 90 && q[i][t][2] < 100);
        }
}

/* Both levels are known to the digit. A season of 7 rows makes the new one no other. */
static void exact_levels_are_within(void **state)
{
    static const double levels[][2] = {{5, 9}, {5.1, 9.3}, {-2, 7}, {9, 5}};
    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        for (int k = 2; k < 8; k++) {
            const double before = levels[i][0], now = levels[i][1];
            for (int t = 0; t < ROWS; t++) y[t] = t < ROWS - k ? before : now;
            run(ROWS, 7);
            assert_int_equal(shifted, ROWS - k);
            assert_holds(now, 0);
            assert_holds(before, 1e-12);
            for (int t = 0; t < H; t++) assert_true(fabs(forecast[t] - now) < 1e-9);
        }
}

/* The last value stands in rows that have none: one far value, not a level. */
static void rows_without_a_value_are_no_level(void **state)
{
    enum { LATE = 6 };
    uint64_t seed = 12;
    (void)state;
    for (int known = 1; known < LATE + 4; known += 8) {
        fill(0, &seed);
        for (int t = ROWS - LATE - known; t < ROWS; t++) y[t] = t < ROWS - LATE ? 112 : NAN;
        run(ROWS, 1);
        assert_int_equal(shifted, known < LATE ? -1 : ROWS - LATE - known);
    }
}

/* The season goes on at the new level; nine rows later the old one is out of the interval. */
static void the_season_goes_on(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int k = 3; k < 15; k += 11) {
        fill(1, &seed);
        for (int t = ROWS - k; t < ROWS; t++) y[t] += 20;
        run(ROWS, MONTHS);
        assert_int_equal(shifted, ROWS - k);
        for (int t = 0; t < H; t++) {
            assert_true(fabs(forecast[t] - 120 - month(t)) < 4);
            assert_true((quantile[t][0] <= 100 + month(t)) == (k == 3));
        }
    }
}

/* A value that is left out widens the interval alone, on its side. */
static void one_wild_value_widens(void **state)
{
    uint64_t seed = 3;
    (void)state;
    fill(0, &seed);
    y[ROWS - 1] = 190;
    run(ROWS, 1);
    for (int t = 0; t < H; t++) {
        assert_true(fabs(forecast[t] - 100) < 2 && quantile[t][0] > 97);
        assert_true(quantile[t][2] > 190);
    }
}

static void other_series_have_no_shift(void **state)
{
    uint64_t seed = 4;
    int      found = 0;
    (void)state;
    for (int i = 0; i < 30; i++) {
        fill(i % 2, &seed);
        for (int t = 1; t < ROWS && i % 3 == 0; t++) y[t] = y[t - 1] + draw_normal(&seed);
        run(ROWS, MONTHS);
        found += shifted >= 0;
        assert_int_equal(stuck, -1);
    }
    assert_true(found <= 1);
}

/* A sensor that is stuck. */
static void one_value_is_within(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int rows = 10; rows < 70; rows += 25) {
        fill(1, &seed);
        for (int t = ROWS - rows; t < ROWS; t++) y[t] = y[ROWS - rows];
        run(ROWS, MONTHS);
        assert_int_equal(stuck, ROWS - rows);
        assert_holds(y[ROWS - 1], 0);
        for (int t = 0; t < H; t++)
            assert_true(quantile[t][0] <= forecast[t] && forecast[t] <= quantile[t][2]);
    }
}

static void exact_lines_go_on(void **state)
{
    (void)state;
    for (int n = 5; n < 60; n += 7) {
        for (int t = 0; t < n; t++) y[t] = 1000 - 3.1 * t;
        run(n, MONTHS);
        for (int t = 0; t < H; t++) assert_true(fabs(forecast[t] - (1000 - 3.1 * (n + t))) < 1e-6);
    }
}

/* Errors of one origin are often on one side: the interval of a walk of 40 rows is not narrow by that. */
static void few_errors_count_on_both_sides(void **state)
{
    uint64_t seed = 6;
    double   inside = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        double walk[40 + H];
        for (int t = 0; t < 40 + H; t++) walk[t] = (t ? walk[t - 1] : 100) + draw_normal(&seed);
        for (int t = 0; t < 40; t++) y[t] = walk[t];
        run(40, MONTHS);
        for (int t = 0; t < H; t++)
            inside += (quantile[t][0] <= walk[40 + t] && walk[40 + t] <= quantile[t][2]) / (100. * H);
    }
    print_message("%.3f of the values are within\n", inside);
    assert_true(inside > .68);
}

/* Zeros cannot be reached by a factor. */
static void levels_fall_to_zero(void **state)
{
    uint64_t seed = 8;
    (void)state;
    for (int k = 2; k < 8; k++) {
        fill(0, &seed);
        for (int t = ROWS - k; t < ROWS; t++) y[t] = 0;
        run(ROWS, 1);
        assert_int_equal(shifted, ROWS - k);
        assert_holds(0, 1.5);
        assert_holds(100, 1.5);
        for (int t = 0; t < H; t++) assert_true(fabs(forecast[t]) < 5);
    }
}

/* A peak of the last month of each year, which grows: with the season too low in the last year, it is far. */
static void peaks_that_grow_are_a_season(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (int years = 3; years < 8; years++) {
        fill(0, &seed);
        for (int t = 11; t < 12 * years; t += 12) y[t] += 300 * pow(1.3, t / 12);
        run((int64_t)12 * years, MONTHS);
        assert_int_equal(shifted, -1);
    }
}

/* ---- beside a model ---- */

/* *knows: how much of the new level the model foresees */
static fgt_status model(void *knows, int64_t series, int64_t rows, double *f)
{
    (void)series, (void)rows;
    for (int t = 0; t < H; t++) f[t] = 100 + 12 * *(const double *)knows;
    return FGT_OK;
}

/* It has no part where it stays at the old level; of one that knew the new one, the level is no news. */
static void a_model_foresees_it_or_has_no_part(void **state)
{
    uint64_t      seed     = 10;
    double        weight[FGT_LOCAL_MEMBERS];
    const double *values[] = {y};
    const int64_t n        = ROWS;
    (void)state;
    for (int knows = 0; knows < 2; knows++)
        for (int k = 2; k < 8; k++) {
            double part = knows;
            fill(0, &seed);
            for (int t = ROWS - k; t < ROWS; t++) y[t] += 12;
            OK(fgt_forecast_local(ctx, values, &n, 1,
                                  &FGT_OPTS(fgt_local_opts, .horizon = H, .season = 1, .levels = level,
                                            .level_count = Q, .forecast = forecast, .quantiles = quantile[0],
                                            .shifted = &shifted, .weights = weight,
                                            .member_count = FGT_LOCAL_MEMBERS, .model = model,
                                            .model_user = &part, .model_rows = ROWS / 2)));
            assert_int_equal(shifted, knows ? -1 : ROWS - k);
            if (knows) continue;
            assert_true(weight[FGT_LOCAL_MEMBERS - 1] == 0);
            assert_holds(100, 1.5);
            assert_holds(112, 1.5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(intervals_hold_both_levels),
        WITH_CONTEXT(the_old_level_leaves_after_eight_rows),
        WITH_CONTEXT(a_shift_of_all_widens_none),
        WITH_CONTEXT(exact_levels_are_within),
        WITH_CONTEXT(rows_without_a_value_are_no_level),
        WITH_CONTEXT(the_season_goes_on),
        WITH_CONTEXT(one_wild_value_widens),
        WITH_CONTEXT(other_series_have_no_shift),
        WITH_CONTEXT(one_value_is_within),
        WITH_CONTEXT(exact_lines_go_on),
        WITH_CONTEXT(few_errors_count_on_both_sides),
        WITH_CONTEXT(levels_fall_to_zero),
        WITH_CONTEXT(peaks_that_grow_are_a_season),
        WITH_CONTEXT(a_model_foresees_it_or_has_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
