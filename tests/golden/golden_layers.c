/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows, ids, positions. */
#include <string.h>

#include "golden.h"

static int64_t axis(golden *g, const char *tensor, int32_t i)
{
    const fgti_st_tensor *t = golden_need(g, tensor);
    if (i >= t->rank) golden_fail(g, "tensor %s has rank %d", tensor, t->rank);
    return t->shape[i];
}

void golden_linear(golden *g)
{
    const golden_shape    in   = golden_fold(golden_need(g, "input"));
    const fgt_linear_opts opts = {.size = sizeof opts, .out = axis(g, "param.weight", 0),
                                  .no_bias = !golden_has(g, "param.bias")};
    golden_pass(g, golden_layer(g, in, fgt_linear(&opts)), in);
}

void golden_layer_norm(golden *g)
{
    const golden_shape        in   = golden_fold(golden_need(g, "input"));
    const fgt_layer_norm_opts opts = {.size = sizeof opts, .eps = (float)golden_number(g, "eps", 1e-5)};
    if (golden_has(g, "param.weight") && golden_need(g, "param.weight")->rank != 1)
        golden_skip(g, "layer_norm over more than the last axis");
    if (opts.eps <= 0) golden_skip(g, "layer_norm with eps %g", (double)opts.eps);
    golden_pass(g, golden_layer(g, in, fgt_layer_norm(&opts)), in);
}

/* An fgt_conv_padding by its name there. */
static int32_t padding_of(golden *g)
{
    static const char *const names[] = {"zeros", "circular", "causal", "valid"};
    const char              *text    = golden_meta(g, "padding");
    for (int32_t i = 0; text && i < 4; i++)
        if (!strcmp(text, names[i])) return i;
    golden_fail(g, "padding is %s", text ? text : "not given");
}

void golden_conv(golden *g)
{
    const golden_shape  in   = golden_fold(golden_need(g, "input"));
    const fgt_conv_opts opts = {.size = sizeof opts, .out = axis(g, "param.weight", 0),
                                .kernel = axis(g, "param.weight", 2),
                                .stride = (int64_t)golden_number(g, "stride", 1), .padding = padding_of(g),
                                .no_bias = !golden_has(g, "param.bias")};
    golden_pass(g, golden_layer(g, in, fgt_conv(&opts)), in);
}

void golden_max_pool(golden *g)
{
    const golden_shape      in   = golden_fold(golden_need(g, "input"));
    const fgt_max_pool_opts opts = {.size = sizeof opts, .kernel = (int64_t)golden_number(g, "kernel", 3),
                                    .stride = (int64_t)golden_number(g, "stride", 2)};
    golden_pass(g, golden_layer(g, in, fgt_max_pool(&opts)), in);
}

void golden_token_linear(golden *g)
{
    const golden_shape          in   = golden_fold(golden_need(g, "input"));
    const fgt_token_linear_opts opts = {.size = sizeof opts, .out = axis(g, "param.weight", 1)};
    golden_pass(g, golden_layer(g, in, fgt_token_linear(&opts)), in);
}

void golden_slice(golden *g)
{
    const golden_shape   in   = golden_fold(golden_need(g, "input"));
    const fgt_slice_opts opts = {.size  = sizeof opts,
                                 .first = (int64_t)golden_number(g, "first", 0),
                                 .count = (int64_t)golden_number(g, "count", 0)};
    golden_pass(g, golden_layer(g, in, fgt_slice(&opts)), in);
}

void golden_quantiles(golden *g)
{
    const golden_shape       in   = golden_fold(golden_need(g, "input"));
    const fgt_quantiles_opts opts = {.size = sizeof opts, .count = (int64_t)golden_number(g, "count", 1)};
    golden_pass(g, golden_layer(g, in, fgt_quantiles(&opts)), in);
}

void golden_activation(golden *g)
{
    const golden_shape        in   = golden_fold(golden_need(g, "input"));
    const fgt_activation_opts opts = {.size = sizeof opts, .kind = golden_act(g, golden_meta(g, "kind"))};
    if (golden_number(g, "alpha", 1) != 1) golden_skip(g, "elu with alpha %s", golden_meta(g, "alpha"));
    golden_pass(g, golden_layer(g, in, fgt_activation(&opts)), in);
}

/* ---- ids ---- */

/* Ids [..., T]: all leading axes are samples. */
static golden_shape fold_ids(golden *g)
{
    const fgti_st_tensor *t = golden_need(g, "input");
    const int64_t         n = golden_count(t), time = t->rank > 0 ? t->shape[t->rank - 1] : 1;
    return (golden_shape){.batch = n / time, .nodes = 1, .time = time};
}

static fgt_layer describe_embedding(golden *g, fgt_embedding_opts *opts)
{
    const char *padding = golden_meta(g, "padding_idx");
    *opts = (fgt_embedding_opts){.size = sizeof *opts, .vocab = axis(g, "param.weight", 0),
                                 .out = axis(g, "param.weight", 1),
                                 .bag = (int64_t)golden_number(g, "bag", 0)};
    if (padding && strcmp(padding, "none") != 0 && strcmp(padding, "None") != 0) {
        opts->has_padding = 1;
        opts->padding_idx = (int64_t)golden_number(g, "padding_idx", 0);
        if (opts->padding_idx < 0) opts->padding_idx += opts->vocab; /* counted from the end */
    }
    if (golden_meta(g, "max_norm")) golden_skip(g, "embedding with max_norm");
    return fgt_embedding(opts);
}

