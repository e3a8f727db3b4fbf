/* SPDX-License-Identifier: BSD-3-Clause */
/* The local forecasters one by one, beside closed forms. */
#include <math.h>

#include "../one_context.h"
#include "draws.h"
#include "core/gaps.h"
#include "forecast/local/lags.h"
#include "forecast/local/local_members.h"
#include "forecast/local/season.h"
#include "forecast/local/simple.h"
#include "forecast/local/smooth.h"

enum { N = 48, H = 30, LONG = 1400 };

static double y[N], f[H], scratch[4 * (LONG + H)];

static void fill_line(double from, double slope)
{
    for (int t = 0; t < N; t++) y[t] = from + slope * t;
}

/* f_k is from + slope k, k = 1 .. H. */
static void assert_line(double from, double slope, double within)
{
    for (int k = 0; k < H; k++) assert_true(fabs(f[k] - (from + slope * (k + 1))) < within);
}

/* ---- rows that are copied or averaged ---- */

static void copies_and_means(void **state)
{
    (void)state;
    const double x[] = {9, 1, 2, 3, 5, 8, 13};
    fgti_last_value(x, 7, H, f);
    assert_line(13, 0, 1e-300);
    assert_true(fgti_seasonal_value(x, 7, 3, H, f));
    for (int k = 0; k < H; k++) assert_true(f[k] == x[4 + k % 3]);
    assert_true(fgti_phase_means(x, 7, 3, H, f));
    for (int k = 0; k < H; k++) assert_true(f[k] == (x[1 + k % 3] + x[4 + k % 3]) / 2);
    assert_false(fgti_seasonal_value(x, 7, 8, H, f));
    assert_false(fgti_phase_means(x, 7, 8, H, f));
    fgti_recent_median(x, 7, 3, H, scratch, f);
    assert_line(8, 0, 1e-300);
    fgti_recent_median(x, 7, 6, H, scratch, f);
    assert_line(4, 0, 1e-300);
    fgti_recent_median(x, 7, 99, H, scratch, f);
    assert_line(5, 0, 1e-300);
}

/* Of more than 10 seasons the last 10 count. */
static void means_are_of_ten_seasons(void **state)
{
    (void)state;
    for (int t = 0; t < N; t++) y[t] = t < N - 20 ? 1e9 : t % 2;
    assert_true(fgti_phase_means(y, N, 2, H, f));
    for (int k = 0; k < H; k++) assert_true(fabs(f[k] - k % 2) < 1e-12);
}

static void gaps_become_lines(void **state)
{
    (void)state;
    const double x[]    = {NAN, NAN, 2, NAN, NAN, 8, 1, NAN, 3, NAN, NAN};
    const double want[] = {2, 4, 6, 8, 1, 2, 3, 3, 3};
    double       out[11];
    assert_int_equal(fgti_gaps_fill(x, 11, out), 9);
    for (int t = 0; t < 9; t++) assert_true(fabs(out[t] - want[t]) < 1e-12);
    assert_int_equal(fgti_gaps_fill(x, 2, out), 0);
    assert_int_equal(fgti_gaps_fill(x, 0, out), 0);
    assert_int_equal(fgti_gaps_fill(x + 2, 1, out), 1);
    assert_true(out[0] == 2);
}

/* ---- smoothing ---- */

static void a_line_goes_on(void **state)
{
    (void)state;
    fill_line(3, 2);
    fgti_smooth(y, N, FGTI_TREND_ENDS, H, f);
    assert_line(y[N - 1], 2, 1e-9);
    /* half the slope: each row is (1 - alpha) / alpha ahead of the level, alpha .97 */
    fgti_smooth(y, N, FGTI_TREND_THETA, H, f);
    assert_line(y[N - 1] - .03 / .97, 1, 1e-9);
    fgti_smooth(y, N, FGTI_TREND_NONE, H, f);
    assert_line(y[N - 1] - 2 * .03 / .97, 0, 1e-9);
    /* steps fade by one of the grid's factors */
    fgti_smooth(y, N, FGTI_TREND_DAMPED, H, f);
    const double phi = (f[2] - f[1]) / (f[1] - f[0]);
    assert_true(fabs(phi - .97) < 1e-9 && f[0] > y[N - 1]);
    for (int k = 2; k < H; k++) assert_true(fabs((f[k] - f[k - 1]) / (f[k - 1] - f[k - 2]) - phi) < 1e-9);
}

/* Rows that alternate say nothing about the next one, so the slowest level is the best. */
static void the_best_level_is_taken(void **state)
{
    (void)state;
    double level = 0;
    for (int t = 0; t < N; t++) y[t] = t == 0 ? 0 : t % 2 ? -1 : 1;
    for (int t = 1; t < N; t++) level += .02 * (y[t] - level);
    fgti_smooth(y, N, FGTI_TREND_NONE, H, f);
    assert_line(level, 0, 1e-12);
}

