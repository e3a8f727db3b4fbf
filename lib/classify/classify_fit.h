/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_FIT_H
#define FGTI_CLASSIFY_FIT_H

#include "classify/classifier_impl.h"
#include "classify/classify_feed.h"

/* Checks the options of a training and fills in the defaults. masked: pre-training. */
fgt_status fgti_classifier_fit_check(const fgt_classifier *c, bool masked, fgt_classifier_fit_opts *o);
/* Sets the random changes of images. */
void fgti_classifier_set_changes(const fgt_classifier_fit_opts *o, fgti_classify_feed *d, fgt_source *source);
/* Call it before the model's own layers are trained. FGT_E_STATE: several members, or an adapter is
 * active. */
fgt_status fgti_classifier_check_base(const fgt_classifier *c, const char *what);

#endif
