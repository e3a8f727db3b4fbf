/* SPDX-License-Identifier: BSD-3-Clause */
/* The row kernels of every table against double arithmetic: layer normalisation, sums over rows,
 * transpose, a row times panels. */
#include "vec_canaries.h"

/* ---- layer normalisation ---- */

static void norm_reference(int64_t d, const fgti_real *x, double *mean, double *rstd)
{
    double var = 0;
    *mean      = 0;
    for (int64_t j = 0; j < d; j++) *mean += (double)x[j] / (double)d;
    for (int64_t j = 0; j < d; j++) var += ((double)x[j] - *mean) * ((double)x[j] - *mean) / (double)d;
    *rstd = 1 / sqrt(var + 1e-5);
}

static void norm_row(int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *b,
                     const fgti_real *dy, const fgti_real *y, const fgti_real *dx)
{
    double mean, rstd, mg = 0, mgu = 0;
    norm_reference(d, x, &mean, &rstd);
    for (int64_t j = 0; j < d; j++) {
        const double g = (double)dy[j] * (double)w[j];
        mg += g / (double)d;
        mgu += g * ((double)x[j] - mean) * rstd / (double)d;
    }
    for (int64_t j = 0; j < d; j++) {
        const double u = ((double)x[j] - mean) * rstd, g = (double)dy[j] * (double)w[j];
        near((double)y[j], u * (double)w[j] + (b ? (double)b[j] : 0), 40 * EPS, "norm", (double)d);
        near((double)dx[j], rstd * (g - mg - u * mgu), 40 * EPS * fmax(1, rstd), "norm_grad", (double)d);
    }
}

/* The rows again from what norm left, a number apart. */
static void norm_again(int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *b,
                       const fgti_real *y, const fgti_real *mean, const fgti_real *rstd)
{
    static guarded again;
    fgti_real     *to = fresh(&again);
    vec->norm_again(rows, d, x, w, b, mean, rstd, to, d + 1);
    for (int64_t r = 0; r < rows; r++, to += d + 1) {
        for (int64_t j = 0; j < d; j++)
            near((double)to[j], (double)y[r * d + j], 8 * EPS, "norm again", (double)d);
        assert_true(to[d] == CANARY);
    }
    intact(&again, rows * (d + 1));
}

static void norm_lengths(void)
{
    static guarded gx, gw, gb, gdy, gy, gdx, gm, gr;
    enum { ROWS = 5 };
    for (int64_t d = 1; d < LENGTHS; d++)
        for (int biased = 0; biased < 2; biased++) {
            const fgti_real *x = filled(&gx, ROWS * d, 3, 1), *dy = filled(&gdy, ROWS * d, 1, 2);
            const fgti_real *w = filled(&gw, d, 2, 3), *b = biased ? filled(&gb, d, 2, 4) : NULL;
            fgti_real *y = fresh(&gy), *dx = fresh(&gdx), *mean = fresh(&gm), *rstd = fresh(&gr);
            vec->norm(ROWS, d, 1e-5, x, w, b, y, mean, rstd);
            vec->norm_grad(ROWS, d, x, w, mean, rstd, dy, dx);
            intact(&gy, ROWS * d);
            intact(&gdx, ROWS * d);
            intact(&gm, ROWS);
            intact(&gr, ROWS);
            norm_again(ROWS, d, x, w, b, y, mean, rstd);
            for (int64_t r = 0; r < ROWS; r++)
                norm_row(d, x + r * d, w, b, dy + r * d, y + r * d, dx + r * d);
            vec->norm_grad(ROWS, d, x, w, mean, rstd, at(&gdy), at(&gdy)); /* dy and dx the same array */
            assert_true(same_bits(at(&gdy), dx, ROWS * d));
            vec->norm(ROWS, d, 1e-5, at(&gx), w, b, at(&gx), mean, rstd);
            assert_true(same_bits(at(&gx), y, ROWS * d));
        }
}

