/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on images and their classifiers. */
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/vit.h>

#include "calls.h"

enum { IMAGES = 4, SIDE = 4 };

static void images_create(world *w)
{
    float                 x[IMAGES * SIDE * SIDE];
    int64_t               label[IMAGES];
    const fgt_images_opts o = {.size = sizeof o, .classes = pick(w, 4), .resize = pick(w, 2),
                               .height = pick(w, 4) ? 0 : 3, .width = pick(w, 4) ? 0 : 5,
                               .channels = pick(w, 5), .no_classes = !pick(w, 8),
                               .like = pick(w, 4) ? NULL : w->images};
    fgt_images           *images;
    for (int i = 0; i < IMAGES * SIDE * SIDE; i++) x[i] = (float)(i % 7 * 40);
    for (int i = 0; i < IMAGES; i++) label[i] = pick(w, 8) ? i % 2 : draw_size(w);
    SAY(w->ctx, fgt_images_create(w->ctx, FGT_VIEW(x, IMAGES, SIDE, SIDE, 1),
                                  pick(w, 8) ? FGT_VIEW_OF(FGT_DTYPE_I64, label, IMAGES) : NULL,
                                  pick(w, 2) ? &o : NULL, &images));
    fgt_images_destroy(&w->images);
    w->images = images;
}

static void images_split(world *w)
{
    fgt_images *first, *rest;
    SAY(w->images, fgt_images_create_split(
                       w->images, &FGT_OPTS(fgt_images_split_opts, .count = pick(w, 5), .seed = take(w)),
                       &first, &rest));
    fgt_images_destroy(&rest);
    if (!first) return;
    fgt_images_destroy(&w->images);
    w->images = first;
}

static void images_get(world *w)
{
    const int64_t   index[2] = {0, draw_size(w)};
    fgt_images_info info     = {.size = sizeof info};
    const bool      known    = fgt_images_get_info(w->images, &info) == FGT_OK;
    const fgt_view  like     = {.rank = 4, .shape = {2, known ? info.height : 1, info.width, info.channels}};
    const fgt_view  channels = {.rank = 1, .shape = {info.channels}, .dtype = FGT_DTYPE_F64};
    fgt_view        x = draw_view(w, &like, true), mean = draw_view(w, &channels, true);
    fgt_view        deviation = draw_view(w, &channels, true);
    SAY(w->images, fgt_images_copy_pixels(w->images, index, 2, draw_null(w, &x)));
    SAY(w->images, fgt_images_compute_moments(w->images, draw_null(w, &mean), &deviation));
}

static void classifier_create(world *w)
{
    const fgt_vit_opts vit = {.size = sizeof vit, .patch_height = pick(w, 3), .dim = 4, .layers = 1, .ff = 4,
                              .fighter = pick(w, 2), .pool = pick(w, 3)};
    const fgt_classifier_opts o   = {.size    = sizeof o,
                                     .vit     = pick(w, 4) ? &vit : NULL,
                                     .batch   = pick(w, 4),
                                     .encoder = pick(w, 4) ? NULL : w->classifier};
    fgt_classifier *made;
    SAY(w->images, fgt_classifier_create(w->ctx, FGT_IMAGES(w->images), &o, &made));
    fgt_classifier_destroy(&w->classifier);
    w->classifier = made;
}

static void classifier_fit(world *w)
{
    const fgt_classifier_fit_opts o          = {.size     = sizeof o,
                                                .training = {.progress = draw_stop, .user = w, .epochs = 1},
                                                .shift    = pick(w, 3) - 1,
                                                .flip     = pick(w, 2)};
    const fgt_images *validation = pick(w, 2) ? w->images : NULL;
    fgt_classifier   *c          = w->images ? w->classifier : NULL;
    if (pick(w, 2))
        SAY(c, fgt_classifier_fit(w->classifier, FGT_IMAGES(w->images), FGT_IMAGES(validation), &o, NULL));
    else
        SAY(c, fgt_classifier_fit_masked(w->classifier, FGT_IMAGES(w->images), FGT_IMAGES(validation),
                                         &FGT_OPTS(fgt_classifier_masked_opts, .fit = &o), NULL));
}

static void classifier_predict(world *w)
{
    fgt_classifier_info info  = {.size = sizeof info};
    fgt_metric          m     = {0};
    const bool          known = fgt_classifier_get_info(w->classifier, &info) == FGT_OK;
    const fgt_view      like  = {.rank = 4, .shape = {2, info.height, info.width, info.channels}};
    const fgt_view      rows  = {.rank = 2, .shape = {2, known ? info.classes : 2}};
    fgt_view            x = draw_view(w, &like, false), p = draw_view(w, &rows, true);
    SAY(w->classifier,
        fgt_classifier_predict(w->classifier, &FGT_OPTS(fgt_classifier_rows, .pixels = draw_null(w, &x)),
                               draw_null(w, &p), NULL));
    SAY(w->classifier, fgt_classifier_evaluate(w->classifier, FGT_IMAGES(w->images), &m, NULL));
}

static const operation list[] = {
    {"fgt_images_create", images_create, false, false},
    {"fgt_images_create_split", images_split, false, false},
    {"fgt_images_copy_pixels", images_get, true, false},
    {"fgt_classifier_create", classifier_create, false, false},
    {"fgt_classifier_fit", classifier_fit, false, false},
    {"fgt_classifier_predict", classifier_predict, false, false},
};
const operations calls_of_images = {list, sizeof list / sizeof *list};
