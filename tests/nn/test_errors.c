/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong use: the status, a sentence that names the thing, and everything as it was before. */
#include <math.h>

#include <fighter/experimental/vision.h>
#include <fighter/graph.h>
#include <fighter/model.h>

#include "../model_info.h"
#include "../one_context.h"
#include "nn/layer.h"

static fgt_graph   *five; /* a graph of five nodes */

static int start(void **state)
{
    static const float weights[25] = {1};
    return test_open(state) || fgt_graph_create_dense(ctx, FGT_VIEW(weights, 5, 5), &five) != FGT_OK;
}

static int end(void **state)
{
    fgt_graph_destroy(&five);
    return test_close(state);
}

static fgt_model *new_model(int64_t batch, int64_t nodes, int64_t time, int64_t features)
{
    fgt_model           *m;
    const fgt_model_opts o = {
        .size = sizeof o, .batch = batch, .nodes = nodes, .time = time, .features = features};
    OK(fgt_model_create(ctx, &o, &m));
    return m;
}

/* ---- layers that cannot be added ---- */

#define L(word, ...) {.type = #word, .opts = &FGT_OPTS(fgt_##word##_opts, __VA_ARGS__)}

static const struct refusal {
    int64_t     nodes, time, features;
    fgt_layer   layer;
    fgt_status  status;
    const char *words;
} refusals[] = {
    {1, 5, 6, {.type = "no such"}, FGT_E_UNSUPPORTED, "no such"},
    {1, 5, 6, {.type = NULL}, FGT_E_UNSUPPORTED, "NULL"},
    {1, 5, 6, {.type = "linear"}, FGT_E_ARG, "out"},
    {1, 5, 6, L(linear, .out = -3), FGT_E_ARG, "out"},
    {1, 5, 6, L(linear, .out = 3, .no_bias = 2), FGT_E_ARG, "no_bias"},
    {1, 5, 6, L(linear, .out = 3, .reserved = 7), FGT_E_VERSION, "reserved is wrong (got 7"},
    {1, 5, 6, {.type = "activation", .reserved = 7}, FGT_E_VERSION, "reserved is wrong (got 7"},
    {1, 5, 6, L(linear, .out = INT64_C(1) << 50), FGT_E_ARG, "out"},
    {1, 5, 1 << 30, L(linear, .out = INT64_C(1) << 40), FGT_E_SIZE, "weight"},
    {1, 1 << 20, 1 << 9, L(position, .kind = FGT_POSITION_SINUSOIDAL), FGT_E_SIZE, "table of positions"},
    {1, 5, 6, L(activation, .kind = 99), FGT_E_ARG, "kind"},
    {1, 5, 6, L(activation, .kind = -1), FGT_E_ARG, "kind"},
    {1, 5, 6, L(layer_norm, .eps = -1), FGT_E_ARG, "eps"},
    {1, 5, 6, L(layer_norm, .eps = NAN), FGT_E_ARG, "eps"},
    {1, 5, 6, L(dropout, .p = 1), FGT_E_ARG, "p is out of range (got 1"},
    {1, 5, 6, L(dropout, .p = -0.5f), FGT_E_ARG, "p is out of range (got -0.5"},
    {1, 5, 6, L(embedding, .vocab = 3, .out = 2), FGT_E_STATE, "features 0"},
    {1, 5, 0, L(embedding, .out = 2), FGT_E_ARG, "vocab"},
    {1, 5, 0, L(embedding, .vocab = 4), FGT_E_ARG, "out"},
    {1, 5, 0, L(embedding, .vocab = 4, .out = 2, .has_padding = 1, .padding_idx = 4), FGT_E_ARG,
     "padding_idx"},
    {3, 5, 0, L(embedding, .vocab = 4, .out = 2), FGT_E_SHAPE, "one node (got 3)"},
    {1, 5, 0, L(linear, .out = 2), FGT_E_STATE, "ids"},
    {1, 5, 6, L(position, .kind = FGT_POSITION_LEARNED, .max_time = 4), FGT_E_ARG, "max_time"},
    {1, 5, 6, L(position, .kind = 4), FGT_E_ARG, "kind"},
    {1, 5, 6, L(position, .columns = 5), FGT_E_ARG, "columns and prefix are only for FGT_POSITION_GRID"},
    {1, 5, 8, L(position, .kind = FGT_POSITION_GRID), FGT_E_ARG, "FGT_POSITION_GRID needs columns"},
    {1, 4, 6, L(position, .kind = FGT_POSITION_GRID, .columns = 2), FGT_E_SHAPE,
     "wrong number of features (got 6, need a multiple of 4)"},
    {1, 5, 8, L(position, .kind = FGT_POSITION_GRID, .columns = 2), FGT_E_SHAPE,
     "5 tokens do not fit the grid: need prefix (0)"},
    {1, 5, 8, L(position, .kind = FGT_POSITION_GRID, .columns = 2, .prefix = 5), FGT_E_SHAPE, "5 tokens"},
    {1, 5, 6, L(pool, .kind = 2), FGT_E_ARG, "kind"},
    {1, 5, 6, {.type = "patch"}, FGT_E_SHAPE, "16 steps"},
    {1, 5, 6, L(patch, .length = 2, .stride = -1), FGT_E_ARG, "stride"},
    {2, 20, 6, {.type = "patch"}, FGT_E_SHAPE, "2 nodes"},
    {1, 5, 6, L(layout, .kind = 4), FGT_E_ARG, "kind"},
    {2, 5, 6, L(layout, .kind = FGT_LAYOUT_MERGE), FGT_E_SHAPE, "merge"},
    {1, 5, 6, L(revin, .eps = -1), FGT_E_ARG, "eps"},
    {1, 5, 6, {.type = "revin_inverse"}, FGT_E_ARG, "no revin"},
    {1, 5, 6, L(value, .time = -1), FGT_E_ARG, "time"},
    {1, 5, 6, L(value, .kind = 8), FGT_E_ARG, "kind"},
    {1, 5, 0, L(value, .time = 3), FGT_E_STATE, "features"},
    {1, 5, 6, L(value, .kind = FGT_VALUE_IDS, .features = 2), FGT_E_ARG, "FGT_VALUE_REAL"},
    {1, 5, 6, L(sum, .weight = {-2e30f}), FGT_E_ARG, "w0"},
    {1, 5, 6, L(attention, .heads = 4), FGT_E_ARG, "heads is wrong (got 4"},
    {1, 5, 6, L(conv, .kernel = 6, .padding = FGT_CONV_PADDING_VALID), FGT_E_SHAPE,
     "kernel is too long (got 6, the input has 5 tokens)"},
    {1, 5, 6, L(conv, .padding = 4), FGT_E_ARG, "padding"},
    {1, 5, 6, L(conv, .stride = -1), FGT_E_ARG, "stride"},
    {4, 5, 6, {.type = "patch_2d"}, FGT_E_ARG, "height"},
    {4, 5, 6, L(patch_2d, .height = 5), FGT_E_SHAPE, "5 x 5 does not fit into an image of 4 x 5"},
    {4, 5, 6, L(patch_2d, .height = 2, .padding_width = -1), FGT_E_ARG, "padding_width"},
    {4, 5, 6, L(conv_2d, .width = 6), FGT_E_SHAPE, "3 x 6 does not fit into an image of 4 x 5"},
    {4, 5, 6, L(conv_2d, .stride_height = -1), FGT_E_ARG, "stride_height"},
    {1, 5, 6, L(class_token, .count = -1), FGT_E_ARG, "count"},
    {1, 5, 6, {.type = "gather"}, FGT_E_ARG, "the layer needs two inputs, tokens and ids"},
    {1, 5, 6, L(scatter, .time = 9), FGT_E_ARG, "the layer needs two inputs, tokens and ids"},
    {1, 5, 6, {.type = "scatter"}, FGT_E_ARG, "time"},
    {1, 5, 6, L(drop_path, .p = 1), FGT_E_ARG, "p is out of range (got 1"},
    {1, 5, 6, L(fighter, .drop_path = 0.1f), FGT_E_ARG, "drop_path needs a residual path"},
    {1, 5, 6, L(fighter, .drop_path = 0.1f, .residual = 1, .out = 5), FGT_E_ARG, "drop_path needs"},
    {1, 5, 6, L(transformer, .drop_path = -1), FGT_E_ARG, "drop_path"},
    {1, 5, 6, L(max_pool, .kernel = -1), FGT_E_ARG, "kernel"},
    {1, 5, 6, L(attention, .heads = -2), FGT_E_ARG, "heads"},
    {1, 5, 6, L(attention, .attention.diag_when = 3), FGT_E_ARG, "diag_when"},
    {1, 5, 6, L(attention, .attention.attn_dropout = 1), FGT_E_ARG, "attn_dropout"},
    {1, 5, 6, L(attention, .attention.attender = 4), FGT_E_ARG, "attender"},
    {1, 5, 6, L(attention, .attention.factor = 3), FGT_E_ARG, "factor does not go with attender full"},
    {1, 5, 6, L(attention, .attention.factor = -1, .attention.attender = 1), FGT_E_ARG, "factor"},
    {1, 5, 6, L(attention, .attention.diag_mask = 1, .attention.attender = 1), FGT_E_ARG,
     "diag_mask does not go with attender prob"},
    {1, 5, 6, L(attention, .attention.diag_penalty = 1, .attention.attender = 1), FGT_E_ARG, "diag_penalty"},
    {1, 5, 6, L(attention, .attention.diag_dropout = 0.1f, .attention.attender = 1), FGT_E_ARG,
     "diag_dropout"},
    {1, 5, 6, L(attention, .attention.diag_when = 1, .attention.attender = 1), FGT_E_ARG, "diag_when"},
    {1, 5, 6, L(attention, .attention.attn_dropout = 0.1f, .attention.attender = 1), FGT_E_ARG,
     "attn_dropout"},
    {1, 5, 6, L(attention, .attention.mode = FGT_ATTN_MODE_STREAM, .attention.attender = 1), FGT_E_ARG,
     "streaming"},
    {1, 5, 6, L(moving_average, .window = 4), FGT_E_ARG,
     "window is wrong (got 4, need an odd number, so that it has a middle)"},
    {1, 5, 6, L(moving_average, .window = -3), FGT_E_ARG, "window"},
    {1, 5, 6, L(attention, .attention.own_delays = 1), FGT_E_ARG,
     "own_delays does not go with attender full"},
    {1, 5, 6, L(attention, .attention.own_delays = 1, .attention.attender = 1), FGT_E_ARG, "own_delays"},
    {1, 5, 6, L(attention, .attention.bucket_size = 4), FGT_E_ARG,
     "bucket_size does not go with attender full"},
    {1, 5, 6, L(attention, .attention.n_hashes = 4, .attention.attender = 2), FGT_E_ARG,
     "n_hashes does not go with attender"},
    {1, 5, 6, L(attention, .attention.bucket_size = -1, .attention.attender = 3), FGT_E_ARG, "bucket_size"},
    {1, 5, 6, L(attention, .attention.n_hashes = 1001, .attention.attender = 3), FGT_E_ARG, "n_hashes"},
    {1, 5, 6, L(attention, .attention.factor = 1, .attention.attender = 3), FGT_E_ARG,
     "factor does not go with attender lsh"},
    {1, 5, 6, L(attention, .attention.attn_dropout = 0.1f, .attention.attender = 3), FGT_E_ARG,
     "attn_dropout does not go with attender lsh"},
    {1, 5, 6, L(attention, .attention.causal = 1, .attention.attender = 2), FGT_E_ARG,
     "causal does not go with attender correlation"},
    {1, 5, 6, L(attention, .attention.diag_mask = 1, .attention.attender = 2), FGT_E_ARG,
     "diag_mask does not go with attender correlation"},
    {1, 5, 6, L(attention, .attention.mode = FGT_ATTN_MODE_STREAM, .attention.attender = 2), FGT_E_ARG,
     "streaming"},
    {1, 5, 6, L(fighter, .heads = 4), FGT_E_ARG, "heads is wrong (got 4"},
    {1, 5, 6, L(fighter, .heads = 3, .out = 7), FGT_E_ARG, "7"},
    {1, 5, 6, L(fighter, .heads = 3, .attn = 8), FGT_E_ARG, "8"},
    {1, 5, 6, L(fighter, .hops = -1), FGT_E_ARG, "hops"},
    {1, 5, 6, L(fighter, .hops = 1000), FGT_E_ARG, "hops"},
    {1, 5, 6, L(fighter, .act = 20), FGT_E_ARG, "act"},
    {1, 5, 6, L(fighter, .first_hop = 3), FGT_E_ARG, "first_hop is out of range (got 3, need below hops, 3)"},
    {1, 5, 6, L(fighter, .hops = 1, .first_hop = 1), FGT_E_ARG, "first_hop is out of range (got 1"},
    {1, 5, 6, L(fighter, .first_hop = -1), FGT_E_ARG, "first_hop"},
    {1, 5, 6, L(fighter, .norm = 1, .norm_residual = 1), FGT_E_ARG, "norm_residual needs a residual path"},
    {1, 5, 6, L(fighter, .out = 8, .residual = 1, .norm_residual = 1), FGT_E_ARG, "the widths are 6 and 8"},
    {1, 5, 6, L(fighter, .attention.scale = 2), FGT_E_ARG, "scale"},
    {1, 5, 6, L(fighter, .project = 2), FGT_E_ARG, "project"},
    {1, 5, 6, L(transformer, .attention.scale = -1), FGT_E_ARG, "scale"},
    {1, 5, 6, L(attention, .heads = 2, .values = 5), FGT_E_ARG,
     "heads is wrong (got 2, need a divisor of the width of values, 5)"},
    {1, 5, 6, L(attention, .values = 8, .attention.attender = 2), FGT_E_ARG,
     "values does not go with attender corr"},
    {1, 5, 6, L(attention, .values = 8, .attention.attender = 3), FGT_E_ARG,
     "values does not go with attender lsh"},
    {1, 5, 6, L(attention, .values = -1), FGT_E_ARG, "values"},
    {1, 5, 6, L(attention, .attention.scale = 1, .attention.attender = 2), FGT_E_ARG,
     "scale does not go with attender corr"},
    {1, 5, 6, {.type = "gcn"}, FGT_E_ARG, "graph"},
    {1, 5, 6, L(gcn, .learned = 2, .plain = 1), FGT_E_ARG,
     "plain needs a fixed graph, and cannot be combined with learned"},
    {1, 5, 6, L(transformer, .heads = 5), FGT_E_ARG, "heads is wrong (got 5"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        fgt_model            *m = new_model(2, r->nodes, r->time, r->features);
        REFUSED(fgt_model_add(m, r->layer), r->status, r->words);
        assert_int_equal(model_info(m).tensors, 0);
        assert_int_equal(model_info(m).parameters, 0);
        /* as before: the same number is free, another layer fits */
        const fgt_embedding_opts e = {.size = sizeof e, .vocab = 3, .out = 2};
        if (r->features)
            OK(fgt_model_add(m, fgt_activation(NULL)));
        else if (r->nodes == 1)
            OK(fgt_model_add(m, fgt_embedding(&e)));
        fgt_model_destroy(&m);
        REFUSED(model_of_layer(
                    ctx,
                    &FGT_OPTS(fgt_model_opts, .nodes = r->nodes, .time = r->time, .features = r->features),
                    r->layer, &m),
                r->status, r->words);
        assert_null(m);
    }
}

