/* SPDX-License-Identifier: BSD-3-Clause */
#include "language.h"

#include <stdio.h>

const char *const model_words[MODELS + 2] = {"all", "fighter", "transformer", "lstm", "s4", NULL};

/* Adds two Fighter layers in place of each encoder layer, so that the models have similar sizes: a Fighter
 * layer has (2 + kappa) D^2 weights, and an encoder layer 12 D^2. */
static fgt_status add_fighter(fgt_model *m, const options *o)
{
    for (int64_t i = 0; i < 2 * o->layers; i++) {
        const fgt_status s =
            fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = o->heads, .hops = o->hops,
                                                   .act = FGT_ACT_GELU, .norm = 1, .residual = 1,
                                                   .attention.causal = 1, .dropout = (float)o->dropout)));
        if (s != FGT_OK) return s;
    }
    return FGT_OK;
}

static fgt_status add_transformer(fgt_model *m, const options *o)
{
    for (int64_t i = 0; i < o->layers; i++) {
        const fgt_status s =
            fgt_model_add(m, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = o->heads,
                                                       .act = FGT_ACT_GELU, .norm_first = 1,
                                                       .attention.causal = 1, .dropout = (float)o->dropout)));
        if (s != FGT_OK) return s;
    }
    return FGT_OK;
}

static fgt_status add_lstm(fgt_model *m, const options *o)
{
    return fgt_model_add(m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = o->width, .layers = o->layers,
                                               .dropout = (float)o->dropout)));
}

/* Adds two blocks x += S4(norm(x)) in place of each encoder layer. A block, with the kernels of S4, has about
 * 7 D^2 weights. */
static fgt_status add_s4(fgt_model *m, const options *o)
{
    char before[32] = "embedding", after[32];
    for (int64_t i = 0; i < 2 * o->layers; i++) {
        fgt_status s = fgt_model_add(m, fgt_layer_norm(NULL));
        snprintf(after, sizeof after, "s4.%d", (int)i);
        if (s == FGT_OK)
            s = fgt_model_add(m,
                              fgt_named(after, fgt_s4(&FGT_OPTS(fgt_s4_opts, .dropout = (float)o->dropout))));
        if (s == FGT_OK) {
            const char *const both[2] = {before, after};
            char              sum[32];
            snprintf(sum, sizeof sum, "sum.%d", (int)i);
            s = fgt_model_add_from(m, fgt_named(sum, fgt_sum(NULL)), both, 2);
            snprintf(before, sizeof before, "%s", sum);
        }
        if (s != FGT_OK) return s;
    }
    return FGT_OK;
}

fgt_status model_add(fgt_model *m, int i, const options *o, int64_t vocab)
{
    static fgt_status (*const add[MODELS])(fgt_model *, const options *) = {add_fighter, add_transformer,
                                                                            add_lstm, add_s4};
    const fgt_embedding_opts e = {.size = sizeof e, .vocab = vocab, .out = o->width, .init = 0.1F};
    fgt_status               s = fgt_model_add(m, fgt_named("embedding", fgt_embedding(&e)));
    if (s == FGT_OK && i < 2) /* LSTM and S4 know the order of tokens without it */
        s = fgt_model_add(m, fgt_position(&FGT_OPTS(fgt_position_opts, .kind = FGT_POSITION_LEARNED)));
    if (s == FGT_OK) s = add[i](m, o);
    if (s == FGT_OK) s = fgt_model_add(m, fgt_layer_norm(NULL));
    if (s == FGT_OK) s = fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = vocab)));
    return s;
}
