/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics: closed forms, matrices that have none, refusals. tests/golden compares them with numpy. */
#include <math.h>

#include <fighter/analysis.h>

#include "../one_context.h"

enum { T = 7 };

static double statistic(int32_t k, const fgt_view *x)
{
    double out = 0;
    OK(fgt_statistic_compute(ctx, k, NULL, x, &out));
    return out;
}

static void is_near(const char *what, double got, double want)
{
    if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
        fail_msg("%s is %.17g, not %.17g", what, got, want);
}

static void check_all(const char *what, const fgt_view *x, const double want[FGT_STATISTIC_COUNT])
{
    char name[80];
    for (int32_t k = 0; k < FGT_STATISTIC_COUNT; k++) {
        snprintf(name, sizeof name, "%s, %s", what, fgt_statistic_get_name(k));
        is_near(name, statistic(k, x), want[k]);
    }
}

/* Each token reads itself; all tokens alike; all the first one. */
static void test_extremes(void **state)
{
    (void)state;
    double own[T * T] = {0}, even[T * T], first[T * T] = {0};
    for (int i = 0; i < T * T; i++) even[i] = 1.0 / T;
    for (int i = 0; i < T; i++) own[i * T + i] = first[i * T] = 1;
    const double far = (1 + 2 + 3 + 4 + 5 + 6) / (double)T;
    check_all("identity", FGT_VIEW_OF(FGT_DTYPE_F64, own, T, T),
              (double[]){1, 1, 0, 0, 0, 1.0 / T, 1 - 1.0 / T, 1, 0, T, sqrt(1 - 1.0 / T)});
    check_all("even", FGT_VIEW_OF(FGT_DTYPE_F64, even, T, T),
              (double[]){1.0 / T, 1.0 / T, log(T), 1, 4 * (1 * 6 + 2 * 5 + 3 * 4) / (double)(T * T), 1.0 / T,
                         0, 0, 1, 1, 0});
    check_all("first", FGT_VIEW_OF(FGT_DTYPE_F64, first, T, T),
              (double[]){1.0 / T, 1.0 / T, 0, 0, far, 1, 0, 0, 1, 1, 0});
}

/* One token has no pair; a matrix of zeros has no row to go over, and rank 0. */
static void test_degenerate(void **state)
{
    (void)state;
    const double one = 0.25, none[9] = {0};
    check_all("one token", FGT_VIEW_OF(FGT_DTYPE_F64, &one, 1, 1),
              (double[]){1, 1, 0, 0, 0, 1, 0, (double)NAN, (double)NAN, 1, 0});
    const double n = (double)NAN;
    check_all("zeros", FGT_VIEW_OF(FGT_DTYPE_F64, none, 3, 3), (double[]){n, n, n, n, n, n, 0, 1, 0, 0, 0});
}

/* Rows are divided by their sums: a factor changes none of the statistics of A. Neither does it change angles
 * and ranks of values. */
static void test_scale(void **state)
{
    (void)state;
    double a[T * T], b[T * T];
    for (int i = 0; i < T * T; i++) b[i] = 3e90 * (a[i] = 1 + sin(i));
    for (int32_t k = 0; k < FGT_STATISTIC_COUNT; k++)
        if (k != FGT_STATISTIC_DIRICHLET)
            is_near(fgt_statistic_get_name(k), statistic(k, FGT_VIEW_OF(FGT_DTYPE_F64, b, T, T)),
                    statistic(k, FGT_VIEW_OF(FGT_DTYPE_F64, a, T, T)));
}

