/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PASSES_H
#define FGTI_PASSES_H

/* Predictions with a model that may still change. Forecasters and classifiers need them, because they also
 * train, save and analyse their models. */

#include <stdbool.h>

#include <fighter/predictor.h>

typedef struct fgti_passes {
    fgt_predictor *predictor; /* a predictor that follows the model; exists while `users` is above 0 */
    int64_t        users;     /* number of workspaces that the predictor has */
    fgt_workspace *own;       /* a workspace that uses the context's threads and error text; NULL: not made
                               * yet */
} fgti_passes;

/* Whether a pass in another workspace gives the same result as in the model's own: no mask and no state is
 * set there, and no state is carried from pass to pass. */
bool fgti_model_is_plain(const fgt_model *model);
/* Makes `own`, unless it exists. Call it before a prediction. fgti_passes_drop() frees `own`. */
fgt_status fgti_passes_need(fgti_passes *p, fgt_model *model);
void       fgti_passes_drop(fgti_passes *p);
/* Makes a workspace for a thread of the host. exact: it belongs to the model itself, otherwise to the
 * predictor. fgti_passes_end() destroys it. */
fgt_status fgti_passes_new(fgti_passes *p, fgt_model *model, bool exact, const fgt_workspace_opts *opts,
                           fgt_workspace **ws);
void       fgti_passes_end(fgti_passes *p, fgt_workspace **ws);

#endif
