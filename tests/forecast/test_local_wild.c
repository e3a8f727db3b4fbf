/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that stand alone, in forecasts without training: single ones count as missing, all that recurs or
 * lasts is believed. */
#include <fighter/experimental/local.h>
#include <math.h>

#include "../one_context.h"
#include "draws.h"

enum { ROWS = 60, H = 12, MONTHS = 12, WEEK = 7, HOURS = 720 };

static double   y[ROWS], hours[HOURS], forecast[H], range[H][2];
static uint64_t seed;

static void run(int64_t n, int64_t season, int64_t left_out[FGT_LEFT_OUT])
{
    static const double level[] = {.1, .9};
    const double       *values[] = {y};
    OK(fgt_forecast_local(ctx, values, &n, 1,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = season, .levels = level,
                                    .level_count = 2, .forecast = forecast, .quantiles = range[0],
                                    .left_out = left_out)));
}

static double month(int64_t t)
{
    return sin(6.283185307179586 * (double)t / MONTHS);
}

static void fill_months(void)
{
    seed = 3;
    for (int t = 0; t < ROWS; t++) y[t] = 200 + 50 * month(t) + 5 * draw_normal(&seed);
}

static void assert_none_left_out(int64_t n, int64_t season)
{
    int64_t row[FGT_LEFT_OUT];
    run(n, season, row);
    for (int i = 0; i < FGT_LEFT_OUT; i++) assert_int_equal(row[i], -1);
}

/* Wherever it is in the last season. */
static void one_wild_value_is_left_out(void **state)
{
    double  mean[H], width[H];
    int64_t row[FGT_LEFT_OUT];
    (void)state;
    fill_months();
    run(ROWS, MONTHS, row);
    assert_int_equal(row[0], -1);
    for (int t = 0; t < H; t++) {
        mean[t]  = forecast[t];
        width[t] = range[t][1] - range[t][0];
    }
    for (int at = ROWS - MONTHS; at < ROWS; at++) {
        for (int kind = 0; kind < 3; kind++) {
            fill_months();
            y[at] = kind == 0 ? 10 * y[at] : kind == 1 ? -y[at] : 3 * y[at];
            run(ROWS, MONTHS, row);
            assert_int_equal(row[0], at);
            assert_int_equal(row[1], -1);
            for (int t = 0; t < H; t++) {
                assert_true(fabs(forecast[t] - mean[t]) < 20);
                assert_true(range[t][1] - range[t][0] > .5 * width[t]);
            }
        }
    }
}

static void rows_count_from_the_hosts_first(void **state)
{
    int64_t row[FGT_LEFT_OUT];
    (void)state;
    fill_months();
    for (int t = 0; t < 5; t++) y[t] = NAN;
    y[50] = 2000;
    y[30] = -900;
    run(ROWS, MONTHS, row);
    assert_int_equal(row[0], 30);
    assert_int_equal(row[1], 50);
}

static void levels_that_shift_stay(void **state)
{
    (void)state;
    for (int last = 2; last < 8; last++) {
        fill_months();
        for (int t = ROWS - last; t < ROWS; t++) y[t] += 1500;
        assert_none_left_out(ROWS, MONTHS);
        assert_true(forecast[0] > 400);
        for (int t = 0; t < ROWS; t++) y[t] = 100 + draw_normal(&seed) + (t >= ROWS - last ? 80 : 0);
        assert_none_left_out(ROWS, 1);
    }
}

static void spikes_that_recur_stay(void **state)
{
    (void)state;
    fill_months();
    for (int t = 11; t < ROWS; t += MONTHS) y[t] *= 6; /* each December */
    assert_none_left_out(ROWS, MONTHS);
    fill_months();
    for (int t = 11; t < 30; t += MONTHS) y[t] *= 6; /* two of them, of 30 months */
    assert_none_left_out(30, MONTHS);
    fill_months();
    y[7] *= 6;
    assert_none_left_out(18, MONTHS); /* the next one would be after the end */
    fill_months();
    for (int t = 5; t < ROWS; t += 17) y[t] *= 6; /* four without a rhythm */
    assert_none_left_out(ROWS, MONTHS);
}

/* Peaks of each December, which grow, or fall, from year to year. */
static void peaks_that_grow_stay(void **state)
{
    static const double growth[] = {1, 1.2, 1.5, 2, .8, .5};
    (void)state;
    for (size_t k = 0; k < sizeof growth / sizeof *growth; k++)
        for (int n = 30; n <= ROWS; n++) {
            double peak = 300;
            seed        = (uint64_t)n;
            for (int t = 0; t < n; t++) {
                y[t] = 100 + 2 * draw_normal(&seed) + (t % MONTHS == 11 ? peak : 0);
                if (t % MONTHS == 11) peak *= growth[k];
            }
            assert_none_left_out(n, MONTHS);
        }
}

