/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of series of many kinds without training: nowhere much worse than the best of four that anybody
 * can make by hand. */
#include <fighter/experimental/local.h>
#include <math.h>

#include "../one_context.h"
#include "draws.h"

enum { DRAWS = 12, N = 30, ROWS = 60, H = 12, MONTHS = 12, BY_HAND = 4 };

static double series[N][ROWS + H]; /* the last rows are not shown */

/* ---- kinds ---- */

typedef void (*kind_fn)(double *y, uint64_t *seed);

static double month(int t)
{
    return sin(6.283185307179586 * t / MONTHS);
}

static void walk(double *y, uint64_t *seed)
{
    y[0] = 100;
    for (int t = 1; t < ROWS + H; t++) y[t] = y[t - 1] + draw_normal(seed);
}

static void walk_with_drift(double *y, uint64_t *seed)
{
    const double drift = 2 * draw_even(seed) - 1;
    y[0]               = 100;
    for (int t = 1; t < ROWS + H; t++) y[t] = y[t - 1] + drift + draw_normal(seed);
}

static void line_with_noise(double *y, uint64_t *seed)
{
    const double slope = 2 * draw_even(seed) - 1;
    for (int t = 0; t < ROWS + H; t++) y[t] = 100 + slope * t + 3 * draw_normal(seed);
}

static void growth_with_season(double *y, uint64_t *seed)
{
    const double growth = .02 * draw_even(seed), height = .4 * draw_even(seed);
    for (int t = 0; t < ROWS + H; t++)
        y[t] = 100 * exp(growth * t) * (1 + height * month(t)) * exp(.05 * draw_normal(seed));
}

static void steps(double *y, uint64_t *seed)
{
    double level = 100;
    for (int t = 0; t < ROWS + H; t++) {
        if (draw_even(seed) < .04) level += 20 * draw_normal(seed);
        y[t] = level + draw_normal(seed);
    }
}

static void rare_counts(double *y, uint64_t *seed)
{
    const double share = .05 + .2 * draw_even(seed);
    for (int t = 0; t < ROWS + H; t++)
        y[t] = draw_even(seed) < share ? 1 + floor(5 * draw_even(seed)) : 0;
}

static void noise(double *y, uint64_t *seed)
{
    for (int t = 0; t < ROWS + H; t++) y[t] = 10 + draw_normal(seed);
}

static void season_with_holes(double *y, uint64_t *seed)
{
    const double phase = 12 * draw_even(seed);
    for (int t = 0; t < ROWS + H; t++) {
        y[t] = 50 + 10 * month(t + (int)phase) + 2 * draw_normal(seed);
        if (t > 0 && t < ROWS && draw_even(seed) < .1) y[t] = NAN;
    }
}

/* ---- by hand ---- */

static double last(const double *y, int row)
{
    while (row > 0 && isnan(y[row])) row--;
    return y[row];
}

static void by_hand(const double *y, double f[BY_HAND][H])
{
    const double first = y[0], end = last(y, ROWS - 1);
    double       mean = 0;
    for (int t = ROWS - MONTHS; t < ROWS; t++) mean += last(y, t) / MONTHS;
    for (int t = 0; t < H; t++) {
        f[0][t] = end;
        f[1][t] = last(y, ROWS - MONTHS + t % MONTHS);
        f[2][t] = end + (end - first) / (ROWS - 1) * (t + 1);
        f[3][t] = mean;
    }
}

static double error_of(const double *f, const double *y)
{
    double sum = 0;
    for (int t = 0; t < H; t++) sum += fabs(f[t] - y[ROWS + t]) / H;
    return sum;
}

/* ---- all kinds ---- */

/* Adds the mean absolute errors over N series: of the library, and of those by hand. */
static void measure(kind_fn kind, uint64_t *seed, double *own, double *others)
{
    static double forecast[N][H];
    const double *values[N];
    int64_t       rows[N];
    double        f[BY_HAND][H];
    for (int i = 0; i < N; i++) {
        kind(series[i], seed);
        values[i] = series[i];
        rows[i]   = ROWS;
    }
    OK(fgt_forecast_local(
        ctx, values, rows, N,
        &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .forecast = forecast[0])));
    for (int i = 0; i < N; i++) {
        by_hand(series[i], f);
        *own += error_of(forecast[i], series[i]);
        for (int k = 0; k < BY_HAND; k++) others[k] += error_of(f[k], series[i]);
    }
}

