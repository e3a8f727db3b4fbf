/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_IMAGES_H
#define FGTI_CLASSIFY_IMAGES_H

#include "classify/classifier_impl.h"

/* Checks the options of a classifier of images and fills in the defaults. */
fgt_status fgti_classify_check_images(fgti_error *err, fgt_classifier_opts *o);
/* Fills a new classifier of images. */
fgt_status fgti_classify_make_images(fgt_classifier *c, const fgt_classifier_opts *o,
                                     const fgt_images *images);
/* Standardises n pixels of whole images in place. */
void fgti_classify_standardise(const fgt_classifier *c, float *x, int64_t n);

#endif
