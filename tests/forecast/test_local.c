/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of many or short series without training: what holds of all of them, and what is refused. */
#include <fighter/experimental/local.h>
#include <math.h>

#include "../one_context.h"
#include "draws.h"

enum { MOST = 300, ROWS = 72, K = FGT_LOCAL_MEMBERS, H = 12, Q = 4, LONGEST = 80 };

static const double level[Q] = {.05, .25, .75, .95};

/* Series, and what is made of them. */
static double        series[MOST][ROWS];
static const double *values[MOST];
static int64_t       rows[MOST], count;
static double        forecast[MOST * LONGEST], quantile[MOST * LONGEST * Q], weight[MOST * K];
static double        hindcast[MOST * LONGEST], hindcast_quantile[MOST * LONGEST * Q];

static fgt_local_opts opts_of(int64_t horizon, int64_t season)
{
    return (fgt_local_opts){.size               = sizeof(fgt_local_opts),
                            .horizon            = horizon,
                            .season             = season,
                            .levels             = level,
                            .level_count        = Q,
                            .forecast           = forecast,
                            .quantiles          = quantile,
                            .weights            = weight,
                            .member_count       = K,
                            .hindcast           = hindcast,
                            .hindcast_quantiles = hindcast_quantile};
}

static void run(int64_t horizon, int64_t season)
{
    const fgt_local_opts o = opts_of(horizon, season);
    OK(fgt_forecast_local(ctx, values, rows, count, &o));
}

/* ---- series ---- */

static void add(int64_t n)
{
    values[count] = series[count];
    rows[count++] = n;
}

/* Walks, seasons with growth, noise, rare counts and values of both signs, of n rows. */
static void add_kind(int kind, int64_t n, uint64_t *seed)
{
    double *y = series[count], at = 50;
    for (int64_t t = 0; t < n; t++) {
        const double e = draw_normal(seed), month = sin(.5235987755982988 * (double)t);
        at += e;
        y[t] = kind == 0   ? at
               : kind == 1 ? (100 + (double)t) * (1 + .3 * month) * exp(.05 * e)
               : kind == 2 ? 10 + e
               : kind == 3 ? (e > 1 ? floor(5 * e) : 0)
                           : 4 * month + e;
    }
    add(n);
}

static void fill(int64_t n_series, int64_t least, int64_t most)
{
    uint64_t seed = 5;
    count         = 0;
    for (int64_t i = 0; i < n_series; i++)
        add_kind((int)(i % 5), least + i * 7 % (most - least + 1), &seed);
}

static void fill_one(int64_t n, double (*at)(int64_t t))
{
    count = 0;
    for (int64_t t = 0; t < n; t++) series[0][t] = at(t);
    add(n);
}

/* ---- what holds of all forecasts ---- */

/* Many rows are 0: the forecast may be a rate, which is no median. */
static bool may_be_rare(int64_t i)
{
    int64_t zeros = 0;
    for (int64_t t = 0; t < rows[i]; t++) zeros += values[i][t] == 0;
    return 4 * zeros > rows[i];
}

static void assert_sound(int64_t h)
{
    for (int64_t i = 0; i < count; i++) {
        double least = 0, sum = 0;
        for (int64_t t = 0; t < rows[i]; t++) least = fmin(least, values[i][t]); /* NaN: without it */
        for (int64_t t = 0; t < h; t++) {
            const double  f = forecast[i * h + t];
            const double *q = quantile + (i * h + t) * Q;
            assert_true(isfinite(f) && (f >= 0 || least < 0));
            if (rows[i] == 1 && isnan(q[0])) continue; /* nothing says how it changes */
            for (int k = 0; k < Q; k++)
                assert_true(isfinite(q[k]) && (q[k] >= 0 || least < 0) && (k == 0 || q[k] >= q[k - 1]));
            assert_true((q[1] <= f && f <= q[2]) || may_be_rare(i));
        }
        for (int k = 0; k < K; k++) {
            assert_true(weight[i * K + k] >= 0);
            sum += weight[i * K + k];
        }
        assert_true(fabs(sum - 1) < 1e-12);
        for (int64_t t = 0; t < h; t++) {
            const double *q = hindcast_quantile + (i * h + t) * Q, f = hindcast[i * h + t];
            assert_true(isnan(f) == isnan(hindcast[i * h]) && !isinf(f));
            for (int k = 0; k < Q; k++)
                assert_true(isnan(q[k]) || (!isnan(f) && q[k] >= (k ? q[k - 1] : least < 0 ? -INFINITY : 0)));
            assert_true(isnan(q[0]) || (q[1] <= f && f <= q[2]) || may_be_rare(i));
        }
    }
}

