/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/pass/last_pass.h"

#include <string.h>

#include "model/model_impl.h"
#include "model/names.h"
#include "model/pass/pass_io.h"
#include "model/views.h"

/* Gets the workspace of the last pass. FGT_E_STATE: there was no pass. */
static fgt_status need_pass(fgt_model *model, fgt_workspace **ws)
{
    *ws = model->own;
    if (*ws && (*ws)->passed) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_STATE, "model: no pass was run yet");
}

fgt_status fgti_model_read_x(fgt_model *model, fgt_view *x)
{
    fgt_workspace *ws;
    FGTI_TRY(need_pass(model, &ws));
    fgti_real *const data = ws->memory + ws->tensor[0].at;
    const int64_t    n = ws->last.batch, t = ws->in.time, d = ws->in.width;
    if (!model->opts.features)
        *x = *FGT_VIEW_OF(FGT_DTYPE_I32, data, n, t);
    else if (model->opts.nodes > 1)
        *x = *FGT_VIEW_OF(FGTI_REAL, data, n, ws->in.nodes, t, d);
    else
        *x = *FGT_VIEW_OF(FGTI_REAL, data, n, t, d);
    return FGT_OK;
}

fgt_status fgti_model_read_input(fgt_model *model, const char *layer, fgt_view *x)
{
    const fgti_layer *l;
    fgt_workspace    *ws;
    FGTI_TRY(fgti_model_need(model, &model->ctx->error, layer, &l));
    FGTI_TRY(need_pass(model, &ws));
    const int64_t from = l->input[0].from;
    *x                 = fgti_view_of(ws->memory + ws->tensor[from + 1].at, ws->last.batch,
                      from == FGTI_MODEL_INPUT ? ws->in : ws->slot[from].out);
    return FGT_OK;
}

const fgti_real *fgti_model_read_weight(fgt_model *model, const char *layer, const char *name)
{
    const fgti_layer *l = fgti_model_find(model, layer);
    for (int32_t i = 0; l && i < l->params; i++) {
        const fgti_param *p     = &l->param[i];
        const char       *owner = l->shares ? l->shares->name : l->name;
        const size_t      n     = *owner ? strlen(owner) + 1 : 0;
        if (strcmp(p->full_name + n, name) != 0) continue;
        return p->effective ? p->effective : model->weights + p->offset;
    }
    return NULL;
}

bool fgti_model_has_mask(const fgt_model *model, const char *layer, fgt_mask mask)
{
    const fgti_layer    *l  = fgti_model_find(model, layer);
    const fgt_workspace *ws = model->own;
    return l && ws && ws->passed && fgti_pass_run(ws, (int64_t)l->id).mask[mask];
}