/* A constant row has variance 0; a far mean costs no digits of the spread. */
static void norm_edges(void)
{
    fgti_real x[48], y[48], one[48], mean, rstd;
    for (int j = 0; j < 48; j++) x[j] = 4096, one[j] = 1;
    vec->norm(1, 48, 1e-5, x, one, NULL, y, &mean, &rstd);
    for (int j = 0; j < 48; j++) near((double)y[j], 0, 0.2, "constant", j);
    for (int j = 0; j < 48; j++) x[j] = (fgti_real)(4096 + (j % 2 ? 1 : -1));
    vec->norm(1, 48, 0, x, one, NULL, y, &mean, &rstd);
    for (int j = 0; j < 48; j++) near((double)y[j], j % 2 ? 1 : -1, 1e-3, "far mean", j);
    x[3] = (fgti_real)NAN;
    vec->norm(1, 48, 0, x, one, NULL, y, &mean, &rstd);
    for (int j = 0; j < 48; j++) assert_true(isnan(y[j]));
}

/* Columns may be split anywhere, with the same bits. */
static void norm_grad_param_splits(void)
{
    static guarded gx, gdy, gm, gr, gw, gb, hw, hb;
    const int64_t  sizes[][2] = {{1, 1}, {3, 67}, {64, 64}, {65, 96}, {200, 17}, {70, 90}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t rows = sizes[s][0], d = sizes[s][1];
        fgti_real    *x = filled(&gx, rows * d, 3, 1), *dy = filled(&gdy, rows * d, 1, 2);
        fgti_real    *mean = filled(&gm, rows, 1, 3), *rstd = filled(&gr, rows, 1, 4);
        fgti_real    *dw = filled(&gw, d, 1, 5), *db = filled(&gb, d, 1, 6);
        vec->norm_grad_param(rows, d, 0, d, x, mean, rstd, dy, dw, db);
        intact(&gw, d);
        intact(&gb, d);
        for (int64_t cut = 0; cut <= d; cut += 1 + d / 7) {
            filled(&hw, d, 1, 5);
            filled(&hb, d, 1, 6);
            vec->norm_grad_param(rows, d, cut, d, x, mean, rstd, dy, at(&hw), at(&hb));
            vec->norm_grad_param(rows, d, 0, cut, x, mean, rstd, dy, at(&hw), at(&hb));
            assert_true(same_bits(at(&hw), dw, d) && same_bits(at(&hb), db, d));
        }
        filled(&hw, d, 1, 5);
        filled(&hb, d, 1, 6);
        for (int64_t j = 0; j < d; j++) {
            double w = (double)at(&hw)[j], b = (double)at(&hb)[j];
            for (int64_t r = 0; r < rows; r++) {
                w += (double)dy[r * d + j] * ((double)x[r * d + j] - (double)mean[r]) * (double)rstd[r];
                b += (double)dy[r * d + j];
            }
            near((double)dw[j], w, 100 * EPS, "dw", (double)j);
            near((double)db[j], b, 100 * EPS, "db", (double)j);
        }
    }
}

static void test_norm(void **state)
{
    (void)state;
    each_table(norm_lengths);
    each_table(norm_edges);
    each_table(norm_grad_param_splits);
}

/* ---- sums over rows ---- */

static void columns(void)
{
    static guarded gx, gy, gb, gs;
    for (int64_t n = 0; n < LENGTHS; n++) {
        const int64_t rows = 75, ld = n + 2;
        fgti_real    *x = integers(&gx, rows * ld, 1), *b = integers(&gb, n, 2),
                  *y = integers(&gy, rows * ld, 1);
        vec->bias(rows, n, ld, b, y);
        intact(&gy, rows * ld);
        for (int64_t i = 0; i < rows * ld; i++) assert_true(y[i] == x[i] + (i % ld < n ? b[i % ld] : 0));
        for (int64_t cut = 0; cut <= n; cut += 13) {
            fgti_real *s = integers(&gs, n, 3);
            vec->colsum(rows, cut, ld, x, s);
            vec->colsum(rows, n - cut, ld, x + cut, s + cut);
            intact(&gs, n);
            integers(&gy, n, 3);
            for (int64_t j = 0; j < n; j++) {
                fgti_real want = at(&gy)[j];
                for (int64_t r = 0; r < rows; r++) want += x[r * ld + j];
                assert_true(s[j] == want); /* integers: exact in any order */
            }
        }
    }
}

