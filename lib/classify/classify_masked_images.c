/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training: the encoder of a classifier learns to reconstruct hidden patches of images without
 * classes. */
#include "classify/classify_masked_images.h"

#include "classify/classify_feed.h"
#include "classify/classify_fit.h"
#include "model/access.h"
#include "train/fit/standard_fit.h"

static fgt_status masked_images_train(fgt_classifier *c, const fgt_classifier_fit_opts *o, double share,
                                      const fgt_source *from, const fgt_source *check, fgt_fit_report *report)
{
    fgt_fit_opts      all = {.size = sizeof all, .training = o->training, .train = from, .validation = check};
    fgt_vit_opts      vit = c->vit;
    fgt_schedule_opts schedule;
    fgt_optim_opts    optim;
    vit.prefix                              = NULL;
    vit.dropout                             = 0; /* hiding patches regularises enough */
    const bool                        one   = vit.patch_height * vit.patch_width * c->info.channels == 1;
    const fgt_masked_autoencoder_opts masks = {.size       = sizeof masks,
                                               .encoder    = &vit,
                                               .batch      = o->training.batch,
                                               .height     = c->info.height,
                                               .width      = c->info.width,
                                               .channels   = c->info.channels,
                                               .seed       = o->training.seed,
                                               .mask_ratio = (float)share,
                                               .normalise  = !one}; /* a single number has no variance */
    fgt_masked_autoencoder           *m;
    fgti_fit_optim(&all, &schedule, &optim);
    FGTI_TRY(fgt_masked_autoencoder_create(c->ctx, &masks, &m));
    fgt_model *model = fgt_masked_autoencoder_get_model(m);
    fgt_status s     = fgt_model_copy_parameters(model, c->member[0], FGTI_CLASSIFY_ENCODER);
    if (s == FGT_OK) s = fgt_masked_autoencoder_fit(m, &all, report);
    if (s == FGT_OK) s = fgt_model_copy_parameters(c->member[0], model, FGTI_CLASSIFY_ENCODER);
    fgt_masked_autoencoder_destroy(&m);
    return s;
}

fgt_status fgti_classifier_mask_images(fgt_classifier *c, const fgt_samples *samples,
                                       const fgt_samples *validation, const fgt_classifier_fit_opts *o,
                                       double share, fgt_fit_report *report)
{
    fgti_classify_feed a = {.masked = true}, b = {.masked = true};
    fgt_source         from, check;
    fgt_status         s = fgti_classify_feed_init(c, samples, 0, &a, &from);
    if (s == FGT_OK) fgti_classifier_set_changes(o, &a, &from);
    if (s == FGT_OK && validation->images) s = fgti_classify_feed_init(c, validation, 0, &b, &check);
    if (s == FGT_OK) s = masked_images_train(c, o, share, &from, validation->images ? &check : NULL, report);
    fgti_classify_feed_done(&a);
    fgti_classify_feed_done(&b);
    return s;
}
