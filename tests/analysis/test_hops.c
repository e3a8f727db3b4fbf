/* SPDX-License-Identifier: BSD-3-Clause */
/* Terms of Fighter layers, and the importance of tokens: closed forms, the gradients of training, refusals.
 * tests/golden has their numbers. */
#include <math.h>

#include <fighter/experimental/hops.h>
#include <fighter/experimental/tracker.h>
#include <fighter/fighter.h>

#include "../model_info.h"
#include "../one_context.h"

enum { B = 2, T = 5, D = 4, H = 4, K = 6, HOPS = 4 };

static float x[B * T * D], dy[B * T * H];

static fgt_model *make(const fgt_fighter_opts *o, int layers)
{
    fgt_model *m;
    for (int i = 0; i < B * T * D; i++) x[i] = (float)sin(i * i);
    for (int i = 0; i < B * T * H; i++) dy[i] = (float)cos(3 * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 7), &m));
    for (int i = 0; i < layers; i++) OK(fgt_model_add(m, fgt_fighter(o)));
    return m;
}

static void predict(fgt_model *m)
{
    float y[B * T * H];
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
}

/* A parameter's values; the number of them. */
static int64_t read(fgt_model *m, const char *name, float *out)
{
    fgt_view v = {0};
    OK(parameter_shape(m, name, &v));
    v.data = out;
    OK(fgt_model_copy_parameter(m, name, &v));
    return fgt_view_count(&v);
}

/* ---- terms ---- */

/* |A_a^i X W_i| of sample b, without a norm: A from the layer. */
static double term_norm(fgt_model *m, int64_t heads, int i, int first, int b)
{
    float    w[HOPS * D * H];
    double   now[T * H] = {0}, next[T * H], sum = 0;
    fgt_view a;
    if (i < first) return 0;
    read(m, "0.hop_weight", w);
    OK(fgt_model_get_adjacency(m, "0", &a));
    for (int t = 0; t < T; t++)
        for (int o = 0; o < H; o++)
            for (int n = 0; n < D; n++)
                now[t * H + o] += (double)x[(b * T + t) * D + n] * (double)w[((i - first) * D + n) * H + o];
    for (int k = 0; k < i; k++) {
        for (int t = 0; t < T; t++)
            for (int o = 0; o < H; o++) {
                const int64_t head = o / (H / heads);
                next[t * H + o]    = 0;
                for (int j = 0; j < T; j++)
                    next[t * H + o] += (double)((const float *)a.data)[((b * heads + head) * T + t) * T + j] *
                                       now[j * H + o];
            }
        memcpy(now, next, sizeof now);
    }
    for (int k = 0; k < T * H; k++) sum += now[k] * now[k];
    return sqrt(sum);
}

/* Some edges, a negative one among them. */
static fgt_graph *make_graph(void)
{
    static const float edges[T * T] = {[1] = 2, [3] = -1, [7] = 0.5f, [10] = 1, [14] = -3, [19] = 1,
                                       [21] = 1};
    fgt_graph         *g;
    OK(fgt_graph_create_dense(ctx, FGT_VIEW((float *)edges, T, T), &g));
    return g;
}

