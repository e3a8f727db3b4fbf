/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of graph convolutions as matrices and as edges: given or learned, and their random walks. */
#include <math.h>

#include <fighter/experimental/report.h>
#include <fighter/experimental/tracker.h>
#include <fighter/fighter.h>

#include "../one_context.h"
#include "../report/page_text.h"

enum { B = 2, N = 5, T = 3, D = 4, LARGE = 5000 };

static float x[B * N * T * D], y[B * N * T * D];

/* Node 4 reads nobody. */
static const float weight[N][N] = {{0, 2, 0, 0, 1}, {0.5f, 0, 0, 0, 0}, {3, 0, 0, 1, 0}, {0, 0, 0, 2, 0}};

static fgt_graph *dense(void)
{
    fgt_graph *g;
    OK(fgt_graph_create_dense(ctx, FGT_VIEW(weight, N, N), &g));
    return g;
}

static fgt_graph *by_edges(void)
{
    fgt_graph *g;
    int64_t    indptr[N + 1] = {0}, indices[N * N], n = 0;
    float      value[N * N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            if (weight[i][j] == 0) continue;
            indices[n] = j;
            value[n++] = weight[i][j];
        }
        indptr[i + 1] = n;
    }
    OK(fgt_graph_create_csr(ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, N + 1),
                            FGT_VIEW_OF(FGT_DTYPE_I64, indices, n), FGT_VIEW(value, n), &g));
    return g;
}

/* Attention along time, then a graph convolution between the nodes, called "graph". */
static fgt_model *make(const fgt_gcn_opts *o)
{
    fgt_model *m;
    OK(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = N, .time = T, .features = D, .seed = 3), &m));
    OK(fgt_model_add(m, fgt_named("attention", fgt_attention(NULL))));
    OK(fgt_model_add(m, fgt_named("graph", fgt_along(FGT_AXIS_NODES, fgt_gcn(o)))));
    return m;
}

static void predict(fgt_model *m)
{
    for (int i = 0; i < B * N * T * D; i++) x[i] = sinf((float)(i * i % 97));
    OK(fgt_predict(m, FGT_VIEW(x, B, N, T, D), FGT_VIEW(y, B, N, T, D)));
}

static int32_t kind_of(const fgt_model *m)
{
    fgt_layer_info info = {.size = sizeof info};
    OK(fgt_model_get_layer(m, 1, &info));
    return info.adjacency;
}

/* A given graph, or with `head` >= 0 a walk on it. */
static double given(int head, int i, int j)
{
    double sum = 0;
    if (head < 0) return (double)weight[i][j];
    for (int k = 0; k < N; k++) sum += (double)(head ? weight[k][i] : weight[i][k]);
    return sum > 0 ? (double)(head ? weight[j][i] : weight[i][j]) / sum : 0;
}

/* Edges as fgt_edges_select() finds them in the matrix that fgt_model_get_adjacency() gave. */
static void check_edges(fgt_model *m, int64_t head, const float *a)
{
    fgt_edge got[N * N], want[N * N];
    int64_t  count, all;
    for (int without = 0; without < 2; without++)
        for (int64_t k = 1; k <= N * N; k += 6) {
            const fgt_edges_opts o = {.size = sizeof o, .head = head, .no_diagonal = without};
            const fgt_edge_rule  r = {.size = sizeof r, .no_diagonal = without};
            OK(fgt_edges_select(ctx, FGT_VIEW(a, N, N), &r, want, k, &all));
            OK(fgt_model_get_edges(m, "graph", &o, got, k, &count));
            assert_int_equal(count, all);
            assert_memory_equal(got, want, (size_t)count * sizeof *got);
        }
}

static void check_given(const fgt_gcn_opts *o)
{
    fgt_model    *m     = make(o);
    const int64_t walks = o->diffusion ? 2 : 1;
    fgt_view      v;
    float         a[2 * N * N];
    REFUSED(fgt_model_get_adjacency(m, "graph", &v), FGT_E_STATE, "no pass");
    predict(m);
    assert_int_equal(kind_of(m), FGT_ADJACENCY_GIVEN);
    OK(fgt_model_get_adjacency(m, "graph", &v));
    assert_true(v.rank == 4 && v.shape[0] == 1 && v.shape[1] == walks && v.shape[2] == N && v.shape[3] == N);
    memcpy(a, v.data, (size_t)fgt_view_count(&v) * sizeof *a);
    for (int w = 0; w < walks; w++)
        for (int i = 0; i < N * N; i++)
            assert_true(fabs((double)a[w * N * N + i] - given(o->diffusion ? w : -1, i / N, i % N)) < 1e-7);
    for (int64_t w = 0; w < walks; w++) check_edges(m, w, a + w * N * N);
    fgt_edge e;
    int64_t  n;
    REFUSED(fgt_model_get_edges(m, "graph", &FGT_OPTS(fgt_edges_opts, .head = walks), &e, 1, &n), FGT_E_ARG,
            "head");
    REFUSED(fgt_model_get_edges(m, "graph", &FGT_OPTS(fgt_edges_opts, .sample = 1), &e, 1, &n), FGT_E_ARG,
            "sample");
    fgt_model_destroy(&m);
}

