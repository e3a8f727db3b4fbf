/* SPDX-License-Identifier: BSD-3-Clause */
#include "vision/vit.h"

#include <stdio.h>

#include "blocks/stage.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/build/nodes.h"

enum { POOLS = 3, FIGHTERS = 3 }; /* number of values of each enumeration */
_Static_assert(FGT_VIT_POOL_TOKENS == POOLS - 1, "count of enumerators");
_Static_assert(FGT_VIT_FIGHTER_WHOLE == FIGHTERS - 1, "count of enumerators");

const fgti_opt fgti_vit_opts[] = {
    FGTI_FIELD(fgt_vit_opts, patch_height, I64, 1, FGTI_OPT_SIZE_MAX, 4),
    FGTI_FIELD(fgt_vit_opts, patch_width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_vit_opts, dim, I64, 1, FGTI_OPT_SIZE_MAX, 64),
    FGTI_FIELD(fgt_vit_opts, layers, I64, 1, 64, 4),
    FGTI_FIELD(fgt_vit_opts, heads, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_vit_opts, ff, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_vit_opts, hops, I64, 1, 64, 3),
    FGTI_FIELD(fgt_vit_opts, fighter, ENUM, 0, FIGHTERS - 1, 0),
    FGTI_FIELD(fgt_vit_opts, pool, ENUM, 0, POOLS - 1, 0),
    FGTI_FIELD(fgt_vit_opts, learned_position, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_vit_opts, dropout, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_vit_opts, drop_path, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_vit_opts, act, ENUM, 0, FGTI_ACT_COUNT - 1, 0),
    {0},
};

fgt_status fgti_vit_read(fgti_error *err, const fgt_vit_opts *opts, fgt_vit_opts *o)
{
    FGTI_TRY(fgti_opts_read(err, "fgt_vit_opts", opts, o, sizeof *o));
    FGTI_TRY(fgti_opts_check(err, "vision transformer", fgti_vit_opts, o));
    if (o->act && o->fighter != FGT_VIT_FIGHTER_WHOLE)
        return fgti_fail(err, FGT_E_ARG,
                         "vision transformer: act is for FGT_VIT_FIGHTER_WHOLE (got act %d with fighter %d)",
                         (int)o->act, (int)o->fighter);
    if (!o->patch_width) o->patch_width = o->patch_height;
    if (!o->heads) o->heads = o->dim % 4 ? 1 : 4;
    if (!o->ff) o->ff = 4 * o->dim;
    if (!o->prefix) o->prefix = "encoder.";
    return FGT_OK;
}

bool fgti_vit_has_class_token(const fgt_vit_opts *o)
{
    return o->pool == FGT_VIT_POOL_CLASS_TOKEN;
}

fgt_status fgti_vit_patches(fgti_error *err, const fgt_vit_opts *o, fgti_shape image, int64_t grid[2])
{
    grid[0] = image.nodes / o->patch_height;
    grid[1] = image.time / o->patch_width;
    if (!(image.nodes % o->patch_height) && !(image.time % o->patch_width)) return FGT_OK;
    return fgti_fail(err, FGT_E_SHAPE,
                     "vision transformer: patches of %lld x %lld do not divide an image of %lld x %lld",
                     (long long)o->patch_height, (long long)o->patch_width, (long long)image.nodes,
                     (long long)image.time);
}

static fgt_status vit_add_dropout(fgt_model *m, const fgt_vit_opts *o)
{
    const fgt_dropout_opts drop = {.size = sizeof drop, .p = o->dropout};
    return o->dropout > 0 ? fgt_model_add(m, fgt_named("dropout", fgt_dropout(&drop))) : FGT_OK;
}

/* ---- layers ---- */

/* Returns the rate of layer i. The rate grows linearly from 0 to the rate of the last layer. */
static float drop_path_of(const fgt_vit_opts *o, int64_t i)
{
    return o->layers > 1 ? o->drop_path * (float)i / (float)(o->layers - 1) : o->drop_path;
}

static fgt_status vit_add_numbered(fgt_model *m, int64_t i, fgt_layer layer)
{
    char name[32];
    snprintf(name, sizeof name, "layers.%lld", (long long)i);
    return fgt_model_add(m, fgt_named(name, layer));
}

static fgt_status add_transformer(fgt_model *m, const fgt_vit_opts *o, int64_t i)
{
    const fgt_transformer_opts layer = {.size = sizeof layer, .heads = o->heads, .ff = o->ff,
                                        .act = FGT_ACT_GELU, .norm_first = 1, .dropout = o->dropout,
                                        .drop_path = drop_path_of(o, i)};
    return vit_add_numbered(m, i, fgt_transformer(&layer));
}

/* Adds a layer with h = x + path(fighter(norm(x))), y = h + path(down(drop(gelu(up(norm(h)))))). path:
 * dropout, then drop path */
