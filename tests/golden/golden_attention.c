/* SPDX-License-Identifier: BSD-3-Clause */
/* Attention, the stacks of Fighter and Transformer layers, fixed graphs. */
#include <string.h>

#include <fighter/experimental/convert.h>
#include <fighter/graph.h>

#include "golden.h"

/* ---- masks ---- */

/* The tokens; nodes become samples where a mask or a memory goes by node. */
static golden_shape fold_tokens(golden *g, bool cross)
{
    golden_shape in = golden_fold(golden_need(g, "input"));
    const char  *padding = "key_padding_mask";
    const bool   by_node = golden_has(g, padding) && golden_need(g, padding)->rank > 2;
    if (in.nodes > 1 && (cross || by_node)) {
        in.folded = in.nodes;
        in.batch *= in.nodes;
        in.nodes = 1;
    }
    return in;
}

static void set_flags(golden *g, fgt_model *m, int32_t mask, const double *given, int64_t rows,
                      int64_t columns)
{
    int32_t *flag = golden_memory(g, rows * columns, sizeof *flag);
    for (int64_t i = 0; i < rows * columns; i++) flag[i] = given[i] != 0;
    fgt_view v = *FGT_VIEW_OF(FGT_DTYPE_I32, flag, rows, columns);
    if (mask == FGT_MASK_DIAG_DROP) v = *FGT_VIEW_OF(FGT_DTYPE_I32, flag, columns);
    golden_ok(g, fgt_workspace_set_mask(fgt_model_get_workspace(m), mask, &v));
}

static void set_attn_mask(golden *g, fgt_model *m, int64_t tq, int64_t tk)
{
    const fgti_st_tensor *t = golden_need(g, "attn_mask");
    if (golden_count(t) != tq * tk) golden_skip(g, "attn_mask by sample or head");
    if (t->dtype == FGTI_ST_F32 || t->dtype == FGTI_ST_F64)
        golden_ok(g, fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION,
                                            FGT_VIEW(golden_floats(g, "attn_mask"), tq, tk)));
    else
        set_flags(g, m, FGT_MASK_ATTENTION, golden_doubles(g, "attn_mask"), tq, tk);
}

/* diag_keep_mask times the factor that the metadata give behind it: "... diag_keep_mask * 1.25" */
static void set_diag_scale(golden *g, fgt_model *m, golden_shape in, int64_t heads)
{
    const int64_t rows  = in.batch * in.nodes, unit = heads * in.time;
    const double *keep  = golden_rows(g, "diag_keep_mask", rows, unit);
    const double  scale = golden_after(golden_meta(g, "diag_dropout"), "* ", 1);
    float        *f     = golden_memory(g, rows * unit, sizeof *f);
    for (int64_t i = 0; i < rows * unit; i++) f[i] = (float)(keep[i] * scale);
    golden_ok(g, fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_SCALE,
                                        FGT_VIEW(f, rows, heads, in.time)));
}

static void set_masks(golden *g, fgt_model *m, golden_shape in, int64_t heads, int64_t tk)
{
    if (golden_has(g, "key_padding_mask"))
        set_flags(g, m, FGT_MASK_KEY_PADDING, golden_rows(g, "key_padding_mask", in.batch, tk), in.batch,
                  tk);
    if (golden_has(g, "attn_mask")) set_attn_mask(g, m, in.time, tk);
    if (golden_has(g, "diag_drop_mask"))
        set_flags(g, m, FGT_MASK_DIAG_DROP, golden_rows(g, "diag_drop_mask", 1, in.time), 1, in.time);
    if (golden_has(g, "diag_keep_mask")) set_diag_scale(g, m, in, heads);
}

/* The metadata's options of the diagonal, under their own names or in one text. */
static float diag_penalty(golden *g)
{
    const char *text = golden_meta(g, "regulariser");
    return (float)golden_number(g, "diag_penalty", golden_after(text, "diag_penalty=", 0));
}

static bool diag_mask(const golden *g)
{
    const char *text = golden_meta(g, "regulariser");
    return golden_flag(g, "diag_mask") || (text && strstr(text, "diag_mask"));
}

static int32_t scale_of(const golden *g)
{
    const char *text = golden_meta(g, "scale");
    return text && !strcmp(text, "width") ? FGT_ATTN_SCALE_WIDTH : FGT_ATTN_SCALE_HEAD;
}

/* Draws of another generator cannot be repeated. */
static void refuse_dropout(golden *g)
{
    if (golden_number(g, "dropout", 0) != 0 || golden_number(g, "attn_dropout", 0) != 0)
        golden_skip(g, "dropout other than by masks in the file");
}

