/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that a predictor leaves out, maps that are folded into the layer behind them and rows that nobody
 * reads: the model's results but for rounding, the same bits for every way to make and to run it, and
 * where nothing is left out. Also built in double, where "but for rounding" holds the algebra to 13
 * digits. */
#include <math.h>

#include "../directory.h"
#include "../one_context.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/predictor/predictor_impl.h"

enum { BATCH = 3, NODES = 2, TIME = 21, K = 5, DIM = 48, OUT = 3, MOST = BATCH * NODES * TIME * 100 };

static fgti_real x[MOST], want[MOST], got[MOST], again[MOST];

typedef struct fold_case {
    const char                 *what;
    bool                        folded;
    int64_t                     features, dim;
    int32_t                     position; /* a kind; -1: none */
    float                       dropout;  /* behind the map */
    bool                        no_bias;  /* of the map */
    const fgt_fighter_opts     *fighter;
    const fgt_transformer_opts *encoder; /* if there is no fighter */
    int32_t                     axis;
    int64_t                     time;   /* 0: TIME */
    int32_t                     tail;   /* what follows, see below */
    int64_t                     wanted; /* fgti_layer.wanted */
} fold_case;

/* All rows are read; the last; that of a token behind a norm; the mean of all; the last and all; the last of
 * those from which the mean of all was taken. */
enum { ALL, LAST, TOKEN, MEAN, TWO_READERS, SEASONAL };
enum { THIRD = 3 }; /* the token: 1 + its number */

#define FIGHTER(...)                                              \
    .fighter = &(const fgt_fighter_opts)                          \
    {                                                             \
        .size = sizeof(fgt_fighter_opts), .heads = 2, __VA_ARGS__ \
    }
#define ENCODER(...)                                      \
    .encoder = &(const fgt_transformer_opts)              \
    {                                                     \
        .size = sizeof(fgt_transformer_opts), __VA_ARGS__ \
    }