/* Every byte of a layer's options is that of a field which is checked, `reserved` too: a later version may
 * give it a meaning. */
static void test_all_fields_are_checked(void **state)
{
    static const size_t bytes[] = {[FGTI_OPT_I64] = 8,   [FGTI_OPT_ENUM] = 4,
                                   [FGTI_OPT_BOOL] = 4,  [FGTI_OPT_F32] = 4,
                                   [FGTI_OPT_F64] = 8,   [FGTI_OPT_GRAPH] = sizeof(fgt_graph *)};
    (void)state;
    for (int32_t i = 0; fgti_class_at(i); i++) {
        const fgti_class *cls = fgti_class_at(i);
        size_t            sum = sizeof(size_t);
        for (const fgti_opt *o = cls->opts; o->name; o++) sum += bytes[o->kind];
        if (sum != cls->opts_size)
            fail_msg("%s: the table of options has %zu of %zu bytes", cls->name, sum, cls->opts_size);
    }
}

static void test_peers_and_graphs(void **state)
{
    (void)state;
    fgt_model *m = new_model(2, 1, 6, 4);
    REFUSED(fgt_model_add(m, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = five))), FGT_E_SHAPE, "5 nodes");
    REFUSED(fgt_model_add(m, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = five, .hops = -1))), FGT_E_ARG, "hops");
    REFUSED(fgt_model_add(m, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = five, .learned = 2))), FGT_E_ARG,
            "cannot be combined");
    REFUSED(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .attention.graph = five))), FGT_E_SHAPE,
            "5 nodes");
    REFUSED(fgt_model_add(m, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .attention.graph = five))),
            FGT_E_SHAPE, "5 nodes");
    REFUSED(fgt_model_add(m, fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.graph = five,
                                                     .attention.attender = FGT_ATTENDER_LSH))),
            FGT_E_ARG, "another attender does not go with a graph");
    REFUSED(fgt_model_add_from(m, fgt_attention(&FGT_OPTS(fgt_attention_opts, .attention.graph = five)),
                               (const char *[]){"", ""}, 2),
            FGT_E_ARG, "a memory does not go with a graph");
    REFUSED(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .attention.causal = 1,
                                                   .attention.attender = FGT_ATTENDER_PROB))),
            FGT_E_ARG, "causal does not go with attender prob");
    REFUSED(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .attention.attn_dropout = 0.1f,
                                                   .attention.attender = FGT_ATTENDER_LSH))),
            FGT_E_ARG, "attn_dropout does not go with attender lsh");
    REFUSED(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .attention.n_hashes = 2))), FGT_E_ARG,
            "n_hashes does not go with attender full");
    fgt_graph *negative;
    OK(fgt_graph_create_dense(ctx, FGT_VIEW(((float[36]){[7] = -2}), 6, 6), &negative));
    REFUSED(fgt_model_add(m, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = negative, .diffusion = 1))), FGT_E_DATA,
            "the weight of the graph in row 1, column 1 is -2");
    fgt_graph_destroy(&negative);
    OK(fgt_model_add(m, fgt_revin(NULL)));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3))));
    REFUSED(fgt_model_add(m, fgt_revin_inverse(NULL)), FGT_E_SHAPE, "3 features");
    REFUSED(fgt_model_add_from(m, fgt_revin_inverse(NULL), (const char *[]){"", "1"}, 2), FGT_E_ARG,
            "\"1\" is not a revin layer");
    REFUSED(fgt_model_add_from(m, fgt_revin_inverse(NULL), (const char *[]){"", "2"}, 2), FGT_E_NAME,
            "\"2\"");
    fgt_model_destroy(&m);
    m = new_model(2, 1, 6, 4);
    REFUSED(fgt_model_add(m, fgt_revin_inverse(NULL)), FGT_E_ARG, "no revin layer before");
    fgt_model_destroy(&m);
}