static void test_given(void **state)
{
    (void)state;
    fgt_graph *graph[] = {dense(), by_edges()};
    for (int i = 0; i < 2; i++) {
        check_given(&FGT_OPTS(fgt_gcn_opts, .graph = graph[i]));
        check_given(&FGT_OPTS(fgt_gcn_opts, .graph = graph[i], .plain = 1));
        check_given(&FGT_OPTS(fgt_gcn_opts, .graph = graph[i], .diffusion = 1));
        fgt_graph_destroy(&graph[i]);
    }
}

/* softmax(relu(S)) of row i */
static void softmax(const double *s, double *p)
{
    double sum = 0;
    for (int j = 0; j < N; j++) sum += exp(fmax(s[j], 0));
    for (int j = 0; j < N; j++) p[j] = exp(fmax(s[j], 0)) / sum;
}

static void learned(const float *e1, const float *e2, int r, double *p)
{
    for (int i = 0; i < N; i++) {
        double s[N] = {0};
        for (int j = 0; j < N; j++)
            for (int k = 0; k < r; k++) s[j] += (double)e1[i * r + k] * (double)e2[j * r + k];
        softmax(s, p + i * N);
    }
}

/* Means of powers, too: there is one sample, whatever the batch is. */
static void test_learned(void **state)
{
    (void)state;
    enum { R = 2 };
    fgt_model     *m = make(&FGT_OPTS(fgt_gcn_opts, .learned = R, .diffusion = 1));
    float          e[2][N * R];
    double         p[2][N * N];
    fgt_view       v;
    fgt_adjacency *a;
    predict(m);
    assert_int_equal(kind_of(m), FGT_ADJACENCY_LEARNED);
    OK(fgt_model_copy_parameter(m, "graph.source", FGT_VIEW(e[0], N, R)));
    OK(fgt_model_copy_parameter(m, "graph.target", FGT_VIEW(e[1], N, R)));
    for (int w = 0; w < 2; w++) learned(e[w], e[!w], R, p[w]);
    OK(fgt_model_get_adjacency(m, "graph", &v));
    for (int i = 0; i < 2 * N * N; i++)
        assert_true(fabs((double)((const float *)v.data)[i] - p[i / (N * N)][i % (N * N)]) < 1e-6);
    check_edges(m, 1, (const float *)v.data + N * N);
    OK(fgt_adjacency_create(m, "graph", 2, &a));
    OK(fgt_adjacency_add(a, 0, 0));
    assert_int_equal(fgt_adjacency_count_samples(a), 1);
    OK(fgt_adjacency_get_mean(a, 1, 2, &v));
    const double *mean = v.data;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double dot = 0;
            for (int k = 0; k < N; k++) dot += p[1][i * N + k] * p[1][k * N + j];
            assert_true(fabs(mean[i * N + j] - dot) < 1e-6);
        }
    fgt_adjacency_destroy(&a);
    fgt_model_destroy(&m);
}

/* Of the weights as they are now, whoever has predicted since they changed. */
static void test_learned_now(void **state)
{
    (void)state;
    enum { R = 2 };
    fgt_model     *m = make(&FGT_OPTS(fgt_gcn_opts, .learned = R));
    float          e[2][N * R] = {{1, 2, 0, -1, 3, 1, 1, 1, -2, 0}, {2, 0, 1, 1, 0, 1, -1, 2, 1, 1}};
    double         p[N * N];
    fgt_workspace *ws;
    fgt_view       v;
    predict(m);
    OK(fgt_model_set_parameter(m, "graph.source", FGT_VIEW(e[0], N, R)));
    OK(fgt_model_set_parameter(m, "graph.target", FGT_VIEW(e[1], N, R)));
    learned(e[0], e[1], R, p);
    OK(fgt_model_create_workspace(m, NULL, &ws));
    for (int k = 0; k < 2; k++) {
        OK(fgt_model_get_adjacency(m, "graph", &v));
        for (int i = 0; i < N * N; i++) assert_true(fabs((double)((const float *)v.data)[i] - p[i]) < 1e-6);
        OK(fgt_workspace_predict(ws, FGT_VIEW(x, B, N, T, D), FGT_VIEW(y, B, N, T, D)));
    }
    fgt_workspace_destroy(&ws);
    fgt_model_destroy(&m);
}

