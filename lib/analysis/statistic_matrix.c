/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of attention matrices: means over the rows, after each row is divided by its sum. */
#include "analysis/statistic_matrix.h"

#include <math.h>

/* The statistic of row t, as if p were divided by `sum`. p: the row before the division. */
typedef double (*row_statistic)(const fgti_matrix *m, int64_t t, const double *p, double sum);

/* The mean of a row statistic over the rows whose sum is above 0. */
static double mean_of_rows(const fgti_matrix *m, row_statistic of_row)
{
    double  total = 0;
    int64_t count = 0;
    for (int64_t t = 0; t < m->rows; t++) {
        const double *p   = m->x + t * m->columns;
        double        sum = 0;
        for (int64_t j = 0; j < m->columns; j++) sum += p[j];
        if (sum <= 0) continue;
        total += of_row(m, t, p, sum);
        count++;
    }
    return count ? total / (double)count : (double)NAN;
}

static double diagonal(const fgti_matrix *m, int64_t t, const double *p, double sum)
{
    (void)m;
    return p[t] / sum;
}

static double diagonal_expected(const fgti_matrix *m, int64_t t, const double *p, double sum)
{
    (void)sum;
    int64_t allowed = 0;
    for (int64_t j = 0; j < m->columns; j++) allowed += p[j] > 0;
    return p[t] > 0 ? 1 / (double)allowed : 0;
}

static double entropy(const fgti_matrix *m, int64_t t, const double *p, double sum)
{
    (void)t;
    double h = 0; /* for q = p / s, - sum of q ln q = ln s - (sum of p ln p) / s */
    for (int64_t j = 0; j < m->columns; j++)
        if (p[j] > 0) h -= p[j] * log(p[j]);
    return h / sum + log(sum);
}

static double statistic_distance(const fgti_matrix *m, int64_t t, const double *p, double sum)
{
    double d = 0;
    for (int64_t j = 0; j < m->columns; j++) d += p[j] * fabs((double)(t - j));
    return d / sum;
}

static double first(const fgti_matrix *m, int64_t t, const double *p, double sum)
{
    (void)t;
    double part = 0;
    for (int64_t j = 0; j < m->columns && j < m->first; j++) part += p[j];
    return part / sum;
}

double fgti_statistic_diagonal(const fgti_matrix *m)
{
    return mean_of_rows(m, diagonal);
}

double fgti_statistic_diagonal_expected(const fgti_matrix *m)
{
    return mean_of_rows(m, diagonal_expected);
}

double fgti_statistic_entropy(const fgti_matrix *m)
{
    return mean_of_rows(m, entropy);
}

double fgti_statistic_entropy_normalised(const fgti_matrix *m)
{
    const double h = mean_of_rows(m, entropy);
    return m->columns > 1 ? h / log((double)m->columns) : h; /* with one column h is 0, or NaN if no row has a
                                                              * sum above 0 */
}

double fgti_statistic_distance(const fgti_matrix *m)
{
    return mean_of_rows(m, statistic_distance);
}

double fgti_statistic_first(const fgti_matrix *m)
{
    return mean_of_rows(m, first);
}