static void never_much_worse_than_by_hand(void **state)
{
    static const struct {
        const char *name;
        kind_fn     kind;
        double      most; /* of the best error by hand */
    } kinds[] = {
        {"walks", walk, 1.02},
        {"walks with drift", walk_with_drift, 1.03},
        {"lines with noise", line_with_noise, 1},
        {"growth with a season", growth_with_season, 1},
        {"steps", steps, 1.02},
        {"rare counts", rare_counts, 1.02},
        {"noise", noise, 1.02},
        {"a season with holes", season_with_holes, 1},
    };
    uint64_t seed = 2;
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double own = 0, others[BY_HAND] = {0}, best = INFINITY;
        for (int draw = 0; draw < DRAWS; draw++) measure(kinds[i].kind, &seed, &own, others);
        for (int k = 0; k < BY_HAND; k++) best = fmin(best, others[k]);
        print_message("%s: %.3f of the best by hand\n", kinds[i].name, own / best);
        assert_true(own <= kinds[i].most * best);
    }
}

/* Errors over those of the last value: series of `shown` rows, with a season or without, of which no origin
 * has seen one. */
static double error_of_short(int shown, int count, double height, uint64_t *seed)
{
    double        forecast[N][H] = {{0}}, own = 0, by_last = 0;
    const double *values[N]      = {0};
    int64_t       rows[N]        = {0};
    for (int i = 0; i < count; i++) {
        values[i] = series[i];
        rows[i]   = shown;
        for (int t = 0; t < shown + H; t++)
            series[i][t] = 100 + 40 * height * month(t + 5 * i) + 4 * draw_normal(seed);
    }
    OK(fgt_forecast_local(
        ctx, values, rows, count,
        &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .forecast = forecast[0])));
    for (int i = 0; i < count; i++)
        for (int t = 0; t < H; t++) {
            own += fabs(forecast[i][t] - series[i][shown + t]);
            by_last += fabs(series[i][shown - 1] - series[i][shown + t]);
        }
    return own / by_last;
}

static void a_season_that_no_origin_has_seen_is_forecast(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int shown = 13; shown <= 23; shown += 5) assert_true(error_of_short(shown, N, 1, &seed) < .25);
    for (int count = 1; count <= 5; count++) assert_true(error_of_short(24, count, 1, &seed) < .25);
    assert_true(error_of_short(18, 1, 1, &seed) < .35);
    assert_true(error_of_short(18, N, 0, &seed) < .9); /* noise: the mean is better */
}

/* Rare counts: the sum is right, the interval holds what it says, and quantiles are values of the series. */
static void rare_counts_have_a_rate(void **state)
{
    static const double level[] = {.1, .5, .9};
    static double       forecast[N][H], quantile[N][H][3];
    const double       *values[N];
    double              sum = 0, expected = 0, inside = 0;
    int64_t             rows[N];
    uint64_t            seed = 8;
    (void)state;
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int i = 0; i < N; i++) {
            const double share = .05 + .35 * draw_even(&seed);
            values[i]          = series[i];
            rows[i]            = ROWS;
            for (int t = 0; t < ROWS + H; t++)
                series[i][t] = draw_even(&seed) < share ? 1 + floor(5 * draw_even(&seed)) : 0;
            expected += H * share * 3;
        }
        OK(fgt_forecast_local(ctx, values, rows, N,
                              &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .levels = level,
                                        .level_count = 3, .forecast = forecast[0],
                                        .quantiles = quantile[0][0])));
        for (int i = 0; i < N; i++)
            for (int t = 0; t < H; t++) {
                const double y = series[i][ROWS + t], *q = quantile[i][t];
                sum += forecast[i][t];
                inside += (q[0] <= y && y <= q[2]) / (double)(N * H * DRAWS);
                assert_true(q[0] >= 0 && q[0] <= q[1] && q[1] <= q[2]);
            }
    }
    print_message("rare counts: %.3f of the rate, %.3f within the interval of .8\n", sum / expected, inside);
    assert_true(fabs(sum / expected - 1) < .05);
    assert_true(inside >= .8 && inside < .97);
}

