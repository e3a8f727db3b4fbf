/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: images. */
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/vit.h>

#include "../samples_info.h"
#include "entries.h"

enum { IMAGES = 2, SIDE = 2 };

static fgt_status make_images(world *w, fgt_images **images)
{
    float   x[IMAGES * SIDE * SIDE];
    int64_t labels[IMAGES];
    for (int i = 0; i < IMAGES * SIDE * SIDE; i++) x[i] = (float)(i * 31 % 256);
    for (int i = 0; i < IMAGES; i++) labels[i] = i % 2;
    return fgt_images_create(w->ctx, FGT_VIEW(x, IMAGES, SIDE, SIDE, 1),
                             FGT_VIEW_OF(FGT_DTYPE_I64, labels, IMAGES), NULL, images);
}

static fgt_status see_images(world *w, const fgt_images *m)
{
    fgt_images_info info = {.size = sizeof info};
    float           x[SIDE * SIDE];
    double          mean, deviation;
    TRY(fgt_images_get_info(m, &info));
    see(w, &info, offsetof(fgt_images_info, class_rows));
    SEE(w, info.class_rows[0]);
    TRY(fgt_images_copy_pixels(m, (const int64_t[]){1}, 1, FGT_VIEW(x, 1, SIDE, SIDE, 1)));
    SEE(w, x);
    TRY(fgt_images_compute_moments(m, FGT_VIEW_OF(FGT_DTYPE_F64, &mean, 1),
                                   FGT_VIEW_OF(FGT_DTYPE_F64, &deviation, 1)));
    SEE(w, deviation);
    SEE(w, (int64_t){images_class(m, 1)});
    see_text(w, fgt_images_get_class_name(m, 1));
    SEE(w, (bool){fgt_images_get_name(m, 0) != NULL});
    return FGT_OK;
}

static fgt_status images_create(world *w)
{
    MAKE(images, make_images(w, &w->made.images));
    return see_images(w, w->made.images);
}

static fgt_status images_load(world *w)
{
    const fgt_images_opts o = {.size = sizeof o, .labels = in(w, "labels.idx1")};
    MAKE(images, fgt_images_load(w->ctx, in(w, "images.idx3"), &o, &w->made.images));
    return see_images(w, w->made.images);
}

static fgt_status images_subset(world *w)
{
    MAKE(images, fgt_images_create_subset(w->all.images, (const int64_t[]){1, 1}, 2, &w->made.images));
    return see_images(w, w->made.images);
}

static fgt_status images_split(world *w)
{
    fgt_images *rest;
    MAKE(images,
         fgt_images_create_split(w->all.images, &FGT_OPTS(fgt_images_split_opts, .count = 1, .seed = 5),
                                 &w->made.images, &rest));
    SEE(w, (int64_t){images_class(rest, 0)});
    fgt_images_destroy(&rest);
    return FGT_OK;
}

static fgt_status images_looks(world *w)
{
    return see_images(w, w->all.images);
}

/* ---- their classifiers ---- */

static const fgt_vit_opts tiny = {.size = sizeof tiny, .patch_height = 1, .dim = 4, .layers = 1, .ff = 4};

static fgt_status make_classifier(world *w)
{
    const fgt_classifier_opts o = {.size = sizeof o, .vit = &tiny, .batch = 2};
    MAKE(classifier, fgt_classifier_create(w->ctx, FGT_IMAGES(w->all.images), &o, &w->made.classifier));
    return FGT_OK;
}

static fgt_status images_classify(world *w)
{
    float                   x[SIDE * SIDE], p[2], q[2];
    const fgt_view         *pixels = FGT_VIEW(x, 1, SIDE, SIDE, 1);
    fgt_metric              metric = {0};
    fgt_classifier_workspace *ws;
    TRY(make_classifier(w));
    TRY(fgt_classifier_evaluate(w->made.classifier, FGT_IMAGES(w->all.images), &metric, NULL));
    SEE(w, metric);
    TRY(fgt_images_copy_pixels(w->all.images, (const int64_t[]){1}, 1, pixels));
    TRY(fgt_classifier_predict(w->made.classifier, &FGT_OPTS(fgt_classifier_rows, .pixels = pixels),
                               FGT_VIEW(p, 1, 2), NULL));
    SEE(w, p);
    TRY(fgt_classifier_create_workspace(w->made.classifier, NULL, &ws));
    const fgt_status s = fgt_classifier_workspace_predict(
        ws, &FGT_OPTS(fgt_classifier_rows, .pixels = pixels), FGT_VIEW(q, 1, 2), NULL);
    if (!s) SEE(w, q);
    entry_said(w, s, fgt_classifier_workspace_get_error(ws));
    fgt_classifier_workspace_destroy(&ws);
    return s;
}

static fgt_status images_train(world *w)
{
    const fgt_classifier_fit_opts o = {.size = sizeof o, .training.epochs = 1};
    TRY(make_classifier(w));
    TRY(fgt_classifier_fit_masked(w->made.classifier, FGT_IMAGES(w->all.images), NULL,
                                  &FGT_OPTS(fgt_classifier_masked_opts, .fit = &o), NULL));
    TRY(fgt_classifier_fit(w->made.classifier, FGT_IMAGES(w->all.images), FGT_IMAGES(w->all.images), &o,
                           NULL));
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_classifier_get_model(w->made.classifier))});
    return FGT_OK;
}

static const entry entries[] = {
    {"fgt_images_create fgt_images_destroy", images_create, 0},
    {"fgt_images_load", images_load, READS},
    {"fgt_images_create_subset", images_subset, 0},
    {"fgt_images_create_split", images_split, 0},
    {"fgt_images_get_info fgt_images_copy_pixels fgt_images_compute_moments "
     "fgt_images_get_class_name fgt_images_get_name",
     images_looks, QUIET},
    {"fgt_classifier_create fgt_classifier_evaluate fgt_classifier_predict "
     "fgt_classifier_workspace_predict",
     images_classify, 0},
    {"fgt_classifier_fit_masked fgt_classifier_fit", images_train, 0},
};

const entry_table image_entries = {entries, LENGTH(entries)};
