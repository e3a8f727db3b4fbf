/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of one head: orientation, biases and scale, bounds, refusals. tests/golden compares the blocks. */
#include <math.h>

#include <fighter/experimental/sensitivity.h>

#include "../one_context.h"

enum { T = 6, D = 4, K = 3, V = 5 };

static double x[T * D], a[T * T], wq[D * K], wk[D * K], wv[D * V], bq[K], bk[K];

static void softmax_row(double *row)
{
    double sum = 0;
    for (int j = 0; j < T; j++) sum += row[j] = exp(row[j]);
    for (int j = 0; j < T; j++) row[j] /= sum;
}

/* q = x Wq + bq and so on, A with these scores times `scale`. */
static void attend(double scale)
{
    for (int i = 0; i < T; i++) {
        for (int j = 0; j < T; j++) {
            double e = 0;
            for (int k = 0; k < K; k++) {
                double q = bq[k], key = bk[k];
                for (int n = 0; n < D; n++) {
                    q += x[i * D + n] * wq[n * K + k];
                    key += x[j * D + n] * wk[n * K + k];
                }
                e += q * key;
            }
            a[i * T + j] = scale * e;
        }
        softmax_row(a + i * T);
    }
}

#define VIEW(p, ...)                                                           \
    {                                                                          \
        .data = (p), .shape = {__VA_ARGS__}, .rank = 2, .dtype = FGT_DTYPE_F64 \
    }
static fgt_view views[]  = {VIEW(x, T, D), VIEW(a, T, T), VIEW(wq, D, K), VIEW(wk, D, K), VIEW(wv, D, V)};
static fgt_view biases[] = {{.data = bq, .shape = {K}, .rank = 1, .dtype = FGT_DTYPE_F64},
                            {.data = bk, .shape = {K}, .rank = 1, .dtype = FGT_DTYPE_F64}};

static fgt_attention_head make(double scale)
{
    for (int i = 0; i < T * D; i++) x[i] = sin(i * i);
    for (int i = 0; i < D * K; i++) wq[i] = cos(3 * i), wk[i] = sin(5 * i);
    for (int i = 0; i < D * V; i++) wv[i] = cos(i * i);
    for (int i = 0; i < K; i++) bq[i] = 0.5 - i, bk[i] = i * 0.25;
    attend(scale);
    return (fgt_attention_head){.size  = sizeof(fgt_attention_head),
                                .x     = &views[0],
                                .a     = &views[1],
                                .wq    = &views[2],
                                .wk    = &views[3],
                                .wv    = &views[4],
                                .bq    = &biases[0],
                                .bk    = &biases[1],
                                .scale = scale};
}

/* h_i[o] for the present x. */
static double output(double scale, int i, int o)
{
    double h = 0;
    attend(scale);
    for (int m = 0; m < T; m++)
        for (int n = 0; n < D; n++) h += a[i * T + m] * x[m * D + n] * wv[n * V + o];
    return h;
}

/* With biases and a scale of one's own, against differences in double. */
static void test_differences(void **state)
{
    (void)state;
    static double      blocks[T][T][V][D];
    const double       scale = 0.7, step = 1e-5;
    fgt_attention_head head = make(scale);
    OK(fgt_attention_path_compute(ctx, &head, FGT_ATTENTION_PATH_TOTAL, FGT_SENSITIVITY_NORM_FROBENIUS, NULL,
                                  FGT_VIEW_OF(FGT_DTYPE_F64, blocks, T, T, V, D)));
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            for (int n = 0; n < D; n++) {
                double *const e = &x[j * D + n], was = *e;
                *e                 = was + step;
                const double up    = output(scale, i, 2);
                *e                 = was - step;
                const double slope = (up - output(scale, i, 2)) / (2 * step);
                *e                 = was;
                if (fabs(blocks[i][j][2][n] - slope) > 1e-8)
                    fail_msg("%d,%d,%d: %g, by differences %g", i, j, n, blocks[i][j][2][n], slope);
            }
}

