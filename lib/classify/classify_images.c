/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifiers of images: pixels [B,H,W,C] -> logits [B,classes]. */
#include "classify/classify_images.h"

#include <string.h>

#include "classify/classifier.h"
#include "core/tensor.h"

/* ---- standardised pixels ---- */

void fgti_classify_standardise(const fgt_classifier *c, float *x, int64_t n)
{
    const int64_t channels = c->info.channels;
    for (int64_t k = 0; k < channels; k++) {
        const float mean = (float)c->mean[k], scale = (float)(1 / c->deviation[k]);
        for (int64_t i = k; i < n * channels; i += channels) x[i] = (x[i] - mean) * scale;
    }
}

static fgt_status classify_images_measure(fgt_classifier *c, const fgt_images *images)
{
    const fgt_view mean      = {c->mean, {c->info.channels}, 1, FGT_DTYPE_F64};
    const fgt_view deviation = {c->deviation, {c->info.channels}, 1, FGT_DTYPE_F64};
    FGTI_TRY(fgt_images_compute_moments(images, &mean, &deviation));
    for (int64_t k = 0; k < c->info.channels; k++)
        if (!(c->deviation[k] > 0)) c->deviation[k] = 1;
    return FGT_OK;
}

/* ---- the model ---- */

#define DROPOUT      0.1f
#define PATCH_LEAST  4
#define PATCHES_MOST 256

/* The smallest side of square patches that gives 2 to 256 patches; 0: no side does. */
static int64_t find_patch(int64_t height, int64_t width)
{
    const int64_t most = height < width ? height : width;
    for (int64_t p = PATCH_LEAST; p <= most; p++) {
        const int64_t patches = height / p * (width / p);
        if (height % p == 0 && width % p == 0 && patches > 1 && patches <= PATCHES_MOST) return p;
    }
    return 0;
}

/* Names an option that only classifiers of texts have. */
static fgt_status refuse_texts(fgti_error *err, const fgt_classifier_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_classifier_opts, tokens, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, dim, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.heads, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.layers, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.hops, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.kind, ENUM, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, init, F32, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, pretrain, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.diag_mask, BOOL, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.diag_penalty, F32, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.diag_dropout, F32, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.act, ENUM, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.layer_hops_count, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.ff, I64, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.no_residual, BOOL, 0, 0, 0),
        FGTI_FIELD(fgt_classifier_opts, block.post_norm, BOOL, 0, 0, 0),
        {0},
    };
    const char *wrong = o->vocab ? "vocab" : o->texts ? "texts" : NULL;
    for (const fgti_opt *t = table; !wrong && t->name; t++)
        if (fgti_opt_get(t, o) != 0) wrong = t->name;
    if (!wrong) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "image classifier: %s is for texts (layers are options of vit)", wrong);
}

fgt_status fgti_classify_check_images(fgti_error *err, fgt_classifier_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_classifier_opts, batch, I64, 1, FGTI_OPT_SIZE_MAX, 64),
        FGTI_FIELD(fgt_classifier_opts, block.dropout, F32, -1, 0.95, 0.1),
        FGTI_FIELD(fgt_classifier_opts, reserved, BOOL, 0, 0, 0),
        {0},
    };
    for (int i = 0; i < 4; i++) FGTI_TRY(fgti_reserved_check(err, "image classifier", o->block.reserved[i]));
    FGTI_TRY(refuse_texts(err, o));
    FGTI_TRY(fgti_opts_check(err, "image classifier", table, o));
    if (o->block.dropout < 0) o->block.dropout = 0;
    if (o->vit && o->encoder)
        return fgti_fail(err, FGT_E_ARG,
                         "image classifier: vit cannot be combined with encoder (need one of them)");
    return o->encoder ? fgti_classifier_check(o->encoder, err, true) : FGT_OK;
}

