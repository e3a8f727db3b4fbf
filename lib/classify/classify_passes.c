/* SPDX-License-Identifier: BSD-3-Clause */
/* The workspaces in which a classifier's models run. */
#include <fighter/experimental/exact.h>

#include "classify/classify_passes.h"

#include "model/predictor/passes.h"

static bool takes_own(const fgt_classifier *c, int64_t member)
{
    return !c->exact && fgti_model_is_plain(c->member[member]);
}

fgt_status fgti_classifier_need_passes(fgt_classifier *c)
{
    for (int64_t m = 0; m < c->members; m++)
        if (takes_own(c, m)) FGTI_TRY(fgti_passes_need(&c->passes[m], c->member[m]));
    return FGT_OK;
}

fgt_workspace *fgti_classifier_get_passes(const fgt_classifier *c, int64_t member)
{
    return takes_own(c, member) ? c->passes[member].own : NULL;
}

/* This function and fgti_classifier_end_passes() change c->passes[member], although c is const. This is
 * safe: only the thread that uses the context makes and destroys workspaces, so other threads that predict
 * with the classifier see no change. */
fgt_status fgti_classifier_new_passes(const fgt_classifier *c, int64_t member, const fgt_workspace_opts *opts,
                                      fgt_workspace **passes)
{
    return fgti_passes_new(&c->passes[member], c->member[member], c->exact, opts, passes);
}

void fgti_classifier_end_passes(const fgt_classifier *c, int64_t member, fgt_workspace **passes)
{
    fgti_passes_end(&c->passes[member], passes);
}

void fgti_classifier_drop_passes(fgt_classifier *c)
{
    for (int64_t m = 0; m < c->members; m++) fgti_passes_drop(&c->passes[m]);
}

fgt_status fgt_classifier_set_exact(fgt_classifier *classifier, int32_t exact)
{
    if (!classifier) return FGT_E_ARG;
    if (exact != 0 && exact != 1)
        return fgti_fail(&classifier->ctx->error, FGT_E_ARG,
                         "classifier: exact is wrong (got %d, need 0 or 1)", exact);
    classifier->exact = exact;
    if (exact) fgti_classifier_drop_passes(classifier);
    return FGT_OK;
}
