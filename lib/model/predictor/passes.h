/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PASSES_H
#define FGTI_PASSES_H

/* Predictions of a model that may still change: forecasters and classifiers train, save and analyse their
 * models. */

#include <stdbool.h>

#include <fighter/predictor.h>

typedef struct fgti_passes {
    fgt_predictor *predictor; /* follows the model; exists while there are users */
    int64_t        users;     /* number of the predictor's workspaces */
    fgt_workspace *own;       /* a workspace with the context's threads and error text; NULL: not made yet */
} fgti_passes;

/* Whether a pass in another workspace gives the same as in the model's own: no mask and no state was set
 * there, and no state is carried over. */
bool fgti_model_is_plain(const fgt_model *model);
/* Makes `own`, if it does not exist. Called before a prediction. fgti_passes_drop() frees it. */
fgt_status fgti_passes_need(fgti_passes *p, fgt_model *model);
void       fgti_passes_drop(fgti_passes *p);
/* A workspace for a thread of the host; exact: a workspace of the model itself, not of the predictor.
 * fgti_passes_end() destroys it. */
fgt_status fgti_passes_new(fgti_passes *p, fgt_model *model, bool exact, const fgt_workspace_opts *opts,
                           fgt_workspace **ws);
void       fgti_passes_end(fgti_passes *p, fgt_workspace **ws);

#endif
