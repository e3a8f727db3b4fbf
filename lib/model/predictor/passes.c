/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions with a model that may still change. */
#include "model/predictor/passes.h"

#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/predictor/predictor.h"
#include "model/predictor/predictor_impl.h"
#include "model/workspace/workspace.h"

static bool has_mask(const fgt_workspace *ws)
{
    for (int i = 0; i < FGT_MASK_COUNT; i++)
        if (ws->mask[i].data) return true;
    for (int64_t i = 0; i < ws->model->layers; i++) {
        const fgti_layer *l = ws->model->layer[i];
        if (l->cls->is_value && fgti_mask_of(l->kind) >= 0 && ws->slot[i].value.data) return true;
    }
    return false;
}

bool fgti_model_is_plain(const fgt_model *model)
{
    const fgt_workspace *ws = model->own;
    return !ws || !(ws->carry || ws->given || has_mask(ws));
}

static fgt_status passes_hold(fgti_passes *p, fgt_model *model)
{
    if (!p->predictor) FGTI_TRY(fgti_predictor_follow(model, &p->predictor));
    p->users++;
    return FGT_OK;
}

static void passes_release(fgti_passes *p)
{
    if (!--p->users) fgt_predictor_destroy(&p->predictor);
}

fgt_status fgti_passes_need(fgti_passes *p, fgt_model *model)
{
    if (model->own) model->own->passed = false; /* because its matrices belong to an earlier pass */
    if (p->own) return FGT_OK;
    FGTI_TRY(passes_hold(p, model));
    const fgt_status s = fgti_workspace_create_shared(p->predictor->model, model->opts.batch, &p->own);
    if (s != FGT_OK) passes_release(p);
    return s;
}

void fgti_passes_drop(fgti_passes *p)
{
    if (!p->own) return;
    fgt_workspace_destroy(&p->own);
    passes_release(p);
}

fgt_status fgti_passes_new(fgti_passes *p, fgt_model *model, bool exact, const fgt_workspace_opts *opts,
                           fgt_workspace **ws)
{
    if (exact) return fgt_model_create_workspace(model, opts, ws);
    FGTI_TRY(passes_hold(p, model));
    const fgt_status s = fgt_predictor_create_workspace(p->predictor, opts, ws);
    if (s != FGT_OK) passes_release(p);
    return s;
}

void fgti_passes_end(fgti_passes *p, fgt_workspace **ws)
{
    if (!*ws) return;
    const bool counted = p->predictor && (*ws)->model == p->predictor->model;
    fgt_workspace_destroy(ws);
    if (counted) passes_release(p);
}
