/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ADAPTED_H
#define ADAPTED_H

/* The model of corpus/fuzz_adapter: a table, attention, a convolution, a linear map; rank 2. */

#include <fighter/experimental/adapter.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>

#define ADAPTED_TIME 5

/* FGT_OK, or *model is to be destroyed. */
static inline fgt_status adapted_create(fgt_context *ctx, fgt_model **model)
{
    const fgt_layer layers[] = {
        fgt_named("words",
                  fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 7, .out = 4, .has_padding = 1))),
        fgt_named("block", fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 4))),
        fgt_named("conv", fgt_conv(&FGT_OPTS(fgt_conv_opts, .out = 3, .kernel = 3))),
        fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2))),
    };
    fgt_status s = fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = ADAPTED_TIME, .seed = 7), model);
    for (int i = 0; s == FGT_OK && i < 4; i++) s = fgt_model_add(*model, layers[i]);
    if (s == FGT_OK)
        s = fgt_model_add_adapter(*model, &FGT_OPTS(fgt_adapter_opts, .name = "first", .pattern = "*",
                                                    .whole = "head.bias", .rank = 2, .dropout = 0.1));
    return s;
}

#endif