void golden_embedding(golden *g)
{
    const golden_shape in = fold_ids(g);
    fgt_embedding_opts opts;
    golden_pass(g, golden_layer(g, in, describe_embedding(g, &opts)), in);
}

/* Checks the input of the pool, from a model that ends before it. */
static void check_embedded(golden *g, golden_shape in, fgt_layer layer, int64_t width)
{
    fgt_model     *m     = golden_layer(g, in, layer);
    const int64_t  n     = in.batch * in.time * width;
    float         *y     = golden_memory(g, n, sizeof *y);
    int64_t       *ids   = golden_memory(g, in.batch * in.time, sizeof *ids);
    const double  *input = golden_doubles(g, "input");
    for (int64_t i = 0; i < in.batch * in.time; i++) ids[i] = (int64_t)input[i];
    golden_parameters(g, m);
    golden_ok(g, fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, ids, in.batch, in.time),
                             FGT_VIEW(y, in.batch, in.time, width)));
    golden_forward_is(g, "embedded", n, y);
}

void golden_embedding_meanpool(golden *g)
{
    const golden_shape in = fold_ids(g);
    fgt_embedding_opts opts;
    const fgt_layer    embedding = describe_embedding(g, &opts);
    fgt_model         *m         = golden_model(g, in);
    golden_ok(g, fgt_model_add(m, fgt_named("", embedding)));
    golden_ok(g, fgt_model_add(m, fgt_pool(NULL)));
    if (golden_has(g, "key_padding_mask")) {
        const double *mask = golden_rows(g, "key_padding_mask", in.batch, in.time);
        int32_t      *flag = golden_memory(g, in.batch * in.time, sizeof *flag);
        for (int64_t i = 0; i < in.batch * in.time; i++) flag[i] = mask[i] != 0;
        golden_ok(g, fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_KEY_PADDING,
                                            FGT_VIEW_OF(FGT_DTYPE_I32, flag, in.batch, in.time)));
    }
    golden_pass(g, m, in);
    if (golden_has(g, "embedded")) check_embedded(g, in, embedding, opts.out);
}

/* The norm that an optimiser finds, which looks only at the rows that have a gradient. */
static void check_norm(golden *g, fgt_model *m)
{
    golden_ok(g, fgt_optim_create(m, NULL, &g->optim));
    golden_ok(g, fgt_step(g->optim));
    golden_gradient_is(g, "grad_norm", 1, &(float){(float)fgt_optim_get_norm(g->optim)});
}

/* A word and its letters for each token; with a head, a text has the mean of its tokens. */
void golden_bag(golden *g)
{
    const golden_shape in = fold_ids(g);
    fgt_embedding_opts opts;
    describe_embedding(g, &opts);
    opts.mask_padding = opts.has_padding;
    fgt_model *m      = golden_layer(g, in, fgt_embedding(&opts));
    if (golden_has(g, "param.head.weight")) {
        const fgt_linear_opts head = {.size = sizeof head, .out = axis(g, "param.head.weight", 0)};
        golden_ok(g, fgt_model_add(m, fgt_pool(NULL)));
        golden_ok(g, fgt_model_add(m, fgt_named("head", fgt_linear(&head))));
    }
    golden_pass(g, m, in);
    check_norm(g, m);
}

/* ---- positions ---- */

static int32_t position_kind(golden *g)
{
    const char *formula = golden_meta(g, "formula");
    if (golden_has(g, "param.table")) return FGT_POSITION_LEARNED;
    if (formula && strstr(formula, "tAPE")) return FGT_POSITION_TAPE;
    if (formula && strstr(formula, "Vaswani")) return FGT_POSITION_SINUSOIDAL;
    golden_skip(g, "positional encoding %s", formula ? formula : "without a formula");
}

/* The whole table: what a model of max_len tokens makes of zeros. */
static void check_table(golden *g, golden_shape in, const fgt_position_opts *opts)
{
    const golden_shape all = {1, 1, opts->max_time, in.width, 1};
    fgt_model         *m   = golden_layer(g, all, fgt_position(opts));
    float             *y   = golden_memory(g, golden_elements(all), sizeof *y);
    const fgt_view     x = golden_view(all, golden_memory(g, golden_elements(all), sizeof *y));
    const fgt_view     v = golden_view(all, y);
    golden_ok(g, fgt_predict(m, &x, &v));
    golden_forward_is(g, "pe", golden_elements(all), y);
}

void golden_positional_encoding(golden *g)
{
    const golden_shape in   = golden_fold(golden_need(g, "input"));
    const char        *rows = golden_has(g, "param.table") ? "param.table" : "pe";
    fgt_position_opts  opts = {.size = sizeof opts, .kind = position_kind(g)};
    opts.max_time = golden_has(g, rows) ? golden_count(golden_need(g, rows)) / in.width
                                        : (int64_t)golden_number(g, "max_len", (double)in.time);
    golden_pass(g, golden_layer(g, in, fgt_position(&opts)), in);
    if (golden_has(g, "pe")) check_table(g, in, &opts);
}
