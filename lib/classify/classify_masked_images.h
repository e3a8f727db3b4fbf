/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_MASKED_IMAGES_H
#define FGTI_CLASSIFY_MASKED_IMAGES_H

#include "classify/classifier_impl.h"

/* Pre-trains the encoder of a classifier of images. The caller has read and checked the options. share 0: the
 * default. */
fgt_status fgti_classifier_mask_images(fgt_classifier *c, const fgt_samples *samples,
                                       const fgt_samples *validation, const fgt_classifier_fit_opts *o,
                                       double share, fgt_fit_report *report);

#endif
