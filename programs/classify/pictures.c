/* SPDX-License-Identifier: BSD-3-Clause */
/* Images: reads them, makes a classifier for them, and writes predictions. */
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/exact.h>
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/vit.h>

#include "pictures.h"
#include "predict.h"

#include "../common/program.h"

/* ---- sets ---- */

bool pictures_load(const run *r, const char *path, const char *labels, const fgt_images *like, bool unlabeled,
                   fgt_images **images)
{
    const options        *o    = r->o;
    const fgt_images_opts opts = {.size       = sizeof opts,
                                  .like       = like,
                                  .labels     = labels,
                                  .height     = like ? 0 : o->height,
                                  .width      = like ? 0 : o->width,
                                  .channels   = like ? 0 : o->channels,
                                  .resize     = o->height > 0,
                                  .no_classes = unlabeled,
                                  .background = o->background};
    return fgt_images_load(r->ctx, path, &opts, images) == FGT_OK || failed(r, NULL);
}

/* Reads a size such as "28x32", rows and columns. */
bool pictures_read_size(options *o)
{
    char *end = NULL;
    if (!o->resize) return true;
    o->height = strtol(o->resize, &end, 10);
    if (end && *end == 'x') o->width = strtol(end + 1, &end, 10);
    if (end && !*end && o->height > 0 && o->width > 0) return true;
    return complain("--resize %s: expected rows and columns, such as 32x32", o->resize);
}

/* ---- a classifier ---- */

static bool load_encoder(run *r)
{
    fgt_classifier_info info = {.size = sizeof info};
    if (!r->o->pretrained || r->encoder) return true;
    if (fgt_classifier_load(r->ctx, FGT_FROM_FILE(r->o->pretrained), NULL, &r->encoder) != FGT_OK)
        return failed(r, NULL);
    if (fgt_classifier_get_info(r->encoder, &info) != FGT_OK) return failed(r, NULL);
    return info.height || complain("--pretrained %s: is a classifier of texts", r->o->pretrained);
}

bool pictures_pretrain(run *r, const fgt_images *images, const fgt_classifier_fit_opts *opts,
                       fgt_classifier *classifier, fgt_fit_report *report)
{
    fgt_classifier_fit_opts with = *opts, given = r->o->fit;
    library_switch_off(fgt_classifier_get_fit_option, r->o->given_fit, &given);
    with.flip  = given.flip;
    with.shift = given.shift;
    return fgt_classifier_fit_masked(classifier, FGT_IMAGES(images), NULL,
                                     &FGT_OPTS(fgt_classifier_masked_opts, .fit = &with), report) == FGT_OK ||
           failed(r, r->o->images);
}

bool pictures_standardise(const run *r, int64_t n, float *pixels)
{
    const int64_t c = r->info.channels;
    double        mean[4], deviation[4];
    if (fgt_images_compute_moments(r->train.images, FGT_VIEW_OF(FGT_DTYPE_F64, mean, c),
                                   FGT_VIEW_OF(FGT_DTYPE_F64, deviation, c)) != FGT_OK)
        return failed(r, r->o->images);
    for (int64_t i = 0; i < n; i++)
        pixels[i] = (float)((pixels[i] - mean[i % c]) / (deviation[i % c] > 0 ? deviation[i % c] : 1));
    return true;
}

bool pictures_create(run *r, uint64_t seed, fgt_classifier **classifier)
{
    const options     *o   = r->o;
    const fgt_vit_opts vit = {.size         = sizeof vit,
                              .patch_height = o->patch,
                              .dim          = o->model.dim,
                              .layers       = o->model.block.layers,
                              .heads        = o->model.block.heads,
                              .hops         = o->model.block.hops,
                              .fighter      = o->model.block.kind != FGT_BLOCK_FIGHTER ? FGT_VIT_FIGHTER_NONE
                                              : o->whole                               ? FGT_VIT_FIGHTER_WHOLE
                                                         : FGT_VIT_FIGHTER_MIXES,
                              .act          = (int32_t)o->model.block.act,
                              .dropout      = command_line_has("dropout") ? o->model.block.dropout : 0.1f};
    if (!load_encoder(r)) return false;
    const fgt_classifier_opts opts = {
        .size    = sizeof opts,
        .vit     = r->encoder ? NULL : &vit,
        .encoder = r->encoder,
        .batch   = o->fit.training.batch,
        .seed    = seed,
        .block.dropout =
            command_line_has("dropout") && o->model.block.dropout == 0 ? -1 : o->model.block.dropout};
    fgt_status s = fgt_classifier_create(r->ctx, FGT_IMAGES(r->train.images), &opts, classifier);
    if (s == FGT_OK) s = fgt_classifier_set_exact(*classifier, o->exact);
    if (s != FGT_OK) return failed(r, s == FGT_E_ARG ? NULL : o->images);
    return !o->probe || fgt_model_set_frozen(fgt_classifier_get_model(*classifier), "encoder.*",
                                             1) == FGT_OK ||
           failed(r, NULL);
}

/* ---- predictions ---- */

bool pictures_check_predict(const options *o)
{
    return !o->predict || o->predict_file ||
           complain("--predict needs the images: an IDX file, a folder or a list");
}

static bool predict_one(run *r, const fgt_images *images, int64_t row, float *x, float *p)
{
    const fgt_classifier_info *i     = &r->info;
    const fgt_view            *pixels = FGT_VIEW(x, 1, i->height, i->width, i->channels);
    if (fgt_images_copy_pixels(images, &row, 1, pixels) != FGT_OK ||
        fgt_classifier_predict(r->classifier, &FGT_OPTS(fgt_classifier_rows, .pixels = pixels),
                               FGT_VIEW(p, 1, i->classes), NULL) != FGT_OK)
        return failed(r, NULL);
    return predict_say(r, p);
}

bool pictures_predict(run *r)
{
    const fgt_classifier_info *i      = &r->info;
    fgt_images_info            info   = {.size = sizeof info};
    fgt_images                *images = NULL;
    const fgt_images_opts      opts   = {.size     = sizeof opts,
                                         .height   = i->height,
                                         .width    = i->width,
                                         .channels = i->channels,
                                         .resize   = r->o->height > 0,
                                         .no_classes = 1,
                                         .background = r->o->background};
    if (fgt_images_load(r->ctx, r->o->predict_file, &opts, &images) != FGT_OK) return failed(r, NULL);
    float *x    = malloc((size_t)(i->height * i->width * i->channels) * sizeof *x);
    float *p    = malloc((size_t)i->classes * sizeof *p);
    bool   good = (x && p) || complain("no memory");
    good        = good && (fgt_images_get_info(images, &info) == FGT_OK || failed(r, NULL));
    for (int64_t k = 0; good && k < info.count; k++) good = predict_one(r, images, k, x, p);
    free(x);
    free(p);
    fgt_images_destroy(&images);
    return good;
}
