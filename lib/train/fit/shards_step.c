/* SPDX-License-Identifier: BSD-3-Clause */
/* The update of the weights, divided among the ranks. Each rank updates the weights whose gradients it has
 * summed, and has only the moments of these weights. Then all ranks receive all weights. */
#include "train/fit/shards_step.h"

#include <string.h>

#include "train/fit/run.h"
#include "train/fit/shards_ranks.h"
#include "train/optim/optim.h"
#include "train/reduction/reduction.h"
#include "train/reduction/reduction_rows.h"

/* Whether the ranks divide the update of the sparse rows among them. The next function: whether they divide
 * the update of the dense elements. */
static bool shares_rows(const fgti_shards *s)
{
    return s->ranks.with.ranks > 1 && s->reduction.segments.rows;
}
static bool shares_dense(const fgti_shards *s)
{
    return s->ranks.with.ranks > 1 && !s->reduction.segments.whole;
}

/* Updates the dense elements part by part. While a part is updated, the weights of the part before it are
 * sent. */
static fgt_status update_dense(fgti_trainer *t)
{
    fgti_reduction *r = &t->shards.reduction;
    fgti_real      *w = t->slabs.weights;
    for (int64_t i = 1; i < t->optim->parts; i++) {
        fgti_optim_update(t->optim, i);
        if (shares_dense(&t->shards))
            FGTI_TRY(fgti_reduction_spread(r, i - 1, w + t->optim->part[i].begin, w, true));
    }
    return FGT_OK;
}

static fgt_status shards_update_rows(fgti_trainer *t)
{
    fgti_reduction *r = &t->shards.reduction;
    if (!shares_rows(&t->shards)) {
        fgti_optim_update_rows(t->optim, 0, t->slabs.touched->count, NULL);
        return FGT_OK;
    }
    for (int64_t part = 0; part < FGTI_ROW_PARTS; part++) {
        const fgti_slab_range rows = fgti_row_sum_part(r, part);
        fgti_optim_update_rows(t->optim, rows.begin, rows.end - rows.begin,
                               fgti_row_sum_weights(r) + rows.begin * t->slabs.touched->width);
        FGTI_TRY(fgti_row_sum_spread(r, part));
    }
    return fgti_row_sum_settle(r);
}

fgt_status fgti_shards_step(fgti_trainer *t)
{
    fgti_shards *s = &t->shards;
    if (shares_rows(s)) FGTI_TRY(fgti_row_sum_list(&s->reduction, t->optim->row_square));
    FGTI_TRY(fgti_optim_begin(t->optim, s->scale, s->ranks.with.ranks > 1 ? &s->ranks : NULL));
    FGTI_TRY(update_dense(t));
    FGTI_TRY(shards_update_rows(t));
    fgti_optim_end(t->optim);
    return fgti_reduction_settle(&s->reduction);
}

fgt_status fgti_shards_settle_rows(fgti_trainer *t)
{
    fgti_real *w = t->slabs.weights;
    FGTI_TRY(fgt_optim_settle(t->optim));
    if (!shares_rows(&t->shards)) return FGT_OK;
    return fgti_row_sum_share(&t->shards.reduction, w + t->optim->part->begin, w, true);
}

/* Collects one array of the moments from the parts of all ranks. */
static fgt_status shards_collect(fgti_trainer *t, const fgti_real *own, fgti_real *all)
{
    fgti_reduction  *r = &t->shards.reduction;
    const fgt_optim *o = t->optim;
    for (int64_t k = 0; o->whole && k < o->parts; k++) {
        const fgti_optim_part *p = &o->part[k];
        memcpy(all + p->begin, own + p->at, (size_t)(p->end - p->begin) * sizeof *all);
    }
    if (shares_rows(&t->shards)) FGTI_TRY(fgti_row_sum_share(r, own + o->part->at, all, false));
    for (int64_t i = 1; i < o->parts && shares_dense(&t->shards); i++)
        FGTI_TRY(fgti_reduction_spread(r, i - 1, own + o->part[i].at, all, false));
    return fgti_reduction_settle(r);
}

fgt_status fgti_shards_collect(fgti_trainer *t, bool due)
{
    fgti_shards *s   = &t->shards;
    fgt_optim   *o   = t->optim;
    bool         any = false;
    if (s->ranks.with.ranks < 2) return FGT_OK;
    FGTI_TRY(fgti_ranks_any(&s->ranks, due && fgti_shards_writes(t), &any));
    for (int32_t i = 0; any && i < fgti_optim_states(o); i++) {
        fgti_real *own = o->state + i * o->stride;
        FGTI_TRY(shards_collect(t, own, o->whole ? o->whole + i * o->slabs.size : own));
    }
    return FGT_OK;
}