/* A typing error where a peak is, ten times as high. */
static void wild_peaks_are_left_out(void **state)
{
    int64_t row[FGT_LEFT_OUT];
    (void)state;
    seed = 7;
    for (int t = 0; t < ROWS; t++) y[t] = 100 + 2 * draw_normal(&seed) + (t % MONTHS == 11 ? 300 : 0);
    y[35] *= 10;
    run(ROWS, MONTHS, row);
    assert_int_equal(row[0], 35);
    assert_int_equal(row[1], -1);
}

static void fill_days(int64_t n)
{
    seed = 13;
    for (int t = 0; t < n; t++)
        y[t] = 200 + 15 * sin(6.283185307179586 * t / WEEK) + 5 * draw_normal(&seed);
}

static void assert_left_out(int64_t n, const int *at, int count)
{
    int64_t row[FGT_LEFT_OUT];
    run(n, WEEK, row);
    for (int i = 0; i < FGT_LEFT_OUT; i++) assert_int_equal(row[i], i < count ? at[i] : -1);
    for (int t = 0; t < H; t++) assert_true(fabs(forecast[t] - 200) < 40);
}

/* Two that are a season apart, or any other number of rows, also in the last row. */
static void equal_faults_are_no_season(void **state)
{
    (void)state;
    for (int apart = 1; apart < 31; apart++)
        for (int last = ROWS - 2; last < ROWS; last++) {
            const int at[] = {last - apart, last};
            fill_days(ROWS);
            y[at[0]] = y[at[1]] = apart % 3 ? 99999 : -88888;
            assert_left_out(ROWS, at, 2);
        }
}

/* More than two, of several sizes. */
static void all_faults_are_left_out(void **state)
{
    static const int    at[]    = {20, 34, 45, 50, 51, 55};
    static const double wrong[] = {99999, 77777, 99999, -88888, 99999, 2000};
    (void)state;
    for (int count = 3; count <= 6; count++) {
        fill_days(ROWS);
        for (int i = 0; i < count; i++) y[at[i]] = wrong[i];
        assert_left_out(ROWS, at, count);
        fill_days(ROWS);
        for (int i = 0; i < count; i++) y[at[i]] = 99999;
        assert_left_out(ROWS, at, count);
        for (int i = 0; i < count; i++) y[at[i]] = i == 3 ? 9000 : 9999; /* 50 times the level */
        if (count < 5) assert_left_out(ROWS, at, count);
    }
}

static void few_rows_show_errors(void **state)
{
    int64_t row[FGT_LEFT_OUT];
    (void)state;
    for (int64_t n = 8; n < 14; n++)
        for (int at = 0; at < n; at++) {
            fill_days(n);
            y[at] = 99999;
            run(n, MONTHS, row);
            assert_int_equal(row[0], at);
            assert_int_equal(row[1], -1);
            assert_true(fabs(forecast[0] - 200) < 60);
        }
}

/* A fee each year, or a level of another unit. */
static void large_values_with_a_reason_stay(void **state)
{
    (void)state;
    for (int n = 26; n <= ROWS; n++) {
        seed = 17;
        for (int t = 0; t < n; t++) y[t] = t % MONTHS == 11 ? 1000 : 40 + .3 * draw_normal(&seed);
        assert_none_left_out(n, MONTHS);
    }
    for (int last = 2; last < 7; last++) {
        fill_days(ROWS);
        for (int t = ROWS - last; t < ROWS; t++) y[t] *= 1000;
        assert_none_left_out(ROWS, WEEK);
        fill_days(ROWS);
        for (int t = 0; t < last; t++) y[t] *= 1000;
        assert_none_left_out(ROWS, WEEK);
    }
}

static void growth_stays(void **state)
{
    (void)state;
    for (int t = 0; t < ROWS; t++) y[t] = exp(.7 * t);
    assert_none_left_out(ROWS, 1);
    for (int t = 0; t < ROWS; t++) y[t] = 5 + 3 * t;
    assert_none_left_out(ROWS, 1);
}