/* Singular values of a matrix that is known by its factors: reflections of a diagonal one. */
static void test_rank(void **state)
{
    (void)state;
    enum { M = 12, N = 5 };
    static const double s[N] = {4, 2, 1, 1e-3, 0};
    double              x[M * N], turned[N * M], u[M], v[N], h = 0;
    for (int i = 0; i < M; i++) u[i] = sin(1 + i);
    for (int i = 0; i < N; i++) v[i] = cos(2 * i);
    double uu = 0, vv = 0;
    for (int i = 0; i < M; i++) uu += u[i] * u[i];
    for (int i = 0; i < N; i++) vv += v[i] * v[i];
    for (int i = 0; i < M; i++)
        for (int k = 0; k < N; k++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += ((i == j) - 2 * u[i] * u[j] / uu) * s[j] * ((k == j) - 2 * v[k] * v[j] / vv);
            x[i * N + k] = turned[k * M + i] = sum;
        }
    for (int k = 0; k < N - 1; k++) h -= s[k] / 7.001 * log(s[k] / 7.001);
    is_near("rank", statistic(FGT_STATISTIC_RANK, FGT_VIEW_OF(FGT_DTYPE_F64, x, M, N)), exp(h));
    is_near("rank, turned", statistic(FGT_STATISTIC_RANK, FGT_VIEW_OF(FGT_DTYPE_F64, turned, N, M)), exp(h));
    const double beside[] = {1, 1.6e-162, 0, 1}; /* whose square is a denormal */
    is_near("rank, denormal", statistic(FGT_STATISTIC_RANK, FGT_VIEW_OF(FGT_DTYPE_F64, beside, 2, 2)), 2);
}

static void test_graph(void **state)
{
    (void)state;
    double x[2 * 3 * 2] = {0, 0, 1, 0, 0, 2, 5, 5, 5, 5, 6, 5}, g[9] = {0, 1, 0, 0, 0, 0, 0, 0, 0}, out[2];
    fgt_statistic_opts o = {.size = sizeof o, .graph = FGT_VIEW_OF(FGT_DTYPE_F64, g, 3, 3)};
    OK(fgt_statistic_compute(ctx, FGT_STATISTIC_DIRICHLET, &o, FGT_VIEW_OF(FGT_DTYPE_F64, x, 2, 3, 2), out));
    is_near("one edge", out[0], 1.0 / 6);
    is_near("alike", out[1], 0);
    const double both[18] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    o.graph               = FGT_VIEW_OF(FGT_DTYPE_F64, both, 2, 3, 3);
    OK(fgt_statistic_compute(ctx, FGT_STATISTIC_DIRICHLET, &o, FGT_VIEW_OF(FGT_DTYPE_F64, x, 2, 3, 2), out));
    is_near("a graph for each", out[1], 1.0 / 6);
    for (int i = 0; i < 9; i++) g[i] = 1.0 / 3;
    double plain[2];
    o.graph = FGT_VIEW_OF(FGT_DTYPE_F64, g, 3, 3);
    for (int32_t k = FGT_STATISTIC_DIRICHLET; k <= FGT_STATISTIC_MAD; k++) {
        OK(fgt_statistic_compute(ctx, k, &o, FGT_VIEW_OF(FGT_DTYPE_F64, x, 2, 3, 2), out));
        OK(fgt_statistic_compute(ctx, k, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, x, 2, 3, 2), plain));
        for (int i = 0; i < 2; i++) is_near("complete graph", out[i], plain[i]);
    }
}

