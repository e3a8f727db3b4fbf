/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/singular.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Householder reflection I - 2 v v'/(v'v), which maps v to (alpha, 0, 0 ...). Overwrites v so that the
 * reflection becomes I - v v', and returns alpha. A zero v stays 0. v is also set to 0 if its squares are so
 * small that they lose digits: such a v would not give a reflection, and its entries are negligible beside
 * the largest entry of the matrix, which is 1. */
static double reflection(int64_t n, double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    if (sum < DBL_MIN / DBL_EPSILON) {
        memset(v, 0, (size_t)n * sizeof *v);
        return 0;
    }
    const double alpha = v[0] > 0 ? -sqrt(sum) : sqrt(sum);
    v[0] -= alpha;
    const double scale = 1 / sqrt(-alpha * v[0]); /* v'v / 2 = -alpha v_0, where v_0 is already the new first
                                                   * element */
    for (int64_t i = 0; i < n; i++) v[i] *= scale;
    return alpha;
}

/* Reflects column k of a [m,n] from row k on, and applies the reflection to the later columns. Returns the
 * diagonal element. */
static double reflect_column(int64_t m, int64_t n, int64_t k, double *a, double *v, double *w)
{
    for (int64_t i = k; i < m; i++) v[i - k] = a[i * n + k];
    const double alpha = reflection(m - k, v);
    for (int64_t j = k + 1; j < n; j++) w[j] = 0;
    for (int64_t i = k; i < m; i++)
        for (int64_t j = k + 1; j < n; j++) w[j] += v[i - k] * a[i * n + j];
    for (int64_t i = k; i < m; i++)
        for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= v[i - k] * w[j];
    return alpha;
}

/* Reflects row k of a [m,n] from column k + 1 on, and applies the reflection to the later rows. Returns the
 * element beside the diagonal. */
static double reflect_row(int64_t m, int64_t n, int64_t k, double *a)
{
    double      *v     = a + k * n + k + 1;
    const double alpha = reflection(n - k - 1, v);
    for (int64_t i = k + 1; i < m; i++) {
        double *row = a + i * n + k + 1, sum = 0;
        for (int64_t j = 0; j < n - k - 1; j++) sum += row[j] * v[j];
        for (int64_t j = 0; j < n - k - 1; j++) row[j] -= sum * v[j];
    }
    return alpha;
}

/* For each of POINTS values x, counts the eigenvalues below x. The matrix is tridiagonal, with zero diagonal
 * and off-diagonal b. The divisions for one x depend on each other, so POINTS values take little longer than
 * one. */
enum { POINTS = 4 };
static void singular_count_below(int64_t n, const double *b, double smallest, const double *x, int64_t *below)
{
    double q[POINTS];
    for (int k = 0; k < POINTS; k++) {
        q[k]     = -x[k];
        below[k] = 0;
    }
    for (int64_t i = 0;; i++) {
        for (int k = 0; k < POINTS; k++) {
            q[k] = fabs(q[k]) < smallest ? -smallest : q[k];
            below[k] += q[k] < 0;
        }
        if (i == n) return;
        const double square = b[i] * b[i];
        for (int k = 0; k < POINTS; k++) q[k] = -x[k] - square / q[k];
    }
}

/* The eigenvalue that has `rank` smaller eigenvalues. It lies between low and high. */
static double bisect(int64_t n, const double *b, double smallest, double tolerance, int64_t rank, double low,
                     double high)
{
    while (high - low > tolerance) {
        const double begin = low, step = (high - low) / (POINTS + 1);
        double       x[POINTS];
        int64_t      below[POINTS];
        for (int k = 0; k < POINTS; k++) x[k] = begin + (k + 1) * step;
        singular_count_below(n, b, smallest, x, below);
        for (int k = POINTS - 1; k >= 0; k--)
            if (below[k] > rank) high = x[k];
        for (int k = 0; k < POINTS; k++)
            if (below[k] <= rank) low = x[k];
    }
    return low;
}

/* Writes the singular values of a [m,n], m >= n, to s [n], and overwrites a. work: m + 3 n elements. */
static void find_values(int64_t m, int64_t n, double *a, double *work, double *s)
{
    double *v = work, *w = v + m, *b = w + n; /* b [2 n - 1]: diagonal and superdiagonal elements in turn */
    double  bound = 0, low = 0;
    for (int64_t k = 0; k < n; k++) {
        b[2 * k] = reflect_column(m, n, k, a, v, w);
        if (k + 1 < n) b[2 * k + 1] = reflect_row(m, n, k, a);
    }
    for (int64_t i = 0; i < 2 * n - 1; i++) { /* bounds of the eigenvalues by Gershgorin's circles */
        const double sum = fabs(b[i]) + (i ? fabs(b[i - 1]) : 0);
        bound            = sum > bound ? sum : bound;
    }
    const double smallest = DBL_MIN * (1 + bound * bound), tolerance = 4 * DBL_EPSILON * bound;
    for (int64_t k = 0; k < n; k++) low = s[k] = bisect(2 * n - 1, b, smallest, tolerance, n + k, low, bound);
}

int64_t fgti_singular_work(int64_t rows, int64_t columns)
{
    return rows * columns + 5 * (rows + columns);
}

/* The matrix is transposed if it has fewer rows than columns. It is scaled so that its largest entry is 1. */
const double *fgti_singular_values(int64_t rows, int64_t columns, const double *a, double *work)
{
    const bool    turned = rows < columns;
    const int64_t high = turned ? columns : rows, wide = turned ? rows : columns;
    double       *s = work + rows * columns, scale = 0;
    for (int64_t i = 0; i < rows * columns; i++) scale = fabs(a[i]) > scale ? fabs(a[i]) : scale;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            work[turned ? j * rows + i : i * columns + j] = scale > 0 ? a[i * columns + j] / scale : 0;
    find_values(high, wide, work, s + wide, s);
    for (int64_t k = 0; k < wide; k++) s[k] *= scale;
    return s;
}
