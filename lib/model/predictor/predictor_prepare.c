/* SPDX-License-Identifier: BSD-3-Clause */

/* Computes once all that the layers of a predictor would compute from the weights in every pass. */

#include "model/predictor/predictor_prepare.h"

#include <string.h>

#include "model/model_impl.h"
#include "model/params.h"
#include "model/workspace/plan.h"
#include "nn/axis.h"

/* Makes the predictor the first user of the memory. It never releases the memory. */
static fgt_status predictor_hold(fgt_context *ctx, fgti_keep_part *part)
{
    part->users = 1;
    return part->size ? FGTI_NEW(ctx, part->size, "packed weights", &part->memory) : FGT_OK;
}

fgt_status fgti_preparation_init(fgt_predictor *p, fgti_preparation *room)
{
    fgt_model   *m    = p->model;
    fgt_context *ctx  = m->ctx;
    int64_t      most = 1, n = 1;
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_need need = fgti_workspace_need(m->layer[i], 1);
        if (need.prepare > n) n = need.prepare;
        if (m->layer[i]->params > most) most = m->layer[i]->params;
    }
    FGTI_TRY(predictor_hold(ctx, &m->keep.all));
    FGTI_TRY(predictor_hold(ctx, &m->keep.packs));
    FGTI_TRY(FGTI_NEW(ctx, most, "list of parameters", &room->unread));
    return fgti_alloc_dirty(ctx, n, sizeof *room->scratch, "weights side by side", (void **)&room->scratch);
}

void fgti_preparation_done(fgt_context *ctx, fgti_preparation *room)
{
    fgti_free(ctx, room->scratch);
    fgti_free(ctx, room->unread);
}

static fgti_run predictor_run_of(fgt_model *m, fgti_exec *exec)
{
    fgt_context *ctx = m->ctx;
    return (fgti_run){.blas     = ctx->blas,
                      .vec      = ctx->vec,
                      .exec     = exec,
                      .error    = &ctx->error,
                      .products = ctx->products,
                      .batch    = 1,
                      .version  = m->version,
                      .keeping  = &m->keep.lock};
}

void fgti_predictor_prepare(fgt_predictor *p, const fgti_real *weights, fgti_exec *exec,
                            const fgti_preparation *room)
{
    fgt_model     *m   = p->model;
    const fgti_run run = predictor_run_of(m, exec);
    memset(p->gone, 1, (size_t)fgti_params_count(m));
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_layer *l     = m->layer[i];
        const fgti_layer *owner = l->shares ? l->shares : l;
        const fgti_io     io    = {.in      = l->in,
                                   .out     = fgti_along(l, l->out),
                                   .weights = weights,
                                   .keep    = m->keep.all.memory + l->keep,
                                   .packs   = m->keep.packs.memory + l->packs,
                                   .scratch = room->scratch};
        memset(room->unread, false, (size_t)l->params);
        if (l->cls->prepare) l->cls->prepare(&run, l, &io, room->unread);
        for (int32_t k = 0; k < l->params; k++) p->gone[owner->first_param + k] &= room->unread[k];
    }
}