static void test_names(void **state)
{
    (void)state;
    char long_name[300];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    const fgt_layer linear = fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4));
    fgt_model      *m      = new_model(2, 1, 5, 4);
    OK(fgt_model_add(m, fgt_named("head", linear)));
    REFUSED(fgt_model_add(m, fgt_named("head", linear)), FGT_E_NAME, "\"head\" is taken");
    REFUSED(fgt_model_add(m, fgt_named(long_name, linear)), FGT_E_NAME, "too long");
    OK(fgt_model_add(m, fgt_named("x.out_proj", linear)));
    REFUSED(fgt_model_add(m, fgt_named("x", fgt_attention(NULL))), FGT_E_NAME,
            "\"x.out_proj.weight\" is taken");
    assert_int_equal(model_info(m).tensors, 4);
    OK(fgt_model_add(m, linear));
    assert_string_equal(parameter_name(m, 4), "2.weight");
    assert_null(parameter_name(m, 6));
    assert_null(parameter_name(m, -1));
    fgt_model_destroy(&m);
}

/* ---- models, options ---- */

static void test_models(void **state)
{
    (void)state;
    fgt_model *m = (fgt_model *)&ctx;
    REFUSED(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = -1), &m), FGT_E_ARG, "batch");
    assert_null(m);
    REFUSED(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .time = -1), &m), FGT_E_ARG, "time");
    REFUSED(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .features = -1), &m), FGT_E_ARG, "features");
    REFUSED(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .nodes = -1), &m), FGT_E_ARG, "nodes");
    struct {
        fgt_model_opts opts;
        int64_t        later;
    } newer = {.opts = {.size = sizeof newer, .features = 2}, .later = 1};
    REFUSED(fgt_model_create(ctx, &newer.opts, &m), FGT_E_VERSION, "model");
    newer.later = 0;
    OK(fgt_model_create(ctx, &newer.opts, &m));
    struct {
        fgt_linear_opts opts;
        int64_t         later;
    } layer = {.opts = {.size = sizeof layer, .out = 2}, .later = 7};
    REFUSED(fgt_model_add(m, fgt_linear(&layer.opts)), FGT_E_VERSION, "linear");
    fgt_model_destroy(&m);
    assert_null(m);
}