static void test_terms(void **state)
{
    (void)state;
    static const struct {
        int64_t heads, first;
        int32_t attender;
        bool    graph;
    } layers[] = {{1, 0, FGT_ATTENDER_FULL, false}, {2, 0, FGT_ATTENDER_FULL, false},
                  {2, 2, FGT_ATTENDER_FULL, false}, {2, 3, FGT_ATTENDER_FULL, false},
                  {2, 0, FGT_ATTENDER_FULL, true},  {2, 0, FGT_ATTENDER_PROB, false},
                  {2, 1, FGT_ATTENDER_LSH, false},  {2, 0, FGT_ATTENDER_CORRELATION, false}};
    fgt_graph *graph = make_graph();
    for (size_t c = 0; c < sizeof layers / sizeof *layers; c++) {
        const int64_t          heads = layers[c].heads, first = layers[c].first;
        const fgt_fighter_opts o = {.size               = sizeof o,
                                    .out                = H,
                                    .heads              = heads,
                                    .hops               = HOPS,
                                    .first_hop          = first,
                                    .attention.attender = layers[c].attender,
                                    .attention.graph    = layers[c].graph ? graph : NULL};
        double     norms[B][HOPS], shares[B][HOPS];
        fgt_view               v;
        fgt_model *m = make(&o, 1);
        predict(m);
        OK(fgt_hops_get_shape(m, "0", &v));
        assert_true(v.rank == 2 && v.shape[0] == B && v.shape[1] == HOPS && v.dtype == FGT_DTYPE_F64 &&
                    !v.data);
        assert_int_equal(layer_hops(m, "0"), HOPS);
        v.data = norms;
        OK(fgt_hops_compute(m, "0", &v, FGT_VIEW_OF(FGT_DTYPE_F64, shares, B, HOPS)));
        for (int b = 0; b < B; b++) {
            double sum = 0, all = 0;
            for (int i = 0; i < HOPS; i++) sum += norms[b][i];
            for (int i = 0; i < HOPS; i++) {
                const double want = term_norm(m, heads, i, (int)first, b);
                assert_true(fabs(norms[b][i] - want) <= 1e-6 * (1 + want));
                assert_true(i >= first ? norms[b][i] > 0 : norms[b][i] == 0);
                assert_true(fabs(shares[b][i] - norms[b][i] / sum) < 1e-15);
                all += shares[b][i];
            }
            assert_true(fabs(all - 1) < 1e-14);
        }
        fgt_model_destroy(&m);
    }
    fgt_graph_destroy(&graph);
}

/* Equal rows pass a matrix whose rows sum to 1 unchanged, so all hops with one W have one norm. */
static void test_equal_tokens(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {.size = sizeof o, .hops = HOPS};
    double                 norms[B * HOPS];
    float                  w[HOPS * D * D];
    fgt_model             *m = make(&o, 1);
    for (int i = 0; i < B * T * D; i++) x[i] = x[i % D];
    read(m, "0.hop_weight", w);
    for (int i = D * D; i < HOPS * D * D; i++) w[i] = w[i % (D * D)];
    OK(fgt_model_set_parameter(m, "0.hop_weight", FGT_VIEW(w, HOPS, D, D)));
    predict(m);
    OK(fgt_hops_compute(m, "0", FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, HOPS), NULL));
    for (int i = 0; i < B * HOPS; i++) assert_true(fabs(norms[i] - norms[0]) < 1e-6 * norms[0]);
    for (int i = 0; i < HOPS * D * D; i++) w[i] = 0; /* no term: no share */
    OK(fgt_model_set_parameter(m, "0.hop_weight", FGT_VIEW(w, HOPS, D, D)));
    predict(m);
    double shares[B * HOPS];
    OK(fgt_hops_compute(m, "0", FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, HOPS),
                        FGT_VIEW_OF(FGT_DTYPE_F64, shares, B, HOPS)));
    for (int i = 0; i < B * HOPS; i++) assert_true(norms[i] == 0 && shares[i] == 0);
    fgt_model_destroy(&m);
}

/* ---- importance ---- */

/* sum over the tokens of omega_j' X'_j is the gradient of Wq in a training pass, sum of omega_j the one of
 * bq. X' is x: for the first layer without a norm. */