/* ---- multi-head attention ---- */

/* The weights that are not 0, by rows. */
static fgt_graph *sparse_graph(golden *g, const float *a, int64_t n)
{
    int64_t *indptr  = golden_memory(g, n + 1, sizeof *indptr);
    int32_t *indices = golden_memory(g, n * n, sizeof *indices);
    float   *values  = golden_memory(g, n * n, sizeof *values);
    int64_t  edges   = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (a[i * n + j] == 0) continue;
            indices[edges]  = (int32_t)j;
            values[edges++] = a[i * n + j];
        }
        indptr[i + 1] = edges;
    }
    golden_ok(g, fgt_graph_create_csr(g->ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, n + 1),
                                      FGT_VIEW_OF(FGT_DTYPE_I32, indices, edges), FGT_VIEW(values, edges),
                                      &g->graph));
    return g->graph;
}

/* The graph of attention along its edges, or NULL. */
static const fgt_graph *graph_of(golden *g)
{
    if (!golden_has(g, "graph") || g->graph) return g->graph;
    return sparse_graph(g, golden_floats(g, "graph"), golden_need(g, "graph")->shape[0]);
}

static fgt_attention_opts attention_opts(golden *g)
{
    if (!golden_has(g, "param.in_proj_weight")) golden_skip(g, "attention with separate projections");
    return (fgt_attention_opts){.size             = sizeof(fgt_attention_opts),
                                .heads            = (int64_t)golden_number(g, "heads", 1),
                                .attention.causal = golden_flag(g, "causal"),
                                .no_bias          = !golden_has(g, "param.in_proj_bias") &&
                                           !golden_has(g, "param.out_proj.bias"),
                                .attention.diag_mask    = diag_mask(g),
                                .attention.diag_penalty = diag_penalty(g),
                                .attention.scale        = scale_of(g),
                                .values                 = (int64_t)golden_number(g, "values", 0),
                                .no_out                 = golden_flag(g, "no_out"),
                                .attention.graph        = graph_of(g)};
}

fgt_model *golden_attention(golden *g, golden_shape in, int64_t memory_time, const fgt_attention_opts *opts)
{
    const fgt_value_opts memory = {.size = sizeof memory, .time = memory_time};
    if (!memory_time) return golden_layer(g, in, fgt_attention(opts));
    fgt_model *m = golden_model(g, in);
    golden_ok(g, fgt_model_add(m, fgt_named("memory", fgt_value(&memory))));
    golden_ok(g,
              fgt_model_add_from(m, fgt_named("", fgt_attention(opts)), (const char *[]){"", "memory"}, 2));
    return m;
}

void golden_multihead_attention(golden *g)
{
    const bool         cross = golden_has(g, "input_kv");
    const golden_shape in    = fold_tokens(g, cross);
    golden_shape       kv    = cross ? golden_fold(golden_need(g, "input_kv")) : in;
    kv.batch *= cross ? kv.nodes : 1;
    if (cross && (kv.batch != in.batch || kv.width != in.width))
        golden_skip(g, "input_kv of other samples or width than input");
    refuse_dropout(g);
    const fgt_attention_opts opts = attention_opts(g);
    fgt_model               *m    = golden_attention(g, in, cross ? kv.time : 0, &opts);
    const int64_t            n    = in.batch * kv.time * kv.width;
    float                   *dkv  = golden_memory(g, n, sizeof *dkv);
    set_masks(g, m, in, opts.heads, kv.time);
    if (cross)
        golden_ok(g,
                  fgt_workspace_set_value(fgt_model_get_workspace(m), "memory",
                                          FGT_VIEW(golden_floats(g, "input_kv"), in.batch, kv.time, kv.width),
                                          FGT_VIEW(dkv, in.batch, kv.time, kv.width)));
    golden_pass(g, m, in);
    golden_adjacency(g, m, "", "attn_weights");
    if (cross && golden_has(g, "grad.input_kv")) golden_gradient_is(g, "grad.input_kv", n, dkv);
}

/* ---- Fighter ---- */

/* Whether "param.layers.<l>.<name>" is there. */
static bool layer_has(golden *g, int l, const char *name)
{
    return golden_has(g, golden_name(g, "param.layers.%d.%s", l, name));
}

