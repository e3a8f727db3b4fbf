/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of long series without training: maps of long windows. */
#include <fighter/experimental/local.h>
#include <math.h>

#include "../one_context.h"
#include "draws.h"
#include "forecast/local/local_members.h"

enum { N = 3, DAY = 24, WEEK = 168, H = 48, ROWS = 4000, K = FGT_LOCAL_MEMBERS, FIRST = FGTI_MEMBERS_OF_ALL };

static double series[N][ROWS + H]; /* the last rows are not shown */
static double forecast[N * H], weight[N * K], kept[N * H];

/* ---- series ---- */

static double cycle(int t, int period)
{
    return sin(6.283185307179586 * (t % period) / period);
}

/* Days, of which two in seven are low, and a disturbance of size `noise`. */
static void fill(double *y, double noise, uint64_t *seed)
{
    double at = 0;
    for (int t = 0; t < ROWS + H; t++) {
        at   = .8 * at + .6 * draw_normal(seed);
        y[t] = 50 + (t / DAY % 7 < 5 ? 10 : 3) * cycle(t, DAY) + 2 * cycle(t, WEEK) + noise * at;
    }
}

static void run_on(fgt_context *c, int64_t season, int64_t longer, const int64_t *rows)
{
    const double *const values[N] = {series[0], series[1], series[2]};
    OK_OF(c,
          fgt_forecast_local(c, values, rows, N,
                             &FGT_OPTS(fgt_local_opts, .horizon = H, .season = season, .long_season = longer,
                                       .forecast = forecast, .weights = weight, .member_count = K)));
}

static const int64_t all_rows[N] = {ROWS, ROWS, ROWS};

static double error_of(const double *f, const double *truth)
{
    double sum = 0;
    for (int k = 0; k < H; k++) {
        assert_true(isfinite(f[k]));
        sum += fabs(f[k] - truth[k]) / H;
    }
    return sum;
}

static double share_of_maps(int64_t i)
{
    double sum = 0;
    for (int k = FIRST; k < K; k++) sum += weight[i * K + k];
    return sum;
}

/* ---- maps ---- */

/* The maps know the days and weeks, and where the disturbance is now. Last week's value has a disturbance of
 * its own, and so have means of two weeks. */
static void maps_beat_seasonal_values(void **state)
{
    uint64_t seed = 1;
    double   sum[FGTI_LONG_FORMS] = {0}, by_hand = 0, means = 0, blend = 0;
    (void)state;
    for (int i = 0; i < N; i++) fill(series[i], 1, &seed);
    run_on(ctx, DAY, WEEK, all_rows);
    for (int i = 0; i < N; i++) {
        const double  *y = series[i];
        double         scratch[2000], f[H];
        fgti_long_maps maps;
        assert_true(fgti_long_maps_scratch(H) <= 2000);
        OK(fgti_long_maps_new(ctx, ROWS, DAY, WEEK, H, &maps));
        fgti_long_maps_fit(&maps, y, ROWS);
        for (int form = 0; form < FGTI_LONG_FORMS; form++) {
            assert_true(
                fgti_long_maps_forecast(&maps, (fgti_long_form)form, y, ROWS, ROWS, H, scratch, f));
            sum[form] += error_of(f, y + ROWS);
        }
        by_hand += error_of(y + ROWS - WEEK, y + ROWS);
        for (int k = 0; k < H; k++) f[k] = y[ROWS - WEEK + k] / 2 + y[ROWS - 2 * WEEK + k] / 2;
        means += error_of(f, y + ROWS);
        blend += error_of(forecast + i * H, y + ROWS);
        assert_true(share_of_maps(i) > .5);
        fgti_long_maps_done(ctx, &maps);
    }
    for (int form = 0; form < FGTI_LONG_FORMS; form++) {
        const bool brief = form == FGTI_LONG_SHORT;
        assert_true(sum[form] < (brief ? .9 : .8) * by_hand);
    }
    assert_true(blend < .75 * by_hand && blend < .9 * means);
}

/* Cycles without noise go on. */
static void cycles_go_on(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int i = 0; i < N; i++) fill(series[i], 0, &seed);
    run_on(ctx, WEEK, 0, all_rows);
    for (int i = 0; i < N; i++) assert_true(error_of(forecast + i * H, series[i] + ROWS) < 1e-6);
    run_on(ctx, DAY, WEEK, all_rows);
    for (int i = 0; i < N; i++) assert_true(error_of(forecast + i * H, series[i] + ROWS) < .05);
}