static void check_gradients(fgt_model *m, const fgt_fighter_opts *o)
{
    static double norms[B * T], omega[B * T * K];
    float         y[B * T * H], dw[K * D], db[K];
    const int64_t attn = o->attn ? o->attn : D;
    OK(fgt_importance_compute(m, "0", FGT_VIEW(x, B, T, D), FGT_VIEW(dy, B, T, H),
                              FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, T),
                              FGT_VIEW_OF(FGT_DTYPE_F64, omega, B, T, attn)));
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
    OK(fgt_backward(m, FGT_VIEW(dy, B, T, H), NULL));
    OK(fgt_model_copy_gradient(m, "0.q_proj.weight", FGT_VIEW(dw, attn, D)));
    OK(fgt_model_copy_gradient(m, "0.q_proj.bias", FGT_VIEW(db, attn)));
    for (int i = 0; i < attn; i++) {
        double bias = 0;
        for (int t = 0; t < B * T; t++) bias += omega[t * attn + i];
        assert_true(fabs(bias - (double)db[i]) < 1e-6 * (1 + fabs(bias)));
        for (int n = 0; n < D; n++) {
            double sum = 0;
            for (int t = 0; t < B * T; t++) sum += omega[t * attn + i] * (double)x[t * D + n];
            assert_true(fabs(sum - (double)dw[i * D + n]) < 1e-6 * (1 + fabs(sum)));
        }
    }
    for (int t = 0; t < B * T; t++) {
        double square = 0;
        for (int i = 0; i < attn; i++) square += omega[t * attn + i] * omega[t * attn + i];
        assert_true(fabs(norms[t] - sqrt(square)) < 1e-14);
        assert_true(o->hops == 1 ? norms[t] == 0 : norms[t] > 0 || o->attention.causal);
    }
}

static void test_gradients(void **state)
{
    (void)state;
    static const fgt_fighter_opts opts[] = {
        {.size = sizeof opts[0], .hops = 2, .act = FGT_ACT_NONE},
        {.size = sizeof opts[0], .hops = HOPS, .heads = 2, .attn = K, .act = FGT_ACT_GELU, .residual = 1},
        {.size = sizeof opts[0], .hops = 3, .first_hop = 1, .act = FGT_ACT_TANH, .project = 1, .heads = 2},
        {.size            = sizeof opts[0],
         .hops            = 3,
         .first_hop       = 2,
         .attention.scale = FGT_ATTN_SCALE_WIDTH,
         .heads           = 4},
        {.size                   = sizeof opts[0],
         .hops                   = 3,
         .attention.causal       = 1,
         .attention.diag_penalty = -1,
         .attention.mode         = FGT_ATTN_MODE_STREAM},
        {.size = sizeof opts[0], .hops = 1},
    };
    for (size_t i = 0; i < sizeof opts / sizeof *opts; i++)
        for (int layers = 1; layers <= 2; layers++) {
            fgt_model *m = make(&opts[i], layers);
            check_gradients(m, &opts[i]);
            fgt_model_destroy(&m);
        }
}

/* Along the edges of a graph the same holds: A is a softmax over them. */
static void test_graph_gradients(void **state)
{
    (void)state;
    fgt_graph *graph = make_graph();
    for (int c = 0; c < 2; c++) {
        const fgt_fighter_opts o = {.size            = sizeof o,
                                    .hops            = 3,
                                    .heads           = 2,
                                    .act             = FGT_ACT_GELU,
                                    .residual        = 1,
                                    .first_hop       = c,
                                    .attention.graph = graph};
        fgt_model *m = make(&o, 2);
        check_gradients(m, &o);
        fgt_model_destroy(&m);
    }
    fgt_graph_destroy(&graph);
}

