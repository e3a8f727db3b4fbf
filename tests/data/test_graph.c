/* SPDX-License-Identifier: BSD-3-Clause */
#include "../model_info.h"
#include "small_files.h"

#include <fighter/experimental/graph_data.h>
#include <fighter/graph.h>

#include "core/sparse.h"


#define N 4

static void expect_weights(const fgt_graph *g, const double *want, double tolerance)
{
    double got[N * N];
    expect_ok(fgt_graph_copy_weights(g, FGT_VIEW_OF(FGT_DTYPE_F64, got, N, N)));
    for (int i = 0; i < N * N; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance)) fail_msg("weight %d: %g, not %g", i, got[i], want[i]);
}

/* The two halves of a graph kept by edges agree, and both have rising columns. */
static void expect_consistent(const fgt_graph *g)
{
    if (g->dense) return;
    double a[N][N] = {{0}}, b[N][N] = {{0}};
    for (int64_t i = 0; i < g->n; i++) {
        const fgti_csr *r = &g->rows, *t = &g->transposed;
        for (int64_t e = r->indptr[i]; e < r->indptr[i + 1]; e++) a[i][r->indices[e]] = r->values[e];
        for (int64_t e = t->indptr[i]; e < t->indptr[i + 1]; e++) {
            b[t->indices[e]][i] = t->values[e];
            assert_true(e == t->indptr[i] || t->indices[e] > t->indices[e - 1]);
        }
    }
    assert_memory_equal(a, b, sizeof a);
}

static const double weights[N * N] = {
    0, 2, 0, 1, /**/ 0, 3, 0, 0, /**/ 0, 0, 0, 0, /**/ 0.5, 0.25, 0.25, 0,
};
/* the same by edges, the columns in any order */
static const int64_t indptr[]  = {0, 2, 3, 3, 6};
static const int32_t indices[] = {3, 1, 1, 2, 0, 1};
static const float   values[]  = {1, 2, 3, 0.25f, 0.5f, 0.25f};

static fgt_graph *make(int dense)
{
    fgt_graph *g;
    if (dense)
        expect_ok(fgt_graph_create_dense(&context, FGT_VIEW_OF(FGT_DTYPE_F64, weights, N, N), &g));
    else
        expect_ok(fgt_graph_create_csr(&context, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, N + 1),
                                       FGT_VIEW_OF(FGT_DTYPE_I32, indices, 6), FGT_VIEW(values, 6), &g));
    return g;
}

static void test_create(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        fgt_graph *g = make(dense), *copy;
        assert_int_equal(graph_nodes(g), N);
        assert_int_equal(graph_edges(g), dense ? 16 : 6);
        expect_weights(g, weights, 0);
        expect_consistent(g);
        expect_ok(fgti_graph_copy(&context, g, &copy));
        fgt_graph_destroy(&g);
        assert_null(g);
        assert_true(!copy->dense == !dense);
        expect_weights(copy, weights, 0);
        expect_consistent(copy);
        fgt_graph_destroy(&copy);
    }
    const int64_t wide[] = {3, 1, 1, 2, 0, 1};
    fgt_graph    *g;
    float         got[N][N];
    expect_ok(fgt_graph_create_csr(&context, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, N + 1),
                                   FGT_VIEW_OF(FGT_DTYPE_I64, wide, 6), NULL, &g));
    expect_ok(fgt_graph_copy_weights(g, FGT_VIEW(got, N, N)));
    assert_true(got[0][1] == 1 && got[3][2] == 1 && got[2][2] == 0);
    fgt_graph_destroy(&g);

    const int64_t none[] = {0, 0, 0}; /* nodes without edges */
    expect_ok(fgt_graph_create_csr(&context, FGT_VIEW_OF(FGT_DTYPE_I64, none, 3),
                                   FGT_VIEW_OF(FGT_DTYPE_I32, NULL, 0), NULL, &g));
    assert_int_equal(graph_nodes(g), 2);
    assert_int_equal(graph_edges(g), 0);
    fgt_graph_destroy(&g);
}