static void series_of_all_lengths(void **state)
{
    (void)state;
    const int64_t horizons[] = {1, 2, H, LONGEST}, seasons[] = {0, 7, 12, 365};
    for (int i = 0; i < 4; i++) {
        fill(horizons[i] == H ? MOST : 60, 1, 60);
        run(horizons[i], seasons[i]);
        assert_sound(horizons[i]);
    }
}

static void few_series(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 5; n++) {
        for (int64_t length = 1; length <= ROWS; length += length < 20 ? 1 : 13) {
            fill(n, length, length);
            run(H, 12);
            assert_sound(H);
        }
    }
}

static void the_median_is_the_forecast(void **state)
{
    (void)state;
    static const double half = .5;
    fgt_local_opts      o    = opts_of(H, 12);
    o.levels                 = &half;
    o.level_count            = 1;
    fill(30, 20, ROWS);
    OK(fgt_forecast_local(ctx, values, rows, count, &o));
    for (int64_t i = 0; i < count * H; i++)
        assert_true(quantile[i] == forecast[i] || may_be_rare(i / H));
}

/* What is not asked for changes nothing. */
static void only_the_forecast_is_needed(void **state)
{
    (void)state;
    static double alone[30 * H];
    fill(30, 1, ROWS);
    run(H, 12);
    OK(fgt_forecast_local(ctx, values, rows, count,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = 12, .forecast = alone)));
    assert_memory_equal(alone, forecast, sizeof alone);
}

/* ---- what changes nothing ---- */

static void keep(double *to, const double *from, int64_t n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static double kept[MOST * H], kept_quantile[MOST * H * Q], kept_weight[MOST * K], kept_last[MOST * H],
    kept_last_quantile[MOST * H * Q];

static void keep_all(void)
{
    keep(kept, forecast, count * H);
    keep(kept_quantile, quantile, count * H * Q);
    keep(kept_weight, weight, count * K);
    keep(kept_last, hindcast, count * H);
    keep(kept_last_quantile, hindcast_quantile, count * H * Q);
}

/* by[i]: what series i was multiplied by. */
static void assert_kept(const double *by)
{
    for (int64_t i = 0; i < count * H; i++) assert_true(forecast[i] == kept[i] * by[i / H]);
    for (int64_t i = 0; i < count * H * Q; i++)
        assert_true(quantile[i] == kept_quantile[i] * by[i / (H * Q)]);
    assert_memory_equal(weight, kept_weight, (size_t)(count * K) * sizeof *weight);
    for (int64_t i = 0; i < count * H; i++)
        assert_true(isnan(hindcast[i]) ? isnan(kept_last[i]) : hindcast[i] == kept_last[i] * by[i / H]);
    for (int64_t i = 0; i < count * H * Q; i++)
        assert_true(isnan(hindcast[i / Q]) ||
                    hindcast_quantile[i] == kept_last_quantile[i] * by[i / (H * Q)]);
}

static void powers_of_two_are_units(void **state)
{
    (void)state;
    double by[40];
    fill(40, 1, ROWS);
    run(H, 12);
    keep_all();
    for (int64_t i = 0; i < count; i++) {
        by[i] = ldexp(1, (int)(i * 17 % 41) * 20 - 400);
        for (int64_t t = 0; t < rows[i]; t++) series[i][t] *= by[i];
    }
    run(H, 12);
    assert_kept(by);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    const int32_t threads[] = {2, 5};
    double        by[100];
    for (int i = 0; i < 100; i++) by[i] = 1;
    fill(100, 1, ROWS);
    run(H, 12);
    keep_all();
    for (int i = 0; i < 2; i++) {
        fgt_context *alone = ctx;
        test_memory  own;
        ctx = test_context(&own, threads[i]);
        run(H, 12);
        assert_kept(by);
        fgt_context_destroy(&ctx);
        assert_int_equal(own.live, 0);
        ctx = alone;
    }
}

/* The largest distance of the forecasts from those kept, in units of the series' largest value; series i was
 * at place[i]. */
static double moved(const int *place)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        double size = 0;
        for (int64_t t = 0; t < rows[i]; t++) size = fmax(size, fabs(values[i][t]));
        for (int64_t t = 0; t < H; t++)
            most = fmax(most, fabs(forecast[i * H + t] - kept[place[i] * H + t]) / (size + 1e-300));
    }
    return most;
}