/* Equation 8 of the paper with the softmax over the whole row: one output, one head, A alone. */
static void test_paper(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {
        .size = sizeof o, .out = 1, .hops = 2, .first_hop = 1, .act = FGT_ACT_NONE, .no_bias = 1};
    float      w[D], wk[D * D], one[T] = {0};
    double     norms[T], omega[T][D];
    fgt_view   a;
    fgt_model *m = make(&o, 1);
    float      y[T];
    read(m, "0.hop_weight", w);
    read(m, "0.k_proj.weight", wk);
    for (int j = 0; j < T; j++) {
        double f = 0, v[T] = {0};
        memset(one, 0, sizeof one);
        one[j] = 1;
        OK(fgt_importance_compute(m, "0", FGT_VIEW(x, 1, T, D), FGT_VIEW(one, 1, T, 1),
                                  FGT_VIEW_OF(FGT_DTYPE_F64, norms, 1, T),
                                  FGT_VIEW_OF(FGT_DTYPE_F64, omega, 1, T, D)));
        OK(fgt_predict(m, FGT_VIEW(x, 1, T, D), FGT_VIEW(y, 1, T, 1)));
        OK(fgt_model_get_adjacency(m, "0", &a));
        const float *row = (const float *)a.data + j * T;
        for (int t = 0; t < T; t++) {
            for (int n = 0; n < D; n++) v[t] += (double)x[t * D + n] * (double)w[n];
            f += (double)row[t] * v[t];
        }
        for (int i = 0; i < D; i++) {
            double want = 0;
            for (int t = 0; t < T; t++) {
                double k = 0;
                for (int n = 0; n < D; n++) k += (double)x[t * D + n] * (double)wk[i * D + n];
                want += (double)row[t] * (v[t] - f) * k / sqrt(D);
            }
            assert_true(fabs(omega[j][i] - want) < 1e-6);
        }
        for (int t = 0; t < T; t++)
            assert_true(t == j || norms[t] == 0); /* row t of A leads to output t alone */
    }
    fgt_model_destroy(&m);
}

/* The gradient of a training pass with dropout. */
static void train(fgt_model *m, float *dw)
{
    float y[B * T * H];
    OK(fgt_forward(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, H)));
    OK(fgt_backward(m, FGT_VIEW(dy, B, T, H), NULL));
    OK(fgt_model_copy_gradient(m, "0.k_proj.weight", FGT_VIEW(dw, D, D)));
}

/* Without dy all outputs count alike; the gradients of a training and its dropout stay as they are. */
static void test_aside(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 3, .dropout = 0.3f, .act = FGT_ACT_GELU};
    double                 norms[2][B * T];
    float                  dw[2][D * D], one[B * T * H];
    for (int i = 0; i < B * T * H; i++) one[i] = 1;
    for (int k = 0; k < 2; k++) {
        fgt_model *m = make(&o, 1);
        train(m, dw[k]);
        for (int i = 0; k && i < 2; i++)
            OK(fgt_importance_compute(m, "0", FGT_VIEW(x, B, T, D), i ? FGT_VIEW(one, B, T, H) : NULL,
                                      FGT_VIEW_OF(FGT_DTYPE_F64, norms[i], B, T), NULL));
        train(m, dw[k]);
        fgt_model_destroy(&m);
    }
    assert_true(norms[0][0] > 0);
    assert_memory_equal(norms[0], norms[1], sizeof norms[0]);
    assert_memory_equal(dw[0], dw[1], sizeof dw[0]);
}

/* Without x the input is that of the last pass, whoever made it: of fewer samples and tokens, or ids. */
static void test_last_pass(void **state)
{
    (void)state;
    enum { FEW = 3 };
    static const int64_t   ids[T] = {4, 0, 2, 2, 1};
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 3, .act = FGT_ACT_GELU};
    const fgt_view         in[]   = {*FGT_VIEW(x, B, T, D), *FGT_VIEW(x, 1, FEW, D), *FGT_VIEW(x, 1, 1, D),
                                     *FGT_VIEW_OF(FGT_DTYPE_I64, (void *)ids, 1, T)};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        const int64_t n = in[i].shape[0], t = in[i].shape[1];
        double        norms[2][B * T] = {{0}}, omega[B * T * D];
        float         y[B * T * H];
        fgt_model    *m = make(&o, 2);
        const char   *layer = "1";
        if (in[i].dtype == FGT_DTYPE_I64) {
            fgt_model_destroy(&m);
            OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .seed = 7), &m));
            OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 5, .out = D))));
            OK(fgt_model_add(m, fgt_fighter(&o)));
        }
        OK(fgt_importance_compute(m, layer, &in[i], NULL, FGT_VIEW_OF(FGT_DTYPE_F64, norms[0], n, t), NULL));
        OK(fgt_predict(m, &in[i], FGT_VIEW(y, n, t, H)));
        fgt_view shape;
        OK(fgt_importance_get_shape(m, layer, NULL, &shape));
        assert_true(shape.shape[0] == n && shape.shape[1] == t);
        OK(fgt_importance_compute(m, layer, NULL, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, norms[1], n, t),
                                  FGT_VIEW_OF(FGT_DTYPE_F64, omega, n, t, D)));
        assert_memory_equal(norms[0], norms[1], sizeof norms[0]);
        assert_true(t == 1 ? norms[0][0] == 0 : norms[0][0] > 0); /* a single key gets 1, whatever is asked */
        fgt_model_destroy(&m);
    }
}