/* The paths add up; weights may be turned; without a scale it is 1/sqrt(K). */
static void test_paths(void **state)
{
    (void)state;
    static double      path[4][T][T][V][D], turned[3][D * K > D * V ? D * K : D * V];
    double             norms[2][T * T];
    fgt_attention_head head = make(1 / sqrt(K));
    head.scale              = 0;
    for (int p = 0; p < 4; p++)
        OK(fgt_attention_path_compute(ctx, &head, (int32_t)p, FGT_SENSITIVITY_NORM_SPECTRAL,
                                      FGT_VIEW_OF(FGT_DTYPE_F64, norms[0], T, T),
                                      FGT_VIEW_OF(FGT_DTYPE_F64, path[p], T, T, V, D)));
    for (int k = 0; k < T * T * V * D; k++) {
        const double sum = (&path[0][0][0][0][0])[k] + (&path[1][0][0][0][0])[k] + (&path[2][0][0][0][0])[k];
        assert_true(fabs(sum - (&path[3][0][0][0][0])[k]) < 1e-14);
    }
    for (int i = 0; i < D; i++) {
        for (int k = 0; k < K; k++)
            turned[0][k * D + i] = wq[i * K + k], turned[1][k * D + i] = wk[i * K + k];
        for (int k = 0; k < V; k++) turned[2][k * D + i] = wv[i * V + k];
    }
    head.wq     = FGT_VIEW_OF(FGT_DTYPE_F64, turned[0], K, D);
    head.wk     = FGT_VIEW_OF(FGT_DTYPE_F64, turned[1], K, D);
    head.wv     = FGT_VIEW_OF(FGT_DTYPE_F64, turned[2], V, D);
    head.turned = 1;
    OK(fgt_attention_path_compute(ctx, &head, FGT_ATTENTION_PATH_TOTAL, FGT_SENSITIVITY_NORM_SPECTRAL,
                                  FGT_VIEW_OF(FGT_DTYPE_F64, norms[1], T, T), NULL));
    assert_memory_equal(norms[0], norms[1], sizeof norms[0]);
}

static double mean_norm(const double *norms, bool own)
{
    double sum = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) sum += (i == j) == own ? norms[i * T + j] / (own ? T : T * T) : 0;
    return sum;
}

static void block_diagonal(void)
{
    for (int i = 0; i < T; i++) {
        const double rest = 1 - a[i * T + i];
        a[i * T + i]      = 0;
        for (int j = 0; j < T; j++) a[i * T + j] /= rest;
    }
}

static fgt_attention_path_bounds check_bounds(const fgt_attention_head *head, int32_t norm)
{
    double          norms[T * T];
    fgt_attention_path_bounds b = {.size = sizeof b};
    OK(fgt_attention_path_compute(ctx, head, FGT_ATTENTION_PATH_TOTAL, norm,
                                  FGT_VIEW_OF(FGT_DTYPE_F64, norms, T, T), NULL));
    OK(fgt_attention_path_compute_bounds(ctx, head, norm, &b));
    assert_true(fabs(b.off_norm - mean_norm(norms, false)) < 1e-14 && b.off_norm <= b.off_bound);
    assert_true(fabs(b.own_norm - mean_norm(norms, true)) < 1e-14 && b.own_norm <= b.own_bound_sure);
    assert_true(fabs(b.off_bound - (b.value + 0.5 * b.key) / T) < 1e-14);
    assert_true(fabs(b.own_bound - b.diagonal * (b.value + 0.5 * (b.key + b.query))) < 1e-13);
    return b;
}

/* Their left sides are means of the norms. With the diagonal blocked, equation 8 has 0 for blocks that still
 * have the query path. */
static void test_bounds(void **state)
{
    (void)state;
    const fgt_attention_head head = make(0.5);
    for (int blocked = 0; blocked < 2; blocked++) {
        for (int norm = 0; norm < 2; norm++) {
            const fgt_attention_path_bounds b = check_bounds(&head, (int32_t)norm);
            if (blocked) assert_true(b.own_bound == 0 && b.own_norm > 0.01);
        }
        block_diagonal();
    }
}

static void test_residual(void **state)
{
    (void)state;
    double             norms[2][T * T], blocks[2][T * T * D * D];
    fgt_attention_path_bounds b    = {.size = sizeof b};
    fgt_attention_head head = make(0.5);
    head.residual           = 1;
    REFUSED(fgt_attention_path_compute_bounds(ctx, &head, FGT_SENSITIVITY_NORM_SPECTRAL, &b), FGT_E_SHAPE,
            "wv has the wrong width (got 5");
    head.wv = FGT_VIEW_OF(FGT_DTYPE_F64, wv, D, D);
    for (int r = 0; r < 2; r++) {
        head.residual = r;
        OK(fgt_attention_path_compute(ctx, &head, FGT_ATTENTION_PATH_TOTAL, FGT_SENSITIVITY_NORM_FROBENIUS,
                                      FGT_VIEW_OF(FGT_DTYPE_F64, norms[r], T, T),
                                      FGT_VIEW_OF(FGT_DTYPE_F64, blocks[r], T, T, D, D)));
    }
    for (int k = 0; k < T * T * D * D; k++) {
        const int i = k / (T * D * D), j = k / (D * D) % T, o = k / D % D, n = k % D;
        assert_true(fabs(blocks[1][k] - blocks[0][k] - (i == j && o == n)) < 1e-14);
    }
    OK(fgt_attention_path_compute_bounds(ctx, &head, FGT_SENSITIVITY_NORM_FROBENIUS, &b));
    assert_true(fabs(b.own_bound - 2 - b.diagonal * (b.value + 0.5 * (b.key + b.query))) < 1e-13);
}

