/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of values: how similar tokens are, and how many dimensions they span. */
#include "analysis/statistic_values.h"

#include <math.h>
#include <string.h>

#include "analysis/singular.h"

static double squared_distance(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static double statistic_product(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* The mean of the rows. */
static void mean_row(const fgti_matrix *m, double *mean)
{
    memset(mean, 0, (size_t)m->columns * sizeof *mean);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t k = 0; k < m->columns; k++) mean[k] += m->x[i * m->columns + k] / (double)m->rows;
}

/* |x - 1 m'|^2, where m is the mean of the rows */
static double squared_residual(const fgti_matrix *m)
{
    double sum = 0;
    mean_row(m, m->work);
    for (int64_t i = 0; i < m->rows; i++) sum += squared_distance(m->columns, m->x + i * m->columns, m->work);
    return sum;
}

double fgti_statistic_dirichlet(const fgti_matrix *m)
{
    const int64_t t = m->rows, d = m->columns;
    if (!m->graph) return squared_residual(m) / (double)t;
    double sum = 0;
    for (int64_t i = 0; i < t; i++)
        for (int64_t j = 0; j < t; j++)
            sum += m->graph[i * t + j] * squared_distance(d, m->x + i * d, m->x + j * d);
    return sum / (2 * (double)t);
}

/* The rows divided by their lengths. Rows of zeros stay zero. */
static const double *directions(const fgti_matrix *m)
{
    const int64_t d = m->columns;
    for (int64_t i = 0; i < m->rows; i++) {
        const double *x = m->x + i * d, length = sqrt(statistic_product(d, x, x));
        for (int64_t k = 0; k < d; k++) m->work[i * d + k] = length > 0 ? x[k] / length : 0;
    }
    return m->work;
}

/* The mean cosine over all pairs of tokens. It follows from |sum of u_i|^2, minus the product of each token
 * with itself. */
double fgti_statistic_cosine(const fgti_matrix *m)
{
    const int64_t t = m->rows, d = m->columns;
    const double *u   = directions(m);
    double       *all = m->work + t * d, own = 0;
    if (t < 2) return (double)NAN;
    memset(all, 0, (size_t)d * sizeof *all);
    for (int64_t i = 0; i < t; i++) {
        for (int64_t k = 0; k < d; k++) all[k] += u[i * d + k];
        own += statistic_product(d, u + i * d, u + i * d);
    }
    return (statistic_product(d, all, all) - own) / ((double)t * (double)(t - 1));
}

double fgti_statistic_mad(const fgti_matrix *m)
{
    const int64_t t = m->rows, d = m->columns;
    if (!m->graph) return 1 - fgti_statistic_cosine(m);
    const double *u     = directions(m);
    double        total = 0;
    int64_t       count = 0;
    for (int64_t i = 0; i < t; i++) {
        double sum = 0, weights = 0;
        for (int64_t j = 0; j < t; j++) {
            const double g = i == j ? 0 : m->graph[i * t + j];
            if (g == 0) continue;
            sum += g * (1 - statistic_product(d, u + i * d, u + j * d));
            weights += g;
        }
        if (weights == 0) continue;
        total += sum / weights;
        count++;
    }
    return count ? total / (double)count : (double)NAN;
}

double fgti_statistic_rank(const fgti_matrix *m)
{
    const int64_t count = m->rows < m->columns ? m->rows : m->columns;
    const double *s     = fgti_singular_values(m->rows, m->columns, m->x, m->work);
    double        sum = 0, h = 0;
    for (int64_t k = 0; k < count; k++) sum += s[k];
    if (sum == 0) return 0;
    for (int64_t k = 0; k < count; k++)
        if (s[k] > 0) h -= s[k] / sum * log(s[k] / sum);
    return exp(h);
}

double fgti_statistic_rank_one(const fgti_matrix *m)
{
    const double all = statistic_product(m->rows * m->columns, m->x, m->x);
    return all > 0 ? sqrt(squared_residual(m) / all) : 0;
}

/* The statistic RANK needs the most elements. */
int64_t fgti_statistic_work(int64_t rows, int64_t columns)
{
    return fgti_singular_work(rows, columns);
}