static void test_refused(void **state)
{
    (void)state;
    float           x[24]  = {1, 2, 3};
    double          out[6] = {42, 42};
    const int32_t   ids[4] = {0};
    const fgt_view *a = FGT_VIEW(x, 2, 3, 4), *square = FGT_VIEW(x, 2, 2);
#define BAD(k, o, v, status, words) REFUSED(fgt_statistic_compute(ctx, k, o, v, out), status, words)
    assert_int_equal(fgt_statistic_compute(NULL, FGT_STATISTIC_RANK, NULL, a, out), FGT_E_ARG);
    BAD(FGT_STATISTIC_RANK, NULL, NULL, FGT_E_ARG, "NULL");
    REFUSED(fgt_statistic_compute(ctx, FGT_STATISTIC_RANK, NULL, a, NULL), FGT_E_ARG, "NULL");
    BAD((int32_t)FGT_STATISTIC_COUNT, NULL, a, FGT_E_ARG, "unknown statistic (got 11");
    BAD((int32_t)-1, NULL, a, FGT_E_ARG, "unknown statistic (got -1");
    BAD(FGT_STATISTIC_DIAGONAL, NULL, a, FGT_E_SHAPE, "A has the wrong shape (got [2,3,4], need square");
    BAD(FGT_STATISTIC_RANK, NULL, FGT_VIEW(x, 3), FGT_E_SHAPE, "x has the wrong shape (got [3]");
    BAD(FGT_STATISTIC_RANK, NULL, FGT_VIEW(x, 0, 3), FGT_E_SHAPE, "an axis of 0");
    BAD(FGT_STATISTIC_RANK, NULL, FGT_VIEW(NULL, 2, 3), FGT_E_ARG, "no data");
    BAD(FGT_STATISTIC_RANK, NULL, FGT_VIEW_OF(FGT_DTYPE_I32, ids, 2, 2), FGT_E_SHAPE, "need F32 or F64");
    BAD(FGT_STATISTIC_RANK, &FGT_OPTS(fgt_statistic_opts, .graph = square), square, FGT_E_ARG,
        "does not use a graph");
    BAD(FGT_STATISTIC_MAD, &FGT_OPTS(fgt_statistic_opts, .graph = square), a, FGT_E_SHAPE,
        "got 1 of 2 nodes, need 1 or 2 of 3");
    BAD(FGT_STATISTIC_FIRST, &FGT_OPTS(fgt_statistic_opts, .first = -1), square, FGT_E_ARG, "first");
    x[3] = -1;
    BAD(FGT_STATISTIC_ENTROPY, NULL, square, FGT_E_DATA,
        "element 3 is out of range (got -1, need weights of 0 or more)");
    BAD(FGT_STATISTIC_MAD, &FGT_OPTS(fgt_statistic_opts, .graph = square), square, FGT_E_DATA,
        "graph: element 3");
    x[2] = NAN;
    BAD(FGT_STATISTIC_RANK, NULL, square, FGT_E_NONFINITE, "element 2 is not finite");
    x[2] = INFINITY;
    BAD(FGT_STATISTIC_FIRST, NULL, square, FGT_E_NONFINITE, "element 2 is not finite");
    const double huge[2] = {1, -1e101};
    BAD(FGT_STATISTIC_DIRICHLET, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, huge, 2, 1), FGT_E_DATA,
        "need within 1e100");
    is_near("untouched", out[0] + out[1], 84);
    assert_null(fgt_statistic_get_name((int32_t)FGT_STATISTIC_COUNT));
}

static void test_no_memory(void **state)
{
    (void)state;
    float      x[12] = {1, 2, 3, 4};
    double     out   = 42;
    fgt_status s;
    SWEEP(&memory, s, 1, fgt_statistic_compute(ctx, FGT_STATISTIC_RANK, NULL, FGT_VIEW(x, 3, 4), &out))
    {
        NOTHING_LEAKS;
        is_near("untouched", out, 42);
    }
}

/* A number of each matrix, the same for any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 40 };
    static float x[N * T * T];
    double       out[2][N];
    for (int i = 0; i < N * T * T; i++) x[i] = 1 + (float)sin(i);
    for (int32_t k = 0; k < FGT_STATISTIC_COUNT; k++) {
        for (int32_t threads = 1; threads < 3; threads++) {
            const fgt_context_opts o = {.size = sizeof o, .threads = threads == 1 ? 1 : 5};
            fgt_context           *c;
            assert_int_equal(fgt_context_create(&o, &c), FGT_OK);
            OK_OF(c, fgt_statistic_compute(c, k, NULL, FGT_VIEW(x, N / 2, 2, T, T), out[threads - 1]));
            fgt_context_destroy(&c);
        }
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        is_near("the last one", out[0][N - 1], statistic(k, FGT_VIEW(x + (N - 1) * T * T, T, T)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_extremes),  WITH_CONTEXT(test_degenerate), WITH_CONTEXT(test_scale),
        WITH_CONTEXT(test_rank),      WITH_CONTEXT(test_graph),      WITH_CONTEXT(test_refused),
        WITH_CONTEXT(test_no_memory), WITH_CONTEXT(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