/* Twenty days of hours, whose week-ends differ. */
static void a_week_of_hours_is_seen(void **state)
{
    enum { HOURS = 480, DAY = 24, ALL = HOURS + 48 };
    static double y[ALL], forecast[48];
    const double *values[] = {y};
    const int64_t rows     = HOURS;
    uint64_t      seed     = 6;
    double        error = 0, before = 0;
    (void)state;
    for (int t = 0; t < ALL; t++) {
        const double hour = t % DAY, rest = t / DAY % 7 >= 5;
        y[t] = 30 + (rest != 0 ? 10 : 40) * exp(-(hour - 9) * (hour - 9) / 12) + 2 * draw_normal(&seed);
    }
    OK(fgt_forecast_local(ctx, values, &rows, 1,
                          &FGT_OPTS(fgt_local_opts, .horizon = 48, .season = DAY, .long_season = 7 * DAY,
                                    .forecast = forecast)));
    for (int t = 0; t < 48; t++) {
        error += fabs(forecast[t] - y[HOURS + t]);
        before += fabs(y[HOURS - 7 * DAY + t] - y[HOURS + t]);
    }
    print_message("a week of hours: %.3f of the week before\n", error / before);
    assert_true(error < 1.05 * before);
}

/* Two weeks of hours that end on each day of the week; as a share of the errors of the week and of the day
 * before, by the one that is better. */
static double error_of_two_weeks(double weekend, int horizon, uint64_t *seed, double *inside)
{
    enum { DAY = 24, WEEK = 7 * DAY, HOURS = 2 * WEEK };
    static const double level[] = {.1, .9};
    static double       y[3 * WEEK], forecast[WEEK], quantile[WEEK][2];
    const double       *values[] = {y};
    const int64_t       rows     = HOURS;
    double              error = 0, week = 0, day = 0;
    *inside = 0;
    for (int last = 0; last < 7; last++) {
        for (int t = 0; t < HOURS + horizon; t++)
            y[t] = 20 + 5 * sin(.2617993877991494 * t) + ((t / DAY + last) % 7 >= 5 ? weekend : 0) +
                   .6 * draw_normal(seed);
        OK(fgt_forecast_local(ctx, values, &rows, 1,
                              &FGT_OPTS(fgt_local_opts, .horizon = horizon, .season = DAY,
                                        .long_season = WEEK, .levels = level, .level_count = 2,
                                        .forecast = forecast, .quantiles = quantile[0])));
        for (int t = 0; t < horizon; t++) {
            const double truth = y[HOURS + t];
            error += fabs(forecast[t] - truth);
            week += fabs(y[HOURS - WEEK + t] - truth);
            day += fabs(y[HOURS - DAY + t % DAY] - truth);
            *inside += (quantile[t][0] <= truth && truth <= quantile[t][1]) / (7. * horizon);
        }
    }
    return error / fmin(week, day);
}

static void two_weeks_of_hours_show_the_week(void **state)
{
    uint64_t seed = 2;
    double   inside;
    (void)state;
    for (int horizon = 24; horizon <= 168; horizon += 48) {
        const double error = error_of_two_weeks(8, horizon, &seed, &inside);
        print_message("two weeks, %d hours ahead: %.2f, %.2f inside of .8", horizon, error, inside);
        assert_true(error < 1.1 && inside > .75);
        const double alike = error_of_two_weeks(0, horizon, &seed, &inside);
        print_message("; without weekends %.2f, %.2f inside\n", alike, inside);
        assert_true(alike < .85 && inside > .7);
    }
}