static void test_apply(void **state)
{
    (void)state;
    static const double row[N * N] = {
        0, 2.0 / 3, 0, 1.0 / 3, /**/ 0, 1, 0, 0, /**/ 0, 0, 0, 0, /**/ 0.5, 0.25, 0.25, 0,
    };
    static const double looped[N * N] = {
        0.25, 0.5, 0, 0.25, /**/ 0, 1, 0, 0, /**/ 0, 0, 1, 0, /**/ 0.25, 0.125, 0.125, 0.5,
    };
    double symmetric[N * N];
    double out[N] = {3, 3, 0, 1}, in[N] = {0.5, 5.25, 0.25, 1};
    for (int i = 0; i < N * N; i++)
        symmetric[i] = weights[i] != 0 ? weights[i] / sqrt(out[i / N] * in[i % N]) : 0;
    for (int dense = 0; dense < 2; dense++) {
        fgt_graph *g = make(dense), *n;
        expect_ok(fgt_graph_create_normalised(g, 0, 0, &n));
        expect_weights(n, weights, 0);
        fgt_graph_destroy(&n);
        expect_ok(fgt_graph_create_normalised(g, FGT_GRAPH_NORM_ROW, 0, &n));
        expect_weights(n, row, 1e-7);
        expect_consistent(n);
        fgt_graph_destroy(&n);
        expect_ok(fgt_graph_create_normalised(g, FGT_GRAPH_NORM_ROW, 1, &n));
        expect_weights(n, looped, 1e-7);
        expect_consistent(n);
        assert_int_equal(graph_edges(n), dense ? 16 : 9);
        fgt_graph_destroy(&n);
        expect_ok(fgt_graph_create_normalised(g, FGT_GRAPH_NORM_SYMMETRIC, 0, &n));
        expect_weights(n, symmetric, 1e-7);
        fgt_graph_destroy(&n);
        expect_weights(g, weights, 0); /* as it was */
        expect_status(fgt_graph_create_normalised(g, 3, 0, &n), FGT_E_ARG);
        expect_sentence("norm is out of range (got 3");
        expect_status(fgt_graph_create_normalised(g, 0, 0, NULL), FGT_E_ARG);
        assert_null(n);
        fgt_graph_destroy(&g);
    }
    const float negative[] = {1, -2, 0, 1};
    fgt_graph  *g, *n;
    expect_ok(fgt_graph_create_dense(&context, FGT_VIEW(negative, 2, 2), &g));
    expect_status(fgt_graph_create_normalised(g, FGT_GRAPH_NORM_ROW, 0, &n), FGT_E_DATA);
    expect_sentence("the weights of node 0 sum to -1");
    expect_status(fgt_graph_create_normalised(g, FGT_GRAPH_NORM_SYMMETRIC, 0, &n), FGT_E_DATA);
    expect_status(fgt_graph_create_normalised(NULL, 0, 0, &n), FGT_E_ARG);
    assert_null(n);
    fgt_graph_destroy(&g);
}

static void test_refused(void **state)
{
    (void)state;
    static const int64_t falls[]    = {0, 3, 2, 2, 6};
    static const int64_t late[]     = {1, 2, 3, 3, 6};
    static const int64_t low[]      = {0, 2, 3, 3, 5};
    static const int32_t outside[]  = {3, 1, 1, 2, 4, 1};
    static const int32_t negative[] = {3, 1, 1, 2, -1, 1};
    static const int32_t twice[]    = {3, 1, 1, 2, 1, 1};
    static const float   nan[]      = {1, 2, 3, 4, NAN, 6};
    static const struct {
        const int64_t *indptr;
        const int32_t *indices;
        const float   *values;
        const char    *sentence;
    } bad[] = {
        {falls, indices, values, "indptr falls from 3 to 2 at node 1"},
        {late, indices, values, "indptr has the wrong ends (got 1 and 6, need 0 and 6)"},
        {low, indices, values, "indptr has the wrong ends (got 0 and 5, need 0 and 6)"},
        {indptr, outside, values, "the node of edge 4 is out of range (got 4, need 0 .. 3)"},
        {indptr, negative, values, "the node of edge 4 is out of range (got -1, need 0 .. 3)"},
        {indptr, twice, values, "the edge from 3 to 1 is given twice"},
        {indptr, indices, nan, "the weight in row 3, column 0 is nan"},
    };
    fgt_graph *g;
    for (size_t i = 0; i < COUNT(bad); i++) {
        const fgt_view *p     = FGT_VIEW_OF(FGT_DTYPE_I64, bad[i].indptr, N + 1);
        const fgt_view *nodes = FGT_VIEW_OF(FGT_DTYPE_I32, bad[i].indices, 6);
        expect_status(fgt_graph_create_csr(&context, p, nodes, FGT_VIEW(bad[i].values, 6), &g), FGT_E_DATA);
        expect_sentence(bad[i].sentence);
        assert_null(g);
        assert_int_equal(hook.live, 0);
    }
    const fgt_view *p = FGT_VIEW_OF(FGT_DTYPE_I64, indptr, N + 1),
                   *x = FGT_VIEW_OF(FGT_DTYPE_I32, indices, 6);
    expect_status(fgt_graph_create_csr(&context, p, x, FGT_VIEW(values, 5), &g), FGT_E_SHAPE);
    expect_status(fgt_graph_create_csr(&context, x, x, FGT_VIEW(values, 6), &g), FGT_E_SHAPE);
    expect_status(fgt_graph_create_csr(&context, p, FGT_VIEW(values, 6), NULL, &g), FGT_E_SHAPE);
    const fgt_view *one   = FGT_VIEW_OF(FGT_DTYPE_I64, indptr, 1),
                   *empty = FGT_VIEW_OF(FGT_DTYPE_I32, indices, 0);
    expect_status(fgt_graph_create_csr(&context, one, empty, NULL, &g), FGT_E_SHAPE);
    expect_sentence("graph: there are no nodes (need at least 1)");
    expect_status(fgt_graph_create_csr(&context, NULL, x, NULL, &g), FGT_E_ARG);
    expect_status(fgt_graph_create_csr(&context, p, NULL, NULL, &g), FGT_E_ARG);
    expect_status(fgt_graph_create_csr(&context, p, x, NULL, NULL), FGT_E_ARG);

    const float square[] = {1, 2, INFINITY, 4};
    expect_status(fgt_graph_create_dense(&context, FGT_VIEW(square, 2, 2), &g), FGT_E_DATA);
    expect_sentence("the weight in row 1, column 0 is inf");
    expect_status(
        fgt_graph_create_dense(&context, FGT_VIEW_OF(FGT_DTYPE_F64, (const double[]){1e300}, 1, 1), &g),
        FGT_E_DATA);
    expect_status(fgt_graph_create_dense(&context, FGT_VIEW(square, 1, 2), &g), FGT_E_SHAPE);
    expect_status(fgt_graph_create_dense(&context, FGT_VIEW(square, 4), &g), FGT_E_SHAPE);
    expect_status(fgt_graph_create_dense(&context, FGT_VIEW(square, 0, 0), &g), FGT_E_SHAPE);
    expect_status(fgt_graph_create_dense(&context, NULL, &g), FGT_E_ARG);
    assert_null(g);
    expect_status(fgt_graph_copy_weights(NULL, FGT_VIEW(square, 2, 2)), FGT_E_ARG);
    assert_int_equal(graph_nodes(NULL), 0);
    assert_int_equal(graph_edges(NULL), 0);
    fgt_graph_destroy(&g);
    fgt_graph_destroy(NULL);
}