static void test_columns(void **state)
{
    (void)state;
    each_table(columns);
}

static void transposes(void)
{
    static guarded gx, gy;
    for (int64_t rows = 0; rows <= 35; rows++)
        for (int64_t cols = 0; cols <= 35; cols++) {
            const int64_t lds = cols + rows % 3, ldd = rows + cols % 4;
            fgti_real    *x = filled(&gx, rows * lds, 5, 1), *y = fresh(&gy);
            vec->transpose(rows, cols, x, lds, y, ldd);
            intact(&gx, rows * lds);
            intact(&gy, cols * ldd);
            for (int64_t j = 0; j < cols; j++)
                for (int64_t i = 0; i < ldd; i++)
                    assert_true(y[j * ldd + i] == (i < rows ? x[i * lds + j] : CANARY));
        }
}

static void test_transpose(void **state)
{
    (void)state;
    each_table(transposes);
}

static void row_times_panels(void)
{
    static guarded gx, gb, gy;
    for (int64_t v = 16; v <= 32; v += 16)
        for (int64_t blocks = 1; blocks <= FGTI_ROW_BLOCKS; blocks++)
            for (int64_t k = 0; k < LENGTHS && (16 * blocks + v) * k <= CELLS; k++) {
                const int64_t    sx = 1 + k % 3, panels = (16 * blocks + v - 1) / v;
                const fgti_real *x = integers(&gx, k ? (k - 1) * sx + 1 : 0, 1);
                const fgti_real *b = integers(&gb, panels * v * k, 2);
                fgti_real       *y = integers(&gy, 16 * blocks, 3), was[16 * FGTI_ROW_BLOCKS];
                const fgti_real  beta = (fgti_real)(k % 3);
                memcpy(was, y, (size_t)(16 * blocks) * sizeof *y);
                if (beta == 0) y[5] = (fgti_real)NAN;
                vec->row(k, v, blocks, 2, x, sx, b, beta, y);
                intact(&gy, 16 * blocks);
                for (int64_t j = 0; j < 16 * blocks; j++) {
                    fgti_real want = beta * was[j] / 2;
                    for (int64_t p = 0; p < k; p++) want += x[p * sx] * b[j / v * v * k + p * v + j % v];
                    assert_true(y[j] == 2 * want); /* exact in any order */
                }
            }
}

static void test_row(void **state)
{
    (void)state;
    each_table(row_times_panels);
}

/* Several combinations of the same rows have the bits of each alone. */
static void combinations(void)
{
    enum { ROWS = 7, MOST = 75, LD = 80 };
    static double x[ROWS * LD], s[ROWS * LD], y[2][ROWS * LD];
    for (int i = 0; i < ROWS * LD; i++) {
        x[i] = sin(i) / 3;
        s[i] = cos(3 * i) / 7;
    }
    for (int64_t count = 0; count <= ROWS; count++)
        for (int64_t n = 0; n <= MOST; n++) {
            fgti_combination c = {.rows   = n % (ROWS + 1),
                                  .n      = n,
                                  .sign   = n % 2 ? 1 : -1,
                                  .s      = s,
                                  .stride = LD,
                                  .x      = x,
                                  .ld     = LD,
                                  .count  = count,
                                  .next   = 3,
                                  .ldy    = LD};
            for (int i = 0; i < ROWS * LD; i++) y[0][i] = y[1][i] = i % LD;
            vec->combine(&c, y[0]);
            c.count = 1;
            for (int64_t m = 0; m < count; m++, c.s += c.next) {
                vec->combine(&c, y[1] + m * LD);
                for (int64_t j = 0; j < n; j++) {
                    double want = (double)j;
                    for (int64_t r = 0; r < c.rows; r++) want += c.sign * c.s[r * LD] * x[r * LD + j];
                    assert_true(fabs(y[0][m * LD + j] - want) < 1e-12);
                }
            }
            assert_memory_equal(y[0], y[1], sizeof y[0]);
        }
}

static void test_combinations(void **state)
{
    (void)state;
    each_table(combinations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norm),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
