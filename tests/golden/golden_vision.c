/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers and models for images. */
#include <string.h>

#include <fighter/experimental/vision.h>
#include <fighter/experimental/vit.h>

#include "golden.h"
#include "model/files/safetensors.h"
#include "model/model_impl.h"

static int64_t size_of(golden *g, const char *key)
{
    return (int64_t)golden_number(g, key, 0);
}

void golden_conv_2d(golden *g)
{
    const golden_shape     in   = golden_fold(golden_need(g, "input"));
    const fgt_conv_2d_opts opts = {.size = sizeof opts, .out = golden_need(g, "param.weight")->shape[0],
                                   .height = size_of(g, "height"), .width = size_of(g, "width"),
                                   .stride_height  = size_of(g, "stride_height"),
                                   .stride_width   = size_of(g, "stride_width"),
                                   .padding_height = size_of(g, "padding_height"),
                                   .padding_width  = size_of(g, "padding_width"),
                                   .no_bias        = !golden_has(g, "param.bias")};
    golden_pass(g, golden_layer(g, in, fgt_conv_2d(&opts)), in);
}

void golden_patch_2d(golden *g)
{
    const golden_shape      in   = golden_fold(golden_need(g, "input"));
    const fgt_patch_2d_opts opts = {.size = sizeof opts, .height = size_of(g, "height"),
                                    .width          = size_of(g, "width"),
                                    .stride_height  = size_of(g, "stride_height"),
                                    .stride_width   = size_of(g, "stride_width"),
                                    .padding_height = size_of(g, "padding_height"),
                                    .padding_width  = size_of(g, "padding_width")};
    golden_pass(g, golden_layer(g, in, fgt_patch_2d(&opts)), in);
}

/* ---- with ids ---- */

static void set_ids(golden *g, fgt_model *m, const char *value)
{
    const fgti_st_tensor *t   = golden_need(g, "ids");
    int64_t              *ids = golden_memory(g, golden_count(t), sizeof *ids);
    const double         *all = golden_doubles(g, "ids");
    for (int64_t i = 0; i < golden_count(t); i++) ids[i] = (int64_t)all[i];
    golden_ok(g, fgt_workspace_set_value(fgt_model_get_workspace(m), value,
                                         FGT_VIEW_OF(FGT_DTYPE_I64, ids, t->shape[0], t->shape[1]), NULL));
}

/* The layer, named "", reads the input and the ids. */
static void run_with_ids(golden *g, fgt_layer layer)
{
    const golden_shape   in  = golden_fold(golden_need(g, "input"));
    const fgt_value_opts ids = {.size = sizeof ids, .time = golden_need(g, "ids")->shape[1],
                                .kind = FGT_VALUE_IDS};
    fgt_model           *m   = golden_model(g, in);
    golden_ok(g, fgt_model_add(m, fgt_named("ids", fgt_value(&ids))));
    golden_ok(g, fgt_model_add_from(m, fgt_named("", layer), (const char *[]){"", "ids"}, 2));
    set_ids(g, m, "ids");
    golden_pass(g, m, in);
}

void golden_gather(golden *g)
{
    run_with_ids(g, fgt_gather(&FGT_OPTS(fgt_gather_opts, .prefix = size_of(g, "prefix"))));
}

void golden_scatter(golden *g)
{
    run_with_ids(g, fgt_scatter(&FGT_OPTS(fgt_scatter_opts, .prefix = size_of(g, "prefix"),
                                          .time = size_of(g, "time"))));
}

/* ---- models ---- */

static int32_t pool_of(const golden *g)
{
    const char *pool = golden_meta(g, "pool");
    if (golden_flag(g, "class_token")) return FGT_VIT_POOL_CLASS_TOKEN;
    return pool && !strcmp(pool, "tokens") ? FGT_VIT_POOL_TOKENS : FGT_VIT_POOL_MEAN;
}

static fgt_vit_opts vit_of(golden *g)
{
    const char *act = golden_meta(g, "act");
    return FGT_OPTS(fgt_vit_opts, .patch_height = size_of(g, "patch_height"),
                    .patch_width = size_of(g, "patch_width"), .dim = size_of(g, "dim"),
                    .heads = size_of(g, "heads"), .ff = size_of(g, "ff"), .layers = size_of(g, "layers"),
                    .fighter = (int32_t)size_of(g, "fighter"), .hops = size_of(g, "hops"),
                    .act = act ? golden_act(g, act) : FGT_ACT_DEFAULT,
                    .pool = pool_of(g), .learned_position = golden_flag(g, "learned_position"));
}

void golden_vit(golden *g)
{
    const golden_shape in   = golden_fold(golden_need(g, "input"));
    const fgt_vit_opts opts = vit_of(g);
    fgt_model         *m    = golden_model(g, in);
    golden_ok(g, fgt_vit_add(m, &opts));
    golden_pass(g, m, in);
}

void golden_masked_autoencoder(golden *g)
{
    const golden_shape                in      = golden_fold(golden_need(g, "input"));
    const fgt_vit_opts                encoder = vit_of(g);
    const fgt_masked_autoencoder_opts opts    = {.size       = sizeof opts,
                                                 .encoder    = &encoder,
                                                 .height     = in.nodes,
                                                 .width      = in.time,
                                                 .channels   = in.width,
                                                 .batch      = in.batch,
                                                 .dim        = size_of(g, "decoder_dim"),
                                                 .heads      = size_of(g, "decoder_heads"),
                                                 .layers     = size_of(g, "decoder_layers"),
                                                 .mask_ratio = (float)golden_number(g, "mask_ratio", 0)};
    fgt_masked_autoencoder           *a;
    golden_ok(g, fgt_masked_autoencoder_create(g->ctx, &opts, &a));
    fgt_model *m = fgt_masked_autoencoder_get_model(a);
    set_ids(g, m, "kept");
    golden_pass(g, m, in);
    fgt_masked_autoencoder_destroy(&a);
}