static const fold_case cases[] = {
    {"short, norm", true, K, DIM, 0, 0, false, FIGHTER(.norm = 1, .residual = 1)},
    {"short, no norm", true, K, DIM, 0, 0, false, FIGHTER(.residual = 1)},
    {"short, no positions", true, K, DIM, -1, 0, false, FIGHTER(.norm = 1)},
    {"short, no norm, no positions", true, K, DIM, -1, 0, true, FIGHTER(.no_bias = 1)},
    {"short, learned positions", true, K, DIM, FGT_POSITION_LEARNED, .3F, false, FIGHTER(.norm = 1)},
    {"short, tape, no biases", true, 1, DIM, FGT_POSITION_TAPE, 0, true, FIGHTER(.norm = 1, .no_bias = 1)},
    {"short, other widths", true, K, 50, 0, 0, false, FIGHTER(.norm = 1, .attn = 10, .out = 14)},
    {"outputs, kept", true, K, DIM, 0, 0, false, FIGHTER(.norm = 1, .attention.mode = FGT_ATTN_MODE_KEEP)},
    {"outputs, no norm", true, K, DIM, 0, 0, false,
     FIGHTER(.attention.mode = FGT_ATTN_MODE_KEEP, .no_bias = 1)},
    {"outputs, no positions", true, K, DIM, -1, 0, false,
     FIGHTER(.norm = 1, .attention.mode = FGT_ATTN_MODE_KEEP)},
    {"outputs, wide", true, 100, 640, 0, 0, false,
     FIGHTER(.norm = 1, .hops = 8, .attention.mode = FGT_ATTN_MODE_STREAM, .out = 1024)},
    {"short, scale, from hop 1 on", true, K, DIM, 0, 0, false,
     FIGHTER(.norm = 1, .residual = 1, .attention.scale = FGT_ATTN_SCALE_WIDTH, .first_hop = 1)},
    {"outputs, joined heads", true, K, DIM, 0, 0, false, FIGHTER(.norm = 1, .project = 1)},
    {"outputs, from hop 2 on", true, K, DIM, 0, 0, false,
     FIGHTER(.attention.mode = FGT_ATTN_MODE_KEEP, .first_hop = 2)},
    {"encoder, scale", true, K, DIM, 0, 0, false,
     ENCODER(.heads = 4, .attention.scale = FGT_ATTN_SCALE_WIDTH)},
    {"encoder, scale, last row", true, K, DIM, 0, 0, false,
     ENCODER(.heads = 4, .attention.scale = FGT_ATTN_SCALE_WIDTH), .tail = LAST, .wanted = -1},
    {"encoder", true, K, DIM, 0, .2F, false, ENCODER(.heads = 2, .ff = 32)},
    {"encoder, norm first", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .ff = 32, .norm_first = 1)},
    {"encoder, no biases", true, K, DIM, -1, 0, true, ENCODER(.heads = 2, .norm_first = 1, .no_bias = 1)},
    {"encoder, wide", true, K, 320, 0, 0, false, ENCODER(.heads = 2, .ff = 64)},
    {"encoder, wide, norm first", true, K, 320, 0, 0, false, ENCODER(.heads = 2, .ff = 64, .norm_first = 1)},
    {"encoder, last row", true, K, DIM, 0, .2F, false, ENCODER(.heads = 2, .ff = 32), .tail = LAST,
     .wanted = -1},
    {"encoder, a row", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .ff = 32), .tail = TOKEN,
     .wanted = THIRD},
    {"norm first, last row", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .norm_first = 1), .tail = LAST,
     .wanted = -1},
    {"norm first, a row", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .norm_first = 1, .no_bias = 1),
     .tail = TOKEN, .wanted = THIRD},
    {"wide, last row", true, K, 320, 0, 0, false, ENCODER(.heads = 2, .ff = 64), .tail = LAST, .wanted = -1},
    {"wide, a row", true, K, 320, 0, 0, false, ENCODER(.ff = 64, .norm_first = 1, .heads = 20), .tail = TOKEN,
     .wanted = THIRD},
    {"causal, last row", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .attention.causal = 1), .tail = LAST,
     .wanted = -1},
    {"causal, a row", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .attention.causal = 1), .tail = TOKEN,
     .wanted = THIRD},
    {"the mean of rows", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .ff = 32), .tail = MEAN},
    {"a seasonal norm", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .ff = 32), .tail = SEASONAL},
    {"two readers", true, K, DIM, 0, 0, false, ENCODER(.heads = 2, .ff = 32), .tail = TWO_READERS},
    {"fighter, last row", true, K, DIM, 0, 0, false, FIGHTER(.norm = 1), .tail = LAST},
    {"nothing folded, last row", false, 60, DIM, 0, 0, false, ENCODER(.heads = 2, .ff = 32), .tail = LAST,
     .wanted = -1},
    {"kappa = 1", false, K, DIM, 0, 0, false, FIGHTER(.hops = 1)},
    {"over inputs", false, K, 16, 0, 0, false, FIGHTER(.out = 256)},
    {"a residual that is X'", false, K, DIM, 0, 0, false,
     FIGHTER(.norm = 1, .residual = 1, .norm_residual = 1)},
    {"a map of many features", false, 40, DIM, 0, 0, false, FIGHTER(.norm = 1)},
    {"no whole registers", false, K, 50, 0, 0, false, FIGHTER(.attention.mode = FGT_ATTN_MODE_KEEP)},
    {"a long table", false, K, DIM, 0, 0, false, FIGHTER(.norm = 1, .out = 2048), .time = 600},
    {"along the nodes", false, K, DIM, 0, 0, false, FIGHTER(.norm = 1), .axis = FGT_AXIS_NODES},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- models ---- */

static int64_t time_of(const fold_case *c)
{
    return c->time ? c->time : TIME;
}

static void draw(int64_t n, uint64_t seed, double low, double high, fgti_real *to)
{
    const fgti_rng rng = fgti_rng_of(seed, 0, 0, 0);
    for (int64_t i = 0; i < n; i++)
        to[i] = (fgti_real)(low + (high - low) * fgti_rng_uniform(rng, (uint64_t)i));
}

/* Norms and biases, which start as ones and zeros, have other values too. */
static void draw_weights(fgt_model *m)
{
    for (int64_t i = 0; i < m->layers; i++)
        for (int32_t k = 0; k < m->layer[i]->params; k++) {
            const fgti_param *p = &m->layer[i]->param[k];
            fgti_real        *w = m->weights + p->offset;
            if (p->rank > 1) continue;
            draw(p->count, (uint64_t)(10 * i + k), strstr(p->full_name, "norm") ? .4 : -.6, 1, w);
        }
}

