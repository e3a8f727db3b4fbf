/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/cholesky.h"

#include <math.h>

static void cholesky_divide(double *y, double s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] /= s;
}

/* Rows that are combined at once: each later row is then read once for all of them. */
static int64_t cholesky_block_of(int64_t rows)
{
    return rows < FGTI_COMBINED ? rows : FGTI_COMBINED;
}

/* Computes row k of R: subtracts the rows above from row k of A, and divides the rest by the square root of
 * its first element. first: the first row of R that is not yet subtracted. */
static bool finish_row(const fgti_vec *vec, double *a, int64_t n, int64_t first, int64_t k)
{
    double                *row = a + k * n + k, *above = a + first * n + k;
    const fgti_combination c   = {
        .rows = k - first, .n = n - k, .sign = -1, .s = above, .stride = n, .x = above, .ld = n, .count = 1};
    vec->combine(&c, row);
    if (!(*row > 0) || isinf(*row)) return false;
    cholesky_divide(row, sqrt(*row), n - k);
    return true;
}

bool fgti_cholesky(const fgti_vec *vec, double *a, int64_t n)
{
    for (int64_t begin = 0, end; begin < n; begin = end) {
        const fgti_combination above = {.rows   = begin,
                                        .n      = n - begin,
                                        .sign   = -1,
                                        .s      = a + begin,
                                        .stride = n,
                                        .x      = a + begin,
                                        .ld     = n,
                                        .count  = cholesky_block_of(n - begin),
                                        .next   = 1,
                                        .ldy    = n};
        vec->combine(&above, a + begin * n + begin);
        end = begin + above.count;
        for (int64_t k = begin; k < end; k++)
            if (!finish_row(vec, a, n, begin, k)) return false;
    }
    return true;
}

/* Solves R'Y = B. */
static void solve_down(const fgti_vec *vec, const double *r, int64_t n, double *b, int64_t k)
{
    for (int64_t begin = 0, end; begin < n; begin = end) {
        fgti_combination above = {.rows   = begin,
                                  .n      = k,
                                  .sign   = -1,
                                  .s      = r + begin,
                                  .stride = n,
                                  .x      = b,
                                  .ld     = k,
                                  .count  = cholesky_block_of(n - begin),
                                  .next   = 1,
                                  .ldy    = k};
        vec->combine(&above, b + begin * k);
        end         = begin + above.count;
        above.x     = b + begin * k;
        above.count = 1;
        for (int64_t i = begin; i < end; i++) {
            above.rows = i - begin;
            above.s    = r + begin * n + i;
            vec->combine(&above, b + i * k);
            cholesky_divide(b + i * k, r[i * n + i], k);
        }
    }
}

/* Solves R X = Y. */
static void solve_up(const fgti_vec *vec, const double *r, int64_t n, double *b, int64_t k)
{
    for (int64_t end = n, begin; end > 0; end = begin) {
        begin                  = end - cholesky_block_of(end);
        fgti_combination below = {.rows   = n - end,
                                  .n      = k,
                                  .sign   = -1,
                                  .s      = r + begin * n + end,
                                  .stride = 1,
                                  .x      = b + end * k,
                                  .ld     = k,
                                  .count  = end - begin,
                                  .next   = n,
                                  .ldy    = k};
        vec->combine(&below, b + begin * k);
        below.count = 1;
        for (int64_t i = end - 1; i >= begin; i--) {
            below.rows = end - 1 - i;
            below.s    = r + i * n + i + 1;
            below.x    = b + (i + 1) * k;
            vec->combine(&below, b + i * k);
            cholesky_divide(b + i * k, r[i * n + i], k);
        }
    }
}

void fgti_cholesky_solve(const fgti_vec *vec, const double *r, int64_t n, double *b, int64_t k)
{
    solve_down(vec, r, n, b, k);
    solve_up(vec, r, n, b, k);
}