/* Percentages that reach 100 stay there; a price, and growth, may rise further. */
static void bounds_are_what_rows_come_back_to(void **state)
{
    static const double level[] = {.05, .95};
    double              y[3][ROWS], forecast[3][H], range[3][H][2], most[3] = {0};
    const double       *values[] = {y[0], y[1], y[2]};
    const int64_t       rows[]   = {ROWS, ROWS, ROWS};
    uint64_t            seed     = 4;
    (void)state;
    for (int t = 0; t < ROWS; t++) {
        y[0][t] = fmin(96 + 4 * draw_normal(&seed), 100);
        y[1][t] = t < 20 ? 80 : t < 40 ? 90 : 100; /* once at its most */
        y[2][t] = fmin(2 * t + draw_normal(&seed), 100) + (t % 3 == 0);
    }
    OK(fgt_forecast_local(ctx, values, rows, 3,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .levels = level, .level_count = 2,
                                    .forecast = forecast[0], .quantiles = range[0][0])));
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < H; t++) most[i] = fmax(most[i], fmax(forecast[i][t], range[i][t][1]));
    assert_true(most[0] <= 100 && most[0] > 99);
    assert_true(most[1] > 100);
    assert_true(most[2] > 101);
}

/* Snow falls in winter: the phase says when, and the rate does not. */
static void zeros_of_a_season_are_no_rate(void **state)
{
    double        y[ROWS], forecast[H];
    const double *values[] = {y};
    const int64_t rows     = ROWS;
    uint64_t      seed     = 9;
    (void)state;
    for (int t = 0; t < ROWS; t++) y[t] = t % MONTHS < 4 ? 10 + floor(5 * draw_even(&seed)) : 0;
    OK(fgt_forecast_local(ctx, values, &rows, 1,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .forecast = forecast)));
    for (int t = 0; t < H; t++) assert_true(t < 4 ? forecast[t] > 8 : forecast[t] < 2);
}

/* The share of values within the interval of .8, of series of months with a season; two thirds of them have
 * from..to rows, the others show the season. */
static double share_inside(int64_t from, int64_t to)
{
    static const double level[] = {.1, .9};
    static double       forecast[N][H], range[N][H][2];
    const double       *values[N];
    int64_t             rows[N], inside = 0, count = 0;
    uint64_t            seed = 3;
    for (int i = 0; i < N; i++) {
        rows[i]   = i % 3 ? from + i % (to - from + 1) : ROWS;
        values[i] = series[i] + ROWS - rows[i];
        for (int t = 0; t < ROWS + H; t++) series[i][t] = 100 + 30 * month(t) + 5 * draw_normal(&seed);
    }
    OK(fgt_forecast_local(ctx, values, rows, N,
                          &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .levels = level,
                                    .level_count = 2, .forecast = forecast[0], .quantiles = range[0][0])));
    for (int i = 0; i < N; i++)
        for (int t = 0; rows[i] < ROWS && t < H; t++) {
            const double y = series[i][ROWS + t];
            inside += range[i][t][0] <= y && y <= range[i][t][1];
            count++;
        }
    print_message("%lld to %lld rows: %.2f of the values are within the interval of .8\n", (long long)from,
                  (long long)to, (double)inside / (double)count);
    return (double)inside / (double)count;
}

static void short_series_have_wide_intervals(void **state)
{
    (void)state;
    assert_true(share_inside(1, 8) >= .6);   /* they know that there is a season, though not which */
    const double share = share_inside(12, 20); /* .23 once, .96 later */
    assert_true(share >= .75 && share <= .9);
}

/* Maps that all series share are then those of the long ones. */
static void short_series_do_not_disturb_long_ones(void **state)
{
    enum { ALL = 3 * N };
    static double rows_of[ALL][ROWS + H], forecast[ALL][H];
    const double *values[ALL];
    int64_t       rows[ALL];
    uint64_t      seed = 12;
    double        alone = 0, beside = 0;
    (void)state;
    for (int i = 0; i < ALL; i++) {
        const double level = 50 + 150 * draw_even(&seed);
        rows[i]            = i < N ? ROWS : 1 + i % 18;
        values[i]          = rows_of[i] + ROWS - rows[i];
        for (int t = 0; t < ROWS + H; t++)
            rows_of[i][t] = level * (1 + .01 * t + .3 * month(t) + .05 * draw_normal(&seed));
    }
    for (int count = N; count <= ALL; count += 2 * N) {
        OK(fgt_forecast_local(
            ctx, values, rows, count,
            &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .forecast = forecast[0])));
        for (int i = 0; i < N; i++) *(count == N ? &alone : &beside) += error_of(forecast[i], rows_of[i]);
    }
    print_message("beside short series: %.2f of the error of long series alone\n", beside / alone);
    assert_true(beside < 1.1 * alone);
}

