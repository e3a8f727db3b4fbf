/* SPDX-License-Identifier: BSD-3-Clause */
/* Adapters, against peft. */
#include <fighter/experimental/adapter.h>
#include <string.h>

#include "golden.h"

static fgt_model *layer_of(golden *g, golden_shape in, const char *kind)
{
    const char   *weight = !strcmp(kind, "encoder") ? "param.linear1.weight" : "param.weight";
    const bool    table = !strcmp(kind, "embedding"), mapped = !table && strcmp(kind, "attention") != 0;
    const int64_t out    = mapped ? golden_need(g, weight)->shape[0] : 0,
                  heads  = (int64_t)golden_number(g, "heads", 1);
    if (!strcmp(kind, "linear"))
        return golden_layer(g, in, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = out,
                                                        .no_bias = !golden_has(g, "param.bias"))));
    if (!strcmp(kind, "conv"))
        return golden_layer(
            g, in,
            fgt_conv(&FGT_OPTS(fgt_conv_opts, .out = out, .kernel = golden_need(g, weight)->shape[2],
                               .padding = FGT_CONV_PADDING_ZEROS)));
    if (!strcmp(kind, "attention"))
        return golden_layer(g, in, fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = heads)));
    if (!strcmp(kind, "encoder"))
        return golden_layer(g, in, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = heads,
                                                             .ff = out)));
    if (table) {
        const int64_t *size = golden_need(g, "param.weight")->shape;
        return golden_layer(g, in, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = size[0],
                                                           .out = size[1], .has_padding = 1,
                                                           .padding_idx = (int64_t)golden_number(
                                                               g, "padding_idx", 0))));
    }
    golden_fail(g, "an adapter of \"%s\"", kind);
}

/* The parameters of the base, then those of the adapter: golden_pass() sees what is trained. */
void golden_lora(golden *g)
{
    const char        *kind = golden_meta(g, "kind");
    if (!kind) golden_fail(g, "the metadata name no kind");
    const fgti_st_tensor *x  = golden_need(g, "input");
    const golden_shape    in = strcmp(kind, "embedding") != 0
                                   ? golden_fold(x)
                                   : (golden_shape){.batch = x->shape[0], .nodes = 1, .time = x->shape[1]};
    fgt_model *m = layer_of(g, in, kind);
    golden_parameters(g, m);
    golden_ok(g, fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "golden", .pattern = "*",
                                                    .rank = (int64_t)golden_number(g, "rank", 0),
                                                    .alpha = golden_number(g, "alpha", 0))));
    golden_ok(g, fgt_model_set_adapter(m, "golden"));
    golden_pass(g, m, in);
}