static void few_rows_can_be_smoothed(void **state)
{
    (void)state;
    const double x[] = {7, 9};
    for (int trend = FGTI_TREND_NONE; trend <= FGTI_TREND_DAMPED; trend++) {
        fgti_smooth(x, 1, (fgti_trend)trend, H, f);
        assert_line(7, 0, 1e-300);
        fgti_smooth(x, 2, (fgti_trend)trend, H, f);
        for (int k = 0; k < H; k++) assert_true(f[k] >= 7 && f[k] <= 9 + 2 * H);
    }
}

static void blocks_of_a_line_go_on(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 7, N / 5}; /* a slope needs 5 blocks */
    fill_line(-5, .25);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fgti_smooth_blocks(y, N, sizes[i], FGTI_TREND_ENDS, H, scratch, f);
        assert_line(y[N - 1], .25, 1e-9);
    }
}

/* ---- a season ---- */

static const double month[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};

/* A clean season on a line, or as factors of a constant, is found as it is. */
static void a_clean_season_is_itself(void **state)
{
    (void)state;
    double season[12], mean = 0;
    for (int i = 0; i < 12; i++) mean += month[i] / 12;
    for (int n = 26; n <= N; n++) {
        for (int ratio = 0; ratio < 2; ratio++) {
            for (int t = 0; t < n; t++) y[t] = month[t % 12] * (ratio ? 7 : 1) + (ratio ? 0 : 2 * t);
            fgti_season_find(y, n, 12, ratio, scratch, season);
            for (int i = 0; i < 12; i++) {
                const double want = ratio ? month[(n + i) % 12] / mean : month[(n + i) % 12] - mean;
                assert_true(fabs(season[i] - want) < 1e-9);
            }
        }
    }
    fgti_season_find(y, 25, 12, false, scratch, season); /* too few rows */
    for (int i = 0; i < 12; i++) assert_true(season[i] == 0);
    fgti_season_find(y, 25, 12, true, scratch, season);
    for (int i = 0; i < 12; i++) assert_true(season[i] == 1);
}

/* The mean square of the season of noise with variance 1, of which each phase has 4 rows. */
static void noise_has_hardly_a_season(void **state)
{
    (void)state;
    enum { DRAWS = 200 };
    double   season[12], square = 0;
    uint64_t seed = 1;
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int t = 0; t < N; t++) y[t] = draw_normal(&seed);
        fgti_season_find(y, N, 12, false, scratch, season);
        for (int i = 0; i < 12; i++) square += season[i] * season[i] / (12. * DRAWS);
    }
    assert_true(square < .25 / 3);
}

/* ---- linear functions of the past ---- */

/* Steps that keep half of the step before: the forecasts approach y_n + z_n. */
static void lags_see_an_autoregression(void **state)
{
    (void)state;
    static double x[LONG];
    uint64_t      seed = 3;
    double        z    = 0;
    x[0]               = 5;
    for (int t = 1; t < LONG; t++) {
        z    = .5 * z + draw_normal(&seed);
        x[t] = x[t - 1] + z;
    }
    x[LONG - 1] += 3; /* a step that shows */
    z = x[LONG - 1] - x[LONG - 2];
    assert_true(fgti_lags(ctx->vec, x, LONG, 1, H, scratch, f));
    assert_true(fabs(f[0] - (x[LONG - 1] + .5 * z)) < .1 * fabs(z));
    assert_true(fabs(f[H - 1] - (x[LONG - 1] + z)) < 5 * .1 * fabs(z) + 1);
}

static void lags_follow_a_season_with_growth(void **state)
{
    (void)state;
    static double x[LONG + H];
    for (int t = 0; t < LONG + H; t++) x[t] = month[t % 12] + .01 * t;
    assert_true(fgti_lags(ctx->vec, x, LONG, 12, H, scratch, f));
    for (int k = 0; k < H; k++) assert_true(fabs(f[k] - x[LONG + k]) < .05);
}

static void lags_need_rows_that_change(void **state)
{
    (void)state;
    fill_line(2, 0);
    assert_false(fgti_lags(ctx->vec, y, N, 1, H, scratch, f));
    for (int t = 0; t < N; t++) y[t] = month[t % 12];
    assert_false(fgti_lags(ctx->vec, y, N, 12, H, scratch, f)); /* a season before there is the same */
    for (int n = 1; n <= 10; n++) assert_false(fgti_lags(ctx->vec, y, n, 1, H, scratch, f));
}

/* ---- the map of all series ---- */

enum { WAVES = 20, RISE = 36 };

/* Rhythms of one length, with sizes, phases and means of their own. */
static fgti_rows wave(int i, double *x, int n)
{
    for (int t = 0; t < n; t++) x[t] = 100 * i + (1 + i) * sin(6.283185307179586 * t / RISE + i);
    return (fgti_rows){x, n};
}