static int64_t layer_axis(golden *g, int l, const char *name, int axis)
{
    const fgti_st_tensor *t = golden_need(g, golden_name(g, "param.layers.%d.%s", l, name));
    if (t->rank <= axis) golden_fail(g, "tensor %s has rank %d", t->name, t->rank);
    return t->shape[axis];
}

static bool has_norm(golden *g)
{
    const char *text = golden_meta(g, "norm");
    if (!text || !strncmp(text, "none", 4) || !strcmp(text, "False")) return false;
    if (strncmp(text, "pre", 3) != 0 && strcmp(text, "True") != 0) golden_skip(g, "norm %s", text);
    if (golden_after(text, "eps ", 1e-5) != 1e-5) golden_skip(g, "norm %s", text);
    return true;
}

static int32_t attender_of(golden *g)
{
    static const char *const names[] = {"full", "prob", "correlation", "lsh"};
    const char              *text    = golden_meta(g, "attender");
    for (int32_t i = 0; text && i < 4; i++)
        if (!strcmp(text, names[i])) return i;
    if (text) golden_fail(g, "attender %s is unknown", text);
    return FGT_ATTENDER_FULL;
}

static fgt_fighter_opts fighter_opts(golden *g, int l, bool last)
{
    const char      *act = golden_meta(g, "activation"), *end = golden_meta(g, "last_layer_activation");
    fgt_fighter_opts o = {.size                   = sizeof o,
                          .attention.causal       = golden_flag(g, "causal"),
                          .residual               = golden_flag(g, "residual"),
                          .norm                   = has_norm(g),
                          .attention.diag_mask    = diag_mask(g),
                          .attention.diag_penalty = diag_penalty(g),
                          .attention.scale        = scale_of(g),
                          .norm_residual          = golden_flag(g, "norm_residual"),
                          .project                = layer_has(g, l, "out_proj.weight"),
                          .first_hop              = (int64_t)golden_item(g, "first_hop", l, 0),
                          .attention.graph        = graph_of(g),
                          .attention.attender     = attender_of(g),
                          .attention.factor       = (int32_t)golden_number(g, "factor", 0),
                          .attention.own_delays   = golden_flag(g, "own_delays"),
                          .attention.bucket_size  = (int32_t)golden_number(g, "bucket_size", 0),
                          .attention.n_hashes     = (int32_t)golden_number(g, "n_hashes", 0)};
    o.hops    = o.first_hop + layer_axis(g, l, "hop_weight", 0);
    o.out     = layer_axis(g, l, "hop_weight", 2);
    o.attn    = layer_axis(g, l, "q_proj.weight", 0);
    o.heads   = (int64_t)golden_item(g, "heads", l, 1);
    o.no_bias = !layer_has(g, l, "bias") && !layer_has(g, l, "q_proj.bias") &&
                !layer_has(g, l, "k_proj.bias");
    o.act = golden_act(g, !last ? act : end ? end : "none");
    return o;
}

static int count_layers(golden *g, const char *name)
{
    int n = 0;
    while (layer_has(g, n, name)) n++;
    if (n == 0) golden_fail(g, "the file has no tensor param.layers.0.%s", name);
    if ((int)golden_number(g, "layers", n) != n)
        golden_fail(g, "the file has %d layers, its metadata say %s", n, golden_meta(g, "layers"));
    return n;
}

int golden_add_fighter(golden *g, fgt_model *m, int64_t *heads)
{
    const int layers = count_layers(g, "hop_weight");
    refuse_dropout(g);
    for (int l = 0; l < layers; l++) {
        const fgt_fighter_opts o = fighter_opts(g, l, l == layers - 1);
        *heads                   = o.heads;
        golden_ok(g, fgt_model_add(m, fgt_named(golden_name(g, "layers.%d", l), fgt_fighter(&o))));
    }
    return layers;
}

void golden_fighter(golden *g)
{
    const golden_shape in     = fold_tokens(g, false);
    fgt_model         *m      = golden_model(g, in);
    int64_t            heads  = 1;
    const int          layers = golden_add_fighter(g, m, &heads);
    set_masks(g, m, in, heads, in.time);
    if (golden_has(g, "sample_idx")) golden_set_keys(g, m);
    if (golden_has(g, "rotations")) golden_set_rotations(g, m);
    golden_pass(g, m, in);
    for (int l = 0; l < layers; l++)
        golden_adjacency(g, m, golden_name(g, "layers.%d", l), golden_name(g, "adjacency.%d", l));
}

/* ---- Transformer ---- */

