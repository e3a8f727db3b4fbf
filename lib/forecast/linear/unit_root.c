/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear/unit_root.h"

#include <math.h>

#include "blas/cholesky.h"

int64_t fgti_unit_root_lags(int64_t rows)
{
    return (int64_t)(12 * pow((double)rows / 100, 0.25));
}

/* ---- whether a series returns ---- */

/* The co-moment of elements i and j. */
static double moment(const fgti_moments *m, int64_t i, int64_t j)
{
    return m->product[i * m->size + j] - m->sum[i] * m->sum[j] / m->count;
}

/* That of two of these: p earlier steps, x_{t-1}, and the step to x_t. */
static double moment_of_terms(const fgti_moments *m, int64_t i, int64_t j)
{
    const int64_t p = m->size - 2, a = i < p ? i + 1 : i, b = j < p ? j + 1 : j;
    double        sum = moment(m, a, b);
    if (i != p) sum -= moment(m, a - 1, b);
    if (j != p) sum -= moment(m, a, b - 1);
    if (i != p && j != p) sum += moment(m, a - 1, b - 1);
    return sum;
}

/* Of the regression with one number of lags. */
typedef struct lagged {
    double odds;   /* that the series returns */
    double weight; /* log w_p */
} lagged;

/* The last rows of the Cholesky factor R have what the terms before them leave: R[p,p]^2 = A,
 * R[p,p] R[p,p+1] = A a, and R[p+1,p+1]^2 is the sum of squares of e. */
static bool odds_of_lags(const fgti_vec *vec, const fgti_moments *m, int64_t p, double *matrix, lagged *l)
{
    const int64_t n = p + 2, longer = m->size - n;
    const double  freedom = m->count - (double)n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) matrix[i * n + j] = moment_of_terms(m, longer + i, longer + j);
    if (!(freedom > 0) || !fgti_cholesky(vec, matrix, n)) return false;
    const double level = matrix[p * n + p], gain = matrix[p * n + p + 1], left = matrix[n * n - 1];
    const double  s = left / sqrt(freedom), t = fmin(gain / s, 0);
    l->odds   = t * t / 2 - log(level / s);
    l->weight = -m->count / 2 * log(gain * gain + left * left) - (double)p;
    return isfinite(l->odds) && isfinite(l->weight);
}

/* log(exp(a) + exp(b)) */
static double log_sum(double a, double b)
{
    const double most = fmax(a, b);
    return isinf(most) ? most : most + log1p(exp(fmin(a, b) - most));
}

double fgti_unit_root_odds(const fgti_vec *vec, const fgti_moments *m, double *matrix)
{
    double returning = -INFINITY, all = -INFINITY;
    for (int64_t p = 0; p + 2 <= m->size; p++) {
        lagged one;
        if (!odds_of_lags(vec, m, p, matrix, &one)) continue;
        returning = log_sum(returning, one.weight + one.odds);
        all       = log_sum(all, one.weight);
    }
    return isinf(all) ? 0 : returning - all;
}

/* At first three series of four are taken for walks: what leaves the last value there is lost. */
#define WALKS 3.0 /* for each other series */

void fgti_unit_root_probabilities(double *odds, int64_t n)
{
    enum { STEPS = 20 };
    double share = 1 / (1 + WALKS);
    for (int step = 0; step < STEPS; step++) {
        double sum = 1;
        for (int64_t i = 0; i < n; i++) sum += 1 / (1 + exp(-odds[i]) * (1 - share) / share);
        share = sum / (1 + WALKS + (double)n);
    }
    for (int64_t i = 0; i < n; i++) odds[i] = 1 / (1 + exp(-odds[i]) * (1 - share) / share);
}

/* ---- whether the next row can be foretold ---- */

/* In multiples of the mean absolute number of a series. Errors of normal steps are hardly ever more. */
#define MOST 5

static void limit(double *gain, int64_t rows)
{
    double sum = 0, n = 0;
    for (int64_t r = 0; r < rows; r++) {
        sum += fabs(gain[r]);
        n += gain[r] != 0;
    }
    const double mean = sum / n;
    for (int64_t r = 0; r < rows && sum > 0; r++) gain[r] = fmax(fmin(gain[r] / mean, MOST), -MOST);
}

int64_t fgti_forecast_steps(int64_t rows, int64_t most)
{
    enum { BLOCKS = 30 };
    int64_t count = 1;
    for (int64_t h = 2; h <= most && rows / h >= BLOCKS; h *= 2) count++;
    return count;
}

double fgti_forecast_odds(double *gain, int64_t rows, int64_t h)
{
    const double common = h > 1 ? 1.5 : 1;
    double       sum = 0, squares = 0, n = 0;
    limit(gain, rows);
    for (int64_t r = 0; r < rows; r += h) {
        double g = 0;
        for (int64_t i = r; i < r + h && i < rows; i++) g += gain[i];
        n += g != 0;
        sum += g;
        squares += g * g;
    }
    if (!(squares > 0)) return 0;
    const double t = fmax(sum, 0) / sqrt(common * squares);
    return t * t / 2 - log(fmax(n / common, 1)) / 2;
}

double fgti_forecast_odds_of_all(double *gain, int64_t series, int64_t rows, int64_t h)
{
    limit(gain, rows);
    for (int64_t c = 1; c < series; c++) {
        limit(gain + c * rows, rows);
        for (int64_t r = 0; r < rows; r++) gain[r] += gain[c * rows + r];
    }
    return fgti_forecast_odds(gain, rows, h);
}

double fgti_mean_odds(const double *odds, int64_t n)
{
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, odds[i]);
    for (int64_t i = 0; i < n; i++) sum += exp(odds[i] - most);
    return most + log(sum / (double)n);
}