static void the_shared_map_learns_from_all(void **state)
{
    (void)state;
    static double x[WAVES + 1][N + H];
    fgti_rows     rows[WAVES];
    fgti_shared  *m;
    for (int i = 0; i < WAVES; i++) rows[i] = wave(i, x[i], N);
    OK(fgti_shared_new(ctx, rows, WAVES, 8, 6, &m));
    assert_non_null(m);
    wave(WAVES, x[WAVES], N + H); /* none of those */
    fgti_shared_forecast(m, x[WAVES], N, scratch, f);
    for (int k = 0; k < 6; k++) assert_true(fabs(f[k] - x[WAVES][N + k]) < .05 * (1 + WAVES));
    fill_line(42, 0);
    fgti_shared_forecast(m, y, N, scratch, f);
    for (int k = 0; k < 6; k++) assert_true(f[k] == 42);
    fgti_shared_forecast(m, y, 1, scratch, f); /* fewer rows than a window */
    for (int k = 0; k < 6; k++) assert_true(f[k] == 42);
    fgti_shared_free(ctx, &m);
    assert_null(m);
}

static void a_map_needs_windows(void **state)
{
    (void)state;
    static double x[N];
    fgti_rows     rows = wave(1, x, 8 + 6 + 3 * 8 - 2); /* 23 windows */
    fgti_shared  *m;
    OK(fgti_shared_new(ctx, &rows, 1, 8, 6, &m));
    assert_null(m);
    fill_line(0, 0);
    rows = (fgti_rows){y, N};
    OK(fgti_shared_new(ctx, &rows, 1, 8, 6, &m)); /* constant ones do not count */
    assert_null(m);
    OK(fgti_shared_new(ctx, &rows, 1, 8, INT64_C(1) << 24, &m)); /* no memory is enough for so many rows */
    assert_null(m);
    assert_int_equal(fgti_shared_lags(12, 300), 25);
    assert_int_equal(fgti_shared_lags(12, 30), 10);
    assert_int_equal(fgti_shared_lags(1, 300), 8);
    assert_int_equal(fgti_shared_lags(1, 3), 4);
}

/* ---- all of them ---- */

/* Of n rows with phases of `period` rows. */
static void run_members(int64_t n, int64_t period, double *all)
{
    static double room[40 * (N + H)];
    fgti_history  history;
    assert_true(fgti_history_room(n, period, H) <= 40 * (N + H));
    fgti_history_init(y, n, period, 0, room, &history);
    fgti_members_forecast(&history, &(fgti_maps){.vec = ctx->vec}, H, all);
}

/* What the growth from third to third of n rows, the less of both, makes of `most` in H rows. */
static double grown(int64_t n, double low, double most)
{
    const int64_t third = n / 3;
    double        sum[3] = {0};
    for (int64_t t = n - 3 * third; third > 2 && t < n; t++) sum[(t - n + 3 * third) / third] += y[t];
    if (low < 0 || !(sum[0] > 0 && sum[1] > 0)) return 0;
    return most * pow(fmin(sum[1] / sum[0], sum[2] / sum[1]), (double)H / (double)third) * (1 + 1e-9);
}

/* Members stay within twice the range around the rows, or within their growth, and at or above 0 where all
 * rows do. */
static void members_stay_near_their_rows(void **state)
{
    (void)state;
    static double all[FGTI_MEMBERS * H];
    uint64_t      seed = 9;
    for (int i = 0; i < 400; i++) {
        const int64_t n    = 1 + i % N;
        double        low = INFINITY, high = -INFINITY;
        for (int t = 0; t < n; t++) {
            const double e = draw_normal(&seed);
            y[t] = i % 4 == 0 ? exp(5 * e) : i % 4 == 1 ? e : i % 4 == 2 ? fmax(e - 1, 0) : t * t * (1 + e);
            low  = fmin(low, y[t]);
            high = fmax(high, y[t]);
        }
        const double range = fmax(high - low, 1e-9);
        run_members(n, i % 3 ? 12 : 1, all);
        const double most = fmax(high + 2 * range, grown(n, low, high));
        for (int k = 0; k < FGTI_MEMBERS * H; k++)
            assert_true(all[k] >= (low >= 0 ? 0 : low - 2 * range) && all[k] <= most);
    }
}

static void members_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < FGTI_MEMBERS; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(fgti_member_name(i), fgti_member_name(j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_means),
        cmocka_unit_test(means_are_of_ten_seasons),
        cmocka_unit_test(gaps_become_lines),
        cmocka_unit_test(a_line_goes_on),
        cmocka_unit_test(the_best_level_is_taken),
        cmocka_unit_test(few_rows_can_be_smoothed),
        cmocka_unit_test(blocks_of_a_line_go_on),
        cmocka_unit_test(a_clean_season_is_itself),
        cmocka_unit_test(noise_has_hardly_a_season),
        WITH_CONTEXT(lags_see_an_autoregression),
        WITH_CONTEXT(lags_follow_a_season_with_growth),
        WITH_CONTEXT(lags_need_rows_that_change),
        WITH_CONTEXT(the_shared_map_learns_from_all),
        WITH_CONTEXT(a_map_needs_windows),
        WITH_CONTEXT(members_stay_near_their_rows),
        cmocka_unit_test(members_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