/* ---- along the nodes, shared layers, threads ---- */

enum { N = 3 };

/* A layer along the nodes is the same layer along the time of turned inputs. */
static void test_along_nodes(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 3, .norm = 1, .heads = 2};
    static float           in[B * N * T * D], turned[B * T * N * D], y[B * N * T * D];
    double                 norms[2][B * T * 3], omega[2][B * T * N];
    for (int i = 0; i < B * N * T * D; i++) in[i] = (float)sin(i * i);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int n = 0; n < N; n++)
                memcpy(turned + ((b * T + t) * N + n) * D, in + ((b * N + n) * T + t) * D, D * sizeof *in);
    for (int k = 0; k < 2; k++) {
        const fgt_view x_of = k ? *FGT_VIEW(turned, B, T, N, D) : *FGT_VIEW(in, B, N, T, D);
        fgt_view       y_of = x_of;
        fgt_model     *m;
        y_of.data = y;
        OK(fgt_model_create(ctx,
                            &FGT_OPTS(fgt_model_opts, .batch = B, .nodes = k ? T : N, .time = k ? N : T,
                                      .features = D, .seed = 5),
                            &m));
        OK(fgt_model_add(m, k ? fgt_fighter(&o) : fgt_along(FGT_AXIS_NODES, fgt_fighter(&o))));
        OK(fgt_predict(m, &x_of, &y_of));
        OK(fgt_hops_compute(m, "0", FGT_VIEW_OF(FGT_DTYPE_F64, norms[k], B * T, 3), NULL));
        OK(fgt_importance_compute(m, "0", &x_of, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, omega[k], B * T, N), NULL));
        fgt_model_destroy(&m);
    }
    for (int i = 0; i < B * T * 3; i++) assert_true(fabs(norms[0][i] - norms[1][i]) < 1e-6);
    for (int i = 0; i < B * T * N; i++)
        assert_true(omega[0][i] > 0 && fabs(omega[0][i] - omega[1][i]) < 1e-6);
}

static void test_shared(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 2, .act = FGT_ACT_TANH};
    double                 norms[2][B * 2];
    fgt_model             *m = make(&o, 1);
    OK(fgt_model_add(m, fgt_named("again", fgt_shared("0"))));
    predict(m);
    OK(fgt_hops_compute(m, "0", FGT_VIEW_OF(FGT_DTYPE_F64, norms[0], B, 2), NULL));
    OK(fgt_hops_compute(m, "again", FGT_VIEW_OF(FGT_DTYPE_F64, norms[1], B, 2), NULL));
    for (int i = 0; i < B * 2; i++)
        assert_true(norms[0][i] > 0 && norms[1][i] > 0 && norms[0][i] != norms[1][i]);
    fgt_model_destroy(&m);
}

static void test_threads(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 3, .heads = 2, .act = FGT_ACT_GELU};
    double                 all[2][2][B * T * 3];
    memset(all, 0, sizeof all);
    for (int k = 0; k < 2; k++) {
        fgt_context_destroy(&ctx);
        test_open_threads(k ? 3 : 1);
        fgt_model *m = make(&o, 2);
        predict(m);
        OK(fgt_hops_compute(m, "1", FGT_VIEW_OF(FGT_DTYPE_F64, all[k][0], B, 3), NULL));
        OK(fgt_importance_compute(m, "0", FGT_VIEW(x, B, T, D), NULL,
                                  FGT_VIEW_OF(FGT_DTYPE_F64, all[k][1], B, T), NULL));
        fgt_model_destroy(&m);
    }
    assert_memory_equal(all[0], all[1], sizeof all[0]);
}