/* A series with one value has no map. */
static void what_never_changes_has_no_map(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        for (int t = 0; t < ROWS + H; t++) series[i][t] = i - 1;
    run_on(ctx, DAY, WEEK, all_rows);
    for (int i = 0; i < N; i++) assert_true(error_of(forecast + i * H, series[i] + ROWS) < 1e-12);
}

/* A panel of long series and short ones: the maps count where they are. */
static void short_series_do_without(void **state)
{
    const int64_t rows[N] = {ROWS, 300, 1};
    uint64_t      seed    = 3;
    (void)state;
    for (int i = 0; i < N; i++) fill(series[i], 1, &seed);
    run_on(ctx, DAY, WEEK, rows);
    assert_true(share_of_maps(0) > .1);
    assert_true(share_of_maps(1) == 0 && share_of_maps(2) == 0);
    for (int i = 0; i < N; i++) error_of(forecast + i * H, series[i] + rows[i]);
}

/* Levels, units and signs: values far from 0, negative ones, and rows without a logarithm. */
static void units_do_not_count(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int i = 0; i < N; i++) fill(series[i], 1, &seed);
    run_on(ctx, DAY, WEEK, all_rows);
    for (int i = 0; i < N * H; i++) kept[i] = forecast[i];
    for (int i = 0; i < N; i++)
        for (int t = 0; t < ROWS; t++) series[i][t] *= -1024;
    run_on(ctx, DAY, WEEK, all_rows);
    for (int i = 0; i < N; i++) error_of(forecast + i * H, series[i] + ROWS);
    for (int i = 0; i < N; i++)
        for (int t = 0; t < ROWS; t++) series[i][t] /= -1;
    run_on(ctx, DAY, WEEK, all_rows);
    for (int i = 0; i < N * H; i++) assert_true(forecast[i] == 1024 * kept[i]);
}

static void threads_do_not_change_a_bit(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int i = 0; i < N; i++) fill(series[i], 1, &seed);
    run_on(ctx, DAY, WEEK, all_rows);
    for (int i = 0; i < N * H; i++) kept[i] = forecast[i];
    test_memory  own;
    fgt_context *more = test_context(&own, 3);
    run_on(more, DAY, WEEK, all_rows);
    fgt_context_destroy(&more);
    assert_int_equal(own.live, 0);
    assert_memory_equal(kept, forecast, sizeof kept);
}

/* Seasons without end cost nothing, and horizons beyond a map are forecast step by step. */
static void far_horizons_and_seasons(void **state)
{
    enum { FAR = 1000 };
    static double       f[FAR];
    const double *const y = series[0];
    const int64_t       n = ROWS, none = INT64_C(1) << 40;
    uint64_t            seed = 6;
    double              far  = 0;
    (void)state;
    fill(series[0], 0, &seed);
    OK(fgt_forecast_local(
        ctx, &y, &n, 1,
        &FGT_OPTS(fgt_local_opts, .horizon = FAR, .season = DAY, .long_season = WEEK, .forecast = f)));
    for (int k = 0; k < FAR; k++) far = fmax(far, fabs(f[k] - y[ROWS - 6 * WEEK + k]));
    assert_true(far < 3);
    OK(fgt_forecast_local(
        ctx, &y, &n, 1,
        &FGT_OPTS(fgt_local_opts, .horizon = H, .season = none, .long_season = none, .forecast = f)));
    for (int k = 0; k < H; k++) assert_true(isfinite(f[k]));
}

static void each_failed_allocation_is_reported(void **state)
{
    enum { LAST = 2200 };
    const double *const  y = series[0];
    const int64_t        n = LAST;
    const fgt_local_opts o = FGT_OPTS(fgt_local_opts, .horizon = 4, .season = 4, .forecast = forecast);
    fgt_status           s;
    (void)state;
    for (int t = 0; t < LAST; t++) series[0][t] = 10 + cycle(t, 4) + t % 7;
    SWEEP(&memory, s, 60, fgt_forecast_local(ctx, &y, &n, 1, &o)) NOTHING_LEAKS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(maps_beat_seasonal_values), WITH_CONTEXT(cycles_go_on),
        WITH_CONTEXT(what_never_changes_has_no_map), WITH_CONTEXT(short_series_do_without),
        WITH_CONTEXT(units_do_not_count), WITH_CONTEXT(threads_do_not_change_a_bit),
        WITH_CONTEXT(far_horizons_and_seasons), WITH_CONTEXT(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