static void add_tail(fgt_model *m, int32_t tail)
{
    const fgt_layer last  = fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST));
    const fgt_layer token = fgt_slice(&FGT_OPTS(fgt_slice_opts, .first = THIRD - 1, .count = 1));
    if (tail == LAST) OK(fgt_model_add(m, last));
    if (tail == TOKEN) OK(fgt_model_add(m, fgt_layer_norm(NULL)));
    if (tail == SEASONAL)
        OK(fgt_model_add(m, fgt_layer_norm(&FGT_OPTS(fgt_layer_norm_opts, .seasonal = 1))));
    if (tail == SEASONAL) OK(fgt_model_add(m, last));
    if (tail == TOKEN) OK(fgt_model_add(m, token));
    if (tail == MEAN) OK(fgt_model_add(m, fgt_pool(NULL)));
    if (tail != TWO_READERS) return;
    OK(fgt_model_add(m, fgt_named("last", last)));
    OK(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"graph", "last"}, 2));
}

static fgt_model *make(fgt_context *context, const fold_case *c)
{
    fgt_model              *m;
    const fgt_layer         layer = c->fighter ? fgt_fighter(c->fighter) : fgt_transformer(c->encoder);
    const fgt_linear_opts   in    = FGT_OPTS(fgt_linear_opts, .out = c->dim, .no_bias = c->no_bias);
    const fgt_position_opts place = FGT_OPTS(fgt_position_opts, .kind = c->position);
    const int64_t           nodes = c->time ? 1 : NODES;
    OK(fgt_model_create(context,
                        &FGT_OPTS(fgt_model_opts, .batch = c->time ? 1 : BATCH, .nodes = nodes,
                                  .time = time_of(c), .features = c->features),
                        &m));
    OK(fgt_model_add(m, fgt_linear(&in)));
    if (c->dropout > 0) OK(fgt_model_add(m, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = c->dropout))));
    if (c->position >= 0) OK(fgt_model_add(m, fgt_position(&place)));
    OK(fgt_model_add(m, fgt_named("graph", fgt_along(c->axis, layer))));
    add_tail(m, c->tail);
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    draw_weights(m);
    return m;
}

static fgt_view view(fgti_real *data, int64_t batch, int64_t nodes, int64_t time, int64_t width)
{
    fgt_view v = {.data = data, .dtype = FGTI_REAL, .shape = {batch}, .rank = 1};
    if (nodes > 1) v.shape[v.rank++] = nodes;
    if (time > 0) v.shape[v.rank++] = time;
    v.shape[v.rank++] = width;
    return v;
}

/* Tokens of the output for an input of `time` tokens; 0: it has no such axis. */
static int64_t rows_of(const fgt_model *m, int64_t time)
{
    return m->layer[m->last]->out.time == 1 ? 0 : time;
}

static const fgti_layer *graph_of(const fgt_predictor *p)
{
    return fgti_model_find(p->model, "graph");
}

/* ---- what it predicts ---- */

static int64_t predict(fgt_predictor *p, int32_t threads, int64_t batch, int64_t time, fgti_real *y)
{
    const fgt_model_opts *o  = &p->model->opts;
    const fgt_view        in = view(x, batch, o->nodes, time, o->features),
                   out       = view(y, batch, o->nodes, rows_of(p->model, time), OUT);
    fgt_workspace *ws;
    OK(fgt_predictor_create_workspace(p, &FGT_OPTS(fgt_workspace_opts, .threads = threads), &ws));
    memset(y, 0, MOST * sizeof *y);
    if (fgt_workspace_predict(ws, &in, &out)) fail_msg("%s", fgt_workspace_get_error(ws));
    fgt_workspace_destroy(&ws);
    return fgt_view_count(&out);
}