/* The options that the parameters "param.<prefix>..." and the metadata tell. */
static fgt_transformer_opts transformer_opts(golden *g, const char *prefix)
{
    const fgti_st_tensor *w1 = golden_need(g, golden_name(g, "param.%slinear1.weight", prefix));
    if (golden_has(g, golden_name(g, "param.%snorm1.bias", prefix)) !=
        golden_has(g, golden_name(g, "param.%slinear1.bias", prefix)))
        golden_skip(g, "biases of some parts alone");
    return (fgt_transformer_opts){.size             = sizeof(fgt_transformer_opts),
                                  .heads            = (int64_t)golden_number(g, "heads", 1),
                                  .ff               = w1->shape[0],
                                  .act              = golden_act(g, golden_meta(g, "activation")),
                                  .norm_first       = golden_flag(g, "norm_first"),
                                  .attention.causal = golden_flag(g, "causal"),
                                  .no_bias = !golden_has(g, golden_name(g, "param.%slinear1.bias", prefix)),
                                  .eps     = (float)golden_number(g, "layer_norm_eps", 1e-5),
                                  .attention.scale = scale_of(g),
                                  .attention.graph = graph_of(g)};
}

void golden_transformer_encoder_layer(golden *g)
{
    const golden_shape         in   = fold_tokens(g, false);
    const fgt_transformer_opts opts = transformer_opts(g, "");
    fgt_model                 *m    = golden_layer(g, in, fgt_transformer(&opts));
    refuse_dropout(g);
    set_masks(g, m, in, opts.heads, in.time);
    golden_pass(g, m, in);
    golden_adjacency(g, m, "", "attn_weights");
}

void golden_transformer_encoder(golden *g)
{
    const golden_shape in     = fold_tokens(g, false);
    const int          layers = count_layers(g, "linear1.weight");
    fgt_model         *m      = golden_model(g, in);
    int64_t            heads  = 1;
    refuse_dropout(g);
    for (int l = 0; l < layers; l++) {
        const fgt_transformer_opts o = transformer_opts(g, golden_name(g, "layers.%d.", l));
        heads                        = o.heads;
        golden_ok(g, fgt_model_add(m, fgt_named(golden_name(g, "layers.%d", l), fgt_transformer(&o))));
    }
    if (golden_has(g, "param.norm.weight")) {
        const fgt_layer_norm_opts o = {.size = sizeof o,
                                       .eps  = (float)golden_number(g, "layer_norm_eps", 1e-5)};
        golden_ok(g, fgt_model_add(m, fgt_named("norm", fgt_layer_norm(&o))));
    }
    set_masks(g, m, in, heads, in.time);
    golden_pass(g, m, in);
    for (int l = 0; l < layers; l++)
        golden_adjacency(g, m, golden_name(g, "layers.%d", l), golden_name(g, "adjacency.%d", l));
}

/* ---- fixed graphs ---- */

static void run_gcn(golden *g, bool plain, bool sparse)
{
    const golden_shape in     = golden_fold(golden_need(g, "input"));
    const char        *weight = plain ? "weight" : "hop_weight";
    const int          layers = count_layers(g, weight);
    const float       *a      = golden_floats(g, "adjacency");
    fgt_model         *m      = golden_model(g, in);
    if (golden_count(golden_need(g, "adjacency")) != in.time * in.time) golden_skip(g, "a graph by sample");
    fgt_graph_destroy(&g->graph);
    if (!sparse) golden_ok(g, fgt_graph_create_dense(g->ctx, FGT_VIEW(a, in.time, in.time), &g->graph));
    const fgt_graph *graph = sparse ? sparse_graph(g, a, in.time) : g->graph;
    for (int l = 0; l < layers; l++) {
        const fgt_gcn_opts o = {
            .size = sizeof o, .graph = graph, .plain = plain, .no_bias = !layer_has(g, l, "bias"),
            .out  = layer_axis(g, l, weight, plain ? 1 : 2), .residual = golden_flag(g, "residual"),
            .hops = plain ? (int64_t)golden_item(g, "kappa", l, 1) : layer_axis(g, l, weight, 0),
            .act  = golden_act(g, l == layers - 1 ? "none" : golden_meta(g, "activation"))};
        golden_ok(g, fgt_model_add(m, fgt_named(golden_name(g, "layers.%d", l), fgt_gcn(&o))));
    }
    golden_pass(g, m, in);
}

void golden_flexible_gcn(golden *g)
{
    run_gcn(g, false, false);
    run_gcn(g, false, true);
}

void golden_plain_gcn(golden *g)
{
    run_gcn(g, true, false);
    run_gcn(g, true, true);
}

