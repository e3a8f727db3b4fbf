/* SPDX-License-Identifier: BSD-3-Clause */

/* Creates and destroys models. */

#include "model/build/model.h"

#include <string.h>

#include "core/sparse.h"
#include "model/adapter/adapter.h"
#include "model/build/nodes.h"
#include "model/model_impl.h"
#include "model/views.h"
#include "model/workspace/keep.h"
#include "model/workspace/workspace.h"

const fgti_opt fgti_model_opts[] = {
    {"batch", offsetof(fgt_model_opts, batch), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"time", offsetof(fgt_model_opts, time), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"features", offsetof(fgt_model_opts, features), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"nodes", offsetof(fgt_model_opts, nodes), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {0},
};

fgt_status fgti_model_check_place(fgt_context *ctx, fgt_model **model)
{
    if (model) *model = NULL;
    if (!ctx) return FGT_E_ARG;
    return model ? FGT_OK : fgti_fail(&ctx->error, FGT_E_ARG, "model: result pointer is NULL");
}

fgt_status fgt_model_create(fgt_context *ctx, const fgt_model_opts *opts, fgt_model **model)
{
    fgt_model_opts o;
    FGTI_TRY(fgti_model_check_place(ctx, model));
    FGTI_TRY(fgti_opts_read(&ctx->error, "model", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(&ctx->error, "model", fgti_model_opts, &o));
    FGTI_TRY(FGTI_NEW(ctx, 1, "model", model));
    (*model)->ctx      = ctx;
    const fgt_status s = fgti_keep_init(*model);
    if (s != FGT_OK) {
        fgti_free(ctx, *model);
        *model = NULL;
        return s;
    }
    (*model)->opts    = o;
    (*model)->version = 1;
    (*model)->last    = FGTI_MODEL_INPUT;
    fgti_workspace_drop_own(*model);
    return FGT_OK;
}

void fgt_model_destroy(fgt_model **model)
{
    if (!model || !*model) return;
    fgt_model   *m   = *model;
    fgt_context *ctx = m->ctx;
    if (m->asking) return; /* the call comes from plan() or memory() of one of the layers */
    fgti_workspace_drop_own(m);
    for (int64_t i = m->layers - 1; i >= 0; i--) fgti_layer_destroy(ctx, m->layer[i]); /* owners last */
    fgti_free(ctx, m->layer);
    fgti_adapter_free_all(m);
    fgti_words_done(ctx, &m->names);
    fgti_words_done(ctx, &m->param_names);
    fgti_free(ctx, m->weights);
    fgti_free(ctx, m->gradients);
    fgti_free(ctx, m->touched.row);
    fgti_free(ctx, m->touched.seen);
    fgti_keep_done(m);
    fgti_free(ctx, m);
    *model = NULL;
}