static void close_to(const fold_case *c, int64_t n)
{
    double most = 0, error = 0;
    for (int64_t i = 0; i < n; i++) {
        most  = fmax(most, fabs((double)want[i]));
        error = fmax(error, fabs((double)(want[i] - got[i])));
    }
    assert_true(most > .1);
    if (!(error < (sizeof(fgti_real) == 4 ? 1e-5 : 1e-13) * most))
        fail_msg("%s: an error of %g beside values up to %g", c->what, error, most);
}

/* Of all tokens and samples, of fewer, and of one sample. */
static void check_sizes(const fold_case *c, fgt_model *m, fgt_predictor *p)
{
    const struct {
        int64_t batch, time;
    } size[] = {{m->opts.batch, time_of(c)}, {m->opts.batch, time_of(c) - 7}, {1, time_of(c)}};
    for (int i = 0; i < 3; i++) {
        const int64_t  nodes = m->opts.nodes;
        const fgt_view in    = view(x, size[i].batch, nodes, size[i].time, c->features),
                       out   = view(want, size[i].batch, nodes, rows_of(m, size[i].time), OUT);
        OK(fgt_predict(m, &in, &out));
        const int64_t n = predict(p, 1, size[i].batch, size[i].time, got);
        close_to(c, n);
        for (int32_t threads = 2; threads <= 3; threads++) {
            predict(p, threads, size[i].batch, size[i].time, again);
            assert_memory_equal(got, again, (size_t)n * sizeof *got);
        }
    }
}

static void test_results(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const fold_case *c = &cases[i];
        fgt_model       *m = make(ctx, c);
        fgt_predictor   *p;
        draw(MOST, 99, -2, 2, x);
        OK(fgt_predictor_create(m, NULL, &p));
        if ((graph_of(p)->fold_map != NULL) != c->folded) fail_msg("%s: folded or not", c->what);
        if (graph_of(p)->wanted != c->wanted) fail_msg("%s: rows", c->what);
        check_sizes(c, m, p);
        fgt_predictor_destroy(&p);
        fgt_model_destroy(&m);
    }
}

static void test_exact(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        fgt_model     *m = make(ctx, &cases[i]);
        fgt_predictor *p;
        const int64_t  batch = m->opts.batch, time = m->opts.time, nodes = m->opts.nodes;
        const fgt_view in  = view(x, batch, nodes, time, cases[i].features),
                       out = view(want, batch, nodes, rows_of(m, time), OUT);
        draw(MOST, 98, -2, 2, x);
        OK(fgt_predict(m, &in, &out));
        OK(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .exact = 1), &p));
        assert_null(graph_of(p)->fold_map);
        assert_int_equal(graph_of(p)->wanted, 0);
        const int64_t n = predict(p, 2, batch, time, got);
        assert_memory_equal(want, got, (size_t)n * sizeof *got);
        fgt_predictor_destroy(&p);
        fgt_model_destroy(&m);
    }
}

/* The layer's own weights are gone, and only BLIS's products fold nothing. */
static void test_products(void **state)
{
    (void)state;
    fgt_context   *blis;
    fgt_predictor *p, *exact;
    OK(fgt_context_create(&FGT_OPTS(fgt_context_opts, .products = FGT_PRODUCTS_BLIS), &blis));
    for (int i = 0; i < CASES; i++) {
        if (!cases[i].folded) continue;
        fgt_model *m = make(ctx, &cases[i]), *plain = make(blis, &cases[i]);
        OK(fgt_predictor_create(m, NULL, &p));
        OK(fgt_predictor_create(m, &FGT_OPTS(fgt_predictor_opts, .exact = 1), &exact));
        assert_int_equal(p->gone[graph_of(p)->first_param], 1);
        if (cases[i].dim > 300) assert_true(fgt_predictor_get_bytes(p) < fgt_predictor_get_bytes(exact));
        fgt_predictor_destroy(&exact);
        fgt_predictor_destroy(&p);
        OK(fgt_predictor_create(plain, NULL, &p));
        assert_null(graph_of(p)->fold_map);
        fgt_predictor_destroy(&p);
        fgt_model_destroy(&m);
        fgt_model_destroy(&plain);
    }
    fgt_context_destroy(&blis);
}

