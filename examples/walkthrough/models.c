/* SPDX-License-Identifier: BSD-3-Clause */
#include "walkthrough.h"

/* The walkthrough's models with its sizes, and a Fighter with about as many parameters as the Transformer. */

#define WIDTH 64
#define HEADS 8

const char *const model_names[MODELS] = {"RNN", "Transformer", "S4", "Fighter"};

/* Returns on the first error; the context has the message. */
#define ADD(layer)                                  \
    do {                                            \
        const fgt_status s = fgt_model_add(m, layer); \
        if (s != FGT_OK) return s;                  \
    } while (0)

/* torch.nn.RNN(1, 64, 2, batch_first=True), its output at the last step, Linear(64, 1) */
static fgt_status build_rnn(fgt_model *m)
{
    ADD(fgt_named("rnn", fgt_rnn(&FGT_OPTS(fgt_rnn_opts, .hidden = WIDTH, .layers = 2, .last = 1))));
    return fgt_model_add(m, fgt_named("fc", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
}

static fgt_status build_transformer(fgt_model *m)
{
    const fgt_transformer_opts layer = {.size = sizeof layer, .heads = HEADS, .ff = 128, .dropout = 0.1f};
    ADD(fgt_named("input_projection", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = WIDTH))));
    ADD(fgt_position(NULL));
    ADD(fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.1f)));
    ADD(fgt_named("transformer_encoder.layers.0", fgt_transformer(&layer)));
    ADD(fgt_named("transformer_encoder.layers.1", fgt_transformer(&layer)));
    ADD(fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST)));
    return fgt_model_add(m, fgt_named("fc", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
}

/* One S4Block(64) with its defaults: DPLR, 64 states, from HiPPO-LegS. */
static fgt_status build_s4(fgt_model *m)
{
    ADD(fgt_named("encoder", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = WIDTH))));
    ADD(fgt_named("norm", fgt_layer_norm(NULL)));
    ADD(fgt_named("s4", fgt_s4(NULL)));
    ADD(fgt_pool(NULL));
    return fgt_model_add(m, fgt_named("decoder", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
}

/* Like the Transformer, with Fighter layers: with six hops a layer is nearly as large as an encoder layer. */
static fgt_status build_fighter(fgt_model *m)
{
    fgt_fighter_opts layer = {.size = sizeof layer, .heads = HEADS, .hops = 6, .norm = 1, .residual = 1,
                              .dropout = 0.1f};
    ADD(fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = WIDTH)));
    ADD(fgt_position(NULL));
    ADD(fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.1f)));
    ADD(fgt_fighter(&layer));
    layer.act = FGT_ACT_NONE;
    ADD(fgt_fighter(&layer));
    ADD(fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST)));
    return fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1)));
}

fgt_status model_build(fgt_model *m, int i)
{
    static fgt_status (*const build[MODELS])(fgt_model *) = {build_rnn, build_transformer, build_s4,
                                                             build_fighter};
    return build[i](m);
}