/* Few runs say little about how errors grow with the distance of the members. */
static void intervals_of_one_series_are_not_endless(void **state)
{
    static const double level[] = {.05, .95};
    double              y[24], forecast[6], range[6][2], widest = 0;
    const double       *values[] = {y};
    uint64_t            seed = 11;
    (void)state;
    for (int draw = 0; draw < 300; draw++) {
        const int64_t n = 9 + draw % 16;
        y[0]            = 100;
        for (int64_t t = 1; t < n; t++) y[t] = y[t - 1] + 2 * draw_even(&seed) + draw_normal(&seed);
        OK(fgt_forecast_local(ctx, values, &n, 1,
                              &FGT_OPTS(fgt_local_opts, .horizon = 6, .levels = level, .level_count = 2,
                                        .forecast = forecast, .quantiles = range[0])));
        for (int t = 0; t < 6; t++) widest = fmax(widest, range[t][1] - range[t][0]);
    }
    print_message("the widest interval: %g\n", widest);
    assert_true(widest < 60); /* 300 once */
}

/* Errors over those of the last value, of series of 8 months beside others of 60, with the same season or
 * each at its own time; the share of values within the interval of .8. */
static double error_beside_long(bool same, double *inside)
{
    static const double level[] = {.1, .9};
    static double       forecast[N][H], range[N][H][2];
    const double       *values[N];
    int64_t             rows[N];
    uint64_t            seed = 21;
    double              own = 0, by_last = 0, held = 0, count = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int i = 0; i < N; i++) {
            const double size = 50 + 150 * draw_even(&seed);
            const int    from = same ? 0 : (int)(12 * draw_even(&seed));
            rows[i]           = i % 10 ? ROWS : 8;
            values[i]         = series[i] + ROWS - rows[i];
            for (int t = 0; t < ROWS + H; t++)
                series[i][t] = size * (1 + .3 * month(t + from) + .05 * draw_normal(&seed));
        }
        OK(fgt_forecast_local(ctx, values, rows, N,
                              &FGT_OPTS(fgt_local_opts, .horizon = H, .season = MONTHS, .levels = level,
                                        .level_count = 2, .forecast = forecast[0],
                                        .quantiles = range[0][0])));
        for (int i = 0; i < N; i += 10) {
            own += error_of(forecast[i], series[i]);
            for (int t = 0; t < H; t++) {
                const double y = series[i][ROWS + t];
                by_last += fabs(series[i][ROWS - 1] - y) / H;
                held += range[i][t][0] <= y && y <= range[i][t][1];
                count++;
            }
        }
    }
    *inside = held / count;
    return own / by_last;
}

static void short_series_take_the_season_of_others(void **state)
{
    double       inside, rest;
    const double error = error_beside_long(true, &inside), other = error_beside_long(false, &rest);
    (void)state;
    print_message("8 months beside 60: %.2f of the last value's error, %.2f inside; own seasons: %.2f\n",
                  error, inside, other);
    assert_true(error < .5 && inside >= .7 && inside <= .96);
    assert_true(other < 1.15);
}

/* ---- growth ---- */

static void growing_months(double *y, uint64_t *seed)
{
    const double growth = log(1.3 + .3 * draw_even(seed)) / MONTHS, phase = 12 * draw_even(seed);
    for (int t = 0; t < ROWS + H; t++)
        y[t] = 100 * exp(growth * t + .05 * draw_normal(seed)) * (1 + .3 * month(t + (int)phase));
}

static void growing_years(double *y, uint64_t *seed)
{
    const double growth = .05 + .1 * draw_even(seed);
    for (int t = 0; t < ROWS + H; t++) y[t] = 100 * exp(growth * t + .05 * draw_normal(seed));
}