static void test_empty(void **state)
{
    (void)state;
    float          x[6] = {0}, y[6];
    fgt_workspace *ws = NULL;
    fgt_model     *m  = new_model(1, 1, 2, 3);
    REFUSED(fgt_forward(m, FGT_VIEW(x, 1, 2, 3), FGT_VIEW(y, 1, 2, 3)), FGT_E_STATE, "no layers");
    REFUSED(fgt_predict(m, FGT_VIEW(x, 1, 2, 3), FGT_VIEW(y, 1, 2, 3)), FGT_E_STATE, "no layers");
    REFUSED(fgt_model_create_workspace(m, NULL, &ws), FGT_E_STATE, "no layers");
    assert_null(ws);
    assert_int_equal(fgt_model_get_workspace_bytes(m, NULL), -1);
    REFUSED(fgt_backward(m, FGT_VIEW(y, 1, 2, 3), NULL), FGT_E_STATE, "fgt_forward");
    REFUSED(fgt_model_clear_gradients(m), FGT_E_STATE, "gradients");
    OK(fgt_model_add(m, fgt_activation(NULL))); /* still open */
    fgt_model_destroy(&m);
}

/* ---- passes ---- */

static void test_views(void **state)
{
    (void)state;
    enum { B = 3, T = 4, D = 2 };
    float      x[(B + 1) * (T + 1) * 3] = {0}, y[B * T * 5], dx[B * T * D];
    fgt_model *m = new_model(B, 1, T, D);
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 5))));
    const fgt_view *right = FGT_VIEW(y, B, T, 5), *in = FGT_VIEW(x, B, T, D);
    for (int i = 0; i < B * T * 5; i++) y[i] = 77;

    REFUSED(fgt_forward(m, NULL, right), FGT_E_ARG, "x");
    REFUSED(fgt_forward(m, in, NULL), FGT_E_ARG, "y");
    REFUSED(fgt_forward(m, FGT_VIEW(x, B, T, 3), right), FGT_E_SHAPE,
            "x has the wrong shape (got [3,4,3], need [3,4,2])");
    REFUSED(fgt_forward(m, FGT_VIEW(x, B + 1, T, D), right), FGT_E_SHAPE, "4 samples");
    REFUSED(fgt_forward(m, FGT_VIEW(x, B, T + 1, D), right), FGT_E_SHAPE, "5 tokens");
    REFUSED(fgt_forward(m, FGT_VIEW(x, B, T * D), right), FGT_E_SHAPE, "wrong rank (got 2");
    REFUSED(fgt_forward(m, FGT_VIEW(x, B, 1, T, D), right), FGT_E_SHAPE, "wrong rank (got 4");
    REFUSED(fgt_forward(m, FGT_VIEW(x, 0, T, D), right), FGT_E_SHAPE, "0 samples");
    REFUSED(fgt_forward(m, FGT_VIEW(x, B, -1, D), right), FGT_E_SHAPE, "-1 tokens");
    REFUSED(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_F64, x, B, T, D), right), FGT_E_SHAPE, "F64");
    REFUSED(fgt_forward(m, FGT_VIEW(NULL, B, T, D), right), FGT_E_ARG, "x");
    REFUSED(fgt_forward(m, in, FGT_VIEW(y, B, T, 4)), FGT_E_SHAPE,
            "y has the wrong shape (got [3,4,4], need [3,4,5])");
    REFUSED(fgt_forward(m, in, FGT_VIEW(y, B - 1, T, 5)), FGT_E_SHAPE, "y");
    for (int i = 0; i < B * T * 5; i++) assert_true(y[i] == 77);

    REFUSED(fgt_backward(m, right, NULL), FGT_E_STATE, "fgt_forward");
    OK(fgt_predict(m, in, right));
    REFUSED(fgt_model_add(m, fgt_activation(NULL)), FGT_E_STATE, "after the first pass");
    REFUSED(fgt_backward(m, right, NULL), FGT_E_STATE, "fgt_forward");
    OK(fgt_forward(m, in, right));
    REFUSED(fgt_backward(m, NULL, NULL), FGT_E_ARG, "dy");
    REFUSED(fgt_backward(m, FGT_VIEW(y, B, T, 4), NULL), FGT_E_SHAPE,
            "dy has the wrong shape (got [3,4,4], need [3,4,5])");
    REFUSED(fgt_backward(m, right, FGT_VIEW(dx, B, T, D + 1)), FGT_E_SHAPE, "dx");
    OK(fgt_backward(m, right, FGT_VIEW(dx, B, T, D)));
    REFUSED(fgt_backward(m, right, NULL), FGT_E_STATE, "needs a new fgt_forward()");
    /* a view that has or lacks axes of length 1 is the same tensor */
    OK(fgt_predict(m, FGT_VIEW(x, 1, 1, D), FGT_VIEW(y, 1, 5)));
    fgt_model_destroy(&m);
}

