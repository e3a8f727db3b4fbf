/* SPDX-License-Identifier: BSD-3-Clause */

/* Creates a masked autoencoder: its options and the layers of its model. */

#include "vision/autoencoder.h"

#include <math.h>

#include "core/alloc.h"
#include "core/opts.h"
#include "core/size.h"
#include "model/access.h"
#include "model/build/nodes.h"

static fgt_status autoencoder_check(fgti_error *err, fgt_masked_autoencoder_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_masked_autoencoder_opts, height, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
        FGTI_FIELD(fgt_masked_autoencoder_opts, width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_masked_autoencoder_opts, channels, I64, 1, FGTI_OPT_SIZE_MAX, 1),
        FGTI_FIELD(fgt_masked_autoencoder_opts, batch, I64, 1, FGTI_OPT_SIZE_MAX, 64),
        FGTI_FIELD(fgt_masked_autoencoder_opts, dim, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_masked_autoencoder_opts, layers, I64, 1, 64, 1),
        FGTI_FIELD(fgt_masked_autoencoder_opts, heads, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_masked_autoencoder_opts, mask_ratio, F32, 1e-6, 1 - 1e-6, 0.75),
        FGTI_FIELD(fgt_masked_autoencoder_opts, normalise, BOOL, 0, 1, 0),
        {0},
    };
    FGTI_TRY(fgti_opts_check(err, "masked autoencoder", table, o));
    if (!o->width) o->width = o->height;
    return FGT_OK;
}

/* ---- layers ---- */

/* Returns the options of the decoder, which is a Vision Transformer, too. */
static fgt_vit_opts decoder_of(const fgt_masked_autoencoder_opts *o, const fgt_vit_opts *encoder)
{
    fgt_vit_opts d = *encoder;
    d.dim          = o->dim ? o->dim : encoder->dim % 8 ? encoder->dim : encoder->dim / 2;
    d.layers       = o->layers;
    d.heads        = o->heads ? o->heads : d.dim % 4 ? 1 : 4;
    d.ff           = fgti_mul(4, d.dim);
    d.drop_path    = 0;
    d.prefix       = "decoder.";
    return d;
}

/* Adds the decoder: [B,1 + K,E] -> [B,P,pixels]. */
static fgt_status add_decoder(const fgt_masked_autoencoder *a, const fgt_vit_opts *o)
{
    fgt_model              *m      = a->model;
    const bool              prefix = fgti_vit_has_class_token(o);
    const fgt_linear_opts   embed = {.size = sizeof embed, .out = o->dim};
    const fgt_linear_opts   paint = {.size = sizeof paint, .out = a->pixels};
    const fgt_scatter_opts  mask  = {.size = sizeof mask, .time = a->patches, .prefix = prefix};
    const fgt_slice_opts    rest  = {.size = sizeof rest, .first = prefix};
    FGTI_TRY(fgt_model_add(m, fgt_named("embedding", fgt_linear(&embed)))); /* [B,1 + K,F] */
    FGTI_TRY(fgt_model_add_from(m, fgt_named("mask", fgt_scatter(&mask)),
                                (const char *[]){fgti_model_last_name(m), FGTI_KEPT}, 2)); /* [B,1 + P,F] */
    FGTI_TRY(fgti_vit_add_position(m, o, a->columns));
    FGTI_TRY(fgti_vit_add_layers(m, o));
    if (prefix) FGTI_TRY(fgt_model_add(m, fgt_named("patches", fgt_slice(&rest)))); /* [B,P,F] */
    return fgt_model_add(m, fgt_named("pixels", fgt_linear(&paint)));
}

static fgt_status autoencoder_add_all(const fgt_masked_autoencoder *a, const fgt_vit_opts *encoder,
                                      const fgt_vit_opts *decoder)
{
    const fgt_value_opts kept = {.size = sizeof kept, .time = a->kept, .kind = FGT_VALUE_IDS};
    FGTI_TRY(fgt_model_add(a->model, fgt_named(FGTI_KEPT, fgt_value(&kept))));
    fgti_model_set_prefix(a->model, encoder->prefix);
    fgt_status s = fgti_vit_add_encoder(a->model, encoder, FGTI_KEPT);
    fgti_model_set_prefix(a->model, decoder->prefix);
    if (s == FGT_OK) s = add_decoder(a, decoder);
    fgti_model_set_prefix(a->model, NULL);
    return s;
}

/* ---- the handle ---- */

