/* SPDX-License-Identifier: BSD-3-Clause */
/* Results that layers compute from the weights and keep. All workspaces of a model share them. */
#include "model/workspace/keep.h"

#include "model/model_impl.h"

fgt_status fgti_keep_init(fgt_model *m)
{
    if (pthread_mutex_init(&m->keep.lock, NULL) == 0) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_NOMEM, "model: no memory for a lock");
}

void fgti_keep_done(fgt_model *m)
{
    pthread_mutex_destroy(&m->keep.lock);
}

static void keep_add(fgti_keep_part *part, int64_t n, int64_t *place)
{
    *place = part->size;
    fgti_take(NULL, &part->size, n);
    if (part->size > FGTI_HUGE) part->size = FGTI_HUGE;
}

void fgti_keep_add(fgt_model *m, fgti_layer *l, const fgti_need *need)
{
    keep_add(&m->keep.all, need->keep, &l->keep);
    keep_add(&m->keep.packs, need->packs, &l->packs);
}

int64_t fgti_keep_size(const fgt_model *m, fgti_purpose purpose)
{
    return m->keep.all.size + (purpose == FGTI_TRAIN ? 0 : m->keep.packs.size);
}

static fgt_status keep_hold(fgt_model *m, fgti_keep_part *part, bool *holds)
{
    fgt_status s = FGT_OK;
    if (!part->users) s = FGTI_NEW(m->ctx, part->size, "packed weights", &part->memory);
    *holds = s == FGT_OK;
    part->users += *holds;
    return s;
}

fgt_status fgti_keep_hold(fgt_workspace *ws, fgti_purpose purpose)
{
    fgt_model *m = ws->model;
    fgt_status s = FGT_OK;
    if (!ws->keeps) s = keep_hold(m, &m->keep.all, &ws->keeps);
    if (s == FGT_OK && purpose != FGTI_TRAIN && !ws->packs) s = keep_hold(m, &m->keep.packs, &ws->packs);
    return s;
}

static void keep_release(fgt_context *ctx, fgti_keep_part *part)
{
    if (--part->users) return;
    fgti_free(ctx, part->memory);
    part->memory = NULL;
}

void fgti_keep_release(fgt_workspace *ws)
{
    fgti_keep   *k   = &ws->model->keep;
    fgt_context *ctx = ws->model->ctx;
    if (ws->keeps) keep_release(ctx, &k->all);
    if (ws->packs) keep_release(ctx, &k->packs);
}