static void the_order_of_series_does_not_count(void **state)
{
    (void)state;
    int           place[60];
    const double *was[60];
    int64_t       had[60];
    fill(60, 1, ROWS);
    run(H, 12);
    keep_all();
    for (int i = 0; i < 60; i++) {
        was[i]   = values[i];
        had[i]   = rows[i];
        place[i] = (i * 23 + 11) % 60;
    }
    for (int i = 0; i < 60; i++) {
        values[i] = was[place[i]];
        rows[i]   = had[place[i]];
    }
    run(H, 12);
    assert_true(moved(place) < 1e-3); /* products are of floats */
}

/* Other values in the last rows of all series move neither their hindcasts nor the quantiles of these, but
 * for rounding: errors are kept as floats. */
static void hindcasts_know_only_older_rows(void **state)
{
    (void)state;
    uint64_t seed = 5;
    fill(60, 40, ROWS);
    run(H, 12);
    keep_all();
    for (int64_t i = 0; i < count; i++)
        for (int64_t t = rows[i] - H; t < rows[i]; t++) series[i][t] *= 1 + .2 * fabs(draw_normal(&seed));
    run(H, 12);
    for (int64_t i = 0; i < count; i++) {
        double size = 0;
        for (int64_t t = 0; t < rows[i]; t++) size = fmax(size, fabs(values[i][t]));
        for (int64_t t = i * H; t < (i + 1) * H; t++)
            assert_true(fabs(hindcast[t] - kept_last[t]) < 1e-4 * size);
        for (int64_t t = i * H * Q; t < (i + 1) * H * Q; t++)
            assert_true(fabs(hindcast_quantile[t] - kept_last_quantile[t]) < 1e-4 * size);
    }
}

static void quantiles_of_hindcasts_hold_their_share(void **state)
{
    (void)state;
    uint64_t seed   = 3;
    int64_t  inside = 0;
    for (count = 0; count < MOST;) add_kind(0, ROWS, &seed);
    run(H, 1);
    for (int64_t i = 0; i < count * H; i++) {
        const double y = series[i / H][ROWS - H + i % H], *q = hindcast_quantile + i * Q;
        inside += q[0] <= y && y <= q[3];
    }
    const double share = (double)inside / (double)(count * H);
    assert_true(share > .84 && share < .96); /* of 90 % */
}

/* Where no origin is early enough for errors, a walk is assumed, also for series shorter than a season. */
static void intervals_without_errors_have_a_width(void **state)
{
    (void)state;
    for (int64_t n = 3; n <= 30; n++) {
        uint64_t seed = 3;
        for (count = 0; count < 5;) add_kind(0, n, &seed);
        run(H, 12);
        for (int64_t i = 0; i < count * H; i++) {
            const double *q = quantile + i * Q, *last = hindcast_quantile + i * Q;
            assert_true(q[3] > q[0] && (isnan(last[0]) || last[3] > last[0]));
        }
    }
}