/* In a file that processes share; a file of the other kind is not taken for it. */
static void test_map(void **state)
{
    (void)state;
    const char *path = in_directory("map");
    draw(MOST, 97, -2, 2, x);
    for (int i = 0; i < CASES; i++) {
        fgt_model     *m = make(ctx, &cases[i]);
        fgt_predictor *p;
        int64_t        n = 0;
        for (int k = 0; k < 4; k++) {
            const fgt_predictor_opts o = {.size = sizeof o, .exact = k == 3, .map = k ? path : NULL};
            OK(fgt_predictor_create(m, &o, &p));
            assert_int_equal(graph_of(p)->fold_map != NULL, cases[i].folded && k < 3);
            n = predict(p, 1, m->opts.batch, m->opts.time, k ? again : got);
            if (k && k < 3) assert_memory_equal(got, again, (size_t)n * sizeof *got);
            fgt_predictor_destroy(&p);
        }
        fgt_model_destroy(&m);
    }
}

/* Outputs of the model and of its predictor with a mask: want and got, which must be close. */
static void compare_masked(const fold_case *c, fgt_model *m, int64_t nodes, const fgt_view *mask)
{
    const fgt_view in = view(x, BATCH, nodes, TIME, K), out = view(want, BATCH, nodes, 0, OUT);
    const fgt_view other = view(got, BATCH, nodes, 0, OUT);
    fgt_predictor *p;
    fgt_workspace *ws;
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING, mask));
    OK(fgt_predict(m, &in, &out));
    OK(fgt_predictor_create(m, NULL, &p));
    OK(fgt_predictor_create_workspace(p, NULL, &ws));
    OK(fgt_workspace_set_mask(ws, FGT_MASK_KEY_PADDING, mask));
    OK(fgt_workspace_predict(ws, &in, &other));
    close_to(c, BATCH * nodes * OUT);
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
}

/* The last token that is no padding is another one in each sample: all rows are computed. */
static void test_padding(void **state)
{
    (void)state;
    int32_t         padding[BATCH * TIME] = {0};
    const fold_case c    = {"padding",    true,        K, DIM, 0, 0, false, ENCODER(.heads = 2, .ff = 32),
                            .tail = LAST, .wanted = -1};
    const fgt_view  mask                  = *FGT_VIEW_OF(FGT_DTYPE_I32, padding, BATCH, TIME);
    fgt_model      *m    = make(ctx, &c);
    draw(MOST, 96, -2, 2, x);
    for (int b = 0; b < BATCH; b++)
        for (int t = TIME - 4 * b; t < TIME; t++) padding[b * TIME + t] = 1;
    compare_masked(&c, m, NODES, &mask);
    fgt_model_destroy(&m);
}

/* Encoder "graph" reads map "a" or "b", and with `own` has a padding mask. A pool takes the last row. */
static fgt_model *with_two_maps(const char *map, bool own)
{
    const char *const     reads[] = {map, "own"};
    const fgt_linear_opts in      = FGT_OPTS(fgt_linear_opts, .out = DIM);
    const fgt_value_opts  padding = FGT_OPTS(fgt_value_opts, .kind = FGT_VALUE_KEY_PADDING);
    const fgt_layer       encoder = fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 32));
    fgt_model            *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = TIME, .features = K), &m));
    if (own) OK(fgt_model_add(m, fgt_named("own", fgt_value(&padding))));
    OK(fgt_model_add_from(m, fgt_named("a", fgt_linear(&in)), (const char *[]){""}, 1));
    OK(fgt_model_add_from(m, fgt_named("b", fgt_linear(&in)), (const char *[]){""}, 1));
    OK(fgt_model_add_from(m, fgt_named("graph", encoder), reads, 1 + own));
    OK(fgt_model_add(m, fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST))));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    draw_weights(m);
    return m;
}

/* The encoder does not see the padding that the pool sees. */
static void test_own_padding(void **state)
{
    (void)state;
    static const fold_case c = {.what = "own padding"};
    int32_t                padding[BATCH * TIME] = {0};
    const fgt_view         mask                  = *FGT_VIEW_OF(FGT_DTYPE_I32, padding, BATCH, TIME);
    fgt_model             *m    = with_two_maps("a", true);
    draw(MOST, 95, -2, 2, x);
    for (int b = 0; b < BATCH; b++) padding[b * TIME + TIME - 1] = 1;
    compare_masked(&c, m, 1, &mask);
    fgt_model_destroy(&m);
}