static void test_correlation(void **state)
{
    (void)state;
    enum { ROWS = 200 };
    static double x[ROWS + 1][N];
    fgt_graph    *g;
    for (int r = 0; r < ROWS; r++) {
        x[r][0] = 5 + sin(2 * acos(-1) * r / ROWS);
        x[r][1] = -3 * x[r][0] + 1;                  /* |r| = 1 */
        x[r][2] = 7 + cos(2 * acos(-1) * r / ROWS);  /* r = 0 */
        x[r][3] = 0.1;                               /* constant */
    }
    x[ROWS][0] = 1e9; /* outside the rows asked for */
    static const double want[N * N] = {0.5, 0.5, 0, 0, /**/ 0.5, 0.5, 0, 0, /**/ 0, 0, 1, 0, /**/ 0, 0, 0, 1};
    expect_ok(
        fgt_graph_create_correlation(&context, FGT_VIEW_OF(FGT_DTYPE_F64, x, ROWS + 1, N), 0, ROWS, 0.3, &g));
    expect_weights(g, want, 1e-6);
    fgt_graph_destroy(&g);

    x[3][0] = NAN; /* counts as the mean: the correlation falls a little */
    double got[N][N];
    expect_ok(
        fgt_graph_create_correlation(&context, FGT_VIEW_OF(FGT_DTYPE_F64, x, ROWS + 1, N), 0, ROWS, 0.3, &g));
    expect_ok(fgt_graph_copy_weights(g, FGT_VIEW_OF(FGT_DTYPE_F64, got, N, N)));
    assert_true(got[0][1] > 0.49 && got[0][1] < 0.5 && fabs(got[0][0] + got[0][1] - 1) < 1e-6);
    fgt_graph_destroy(&g);

    const fgt_view v = *FGT_VIEW_OF(FGT_DTYPE_F64, x, ROWS + 1, N);
    expect_status(fgt_graph_create_correlation(&context, &v, 0, ROWS, 1, &g), FGT_E_ARG);
    expect_sentence("threshold is out of range (got 1, need at least 0 and below 1)");
    expect_status(fgt_graph_create_correlation(&context, &v, 0, ROWS, NAN, &g), FGT_E_ARG);
    expect_status(fgt_graph_create_correlation(&context, &v, 0, ROWS + 2, 0, &g), FGT_E_ARG);
    expect_status(fgt_graph_create_correlation(&context, &v, 3, 4, 0, &g), FGT_E_DATA);
    expect_sentence("column 0 has no value in rows 3 .. 3");
    expect_status(fgt_graph_create_correlation(&context, NULL, 0, 1, 0, &g), FGT_E_ARG);
    assert_null(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_create, expect_no_leak),
        cmocka_unit_test_teardown(test_apply, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_correlation, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