/* ---- series of which the forecast is known ---- */

static double constant(int64_t t)
{
    (void)t;
    return 7.3;
}

static double zero(int64_t t)
{
    (void)t;
    return 0;
}

static double line(int64_t t)
{
    return -20 + .5 * (double)t;
}

static double rhythm(int64_t t)
{
    return 100 + 10 * (double)(t * 5 % 12);
}

static double rare(int64_t t)
{
    return t % 9 == 4;
}

static void assert_all(double want, double within)
{
    for (int64_t i = 0; i < count * H; i++) assert_true(fabs(forecast[i] - want) <= within);
    for (int64_t i = 0; rows[0] > 1 && i < count * H * Q; i++)
        assert_true(fabs(quantile[i] - want) <= within);
}

static void what_never_changes_goes_on(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= ROWS; n += n < 20 ? 1 : 13) {
        fill_one(n, constant);
        run(H, 12);
        assert_all(7.3, n < 5 ? 1e-6 : 0);
        for (int64_t t = 0; t < H; t++) assert_true(forecast[t] == 7.3);
        assert_sound(H);
        fill_one(n, zero);
        run(H, 12);
        assert_all(0, n < 5 ? 1e-6 : 0);
        assert_sound(H);
    }
}

/* Also beside others that change, of any length. */
static void constants_are_exact(void **state)
{
    static const double value[] = {7, .1, 3, 12345.67, -1e-7, 2e9};
    (void)state;
    for (int all = 6; all <= 46; all += 20) {
        fill(all, 5, ROWS);
        for (int i = 0; i < 6; i++)
            for (int64_t t = 0; t < rows[i]; t++) series[i][t] = value[i];
        run(H, 12);
        for (int64_t k = 0; k < 6 * H; k++) {
            const double v = value[k / H];
            assert_true(forecast[k] == v && (isnan(hindcast[k]) || hindcast[k] == v));
            for (int64_t q = 0; q < Q; q++) {
                const double before = hindcast_quantile[k * Q + q];
                assert_true(quantile[k * Q + q] == v && (isnan(before) || before == v));
            }
        }
    }
}

static void one_row_is_its_own_forecast(void **state)
{
    (void)state;
    fill(40, 1, ROWS);
    for (int i = 0; i < 40; i += 3) rows[i] = 1;
    run(H, 12);
    for (int64_t i = 0; i < 40; i += 3)
        for (int64_t t = 0; t < H; t++)
            assert_true(fabs(forecast[i * H + t] - series[i][0]) <= 1e-9 * fabs(series[i][0]));
}

static void lines_and_rhythms_go_on(void **state)
{
    (void)state;
    fill_one(ROWS, line);
    run(H, 12);
    for (int64_t t = 0; t < H; t++) assert_true(fabs(forecast[t] - line(ROWS + t)) < .5);
    fill_one(ROWS, rhythm);
    run(H, 12);
    for (int64_t t = 0; t < H; t++) assert_true(fabs(forecast[t] - rhythm(ROWS + t)) < 1);
    for (int64_t t = 0; t < H; t++) assert_true(fabs(hindcast[t] - rhythm(ROWS - H + t)) < 1);
}

static double two_rhythms(int64_t t)
{
    return 10 * sin((double)(t % 20 * 5)) + (double)(t % 7);
}

static double error_with(int64_t long_season)
{
    fgt_local_opts o = opts_of(H, 7);
    double         sum = 0;
    o.long_season      = long_season;
    OK(fgt_forecast_local(ctx, values, rows, count, &o));
    assert_sound(H);
    for (int64_t t = 0; t < H; t++) sum += fabs(forecast[t] - two_rhythms(ROWS + t)) / H;
    return sum;
}