/* The encoder stands before the embedding whose ids are padding, the pool behind it. With ids before the
 * encoder both see the same. */
static void test_padding_of_ids(void **state)
{
    (void)state;
    static const fold_case c = {.what = "padding of ids"};
    const fgt_embedding_opts ids = {
        .size = sizeof ids, .vocab = 9, .out = DIM, .has_padding = 1, .mask_padding = 1};
    const fgt_layer encoder = fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 32));
    const fgt_layer pool    = fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST));
    int32_t         id[BATCH * TIME];
    const fgt_view  in = *FGT_VIEW_OF(FGT_DTYPE_I32, id, BATCH, TIME), value = view(x, BATCH, 1, TIME, DIM);
    const fgt_view  out = view(want, BATCH, 1, 0, DIM), other = view(got, BATCH, 1, 0, DIM);
    for (int i = 0; i < BATCH * TIME; i++) id[i] = i % TIME < TIME - i / TIME ? 1 + i % 8 : 0;
    draw(MOST, 93, -2, 2, x);
    for (int first = 0; first < 2; first++) {
        fgt_model     *m;
        fgt_predictor *p;
        fgt_workspace *ws;
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = TIME), &m));
        OK(fgt_model_add(m, fgt_named("v", fgt_value(&FGT_OPTS(fgt_value_opts, .features = DIM)))));
        if (first) OK(fgt_model_add_from(m, fgt_embedding(&ids), (const char *[]){""}, 1));
        OK(fgt_model_add_from(m, fgt_named("graph", encoder), (const char *[]){"v"}, 1));
        if (!first) OK(fgt_model_add_from(m, fgt_embedding(&ids), (const char *[]){""}, 1));
        OK(fgt_model_add_from(m, pool, (const char *[]){"graph"}, 1));
        OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "v", &value, NULL));
        OK(fgt_predict(m, &in, &out));
        OK(fgt_predictor_create(m, NULL, &p));
        assert_int_equal(graph_of(p)->wanted, first ? -1 : 0);
        OK(fgt_predictor_create_workspace(p, NULL, &ws));
        OK(fgt_workspace_set_value(ws, "v", &value, NULL));
        OK(fgt_workspace_predict(ws, &in, &other));
        close_to(&c, BATCH * DIM);
        fgt_workspace_destroy(&ws);
        fgt_predictor_destroy(&p);
        fgt_model_destroy(&m);
    }
}

/* A file whose weights were folded from another map is none of this model's. */
static void test_map_of_other_edges(void **state)
{
    (void)state;
    const char *path = in_directory("map_of_edges");
    draw(MOST, 94, -2, 2, x);
    for (int k = 0; k < 3; k++) {
        const fgt_predictor_opts o = {.size = sizeof o, .map = k ? path : NULL};
        fgt_model               *m = with_two_maps(k == 1 ? "b" : "a", false);
        fgt_predictor           *p;
        OK(fgt_predictor_create(m, &o, &p));
        assert_non_null(graph_of(p)->fold_map);
        const int64_t n = predict(p, 1, BATCH, TIME, k == 0 ? want : got);
        assert_int_equal(memcmp(want, got, (size_t)n * sizeof *got) == 0, k == 2);
        fgt_predictor_destroy(&p);
        fgt_model_destroy(&m);
    }
}

static void test_alloc_sweep(void **state)
{
    (void)state;
    const int which[] = {0, 7, 11};
    for (int i = 0; i < 3; i++) {
        fgt_model     *m = make(ctx, &cases[which[i]]);
        fgt_predictor *p;
        fgt_status     s;
        SWEEP(&memory, s, 10, fgt_predictor_create(m, NULL, &p)) assert_null(p);
        fgt_predictor_destroy(&p);
        fgt_model_destroy(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_results), WITH_CONTEXT(test_exact),   WITH_CONTEXT(test_products),
        WITH_CONTEXT(test_map),     WITH_CONTEXT(test_padding), WITH_CONTEXT(test_own_padding),
        WITH_CONTEXT(test_padding_of_ids),
        WITH_CONTEXT(test_map_of_other_edges), WITH_CONTEXT(test_alloc_sweep),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