static void test_ids(void **state)
{
    (void)state;
    int64_t    ids[6]  = {0, 1, 2, 3, 1, 0}, big[6] = {0, 1, INT64_C(1) << 40, 0, 0, 0};
    int32_t    half[6] = {0, 1, 2, 3, -1, 0};
    float      y[12], x[6] = {0};
    fgt_model *m = new_model(2, 1, 3, 0);
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 4, .out = 2))));
    const fgt_view *out = FGT_VIEW(y, 2, 3, 2);
    REFUSED(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I32, half, 2, 3), out), FGT_E_DATA,
            "sample 1 of the batch, token 1");
    REFUSED(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I64, big, 2, 3), out), FGT_E_DATA,
            "sample 0 of the batch, token 2");
    REFUSED(fgt_backward(m, out, NULL), FGT_E_STATE, "fgt_forward");
    REFUSED(fgt_forward(m, FGT_VIEW(x, 2, 3), out), FGT_E_SHAPE, "F32");
    REFUSED(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 6), out), FGT_E_SHAPE, "wrong rank (got 1");
    REFUSED(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I64, NULL, 2, 3), out), FGT_E_ARG, "x");
    OK(fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 2, 3), out));
    REFUSED(fgt_backward(m, out, FGT_VIEW(x, 2, 3)), FGT_E_UNSUPPORTED, "ids");
    OK(fgt_backward(m, out, NULL));
    fgt_model_destroy(&m);
}