static void test_refused(void **state)
{
    (void)state;
    double             norms[T * T] = {42};
    const fgt_view    *v            = FGT_VIEW_OF(FGT_DTYPE_F64, norms, T, T),
                   *small           = FGT_VIEW_OF(FGT_DTYPE_F64, norms, T, 1);
    fgt_attention_path_bounds b = {.size = sizeof b}, unset = {0};
    fgt_status         s;
    fgt_attention_head head = make(1), bad;
#define BAD(path, norm, norms, status, words) \
    REFUSED(fgt_attention_path_compute(ctx, &bad, path, norm, norms, NULL), status, words)
    bad = head;
    assert_int_equal(fgt_attention_path_compute(NULL, &bad, FGT_ATTENTION_PATH_KEY,
                                                FGT_SENSITIVITY_NORM_SPECTRAL, v, NULL),
                     FGT_E_ARG);
    REFUSED(
        fgt_attention_path_compute(ctx, NULL, FGT_ATTENTION_PATH_KEY, FGT_SENSITIVITY_NORM_SPECTRAL, v, NULL),
        FGT_E_ARG, "head is NULL");
    BAD((int32_t)4, FGT_SENSITIVITY_NORM_SPECTRAL, v, FGT_E_ARG, "unknown path (got 4");
    BAD(FGT_ATTENTION_PATH_KEY, (int32_t)2, v, FGT_E_ARG, "unknown norm (got 2");
    BAD(FGT_ATTENTION_PATH_KEY, FGT_SENSITIVITY_NORM_SPECTRAL, NULL, FGT_E_ARG, "NULL");
    BAD(FGT_ATTENTION_PATH_KEY, FGT_SENSITIVITY_NORM_SPECTRAL, small, FGT_E_SHAPE, "norms");
    bad.a = small;
    BAD(FGT_ATTENTION_PATH_KEY, FGT_SENSITIVITY_NORM_SPECTRAL, v, FGT_E_SHAPE,
        "a has the wrong shape (got [6,1], need [6,6])");
    bad    = head;
    bad.wk = &views[4];
    BAD(FGT_ATTENTION_PATH_KEY, FGT_SENSITIVITY_NORM_SPECTRAL, v, FGT_E_SHAPE,
        "wk has the wrong shape (got [4,5], need [4,3])");
    bad    = head;
    bad.bk = NULL;
    bad.wv = NULL;
    BAD(FGT_ATTENTION_PATH_KEY, FGT_SENSITIVITY_NORM_SPECTRAL, v, FGT_E_ARG, "wv");
    REFUSED(fgt_attention_path_compute_bounds(ctx, &head, FGT_SENSITIVITY_NORM_SPECTRAL, NULL), FGT_E_ARG,
            "bounds is NULL");
    REFUSED(fgt_attention_path_compute_bounds(ctx, &head, FGT_SENSITIVITY_NORM_SPECTRAL, &unset),
            FGT_E_VERSION, "size");
    assert_true(norms[0] == 42);
    SWEEP(&memory, s, 2,
          fgt_attention_path_compute(ctx, &head, FGT_ATTENTION_PATH_KEY, FGT_SENSITIVITY_NORM_SPECTRAL, v,
                                     NULL))
    NOTHING_LEAKS;
    SWEEP(&memory, s, 3, fgt_attention_path_compute_bounds(ctx, &head, FGT_SENSITIVITY_NORM_SPECTRAL, &b))
    NOTHING_LEAKS;
    x[1] = (double)NAN;
    REFUSED(fgt_attention_path_compute_bounds(ctx, &head, FGT_SENSITIVITY_NORM_SPECTRAL, &b), FGT_E_NONFINITE,
            "x: element 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_differences), WITH_CONTEXT(test_paths),
                                       WITH_CONTEXT(test_bounds), WITH_CONTEXT(test_residual),
                                       WITH_CONTEXT(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