static void small_differences_stay(void **state)
{
    (void)state;
    for (int t = 0; t < ROWS; t++) y[t] = 10 + 3 * month(t);
    y[40] += .5;
    y[52] -= 1;
    assert_none_left_out(ROWS, MONTHS);
    for (int t = 0; t < ROWS; t++) y[t] = 1;
    y[40] = 4;
    assert_none_left_out(ROWS, MONTHS);
}

static void rare_counts_stay(void **state)
{
    (void)state;
    seed = 5;
    for (int t = 0; t < ROWS; t++) y[t] = draw_even(&seed) < .1 ? 1 + floor(30 * draw_even(&seed)) : 0;
    y[50] = 100;
    assert_none_left_out(ROWS, 1);
    assert_none_left_out(ROWS, WEEK);
}

static void draw_hours(void)
{
    seed = 11;
    for (int t = 0; t < HOURS; t++)
        hours[t] = 100 + 20 * sin(6.283185307179586 * t / 24) + 3 * draw_normal(&seed);
}

static void find_in_hours(bool keeps, int64_t row[FGT_LEFT_OUT])
{
    const double *values[] = {hours};
    const int64_t n        = HOURS;
    OK(fgt_forecast_local(ctx, values, &n, 1,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = 24, .long_season = 168,
                                    .forecast = forecast, .left_out = row, .keep_outliers = keeps)));
}

/* Of any sizes, one beside a row without a value. */
static void several_faults_are_left_out(void **state)
{
    static const int   at[]    = {100, 203, 305, 402, 507};
    static const double wrong[] = {99999, 5000, -7777, 1e9, -99999};
    double             mean[H];
    int64_t            row[FGT_LEFT_OUT];
    (void)state;
    draw_hours();
    find_in_hours(false, row);
    memcpy(mean, forecast, sizeof mean);
    for (int count = 1; count <= 5; count++) {
        draw_hours();
        for (int i = 0; i < count; i++) hours[at[i]] = wrong[i];
        hours[at[0] + 1] = NAN;
        find_in_hours(false, row);
        for (int i = 0; i < FGT_LEFT_OUT; i++) assert_int_equal(row[i], i < count ? at[i] : -1);
        for (int t = 0; t < H; t++) assert_true(fabs(forecast[t] - mean[t]) < 4);
        find_in_hours(true, row);
        assert_int_equal(row[0], -1);
    }
}

/* Among many rows large values come by chance. */
static void heavy_tails_stay(void **state)
{
    int64_t row[FGT_LEFT_OUT];
    (void)state;
    for (uint64_t draw = 1; draw <= 20; draw++) {
        seed = draw;
        for (int t = 0; t < HOURS; t++) hours[t] = 40 * pow(draw_even(&seed) + 1e-4, -.5);
        find_in_hours(false, row);
        assert_int_equal(row[0], -1);
        draw_hours();
        for (int k = 0; k < 6; k++) /* days of a promotion */
            hours[(int)(HOURS * draw_even(&seed))] *= 3 + 4 * draw_even(&seed);
        find_in_hours(false, row);
        assert_int_equal(row[0], -1);
    }
}

/* Few values, each of another size than the others: half of them stay. */
static void some_values_stay(void **state)
{
    (void)state;
    static const double value[] = {-1e6, 1.08, -.95, 1e3};
    static const int    at[]    = {0, 3, 10, 14};
    int64_t             row[FGT_LEFT_OUT];
    for (int t = 0; t < 15; t++) y[t] = NAN;
    for (int i = 0; i < 4; i++) y[at[i]] = value[i];
    run(15, 1, row);
    assert_int_equal(row[2], -1);
    for (int t = 0; t < 20; t++) y[t] = pow(1e-6, t);
    run(20, 1, row);
    assert_int_equal(row[10], -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(one_wild_value_is_left_out), WITH_CONTEXT(rows_count_from_the_hosts_first),
        WITH_CONTEXT(levels_that_shift_stay),     WITH_CONTEXT(spikes_that_recur_stay),
        WITH_CONTEXT(peaks_that_grow_stay),       WITH_CONTEXT(wild_peaks_are_left_out),
        WITH_CONTEXT(equal_faults_are_no_season), WITH_CONTEXT(all_faults_are_left_out),
        WITH_CONTEXT(few_rows_show_errors),       WITH_CONTEXT(large_values_with_a_reason_stay),
        WITH_CONTEXT(growth_stays),               WITH_CONTEXT(small_differences_stay),
        WITH_CONTEXT(rare_counts_stay),         WITH_CONTEXT(several_faults_are_left_out),
        WITH_CONTEXT(heavy_tails_stay),         WITH_CONTEXT(some_values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