static void a_second_season_is_seen(void **state)
{
    (void)state;
    fill_one(ROWS, two_rhythms);
    assert_true(error_with(20) < .75 * error_with(0));
}

static void rare_counts_stay_small(void **state)
{
    (void)state;
    fill_one(ROWS, rare);
    run(H, 12);
    assert_sound(H);
    for (int64_t t = 0; t < H; t++) assert_true(forecast[t] < .5);
}

/* Rows that are missing lie on a line between their neighbours. */
static void gaps_are_lines(void **state)
{
    (void)state;
    fill(20, 30, ROWS);
    for (int64_t i = 0; i < count; i++) {
        const double slope = (series[i][15] - series[i][9]) / 6;
        for (int64_t t = 10; t < 15; t++) series[i][t] = series[i][9] + slope * (double)(t - 9);
        series[i][rows[i] - 1] = series[i][rows[i] - 2];
    }
    run(H, 12);
    keep_all();
    for (int64_t i = 0; i < count; i++) {
        for (int64_t t = 10; t < 15; t++) series[i][t] = NAN;
        series[i][rows[i] - 1] = NAN;
    }
    run(H, 12);
    assert_sound(H);
    for (int64_t i = 0; i < count * H; i++)
        assert_true(fabs(forecast[i] - kept[i]) < 1e-3 * (1 + fabs(kept[i])));
    /* nothing is known before the first value */
    for (int64_t i = 0; i < count; i++)
        for (int64_t t = 0; t < 16; t++) series[i][t] = NAN;
    run(H, 12);
    keep_all();
    for (int64_t i = 0; i < count; i++) {
        values[i] += 16;
        rows[i] -= 16;
    }
    run(H, 12);
    assert_memory_equal(forecast, kept, (size_t)(count * H) * sizeof *kept);
}

static void numbers_may_be_large_or_tiny(void **state)
{
    (void)state;
    const double sizes[] = {1e140, 1e-300, 1e-320, 1e150};
    for (int i = 0; i < 4; i++) {
        fill(20, 1, ROWS);
        for (int64_t s = 0; s < count; s++)
            for (int64_t t = 0; t < rows[s]; t++) series[s][t] *= sizes[i] / 1000;
        run(H, 12);
        assert_sound(H);
    }
}

/* ---- progress ---- */

typedef struct watch {
    int64_t done, all, calls, stop; /* stop: the call that says no, 0: none */
} watch;

static fgt_status look(void *user, int64_t done, int64_t all)
{
    watch *w = user;
    assert_true(done > w->done && done <= all && (w->calls == 0 || all == w->all));
    w->done = done;
    w->all  = all;
    return ++w->calls == w->stop ? FGT_E_CANCELLED : FGT_OK;
}

static void progress_rises_to_all(void **state)
{
    (void)state;
    watch          w = {0};
    fgt_local_opts o = opts_of(H, 12);
    o.progress       = look;
    o.user           = &w;
    fill(MOST, 1, ROWS);
    OK(fgt_forecast_local(ctx, values, rows, count, &o));
    assert_true(w.done == w.all && w.all > count && w.calls > 3);
    for (int64_t calls = w.calls; calls > 0; calls /= 2) {
        w = (watch){.stop = calls};
        REFUSED(fgt_forecast_local(ctx, values, rows, count, &o), FGT_E_CANCELLED, "callback");
        assert_int_equal(w.calls, calls);
    }
}

/* ---- what is refused ---- */

static fgt_status of_opts(fgt_local_opts o)
{
    return fgt_forecast_local(ctx, values, rows, count, &o);
}

#define WRONG(field, value, words)                      \
    do {                                                \
        fgt_local_opts o_ = opts_of(H, 12);             \
        o_.field          = value;                      \
        REFUSED(of_opts(o_), FGT_E_ARG, words);         \
    } while (0)

