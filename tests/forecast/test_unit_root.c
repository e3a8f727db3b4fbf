/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether series return to their means, and whether they can be foretold, beside least squares. */
#include "fixture.h"

#include "core/context.h"
#include "forecast/linear/moments.h"
#include "forecast/linear/unit_root.h"

enum { N = 400, P = 3, SIZE = P + 2, TERMS = P + 2 };

static double draw(uint64_t *state)
{
    double sum = 0; /* nearly normal */
    for (int i = 0; i < 12; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 40) / (1 << 24) - 0.5;
    }
    return sum;
}

/* x_t = kept x_{t-1} + e_t */
static void fill(uint64_t seed, double kept, double x[N + FGTI_MOMENTS_MORE])
{
    memset(x, 0, (N + FGTI_MOMENTS_MORE) * sizeof *x);
    for (int t = 0; t < N; t++) x[t] = (t ? kept * x[t - 1] : 0) + draw(&seed);
}

static double odds_of(const double *x, int64_t rows, int64_t size)
{
    fgti_moments m;
    double      *matrix = malloc((size_t)(size * size) * sizeof *matrix);
    assert_non_null(matrix);
    OK(fgti_moments_new(ctx, size, &m));
    fgti_moments_clear(&m);
    fgti_moments_add_series(&m, x, rows);
    const double odds = fgti_unit_root_odds(ctx->vec, &m, matrix);
    fgti_moments_done(ctx, &m);
    free(matrix);
    return odds;
}

/* ---- the regression ---- */

/* The terms of row t: 1, p earlier steps, x_{t-1}. */
static void find_terms(const double *x, int t, int p, double v[TERMS])
{
    v[0] = 1;
    for (int k = 1; k <= p; k++) v[k] = x[t - k] - x[t - k - 1];
    v[p + 1] = x[t - 1];
}

/* The inverse of a, by Gauss and Jordan: of products of terms, so without pivots. */
static void invert(int terms, double a[TERMS][TERMS], double inverse[TERMS][TERMS])
{
    for (int i = 0; i < terms; i++)
        for (int j = 0; j < terms; j++) inverse[i][j] = i == j;
    for (int p = 0; p < terms; p++) {
        const double by = a[p][p];
        for (int j = 0; j < terms; j++) a[p][j] /= by, inverse[p][j] /= by;
        for (int i = 0; i < terms; i++) {
            const double f = i == p ? 0 : a[i][p];
            for (int j = 0; j < terms; j++) a[i][j] -= f * a[p][j], inverse[i][j] -= f * inverse[p][j];
        }
    }
}

/* The sum of squares that the first `terms` terms of p lags leave. The estimate and 1 / A of the last. */
static double squares_left(const double *x, int p, int terms, double *estimate, double *over_level)
{
    double a[TERMS][TERMS] = {0}, inverse[TERMS][TERMS], right[TERMS] = {0}, b[TERMS] = {0}, v[TERMS];
    double squares = 0;
    for (int t = P + 1; t < N; t++) {
        find_terms(x, t, p, v);
        for (int i = 0; i < terms; i++) {
            right[i] += v[i] * (x[t] - x[t - 1]);
            for (int j = 0; j < terms; j++) a[i][j] += v[i] * v[j];
        }
    }
    invert(terms, a, inverse);
    for (int i = 0; i < terms; i++)
        for (int j = 0; j < terms; j++) b[i] += inverse[i][j] * right[j];
    for (int t = P + 1; t < N; t++) {
        double e = x[t] - x[t - 1];
        find_terms(x, t, p, v);
        for (int i = 0; i < terms; i++) e -= b[i] * v[i];
        squares += e * e;
    }
    *estimate   = b[terms - 1];
    *over_level = inverse[terms - 1][terms - 1];
    return squares;
}

/* t^2 / 2 - log(A / s^2) / 2 of each number of lags, and their mean by Akaike's weights */
static double plain_odds(const double *x)
{
    const int rows    = N - P - 1;
    double    log_w[P + 1], odds[P + 1], all = 0, sum = 0, a, over_level;
    for (int p = 0; p <= P; p++) {
        log_w[p]              = -rows / 2.0 * log(squares_left(x, p, p + 1, &a, &over_level)) - p;
        const double squares  = squares_left(x, p, p + 2, &a, &over_level);
        const double variance = squares / (rows - p - 2), t = fmin(a / sqrt(variance * over_level), 0);
        odds[p]               = t * t / 2 - log(1 / (over_level * variance)) / 2;
    }
    for (int p = 0; p <= P; p++) {
        all += exp(log_w[p] - log_w[0]);
        sum += exp(log_w[p] - log_w[0] + odds[p]);
    }
    return log(sum / all);
}

static void odds_are_those_of_least_squares(void **state)
{
    (void)state;
    static double x[N + FGTI_MOMENTS_MORE];
    const double  memories[] = {0, 0.5, 0.95, 1, 1.001};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        fill(i + 1, memories[i], x);
        const double plain = plain_odds(x);
        assert_true(fabs(odds_of(x, N, SIZE) - plain) < 1e-6 * (1 + fabs(plain)));
    }
}