/* A smaller pass changes the width of a later layer's input: its parameters do not fit. */
static void test_shorter(void **state)
{
    (void)state;
    float      x[24] = {0}, y[24];
    fgt_model *m = new_model(2, 1, 4, 3);
    OK(fgt_model_add(m, fgt_layout(NULL)));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4))));
    REFUSED(fgt_forward(m, FGT_VIEW(x, 2, 3, 3), FGT_VIEW(y, 2, 3, 4)), FGT_E_SHAPE, "layer 1 (linear)");
    OK(fgt_forward(m, FGT_VIEW(x, 2, 4, 3), FGT_VIEW(y, 2, 3, 4)));
    fgt_model_destroy(&m);
    m = new_model(2, 1, 5, 3);
    OK(fgt_model_add(m, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = five))));
    REFUSED(fgt_forward(m, FGT_VIEW(x, 2, 4, 3), FGT_VIEW(y, 2, 4, 3)), FGT_E_SHAPE, "layer 0 (gcn)");
    fgt_model_destroy(&m);
}

/* ---- side inputs ---- */

static void test_inputs(void **state)
{
    (void)state;
    enum { B = 2, T = 3, D = 4 };
    float      x[B * T * D] = {0}, y[B * T * D], real[64] = {0};
    int32_t    flag[64]     = {0};
    fgt_model *m            = new_model(B, 1, T, D);
    OK(fgt_model_add(m, fgt_named("self", fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 2)))));
    const fgt_view *in = FGT_VIEW(x, B, T, D), *out = FGT_VIEW(y, B, T, D);
    const struct {
        int32_t         mask;
        const fgt_view *wrong, *right;
        const char     *words;
    } masks[] = {
        {FGT_MASK_KEY_PADDING, FGT_VIEW_OF(FGT_DTYPE_I32, flag, B, T + 1),
         FGT_VIEW_OF(FGT_DTYPE_I32, flag, B, T),
         "key padding mask has the wrong shape (got [2,4], need [2,3])"},
        {FGT_MASK_KEY_PADDING, FGT_VIEW(real, B, T), FGT_VIEW_OF(FGT_DTYPE_I32, flag, B, T), "F32"},
        {FGT_MASK_ATTENTION, FGT_VIEW_OF(FGT_DTYPE_I32, flag, T), FGT_VIEW_OF(FGT_DTYPE_I32, flag, T, T),
         "attention mask"},
        {FGT_MASK_ATTENTION, FGT_VIEW(real, T, T + 1), FGT_VIEW(real, T, T),
         "attention mask has the wrong shape (got [3,4]"},
        {FGT_MASK_DIAG_DROP, FGT_VIEW_OF(FGT_DTYPE_I32, flag, 2), FGT_VIEW_OF(FGT_DTYPE_I32, flag, T),
         "diagonal"},
        {FGT_MASK_DIAG_SCALE, FGT_VIEW(real, B, 1, T), FGT_VIEW(real, B, 2, T), "diagonal"},
    };
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), masks[i].mask, masks[i].wrong));
        REFUSED(fgt_forward(m, in, out), FGT_E_SHAPE, masks[i].words);
        REFUSED(fgt_forward(m, in, out), FGT_E_SHAPE, "layer 0 (attention)");
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), masks[i].mask, masks[i].right));
        OK(fgt_forward(m, in, out));
        OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), masks[i].mask, NULL));
        REFUSED(fgt_backward(m, out, NULL), FGT_E_STATE, "fgt_forward");
        OK(fgt_forward(m, in, out));
        OK(fgt_backward(m, out, NULL));
    }
    REFUSED(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_COUNT, NULL), FGT_E_ARG, "6");
    REFUSED(fgt_workspace_set_mask(fgt_model_get_workspace(m), (int32_t)-1, NULL), FGT_E_ARG, "-1");
    REFUSED(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_DROP,
                                   FGT_VIEW_OF(FGT_DTYPE_I32, NULL, T)),
            FGT_E_ARG, "no data");
    fgt_model_destroy(&m);
}

static void test_cross(void **state)
{
    (void)state;
    float      x[24] = {0}, y[24], cross[60] = {0}, dm[60];
    fgt_model *m = new_model(2, 1, 3, 4);
    const fgt_value_opts value = {.size = sizeof value, .time = 5};
    OK(fgt_model_add(m, fgt_named("memory", fgt_value(&value))));
    OK(fgt_model_add_from(m, fgt_attention(NULL), (const char *[]){"", "memory"}, 2));
    const fgt_view *in = FGT_VIEW(x, 2, 3, 4), *out = FGT_VIEW(y, 2, 3, 4);
    REFUSED(fgt_forward(m, in, out), FGT_E_STATE, "\"memory\" was not set");
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", FGT_VIEW(cross, 2, 6, 4), NULL));
    REFUSED(fgt_forward(m, in, out), FGT_E_SHAPE, "6 tokens");
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", FGT_VIEW(cross, 2, 5, 3), NULL));
    REFUSED(fgt_forward(m, in, out), FGT_E_SHAPE, "memory has the wrong shape (got [2,5,3]");
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", FGT_VIEW(cross, 1, 5, 4), NULL));
    REFUSED(fgt_forward(m, in, out), FGT_E_SHAPE, "got 1 samples, need 2 as x");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", FGT_VIEW(cross, 2, 5, 4),
                                    FGT_VIEW(dm, 2, 4, 4)),
            FGT_E_SHAPE, "gradient");
    REFUSED(fgt_workspace_set_value(fgt_model_get_workspace(m), "1", FGT_VIEW(cross, 2, 5, 4), NULL),
            FGT_E_NAME, "\"1\"");
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", FGT_VIEW(cross, 2, 5, 4),
                               FGT_VIEW(dm, 2, 5, 4)));
    OK(fgt_forward(m, in, out));
    OK(fgt_backward(m, out, NULL));
    fgt_model_destroy(&m);
}

