/* SPDX-License-Identifier: BSD-3-Clause */
/* What layers keep of the weights, once for all workspaces of a model. */
#include "model/model_impl.h"

fgt_status fgti_keep_init(fgt_model *m)
{
    if (pthread_mutex_init(&m->keep.lock, NULL) == 0) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_NOMEM, "no memory for a lock");
}

void fgti_keep_done(fgt_model *m)
{
    pthread_mutex_destroy(&m->keep.lock);
}

/* It is the same for every batch, so that of one sample is asked for. */
void fgti_keep_add(fgt_model *m, fgti_layer *l)
{
    l->keep = m->keep.size;
    fgti_take(NULL, &m->keep.size, fgti_workspace_need(l, 1).keep);
    if (m->keep.size > FGTI_HUGE) m->keep.size = FGTI_HUGE;
}

fgt_status fgti_keep_hold(fgt_workspace *ws)
{
    fgt_model *m = ws->model;
    pthread_mutex_lock(&m->keep.lock);
    fgt_status s = FGT_OK;
    if (!m->keep.users) s = FGTI_NEW(m->ctx, m->keep.size, "packed weights", &m->keep.memory);
    if (s == FGT_OK) m->keep.users++;
    pthread_mutex_unlock(&m->keep.lock);
    ws->keeps = s == FGT_OK;
    return s;
}

void fgti_keep_release(fgt_workspace *ws)
{
    fgti_keep *k = &ws->model->keep;
    if (!ws->keeps) return;
    pthread_mutex_lock(&k->lock);
    if (!--k->users) {
        fgti_free(ws->model->ctx, k->memory);
        k->memory = NULL;
    }
    pthread_mutex_unlock(&k->lock);
}