/* ---- encoder layer = graph convolution ---- */

/* [rows,columns] transposed */
static float *turned(golden *g, const float *a, int64_t rows, int64_t columns)
{
    float *t = golden_memory(g, rows * columns, sizeof *t);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) t[j * rows + i] = a[i * columns + j];
    return t;
}

/* A B of [m,k] and [k,n], summed in double */
static float *product(golden *g, const float *a, const float *b, int64_t m, int64_t k, int64_t n)
{
    float *c = golden_memory(g, m * n, sizeof *c);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++) sum += (double)a[i * k + p] * b[p * n + j];
            c[i * n + j] = (float)sum;
        }
    return c;
}

/* A weight of two axes. */
static fgt_view matrix(golden *g, const char *tensor)
{
    const fgti_st_tensor *t = golden_need(g, tensor);
    if (t->rank != 2) golden_fail(g, "tensor %s has rank %d", tensor, t->rank);
    return *FGT_VIEW(golden_floats(g, tensor), t->shape[0], t->shape[1]);
}

/* dW of W = Wv W1 goes on to dWv = dW W1', dW1 = Wv'dW; weights stored (out,in) come back turned. */
static void equivalence_gradients(golden *g, fgt_model *m, const fgt_view *wq, const fgt_view *wv,
                                  const fgt_view *w1)
{
    const int64_t d = wq->shape[0], k = wq->shape[1], dv = wv->shape[1], h = w1->shape[1];
    const float  *dw = golden_gradient(g, m, "fighter.hop_weight") + d * h;
    golden_gradient_is(g, "grad.param.wv", d * dv, product(g, dw, turned(g, w1->data, dv, h), d, h, dv));
    golden_gradient_is(g, "grad.param.w1", dv * h, product(g, turned(g, wv->data, d, dv), dw, dv, d, h));
    golden_gradient_is(g, "grad.param.wq", d * k,
                       turned(g, golden_gradient(g, m, "fighter.q_proj.weight"), k, d));
    golden_gradient_is(g, "grad.param.wk", d * k,
                       turned(g, golden_gradient(g, m, "fighter.k_proj.weight"), k, d));
    const int64_t out = golden_need(g, "param.w2")->shape[1];
    golden_gradient_is(g, "grad.param.w2", h * out, turned(g, golden_gradient(g, m, "out.weight"), out, h));
}

/* relu(A X Wv W1) W2, the first part folded into a Fighter layer */
void golden_equivalence(golden *g)
{
    const golden_shape in = golden_fold(golden_need(g, "input"));
    if (golden_number(g, "heads", 1) != 1 || has_norm(g) || golden_flag(g, "residual") ||
        golden_flag(g, "bias"))
        golden_skip(g, "equivalence with several heads, norm, residual or bias");
    const fgt_view wq = matrix(g, "param.wq"), wk = matrix(g, "param.wk"), wv = matrix(g, "param.wv"),
                   w1 = matrix(g, "param.w1"), w2 = matrix(g, "param.w2");
    const fgt_model_opts  opts = {.size = sizeof opts, .batch = in.batch, .time = in.time,
                                  .nodes = in.nodes};
    const fgt_linear_opts out  = {.size = sizeof out, .out = w2.shape[1], .no_bias = 1};
    const int64_t         h    = w1.shape[1];
    golden_ok(g, fgt_fighter_create_folded(g->ctx, &opts, &wq, &wk, &wv, &w1, FGT_ACT_RELU, &g->model[0]));
    fgt_model *m = g->model[g->models++];
    golden_ok(g, fgt_model_add(m, fgt_named("out", fgt_linear(&out))));
    golden_set(g, m, "out.weight", turned(g, w2.data, h, out.out));
    const float *y = golden_forward(g, m, in);
    if (golden_has(g, "output_gcn"))
        golden_forward_is(g, "output_gcn", in.batch * in.nodes * in.time * out.out, y);
    if (golden_has(g, "gcn_weight")) {
        fgt_view w = {.rank = 3, .shape = {2, wq.shape[0], h}};
        w.data     = golden_memory(g, fgt_view_count(&w), sizeof(float));
        golden_ok(g, fgt_model_copy_parameter(m, "fighter.hop_weight", &w));
        golden_forward_is(g, "gcn_weight", wq.shape[0] * h, (float *)w.data + wq.shape[0] * h);
    }
    golden_adjacency(g, m, "fighter", "adjacency");
    if (golden_backward(g, m, in)) equivalence_gradients(g, m, &wq, &wv, &w1);
}
