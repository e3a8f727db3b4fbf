/* SPDX-License-Identifier: BSD-3-Clause */
/* A predictor that reads the weights of its model in place. */
#include "model/predictor/predictor_follow.h"

#include "model/adapter/adapter_pass.h"
#include "model/adapter_types.h"
#include "model/model_impl.h"
#include "model/predictor/predictor_impl.h"
#include "model/predictor/predictor_prepare.h"
#include "nn/kept.h"

const fgti_tuning *fgti_follower_tuning(const fgt_model *m)
{
    return &m->follows->leader->tuning;
}

/* Makes the layers of m read adapted parameters from the adapter of `leader`. */
static void follow_adapter(fgt_model *m, const fgt_model *leader)
{
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_layer *l = m->layer[i];
        for (int32_t k = 0; k < (l->shares ? 0 : l->params); k++)
            l->param[k].effective = leader->layer[i]->param[k].effective;
    }
}

static void prepare_again(fgti_follower *f, fgti_exec *exec)
{
    fgt_model *m = f->predictor->model;
    m->weights   = f->leader->weights;
    m->version   = f->leader->version;
    follow_adapter(m, f->leader);
    fgti_predictor_prepare(f->predictor, m->weights, exec, &f->room);
    atomic_store_explicit(&f->version, m->version, memory_order_release);
}

void fgti_follower_update(fgt_workspace *ws)
{
    fgti_follower *f = ws->model->follows;
    fgti_adapter_refresh(f->leader, ws, false);
    if (atomic_load_explicit(&f->version, memory_order_acquire) == f->leader->version) return;
    fgti_kept_lock(&f->leader->keep.lock, ws->exec);
    if (f->version != f->leader->version) prepare_again(f, ws->exec);
    fgti_kept_unlock(&f->leader->keep.lock, ws->exec);
}

fgt_status fgti_follower_make(fgt_model *model, fgt_predictor *p)
{
    fgti_follower *f;
    FGTI_TRY(FGTI_NEW(model->ctx, 1, "predictor", &f));
    p->model->follows = f;
    *f                = (fgti_follower){.predictor = p, .leader = model};
    return fgti_preparation_init(p, &f->room);
}

void fgti_follower_done(fgt_predictor *p)
{
    fgti_follower *f = p->model->follows;
    if (!f) return;
    fgti_preparation_done(p->model->ctx, &f->room);
    fgti_free(p->model->ctx, f);
    p->model->follows = NULL;
    p->model->weights = NULL;
}