static void growing_walk(double *y, uint64_t *seed)
{
    y[0] = 100;
    for (int t = 1; t < ROWS + H; t++) y[t] = y[t - 1] * exp(.05 + .05 * draw_normal(seed));
}

/* The error of the season before, times the growth of the year before it; of the last value, times the mean
 * growth, without a season. */
static double error_of_growth(const double *y, int season)
{
    double now = 0, before = 0, f[H];
    for (int t = 0; t < MONTHS; t++) {
        now += y[ROWS - 1 - t];
        before += y[ROWS - 1 - MONTHS - t];
    }
    for (int t = 0; t < H; t++)
        f[t] = season > 1 ? y[ROWS - MONTHS + t] * now / before
                          : y[ROWS - 1] * pow(y[ROWS - 1] / y[0], (t + 1.) / (ROWS - 1));
    return error_of(f, y);
}

typedef struct growth {
    const char *name;
    kind_fn     kind;
    int         season;
    double      most[3]; /* of the error by hand; of 1, 5 and 30 series */
} growth;

/* The share of values within the interval of .8, and the error beside that by hand, of `count` series. */
static void measure_growth(const growth *g, int count, uint64_t *seed, double *inside, double *error)
{
    static const double level[] = {.1, .9};
    static double       forecast[N][H], range[N][H][2];
    const double       *values[N];
    int64_t             rows[N];
    double              own = 0, hand = 0, held = 0;
    const int           draws = 4 * N / count;
    for (int draw = 0; draw < draws; draw++) {
        for (int i = 0; i < count; i++) {
            g->kind(series[i], seed);
            values[i] = series[i];
            rows[i]   = ROWS;
        }
        OK(fgt_forecast_local(ctx, values, rows, count,
                              &FGT_OPTS(fgt_local_opts, .horizon = H, .season = g->season, .levels = level,
                                        .level_count = 2, .forecast = forecast[0],
                                        .quantiles = range[0][0])));
        for (int i = 0; i < count; i++) {
            own += error_of(forecast[i], series[i]) / series[i][ROWS - 1];
            hand += error_of_growth(series[i], g->season) / series[i][ROWS - 1];
            for (int t = 0; t < H; t++)
                held += range[i][t][0] <= series[i][ROWS + t] && series[i][ROWS + t] <= range[i][t][1];
        }
    }
    *inside = held / (draws * count * H);
    *error  = own / hand;
}

/* Errors of earlier origins are small beside the level of now. */
static void growing_series_have_wide_intervals(void **state)
{
    static const growth kinds[]  = {{"months that grow", growing_months, MONTHS, {1.05, .9, .85}},
                                    {"years that grow", growing_years, 1, {1, .95, .9}},
                                    {"walks that grow", growing_walk, 1, {1.15, 1.15, 1.1}}};
    static const int    counts[] = {1, 5, N};
    uint64_t            seed     = 5;
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < 3; i++) {
            double inside, error;
            measure_growth(&kinds[kind], counts[i], &seed, &inside, &error);
            print_message("%s, %d series: %.2f within the interval of .8, %.2f of the error by hand\n",
                          kinds[kind].name, counts[i], inside, error);
            assert_true(inside >= .7 && inside <= .9);
            assert_true(error <= kinds[kind].most[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(never_much_worse_than_by_hand),
                                       WITH_CONTEXT(a_season_that_no_origin_has_seen_is_forecast),
                                       WITH_CONTEXT(rare_counts_have_a_rate),
                                       WITH_CONTEXT(zeros_of_a_season_are_no_rate),
                                       WITH_CONTEXT(bounds_are_what_rows_come_back_to),
                                       WITH_CONTEXT(a_week_of_hours_is_seen),
                                       WITH_CONTEXT(two_weeks_of_hours_show_the_week),
                                       WITH_CONTEXT(short_series_have_wide_intervals),
                                       WITH_CONTEXT(short_series_do_not_disturb_long_ones),
                                       WITH_CONTEXT(short_series_take_the_season_of_others),
                                       WITH_CONTEXT(intervals_of_one_series_are_not_endless),
                                       WITH_CONTEXT(growing_series_have_wide_intervals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
