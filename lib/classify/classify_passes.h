/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_PASSES_H
#define FGTI_CLASSIFY_PASSES_H

#include "classify/classifier_impl.h"

/* Makes the workspaces that the classifier's own predictions still need. */
fgt_status fgti_classifier_need_passes(fgt_classifier *c);
/* A member's workspace for the classifier's own predictions; call fgti_classifier_need_passes() before. NULL:
 * the predictions use the model's own workspace, because the classifier is exact or because the host has set
 * masks or states there. */
fgt_workspace *fgti_classifier_get_passes(const fgt_classifier *c, int64_t member);
/* Make and free a member's workspace for a thread of the host. */
fgt_status fgti_classifier_new_passes(const fgt_classifier *c, int64_t member, const fgt_workspace_opts *opts,
                                      fgt_workspace **passes);
void       fgti_classifier_end_passes(const fgt_classifier *c, int64_t member, fgt_workspace **passes);
/* Frees the workspaces of the classifier's own predictions, because training uses a larger workspace. */
void fgti_classifier_drop_passes(fgt_classifier *c);

#endif