/* As a host that was compiled when there were fewer members, or more than the library has. */
static void hosts_may_know_other_numbers_of_members(void **state)
{
    (void)state;
    static double wide[3 * (K + 2)];
    double        few[3 * 2];
    fill(3, 20, 30);
    fgt_local_opts o = opts_of(H, 12);
    OK(of_opts(o));
    o.weights      = few;
    o.member_count = 2;
    OK(of_opts(o));
    o.weights      = wide;
    o.member_count = K + 2;
    OK(of_opts(o));
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(few + 2 * i, weight + K * i, 2 * sizeof *few);
        assert_memory_equal(wide + (K + 2) * i, weight + K * i, K * sizeof *wide);
        assert_true(wide[(K + 2) * i + K] == 0 && wide[(K + 2) * i + K + 1] == 0);
    }
}

static void options_are_checked(void **state)
{
    (void)state;
    static const double falling[Q] = {.1, .5, .5, .9}, outside[Q] = {.1, .5, .9, 1}, nan[Q] = {NAN, 1};
    fill(3, 20, 30);
    WRONG(horizon, 0, "horizon");
    WRONG(horizon, -1, "horizon");
    WRONG(season, -1, "season");
    WRONG(long_season, -1, "long_season");
    WRONG(forecast, NULL, "forecast is NULL");
    WRONG(hindcast, NULL, "hindcast is NULL");
    WRONG(quantiles, NULL, "quantiles is NULL");
    WRONG(levels, NULL, "levels or");
    WRONG(level_count, -1, "level_count");
    WRONG(level_count, 1001, "level_count");
    WRONG(member_count, 0, "weights and member_count do not go together");
    WRONG(weights, NULL, "weights and member_count do not go together");
    WRONG(levels, falling, "levels[2] is wrong (got 0.5,");
    WRONG(levels, outside, "levels[3] is wrong (got 1,");
    WRONG(levels, nan, "levels[0] is wrong (got nan,");
    const fgt_local_opts o = opts_of(H, 12);
    REFUSED(fgt_forecast_local(ctx, values, rows, count, NULL), FGT_E_ARG, "");
    REFUSED(fgt_forecast_local(ctx, NULL, rows, count, &o), FGT_E_ARG, "values or rows is NULL");
    REFUSED(fgt_forecast_local(ctx, values, NULL, count, &o), FGT_E_ARG, "values or rows is NULL");
    REFUSED(fgt_forecast_local(ctx, values, rows, 0, &o), FGT_E_ARG, "count is out of range (got 0");
    REFUSED(fgt_forecast_local(ctx, values, rows, -1, &o), FGT_E_ARG, "count is out of range (got -1");
    assert_int_equal(fgt_forecast_local(NULL, values, rows, count, &o), FGT_E_ARG);
    REFUSED(fgt_forecast_local(ctx, values, rows, INT64_MAX, &o), FGT_E_SIZE, "overflow");
}

static void series_are_checked(void **state)
{
    (void)state;
    const double         wrong[] = {INFINITY, -INFINITY, 1e151, -1e151};
    const fgt_local_opts o       = opts_of(H, 12);
    fill(3, 20, 30);
    for (int i = 0; i < 4; i++) {
        series[1][4] = wrong[i];
        REFUSED(of_opts(o), FGT_E_DATA, "series 1, row 4");
    }
    for (int t = 0; t < ROWS; t++) series[1][t] = NAN;
    REFUSED(of_opts(o), FGT_E_DATA, "series 1 of the array: no value");
    rows[1] = 0;
    REFUSED(of_opts(o), FGT_E_DATA, "series 1 of the array: no value");
    rows[1] = -1;
    REFUSED(of_opts(o), FGT_E_SIZE, "series 1 has -1 rows");
    rows[1]   = 20;
    values[1] = NULL;
    REFUSED(of_opts(o), FGT_E_ARG, "series 1 is NULL");
}