/* ---- refusals, memory ---- */

static void test_refusals(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 3};
    double                 out[B * T * D];
    float                  scale[B * T];
    const fgt_view         in = *FGT_VIEW(x, B, T, D);
    fgt_view norms = *FGT_VIEW_OF(FGT_DTYPE_F64, out, B, 3), tokens = *FGT_VIEW_OF(FGT_DTYPE_F64, out, B, T);
    fgt_view shape;
    fgt_model *m = make(&o, 1);
    OK(fgt_model_add(m, fgt_named("attn", fgt_attention(NULL))));
    OK(fgt_model_add(m, fgt_named("out", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H)))));
    assert_int_equal(layer_hops(m, "attn"), 0);
    assert_int_equal(layer_hops(m, "nobody"), 0);
    assert_int_equal(layer_hops(m, NULL), 0);
    assert_int_equal(layer_hops(NULL, "0"), 0);
    REFUSED(fgt_hops_compute(m, "0", &norms, NULL), FGT_E_STATE, "no pass");
    REFUSED(fgt_importance_compute(m, "0", NULL, NULL, &tokens, NULL), FGT_E_STATE, "no pass");
    predict(m);
    assert_int_equal(fgt_hops_compute(NULL, "0", &norms, NULL), FGT_E_ARG);
    REFUSED(fgt_hops_compute(m, NULL, &norms, NULL), FGT_E_ARG, "layer or norms");
    REFUSED(fgt_hops_compute(m, "nobody", &norms, NULL), FGT_E_NAME, "nobody");
    REFUSED(fgt_hops_compute(m, "out", &norms, NULL), FGT_E_UNSUPPORTED, "neither");
    REFUSED(fgt_hops_compute(m, "attn", &norms, NULL), FGT_E_UNSUPPORTED, "not a Fighter layer");
    REFUSED(fgt_hops_compute(m, "0", &tokens, NULL), FGT_E_SHAPE, "norms");
    REFUSED(fgt_hops_compute(m, "0", &norms, &tokens), FGT_E_SHAPE, "shares");
    assert_int_equal(fgt_importance_compute(NULL, "0", &in, NULL, &tokens, NULL), FGT_E_ARG);
    REFUSED(fgt_importance_compute(m, NULL, &in, NULL, &tokens, NULL), FGT_E_ARG, "layer or norms");
    REFUSED(fgt_importance_compute(m, "0", &in, NULL, NULL, NULL), FGT_E_ARG, "layer or norms");
    REFUSED(fgt_importance_compute(m, "attn", &in, NULL, &tokens, NULL), FGT_E_UNSUPPORTED,
            "not a Fighter layer");
    assert_int_equal(fgt_hops_get_shape(NULL, "0", &shape), FGT_E_ARG);
    REFUSED(fgt_hops_get_shape(m, "0", NULL), FGT_E_ARG, "layer or shape");
    REFUSED(fgt_hops_get_shape(m, "attn", &shape), FGT_E_UNSUPPORTED, "not a Fighter layer");
    REFUSED(fgt_hops_compute(m, "0", FGT_VIEW_OF(FGT_DTYPE_F64, (double *)NULL, B, 3), NULL), FGT_E_ARG,
            "norms has no data");
    assert_int_equal(fgt_importance_get_shape(NULL, "0", &in, &shape), FGT_E_ARG);
    REFUSED(fgt_importance_get_shape(m, NULL, &in, &shape), FGT_E_ARG, "layer or shape");
    REFUSED(fgt_importance_get_shape(m, "attn", &in, &shape), FGT_E_UNSUPPORTED, "not a Fighter layer");
    REFUSED(fgt_importance_compute(m, "0", &in, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, (double *)NULL, B, T), NULL),
            FGT_E_ARG, "norms has no data");
    REFUSED(fgt_importance_compute(m, "0", &in, NULL, &norms, NULL), FGT_E_SHAPE, "norms");
    REFUSED(fgt_importance_compute(m, "0", &in, NULL, &tokens, &tokens), FGT_E_SHAPE, "vectors");
    REFUSED(fgt_importance_compute(m, "0", &in, FGT_VIEW(dy, 1, T, H), &tokens, NULL), FGT_E_SHAPE, "dy");
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < B * T; i++) scale[i] = k ? 0.9999f : 0.5f;
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_SCALE, FGT_VIEW(scale, B, 1, T)));
        REFUSED(fgt_importance_compute(m, "0", &in, NULL, &tokens, NULL), FGT_E_UNSUPPORTED,
                "FGT_MASK_DIAG_SCALE");
    }
    fgt_model_destroy(&m);
}