static void series_that_return_have_better_odds_than_walks(void **state)
{
    (void)state;
    static double x[N + FGTI_MOMENTS_MORE];
    const int64_t size  = fgti_unit_root_lags(N) + 2;
    int           walks = 0;
    assert_int_equal(fgti_unit_root_lags(100), 12);
    assert_int_equal(fgti_unit_root_lags(N), 16);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fill(seed, 0.8, x);
        assert_true(odds_of(x, N, size) > 0);
        fill(seed, 1, x);
        walks += odds_of(x, N, size) > 0;
    }
    assert_true(walks <= 1);
}

static void nothing_to_tell_gives_even_odds(void **state)
{
    (void)state;
    static double x[N + FGTI_MOMENTS_MORE];
    assert_true(odds_of(x, N, SIZE) == 0); /* constant */
    fill(1, 0.5, x);
    assert_true(odds_of(x, SIZE - 1, SIZE) == 0); /* no window */
    assert_true(odds_of(x, SIZE + 1, SIZE) == 0); /* no more windows than the fewest terms */
    for (int t = 0; t < N; t++) x[t] = NAN;
    assert_true(odds_of(x, N, SIZE) == 0);
}

/* Each probability follows from its odds and from q. */
static void assert_shared(const double *odds, int n)
{
    double p[8], sum = 1;
    memcpy(p, odds, (size_t)n * sizeof *p);
    fgti_unit_root_probabilities(p, n);
    for (int i = 0; i < n; i++) sum += p[i];
    const double q = sum / (4 + n);
    for (int i = 0; i < n; i++) assert_true(fabs(p[i] - q / (q + (1 - q) * exp(-odds[i]))) < 1e-6);
}

static void probabilities_share_what_is_likely(void **state)
{
    (void)state;
    double one[] = {0}, sure[] = {1e3, -1e3}, alike[] = {0, 5, 5, 5}, others[] = {0, -5, -5, -5};
    assert_shared(one, 1);
    assert_shared(alike, 4);
    assert_shared(others, 4);
    fgti_unit_root_probabilities(one, 1);
    assert_true(fabs(one[0] - 0.25) < 1e-12);
    fgti_unit_root_probabilities(sure, 2);
    assert_true(sure[0] == 1 && sure[1] == 0);
    fgti_unit_root_probabilities(alike, 4);
    fgti_unit_root_probabilities(others, 4);
    assert_true(alike[0] > 0.4 && others[0] < 0.2);
}

/* ---- forecasts of the next row ---- */

/* gain[i] = first, second, first, ... for i < n; 0 behind. */
static double forecast_odds(double first, double second, int n, int h)
{
    static double gain[N];
    for (int i = 0; i < N; i++) gain[i] = i >= n ? 0 : i % 2 ? second : first;
    return fgti_forecast_odds(gain, N, h);
}

static void gains_by_chance_are_unlikely_to_be_more(void **state)
{
    (void)state;
    assert_true(forecast_odds(0, 0, N, 1) == 0); /* all forecasts are the last value */
    assert_true(fabs(forecast_odds(1, -1, N, 1) + log(N) / 2) < 1e-12);
    assert_true(fabs(forecast_odds(-3, -1, N, 1) + log(N) / 2) < 1e-12); /* worse than the last value */
    assert_true(forecast_odds(3, -1, N, 1) > 20);
    assert_true(fabs(forecast_odds(2, 2, 16, 1) - (8 - log(4))) < 1e-12); /* t = 4 */
    /* blocks of 4 rows: 16 / 4 of them, which have steps in common */
    assert_true(fabs(forecast_odds(2, 2, 16, 4) - (4 / 1.5 / 2 - log(4 / 1.5) / 2)) < 1e-12);
    assert_true(forecast_odds(1, -1, N, 2) == 0);
    assert_true(fgti_forecast_steps(10, 96) == 1 && fgti_forecast_steps(240, 96) == 4);
    assert_true(fgti_forecast_steps(239, 96) == 3 && fgti_forecast_steps(100000, 96) == 7);
}

static void series_count_alike(void **state)
{
    (void)state;
    static double gain[2 * N];
    uint64_t      seed = 4;
    /* what series have in common is no more than one of them has, whatever their units */
    for (int i = 0; i < N; i++) {
        gain[i]     = i < 16 ? 2 : 0;
        gain[N + i] = i < 16 ? 1e-3 : 0;
    }
    assert_true(fabs(fgti_forecast_odds_of_all(gain, 2, N, 1) - (8 - log(4))) < 1e-12);
    /* one row does not drown all others */
    for (int i = 0; i < 2 * N; i++) gain[i] = 1 + draw(&seed);
    gain[7] = -1e6;
    assert_true(fgti_forecast_odds_of_all(gain, 2, N, 1) > 20);
}

static void odds_have_a_mean(void **state)
{
    (void)state;
    const double alike[] = {-3, -3}, apart[] = {0, log(3), -1e9}, far[] = {1e4, 0};
    assert_true(fabs(fgti_mean_odds(alike, 2) + 3) < 1e-12);
    assert_true(fabs(fgti_mean_odds(apart, 3) - log(4.0 / 3)) < 1e-12);
    assert_true(fabs(fgti_mean_odds(far, 2) - (1e4 - log(2))) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(odds_are_those_of_least_squares, set_up, tear_down),
        cmocka_unit_test_setup_teardown(series_that_return_have_better_odds_than_walks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_tell_gives_even_odds, set_up, tear_down),
        cmocka_unit_test(probabilities_share_what_is_likely),
        cmocka_unit_test(gains_by_chance_are_unlikely_to_be_more),
        cmocka_unit_test(series_count_alike),
        cmocka_unit_test(odds_have_a_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