static void members_have_names(void **state)
{
    (void)state;
    for (int64_t k = 0; k < K; k++) assert_true(strlen(fgt_local_get_member_name(k)) > 3);
    assert_null(fgt_local_get_member_name(-1));
    assert_null(fgt_local_get_member_name(K));
}

/* ---- memory ---- */

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_local_opts o = opts_of(4, 4);
    fgt_status     s;
    o.long_season = 8; /* which is tried */
    fill(21, 20, 30);  /* enough to lean on forecasts by hand */
    rows[0] = 6;       /* takes the season of the others */
    SWEEP(&memory, s, 100, of_opts(o)) NOTHING_LEAKS;
}

/* Maps of windows need more room than rows so short have. */
static void short_series_of_one_shape(void **state)
{
    (void)state;
    for (int64_t n = 4; n < 14; n++) {
        fill(30, n, n);
        for (int64_t h = 1; h < 4; h++) {
            run(h, 1);
            assert_sound(h);
        }
    }
}

/* A season of more rows than forecasters else see, in noise. */
static void a_long_season_is_seen(void **state)
{
    enum { SEASON = 2500, LAST = 4 * SEASON + 17 };
    static double        y[LAST + H];
    uint64_t             seed = 3;
    double               far  = 0;
    const int64_t        n    = LAST;
    const double *const  at   = y;
    const fgt_local_opts o    = opts_of(H, SEASON);
    (void)state;
    for (int t = 0; t < LAST + H; t++) y[t] = t < SEASON ? 10 * draw_normal(&seed) : y[t - SEASON];
    OK(fgt_forecast_local(ctx, &at, &n, 1, &o));
    for (int k = 0; k < H; k++) far += fabs(forecast[k] - y[LAST + k]) / H;
    assert_true(far < 1);
}

/* A season that no series has costs no memory. */
static void a_season_without_rows_costs_nothing(void **state)
{
    (void)state;
    fill(30, 1, ROWS);
    run(H, 1000);
    keep_all();
    memory.peak = 0;
    run(H, INT64_C(1) << 40);
    assert_true(memory.peak < 1 << 24);
    assert_memory_equal(forecast, kept, (size_t)(count * H) * sizeof *kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(series_of_all_lengths),
        WITH_CONTEXT(few_series),
        WITH_CONTEXT(short_series_of_one_shape),
        WITH_CONTEXT(the_median_is_the_forecast),
        WITH_CONTEXT(only_the_forecast_is_needed),
        WITH_CONTEXT(powers_of_two_are_units),
        WITH_CONTEXT(threads_do_not_change_a_bit),
        WITH_CONTEXT(the_order_of_series_does_not_count),
        WITH_CONTEXT(hindcasts_know_only_older_rows),
        WITH_CONTEXT(quantiles_of_hindcasts_hold_their_share),
        WITH_CONTEXT(intervals_without_errors_have_a_width),
        WITH_CONTEXT(what_never_changes_goes_on),
        WITH_CONTEXT(constants_are_exact),
        WITH_CONTEXT(one_row_is_its_own_forecast),
        WITH_CONTEXT(lines_and_rhythms_go_on),
        WITH_CONTEXT(a_second_season_is_seen),
        WITH_CONTEXT(a_long_season_is_seen),
        WITH_CONTEXT(rare_counts_stay_small),
        WITH_CONTEXT(gaps_are_lines),
        WITH_CONTEXT(numbers_may_be_large_or_tiny),
        WITH_CONTEXT(progress_rises_to_all),
        WITH_CONTEXT(hosts_may_know_other_numbers_of_members),
        WITH_CONTEXT(options_are_checked),
        WITH_CONTEXT(series_are_checked),
        WITH_CONTEXT(members_have_names),
        WITH_CONTEXT(each_failed_allocation_is_reported),
        WITH_CONTEXT(a_season_without_rows_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