/* Their A is no softmax of all scores of a row. */
static void test_attenders_refused(void **state)
{
    (void)state;
    static const int32_t attenders[] = {FGT_ATTENDER_PROB, FGT_ATTENDER_CORRELATION, FGT_ATTENDER_LSH};
    double               out[B * T] = {-1};
    fgt_view             tokens      = *FGT_VIEW_OF(FGT_DTYPE_F64, out, B, T);
    for (size_t i = 0; i < sizeof attenders / sizeof *attenders; i++) {
        const fgt_fighter_opts o = {.size = sizeof o, .attention.attender = attenders[i]};
        fgt_model             *m = make(&o, 1);
        REFUSED(fgt_importance_compute(m, "0", FGT_VIEW(x, B, T, D), NULL, &tokens, NULL), FGT_E_UNSUPPORTED,
                "layer \"0\" has another attender than FGT_ATTENDER_FULL");
        assert_true(out[0] == -1);
        fgt_model_destroy(&m);
    }
}

static void test_allocations(void **state)
{
    (void)state;
    const fgt_fighter_opts o             = {.size = sizeof o, .hops = 3, .project = 1};
    double                 out[2][B * T] = {{-1}, {-1}}, vectors[B * T * D] = {-1};
    fgt_view               norms = *FGT_VIEW_OF(FGT_DTYPE_F64, out[0], B, 3),
             tokens              = *FGT_VIEW_OF(FGT_DTYPE_F64, out[1], B, T);
    fgt_model *m = make(&o, 2);
    fgt_status s;
    OK(fgt_importance_compute(m, "1", FGT_VIEW(x, B, T, D), NULL, &tokens,
                              NULL)); /* what passes need is there */
    out[1][0] = -1;
    predict(m);
    OK(fgt_hops_compute(m, "1", &norms, NULL));
    out[0][0] = -1;
    SWEEP(&memory, s, 2, fgt_hops_compute(m, "1", &norms, NULL))
    {
        assert_true(out[0][0] == -1);
        NOTHING_LEAKS;
    }
    assert_true(out[0][0] > 0);
    SWEEP(&memory, s, 6,
          fgt_importance_compute(m, "0", FGT_VIEW(x, B, T, D), NULL, &tokens,
                                 FGT_VIEW_OF(FGT_DTYPE_F64, vectors, B, T, D)))
    {
        assert_true(out[1][0] == -1 && vectors[0] == -1);
        NOTHING_LEAKS;
    }
    assert_true(out[1][0] > 0 && vectors[0] != -1);
    out[1][0] = -1;
    SWEEP(&memory, s, 7, fgt_importance_compute(m, "0", NULL, NULL, &tokens, NULL))
    {
        assert_true(out[1][0] == -1);
        NOTHING_LEAKS;
        predict(m); /* a call that failed leaves no last pass */
    }
    assert_true(out[1][0] > 0);
    fgt_model_destroy(&m);
}

/* ---- in a tracker ---- */