/* Sets c->vit from the options and its defaults. */
static fgt_status choose_vit(fgt_classifier *c, const fgt_vit_opts *opts)
{
    const fgt_classifier_info *i   = &c->info;
    fgti_error                *err = &c->ctx->error;
    fgt_vit_opts               o   = {.size = sizeof o, .dropout = DROPOUT};
    if (opts) FGTI_TRY(fgti_opts_read(err, "fgt_vit_opts", opts, &o, sizeof o));
    if (o.pool == FGT_VIT_POOL_TOKENS)
        return fgti_fail(err, FGT_E_ARG,
                         "image classifier: pool is FGT_VIT_POOL_TOKENS, and a classifier needs one token");
    if (!o.patch_height) o.patch_height = find_patch(i->height, i->width);
    if (!o.patch_height)
        return fgti_fail(err, FGT_E_SHAPE,
                         "images of %lld x %lld cannot be cut into 2 to 256 square patches of 4 or more "
                         "pixels a side; resize them, or set the height of a patch",
                         (long long)i->height, (long long)i->width);
    o.prefix = FGTI_CLASSIFY_ENCODER;
    return fgti_vit_read(err, &o, &c->vit);
}

static fgt_status classify_images_add_all(fgt_model *m, float dropout, const fgt_vit_opts *vit,
                                          int64_t classes)
{
    const fgt_dropout_opts drop = {.size = sizeof drop, .p = dropout};
    FGTI_TRY(fgt_vit_add(m, vit)); /* [B,E] */
    FGTI_TRY(fgt_model_add(m, fgt_named("head_dropout", fgt_dropout(&drop))));
    return fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = classes))));
}

static fgt_status classify_images_build(fgt_classifier *c, const fgt_classifier_opts *o)
{
    const fgt_classifier_info *i    = &c->info;
    const fgt_model_opts       opts = {.size = sizeof opts, .batch = o->batch, .nodes = i->height,
                                       .time = i->width, .features = i->channels, .seed = o->seed};
    FGTI_TRY(fgt_model_create(c->ctx, &opts, c->member));
    return classify_images_add_all(c->member[0], o->block.dropout, &c->vit, i->classes);
}

/* ---- from a trained encoder ---- */

static fgt_status take_encoder(fgt_classifier *c, const fgt_classifier *from)
{
    const fgt_classifier_info *a = &c->info, *b = &from->info;
    if (a->height != b->height || a->width != b->width || a->channels != b->channels)
        return fgti_fail(
            &c->ctx->error, FGT_E_SHAPE,
            "the images have the wrong size (got [%lld,%lld,%lld], need [%lld,%lld,%lld] of the encoder)",
            (long long)a->height, (long long)a->width, (long long)a->channels, (long long)b->height,
            (long long)b->width, (long long)b->channels);
    c->vit = from->vit;
    memcpy(c->mean, from->mean, sizeof c->mean);
    memcpy(c->deviation, from->deviation, sizeof c->deviation);
    return FGT_OK;
}

/* ---- from images ---- */

fgt_status fgti_classify_make_images(fgt_classifier *c, const fgt_classifier_opts *o,
                                     const fgt_images *images)
{
    const fgt_images_info *m    = &images->info;
    const fgt_classifier  *from = o->encoder;
    c->info.height   = m->height;
    c->info.width    = m->width;
    c->info.channels = m->channels;
    c->info.seed     = o->seed;
    c->batch         = o->batch;
    FGTI_TRY(fgti_classifier_set_classes(c, FGT_IMAGES(images)));
    FGTI_TRY(from ? take_encoder(c, from) : choose_vit(c, o->vit));
    if (!from) FGTI_TRY(classify_images_measure(c, images));
    c->info.block = c->vit.fighter ? FGT_BLOCK_FIGHTER : FGT_BLOCK_TRANSFORMER;
    FGTI_TRY(classify_images_build(c, o));
    if (from) FGTI_TRY(fgt_model_copy_parameters(c->member[0], from->member[0], FGTI_CLASSIFY_ENCODER));
    return fgti_classifier_finish(c);
}