/* A ring, whose matrix would have 100 MB. */
static void test_large(void **state)
{
    (void)state;
    int64_t   *indptr = calloc(LARGE + 1, sizeof *indptr), *indices = calloc(LARGE, sizeof *indices), n;
    float     *value = calloc(LARGE, sizeof *value), *z = calloc(LARGE, sizeof *z);
    fgt_graph *g;
    fgt_model *m;
    fgt_view   v;
    fgt_edge   e[3];
    for (int64_t i = 0; i < LARGE; i++) {
        indptr[i + 1] = i + 1;
        indices[i]    = (i + 1) % LARGE;
        value[i]      = 1 + (float)(i == 4321);
    }
    OK(fgt_graph_create_csr(ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, LARGE + 1),
                            FGT_VIEW_OF(FGT_DTYPE_I64, indices, LARGE), FGT_VIEW(value, LARGE), &g));
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = LARGE, .features = 1), &m));
    OK(fgt_model_add(m, fgt_named("graph", fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = g)))));
    OK(fgt_predict(m, FGT_VIEW(z, 1, LARGE, 1), FGT_VIEW(z, 1, LARGE, 1)));
    REFUSED(fgt_model_get_adjacency(m, "graph", &v), FGT_E_SIZE, "5000 nodes and 5000 edges");
    OK(fgt_model_get_edges(m, "graph", NULL, e, 3, &n));
    assert_true(n == 3 && e[0].to == 4321 && e[0].from == 4322 && e[0].weight == 2 && e[1].to == 0);
    fgt_model_destroy(&m);
    fgt_graph_destroy(&g);
    free(indptr);
    free(indices);
    free(value);
    free(z);
}

/* Mean cosine of the output of layer "graph", whose tokens are the nodes: samples are times of samples. */
static double cosine(fgt_model *m)
{
    fgt_view v;
    float    token[B * T][N][D];
    double   out[B * T], sum = 0;
    OK(fgt_workspace_get_value(fgt_model_get_workspace(m), "graph", &v));
    for (int i = 0; i < B * N * T * D; i++)
        token[i / (N * T * D) * T + i / D % T][i / (T * D) % N][i % D] = ((const float *)v.data)[i];
    OK(fgt_statistic_compute(ctx, FGT_STATISTIC_COSINE, NULL, FGT_VIEW(token, B * T, N, D), out));
    for (int i = 0; i < B * T; i++) sum += out[i] / (B * T);
    return sum;
}

/* Unless layers are named: those that training changes. */
static void check_tracked(const fgt_gcn_opts *o, const char *const *layers, bool graph)
{
    fgt_model      *m = make(o);
    fgt_tracker    *t;
    fgt_tracker_row r     = {.size = sizeof r};
    int             heads = 0, outputs = 0;
    predict(m);
    OK(fgt_tracker_create(m, &FGT_OPTS(fgt_tracker_opts, .layers = layers, .layer_count = layers != NULL),
                          FGT_VIEW(x, B, N, T, D), &t));
    OK(fgt_tracker_record(t, NULL));
    for (int64_t i = 0; i < fgt_tracker_count_rows(t); i++) {
        OK(fgt_tracker_get_row(t, i, &r));
        if (strcmp(r.layer, "graph") != 0) continue;
        heads += r.power == 1 && r.statistic == FGT_STATISTIC_ENTROPY;
        if (r.power || r.statistic != FGT_STATISTIC_COSINE) continue;
        outputs++;
        assert_true(fabs(r.value - cosine(m)) < 1e-12);
    }
    assert_true(heads == (graph ? 2 : 0) && outputs == graph);
    fgt_tracker_destroy(&t);
    fgt_model_destroy(&m);
}

static void test_tracked(void **state)
{
    (void)state;
    fgt_graph *g = dense();
    check_tracked(&FGT_OPTS(fgt_gcn_opts, .learned = 2, .diffusion = 1), NULL, true);
    check_tracked(&FGT_OPTS(fgt_gcn_opts, .graph = g, .diffusion = 1), NULL, false);
    check_tracked(&FGT_OPTS(fgt_gcn_opts, .graph = g, .diffusion = 1), (const char *[]){"graph"}, true);
    fgt_graph_destroy(&g);
}

/* The page has the graph beside attention, which has other tokens; samples do not matter to it. */
static void test_drawn(void **state)
{
    (void)state;
    const char *const names[N] = {"north", "east", "south", "west", "centre"};
    fgt_graph        *g        = by_edges();
    fgt_model        *m        = make(&FGT_OPTS(fgt_gcn_opts, .graph = g, .diffusion = 1));
    fgt_report       *r;
    fgt_report_pass   o = {.size = sizeof o, .subject = "sensors", .tokens = names, .layer = "graph"};
    OK(fgt_report_create(ctx, NULL, &r));
    predict(m);
    OK(fgt_report_add_model(r, m, NULL));
    char *page = page_of(r);
    assert_null(strstr(page, "graph\""));
    free(page);
    o.sample = 4;
    OK(fgt_report_add_model(r, m, &o));
    page = page_of(r);
    for (int i = 0; i < N; i++) assert_non_null(strstr(page, names[i]));
    assert_non_null(strstr(page, "sensors"));
    free(page);
    o.count = N + 1;
    REFUSED(fgt_report_add_model(r, m, &o), FGT_E_ARG,
            "layer \"graph\" has no such sample or tokens (got sample 0 and 6 tokens, need 0 to 0 and at "
            "most 5)");
    o.layer = "none";
    REFUSED(fgt_report_add_model(r, m, &o), FGT_E_NAME, "no layer \"none\"");
    fgt_report_destroy(&r);
    fgt_model_destroy(&m);
    fgt_graph_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_given),       WITH_CONTEXT(test_learned),
                                       WITH_CONTEXT(test_learned_now), WITH_CONTEXT(test_large),
                                       WITH_CONTEXT(test_tracked),     WITH_CONTEXT(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