static fgt_status autoencoder_set_sizes(fgt_masked_autoencoder *a, const fgt_masked_autoencoder_opts *o,
                                        const fgt_vit_opts *v)
{
    fgti_error      *err   = &a->ctx->error;
    const fgti_shape image = {o->height, o->width, o->channels};
    int64_t          grid[2];
    FGTI_TRY(fgti_vit_patches(err, v, image, grid));
    a->height       = o->height;
    a->width        = o->width;
    a->channels     = o->channels;
    a->batch        = o->batch;
    a->patch_height = v->patch_height;
    a->patch_width  = v->patch_width;
    a->columns      = grid[1];
    a->patches      = fgti_mul(grid[0], grid[1]);
    a->pixels       = fgti_mul(fgti_mul(v->patch_height, v->patch_width), o->channels);
    a->seed         = o->seed;
    a->normalise    = o->normalise;
    if (a->patches < 2 || a->patches > INT32_MAX)
        return fgti_fail(err, FGT_E_ARG,
                         "masked autoencoder: an image has %lld patches, must have at least 2",
                         (long long)a->patches);
    if (a->normalise && a->pixels < 2)
        return fgti_fail(err, FGT_E_ARG, "masked autoencoder: patches of a single number have no variance");
    /* 0.6f is slightly more than 0.6, and a mask ratio of 0.6f must leave 4 of 10 patches */
    a->kept = (int64_t)floor((double)a->patches * (1 - (double)o->mask_ratio + 1e-6));
    if (a->kept < 1) a->kept = 1;
    if (a->kept == a->patches) a->kept = a->patches - 1;
    return FGT_OK;
}

static fgt_status autoencoder_fill(fgt_masked_autoencoder *a, const fgt_masked_autoencoder_opts *opts)
{
    fgti_error                 *err = &a->ctx->error;
    fgt_masked_autoencoder_opts o;
    fgt_vit_opts                encoder;
    FGTI_TRY(fgti_opts_read(err, "fgt_masked_autoencoder_opts", opts, &o, sizeof o));
    FGTI_TRY(autoencoder_check(err, &o));
    if (o.encoder && o.encoder->size >= offsetof(fgt_vit_opts, prefix) + sizeof encoder.prefix &&
        o.encoder->prefix)
        return fgti_fail(err, FGT_E_ARG,
                         "masked autoencoder: the prefix of the encoder is given (need NULL)");
    FGTI_TRY(fgti_vit_read(err, o.encoder, &encoder));
    FGTI_TRY(autoencoder_set_sizes(a, &o, &encoder));
    const fgt_vit_opts   decoder = decoder_of(&o, &encoder);
    const fgt_model_opts model   = {.size = sizeof model, .batch = o.batch, .nodes = o.height,
                                    .time = o.width, .features = o.channels, .seed = o.seed};
    FGTI_TRY(fgt_model_create(a->ctx, &model, &a->model));
    FGTI_TRY(autoencoder_add_all(a, &encoder, &decoder));
    FGTI_TRY(FGTI_NEW(a->ctx, a->patches, "order of patches", &a->order));
    return FGTI_NEW(a->ctx, a->patches, "visible patches", &a->seen);
}

fgt_status fgt_masked_autoencoder_create(fgt_context *ctx, const fgt_masked_autoencoder_opts *opts,
                                         fgt_masked_autoencoder **autoencoder)
{
    if (autoencoder) *autoencoder = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!autoencoder)
        return fgti_fail(&ctx->error, FGT_E_ARG, "masked autoencoder: the handle is NULL");
    FGTI_TRY(FGTI_NEW(ctx, 1, "masked autoencoder", autoencoder));
    (*autoencoder)->ctx = ctx;
    const fgt_status s  = autoencoder_fill(*autoencoder, opts);
    if (s != FGT_OK) fgt_masked_autoencoder_destroy(autoencoder);
    return s;
}

void fgt_masked_autoencoder_destroy(fgt_masked_autoencoder **autoencoder)
{
    if (!autoencoder || !*autoencoder) return;
    fgt_masked_autoencoder *a = *autoencoder;
    fgt_model_destroy(&a->model);
    fgti_free(a->ctx, a->order);
    fgti_free(a->ctx, a->seen);
    fgti_free(a->ctx, a->ids);
    fgti_free(a->ctx, a->y);
    fgti_free(a->ctx, a);
    *autoencoder = NULL;
}

fgt_model *fgt_masked_autoencoder_get_model(fgt_masked_autoencoder *autoencoder)
{
    return autoencoder ? autoencoder->model : NULL;
}
