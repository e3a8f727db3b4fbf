/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts without training of series that begin with zeros, and of series that stay rare. */
#include <fighter/experimental/local.h>
#include <math.h>

#include "../one_context.h"
#include "draws.h"

enum { MOST = 800, H = 12, MONTHS = 12, Q = 2 };

static const double level[Q] = {.1, .9};
static double       y[MOST], forecast[H], quantile[H][Q];
static int64_t      rows, begin;

static void begin_rows(void)
{
    rows = 0;
}

static void add_zeros(int64_t n)
{
    while (n-- > 0) y[rows++] = 0;
}

static void add_sales(int64_t n)
{
    static uint64_t seed = 3;
    while (n-- > 0) y[rows++] = floor(200 + 10 * draw_normal(&seed));
}

/* Without the rows before `from`. */
static void run(int64_t from)
{
    const double *values[] = {y + from};
    const int64_t n        = rows - from;
    OK(fgt_forecast_local(ctx, values, &n, 1,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .levels = level,
                                    .level_count = Q, .forecast = forecast, .quantiles = quantile[0],
                                    .begin = &begin)));
}

static void assert_begins_at(int64_t from)
{
    double f[H], q[H][Q];
    run(from);
    for (int t = 0; t < H; t++) {
        f[t] = forecast[t];
        for (int i = 0; i < Q; i++) q[t][i] = quantile[t][i];
    }
    run(0);
    assert_int_equal(begin, from);
    for (int t = 0; t < H; t++) {
        assert_true(forecast[t] == f[t]);
        for (int i = 0; i < Q; i++) assert_true(quantile[t][i] == q[t][i]);
    }
}

static void assert_near(double least, double most)
{
    for (int t = 0; t < H; t++) assert_true(forecast[t] > least && forecast[t] < most);
}

static void zeros_before_a_launch_do_not_count(void **state)
{
    static const int64_t shape[][2] = {{12, 48}, {28, 32}, {36, 24}, {54, 6},
                                       {34, 3},  {8, 5},   {5, 8},   {600, 60}};
    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        begin_rows();
        add_zeros(shape[i][0]);
        add_sales(shape[i][1]);
        assert_begins_at(shape[i][0]);
        assert_near(150, 250);
        assert_true(quantile[0][0] > 150);
    }
}

/* A value long before the launch is a test, and a launched product may be missing for a month. */
static void a_launch_may_be_untidy(void **state)
{
    (void)state;
    begin_rows();
    add_zeros(20);
    y[rows++] = 3;
    add_zeros(10);
    add_sales(24);
    assert_begins_at(31);
    begin_rows();
    add_zeros(30);
    add_sales(10);
    add_zeros(1);
    add_sales(19);
    assert_begins_at(30);
}

/* What was sold before a gap counts, and so do the zeros of the gap: but this is no rare series. */
static void sales_after_a_gap_go_on(void **state)
{
    (void)state;
    begin_rows();
    add_sales(20);
    add_zeros(30);
    add_sales(20);
    run(0);
    assert_near(150, 250);
    begin_rows();
    add_zeros(30);
    add_sales(20);
    add_zeros(10); /* ended */
    run(0);
    assert_near(-1, 60);
}

static double rate(void)
{
    double sum = 0, all = 0;
    for (int64_t t = 0; t < rows; t++) {
        sum = .96 * sum + y[t];
        all = .96 * all + 1;
    }
    return sum / all;
}

static void rare_series_stay_rare(void **state)
{
    enum { DRAWS = 400 };
    uint64_t seed = 6;
    int      kept = 0;
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const double share = .03 + .37 * draw_even(&seed);
        begin_rows();
        for (int64_t n = i % 2 ? 36 : 60; n > 0; n--)
            y[rows++] = draw_even(&seed) < share ? 1 + floor(5 * draw_even(&seed)) : 0;
        y[0] = 1; /* one value is needed */
        run(0);
        kept += fabs(forecast[0] - rate()) <= 1e-12 * (1 + rate());
    }
    print_message("%d of %d rare series have their rate\n", kept, DRAWS);
    assert_true(kept >= .96 * DRAWS);
}

/* Two sales in a row after many zeros do not show that sales last. */
static void few_sales_are_rare(void **state)
{
    (void)state;
    for (int64_t sales = 1; sales <= 2; sales++) {
        begin_rows();
        add_zeros(34);
        add_sales(sales);
        run(0);
        assert_near(0, 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(zeros_before_a_launch_do_not_count),
        WITH_CONTEXT(a_launch_may_be_untidy),
        WITH_CONTEXT(sales_after_a_gap_go_on),
        WITH_CONTEXT(rare_series_stay_rare),
        WITH_CONTEXT(few_sales_are_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