static void test_adjacency(void **state)
{
    (void)state;
    float      x[24] = {0}, y[24];
    fgt_view   a;
    fgt_model *m = new_model(2, 1, 3, 4);
    OK(fgt_model_add(m, fgt_named("rows", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)))));
    OK(fgt_model_add(m, fgt_named("tokens", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2)))));
    REFUSED(fgt_model_get_adjacency(m, "tokens", &a), FGT_E_STATE, "no pass");
    OK(fgt_predict(m, FGT_VIEW(x, 2, 3, 4), FGT_VIEW(y, 2, 3, 4)));
    REFUSED(fgt_model_get_adjacency(m, "rows", &a), FGT_E_UNSUPPORTED, "\"rows\"");
    REFUSED(fgt_model_get_adjacency(m, "other", &a), FGT_E_NAME, "\"other\"");
    REFUSED(fgt_model_get_adjacency(m, NULL, &a), FGT_E_ARG, "NULL");
    REFUSED(fgt_model_get_adjacency(m, "tokens", NULL), FGT_E_ARG, "NULL");
    OK(fgt_model_get_adjacency(m, "tokens", &a));
    assert_int_equal(a.rank, 4);
    assert_int_equal(fgt_view_count(&a), 2 * 2 * 3 * 3);
    fgt_model_destroy(&m);
}

/* ---- parameters ---- */

static void test_parameters(void **state)
{
    (void)state;
    float      w[6] = {1, 2, 3, 4, 5, 6}, v[6], x[2] = {1, 1}, y[3];
    fgt_model *m;
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 2),
                      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3)), &m));
    OK(fgt_model_set_parameter(m, "weight", FGT_VIEW(w, 3, 2)));
    const uint64_t hash = fgt_model_get_hash(m);
    REFUSED(fgt_model_copy_parameter(m, "wait", FGT_VIEW(v, 3, 2)), FGT_E_NAME, "\"wait\"");
    REFUSED(fgt_model_copy_parameter(m, NULL, FGT_VIEW(v, 3, 2)), FGT_E_NAME, "NULL");
    REFUSED(fgt_model_copy_parameter(m, "weight", NULL), FGT_E_ARG, "weight");
    REFUSED(fgt_model_copy_parameter(m, "weight", FGT_VIEW((float *)NULL, 3, 2)), FGT_E_ARG, "no data");
    REFUSED(parameter_shape(m, "wait", &(fgt_view){0}), FGT_E_NAME, "\"wait\"");
    REFUSED(fgt_model_get_parameter_info(m, "weight", 0, NULL), FGT_E_ARG, "info is NULL");
    REFUSED(fgt_model_copy_parameter(m, "weight", FGT_VIEW(v, 2, 3)), FGT_E_SHAPE,
            "weight has the wrong shape (got [2,3], need [3,2])");
    REFUSED(fgt_model_set_parameter(m, "weight", FGT_VIEW(v, 6)), FGT_E_SHAPE, "weight");
    REFUSED(fgt_model_set_parameter(m, "weight", FGT_VIEW_OF(FGT_DTYPE_I32, v, 3, 2)), FGT_E_SHAPE, "I32");
    REFUSED(fgt_model_set_parameter(m, "weight", NULL), FGT_E_ARG, "weight");
    REFUSED(fgt_model_set_parameter(m, "weights", FGT_VIEW(w, 3, 2)), FGT_E_NAME, "\"weights\"");
    w[5] = (float)NAN;
    REFUSED(fgt_model_set_parameter(m, "weight", FGT_VIEW(w, 3, 2)), FGT_E_NONFINITE, "weight");
    w[5] = (float)INFINITY;
    REFUSED(fgt_model_set_parameter(m, "weight", FGT_VIEW(w, 3, 2)), FGT_E_NONFINITE, "weight");
    assert_true(fgt_model_get_hash(m) == hash);
    REFUSED(fgt_model_copy_gradient(m, "weight", FGT_VIEW(v, 3, 2)), FGT_E_STATE, "backward");
    fgt_view shape = {0};
    OK(parameter_shape(m, "weight", &shape));
    assert_true(shape.rank == 2 && shape.shape[0] == 3 && shape.shape[1] == 2 &&
                shape.dtype == FGT_DTYPE_F32);
    OK(fgt_forward(m, FGT_VIEW(x, 1, 2), FGT_VIEW(y, 1, 3)));
    OK(fgt_backward(m, FGT_VIEW(y, 1, 3), NULL));
    REFUSED(fgt_model_copy_gradient(m, "weight", FGT_VIEW(v, 2, 3)), FGT_E_SHAPE, "weight");
    REFUSED(fgt_model_copy_gradient(m, "weight", FGT_VIEW((float *)NULL, 3, 2)), FGT_E_ARG, "no data");
    REFUSED(fgt_model_set_gradient(m, "weight", FGT_VIEW(v, 2, 3)), FGT_E_SHAPE, "weight");
    REFUSED(fgt_model_set_gradient(m, "bios", FGT_VIEW(v, 3)), FGT_E_NAME, "\"bios\"");
    OK(fgt_model_clear_gradients(m));
    OK(fgt_model_copy_gradient(m, "weight", FGT_VIEW(v, 3, 2)));
    for (int i = 0; i < 6; i++) assert_true(v[i] == 0);
    fgt_model_destroy(&m);
}

/* ---- workspaces ---- */