/* The layers of a Fighter model get two rows for each hop behind the others, and other layers none. */
static void test_tracker(void **state)
{
    (void)state;
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 3};
    double                 norms[B][3], shares[B][3];
    int64_t                rows[2], seen = 0;
    fgt_model             *m = make(&o, 1);
    OK(fgt_model_add(m, fgt_named("attn", fgt_attention(NULL))));
    for (int k = 0; k < 2; k++) {
        fgt_tracker *t;
        OK(fgt_tracker_create(m, &FGT_OPTS(fgt_tracker_opts, .hops = k), FGT_VIEW(x, B, T, D), &t));
        OK(fgt_tracker_record(t, NULL));
        OK(fgt_hops_compute(m, "0", FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, 3),
                            FGT_VIEW_OF(FGT_DTYPE_F64, shares, B, 3)));
        rows[k] = fgt_tracker_count_rows(t);
        for (int64_t i = 0; i < rows[k]; i++) {
            fgt_tracker_row r = {.size = sizeof r};
            OK(fgt_tracker_get_row(t, i, &r));
            if (r.statistic != FGT_HOP_MEASURE_NORM && r.statistic != FGT_HOP_MEASURE_SHARE) continue;
            const double(*v)[3] = r.statistic == FGT_HOP_MEASURE_NORM ? norms : shares;
            seen++;
            assert_true(k == 1 && r.head == -1);
            assert_string_equal(r.layer, "0");
            assert_true(fabs(r.value - (v[0][r.power] + v[1][r.power]) / 2) < 1e-15);
        }
        fgt_tracker_destroy(&t);
    }
    assert_int_equal(seen, 6);
    assert_int_equal(rows[1], rows[0] + 6);
    assert_string_equal(fgt_statistic_get_name((int32_t)FGT_HOP_MEASURE_NORM), "hop_norm");
    assert_string_equal(fgt_statistic_get_name((int32_t)FGT_HOP_MEASURE_SHARE), "hop_share");
    fgt_model_destroy(&m);
}

typedef struct text {
    char   s[4000];
    size_t n;
} text;

static fgt_status keep(void *user, const void *data, int64_t size)
{
    text *t = user;
    assert_true(t->n + (size_t)size < sizeof t->s);
    memcpy(t->s + t->n, data, (size_t)size);
    t->n += (size_t)size;
    return FGT_OK;
}

static void test_table(void **state)
{
    (void)state;
    static text            t;
    const fgt_writer       w = {.size = sizeof w, .write = keep, .user = &t};
    const fgt_fighter_opts o = {.size = sizeof o, .hops = 2};
    fgt_model             *m = make(&o, 1);
    fgt_tracker           *k;
    OK(fgt_tracker_create(m, &FGT_OPTS(fgt_tracker_opts, .hops = 1), FGT_VIEW(x, B, T, D), &k));
    OK(fgt_tracker_record(k, NULL));
    OK(fgt_tracker_save(k, &FGT_OPTS(fgt_output, .writer = &w)));
    t.s[t.n] = 0;
    assert_non_null(strstr(t.s, "\n0,0,\"0\",,0,hop_norm,"));
    assert_non_null(strstr(t.s, "\n0,0,\"0\",,1,hop_norm,"));
    assert_non_null(strstr(t.s, "\n0,0,\"0\",,1,hop_share,"));
    assert_non_null(strstr(t.s, "\n0,0,\"0\",,,dirichlet,"));
    fgt_tracker_destroy(&k);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_terms),       WITH_CONTEXT(test_equal_tokens), WITH_CONTEXT(test_gradients),
        WITH_CONTEXT(test_paper),       WITH_CONTEXT(test_aside),        WITH_CONTEXT(test_along_nodes),
        WITH_CONTEXT(test_shared),      WITH_CONTEXT(test_threads),      WITH_CONTEXT(test_refusals),
        WITH_CONTEXT(test_allocations), WITH_CONTEXT(test_tracker),      WITH_CONTEXT(test_table),
        WITH_CONTEXT(test_graph_gradients), WITH_CONTEXT(test_attenders_refused),
        WITH_CONTEXT(test_last_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