static fgt_status add_mixing(fgt_model *m, const fgt_vit_opts *o, int64_t i)
{
    const fgt_block_opts     block = {.size = sizeof block, .block = {.ff = o->ff, .dropout = o->dropout}};
    const fgti_stage         s     = {m, &block, "layers", i};
    const fgt_drop_path_opts path  = {.size = sizeof path, .p = drop_path_of(o, i)};
    const fgt_fighter_opts   layer = {.size = sizeof layer, .heads = o->heads, .hops = o->hops,
                                      .act = FGT_ACT_NONE, .norm = 1, .residual = 1,
                                      .dropout = o->dropout, .drop_path = path.p};
    FGTI_TRY(fgti_stage_add(&s, "fighter", fgt_fighter(&layer)));
    const char *const h = fgti_model_last_name(m);
    FGTI_TRY(fgti_stage_add(&s, "norm", fgt_layer_norm(NULL)));
    FGTI_TRY(fgti_stage_add_feed(&s, "dropout1", false));
    FGTI_TRY(fgti_stage_add_dropout(&s, "dropout2"));
    if (path.p > 0) FGTI_TRY(fgti_stage_add(&s, "drop_path", fgt_drop_path(&path)));
    return fgti_stage_add_from(&s, "sum", fgt_sum(NULL), 2, (const char *[]){h, fgti_model_last_name(m)});
}

/* Adds a layer with y = x + path(act(fighter(norm(x)))). By default the last layer has no activation, because
 * the head is affine. */
static fgt_status add_whole(fgt_model *m, const fgt_vit_opts *o, int64_t i)
{
    const int32_t          act   = i + 1 < o->layers ? FGT_ACT_GELU : FGT_ACT_NONE;
    const fgt_fighter_opts layer = {.size = sizeof layer, .heads = o->heads, .hops = o->hops,
                                    .act = o->act ? o->act : act, .norm = 1, .residual = 1,
                                    .dropout = o->dropout, .drop_path = drop_path_of(o, i)};
    return vit_add_numbered(m, i, fgt_fighter(&layer));
}

fgt_status fgti_vit_add_layers(fgt_model *m, const fgt_vit_opts *o)
{
    static fgt_status (*const add[])(fgt_model *m, const fgt_vit_opts *o, int64_t i) = {
        [FGT_VIT_FIGHTER_NONE]  = add_transformer,
        [FGT_VIT_FIGHTER_MIXES] = add_mixing,
        [FGT_VIT_FIGHTER_WHOLE] = add_whole,
    };
    for (int64_t i = 0; i < o->layers; i++) FGTI_TRY(add[o->fighter](m, o, i));
    return fgt_model_add(m, fgt_named("norm", fgt_layer_norm(NULL)));
}

fgt_status fgti_vit_add_position(fgt_model *m, const fgt_vit_opts *o, int64_t columns)
{
    const fgt_position_opts learned = {.size = sizeof learned, .kind = FGT_POSITION_LEARNED};
    const fgt_position_opts grid    = {.size = sizeof grid, .kind = FGT_POSITION_GRID, .columns = columns,
                                       .prefix = fgti_vit_has_class_token(o)};
    return fgt_model_add(m, fgt_named("position", fgt_position(o->learned_position ? &learned : &grid)));
}

/* ---- the encoder ---- */

static fgt_status add_tokens(fgt_model *m, const fgt_vit_opts *o, const char *kept)
{
    const fgt_patch_2d_opts patch = {.size = sizeof patch, .height = o->patch_height,
                                     .width = o->patch_width};
    const fgt_linear_opts   embed = {.size = sizeof embed, .out = o->dim};
    const fgt_gather_opts   pick  = {.size = sizeof pick, .prefix = fgti_vit_has_class_token(o)};
    int64_t                 grid[2];
    FGTI_TRY(fgti_vit_patches(&fgti_model_context(m)->error, o, fgti_model_last_shape(m), grid));
    FGTI_TRY(fgt_model_add(m, fgt_named("patches", fgt_patch_2d(&patch)))); /* [B,P,kh kw C] */
    FGTI_TRY(fgt_model_add(m, fgt_named("embedding", fgt_linear(&embed)))); /* [B,P,E] */
    if (fgti_vit_has_class_token(o))
        FGTI_TRY(fgt_model_add(m, fgt_named("class_token", fgt_class_token(NULL))));
    FGTI_TRY(fgti_vit_add_position(m, o, grid[1]));
    if (!kept) return FGT_OK;
    return fgt_model_add_from(m, fgt_named("visible", fgt_gather(&pick)),
                              (const char *[]){fgti_model_last_name(m), kept}, 2);
}

fgt_status fgti_vit_add_encoder(fgt_model *m, const fgt_vit_opts *o, const char *kept)
{
    FGTI_TRY(add_tokens(m, o, kept));
    FGTI_TRY(vit_add_dropout(m, o));
    return fgti_vit_add_layers(m, o);
}

static fgt_status add_pool(fgt_model *m, const fgt_vit_opts *o)
{
    switch (o->pool) {
    case FGT_VIT_POOL_CLASS_TOKEN:
        return fgt_model_add(m, fgt_named("pool", fgt_slice(&FGT_OPTS(fgt_slice_opts, .count = 1))));
    case FGT_VIT_POOL_MEAN: return fgt_model_add(m, fgt_named("pool", fgt_pool(NULL)));
    default: return FGT_OK;
    }
}

fgt_status fgt_vit_add(fgt_model *model, const fgt_vit_opts *opts)
{
    fgt_vit_opts o;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_vit_read(&fgti_model_context(model)->error, opts, &o));
    fgti_model_set_prefix(model, o.prefix);
    fgt_status s = fgti_vit_add_encoder(model, &o, NULL);
    if (s == FGT_OK) s = add_pool(model, &o);
    fgti_model_set_prefix(model, NULL);
    return s;
}