/* Its gradient numbers the rows of a batch in 32 bits. */
static void test_rows_of_embeddings(void **state)
{
    (void)state;
    fgt_model_opts o = {.size = sizeof o, .batch = 1 << 15, .time = (1 << 16) - 1};
    for (int more = 0; more < 2; more++, o.time++) {
        fgt_model *m;
        OK(model_of_layer(ctx, &o, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 9, .out = 1)), &m));
        assert_true(more ? fgt_model_get_training_bytes(m) == -1 : fgt_model_get_training_bytes(m) > 0);
        if (more)
            assert_non_null(strstr(fgt_context_get_error(ctx), "batch 32768 and time 65536 make a pass"));
        assert_true(fgt_model_get_workspace_bytes(m, NULL) > 0);
        fgt_model_destroy(&m);
    }
}

static void test_workspaces(void **state)
{
    (void)state;
    float          x[8] = {0}, y[8];
    fgt_workspace *ws = (fgt_workspace *)&ctx;
    fgt_model     *m;
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .batch = 2, .features = 2), fgt_activation(NULL), &m));
    REFUSED(fgt_model_create_workspace(m, &FGT_OPTS(fgt_workspace_opts, .batch = -1), &ws), FGT_E_ARG,
            "batch");
    assert_null(ws);
    const fgt_workspace_opts huge = {.size = sizeof huge, .batch = INT64_MAX / 4};
    REFUSED(fgt_model_create_workspace(m, &huge, &ws), FGT_E_SIZE, "batch");
    assert_int_equal(fgt_model_get_workspace_bytes(m, &huge), -1);
    assert_int_equal(fgt_model_get_workspace_bytes(m, &FGT_OPTS(fgt_workspace_opts, .batch = -1)), -1);
    OK(fgt_model_create_workspace(m, &FGT_OPTS(fgt_workspace_opts, .batch = 4), &ws));
    assert_true(fgt_model_get_workspace_bytes(m, NULL) > 0);
    OK(fgt_workspace_predict(ws, FGT_VIEW(x, 4, 2), FGT_VIEW(y, 4, 2))); /* more than the model's own */
    assert_int_equal(fgt_workspace_predict(ws, FGT_VIEW(x, 4, 1), FGT_VIEW(y, 4, 2)), FGT_E_SHAPE);
    assert_non_null(strstr(fgt_workspace_get_error(ws), "x has the wrong shape (got [4,1], need [4,2])"));
    assert_int_equal(fgt_workspace_set_mask(ws, (int32_t)9, NULL), FGT_E_ARG);
    assert_non_null(strstr(fgt_workspace_get_error(ws), "9"));
    REFUSED(fgt_model_add(m, fgt_activation(NULL)), FGT_E_STATE, "workspace");
    fgt_workspace_destroy(&ws);
    assert_null(ws);
    fgt_model_destroy(&m);
}

/* ---- NULL everywhere ---- */

static void test_nulls(void **state)
{
    (void)state;
    float          x[2] = {0};
    fgt_view       v    = *FGT_VIEW(x, 1, 2);
    fgt_model     *m    = NULL;
    fgt_workspace *ws   = NULL;
    fgt_edge       edge = {0};
    int64_t        n    = 0;
    const fgt_status all[] = {
        fgt_model_create(NULL, NULL, &m),
        fgt_model_create(ctx, NULL, NULL),
        fgt_model_add(NULL, fgt_activation(NULL)),
        model_of_layer(NULL, NULL, fgt_activation(NULL), &m),
        model_of_layer(ctx, NULL, fgt_activation(NULL), NULL),
        fgt_model_get_info(NULL, &(fgt_model_info){0}),
        fgt_workspace_set_mask(NULL, FGT_MASK_ATTENTION, NULL),
        fgt_workspace_set_value(NULL, "x", NULL, NULL),
        fgt_forward(NULL, &v, &v),
        fgt_backward(NULL, &v, &v),
        fgt_predict(NULL, &v, &v),
        fgt_model_get_adjacency(NULL, "0", &v),
        fgt_model_get_edges(NULL, "0", NULL, &edge, 1, &n),
        fgt_model_clear_gradients(NULL),
        fgt_model_create_workspace(NULL, NULL, &ws),
        fgt_model_create_workspace(NULL, NULL, NULL),
        fgt_workspace_set_mask(NULL, FGT_MASK_ATTENTION, NULL),
        fgt_workspace_set_value(NULL, "x", NULL, NULL),
        fgt_workspace_predict(NULL, &v, &v),
        fgt_model_copy_parameter(NULL, "weight", &v),
        parameter_shape(NULL, "weight", &v),
        fgt_model_set_parameter(NULL, "weight", &v),
        fgt_model_copy_gradient(NULL, "weight", &v),
        fgt_model_set_gradient(NULL, "weight", &v),
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] != FGT_E_ARG) fail_msg("call %zu: %s", i, fgt_status_get_name(all[i]));
    assert_int_equal(model_info(NULL).tensors, 0);
    assert_int_equal(model_info(NULL).parameters, 0);
    assert_true(fgt_model_get_hash(NULL) == 0);
    assert_null(parameter_name(NULL, 0));
    assert_int_equal(fgt_model_get_workspace_bytes(NULL, NULL), -1);
    assert_string_equal(fgt_workspace_get_error(NULL), "");
    fgt_model_destroy(NULL);
    fgt_model_destroy(&m);
    fgt_workspace_destroy(NULL);
    fgt_workspace_destroy(&ws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_peers_and_graphs),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_models),
        cmocka_unit_test(test_empty),      cmocka_unit_test(test_views),
        cmocka_unit_test(test_ids),        cmocka_unit_test(test_shorter),
        cmocka_unit_test(test_inputs),     cmocka_unit_test(test_cross),
        cmocka_unit_test(test_adjacency),  cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_rows_of_embeddings),
        cmocka_unit_test(test_workspaces), cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_all_fields_are_checked),
    };
    return cmocka_run_group_tests(tests, start, end);
}
