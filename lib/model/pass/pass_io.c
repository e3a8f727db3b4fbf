/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/pass/pass_io.h"

#include "model/model_impl.h"
#include "nn/axis.h"

/* Removes the red zones that layers have set (core/size.h), because the next layer may divide the same memory
 * differently. Red zones between the parts of the workspace stay. */
void fgti_pass_lift_red_zones(const fgt_workspace *ws)
{
    fgti_red_zone_lift(ws->memory, ws->plan.total * (int64_t)sizeof *ws->memory);
    for (int64_t i = 0; i < ws->gaps; i++) fgti_red_zone(ws->memory + ws->gap[i], FGTI_RED_ZONE);
}

fgti_io fgti_pass_io(fgt_workspace *ws, int64_t layer)
{
    const fgt_model   *m     = ws->model;
    const fgti_slot   *s     = &ws->slot[layer];
    const fgti_tensor *y     = &ws->tensor[layer + 1];
    const fgti_layer  *l     = m->layer[layer];
    const bool         packs = ws->packs && !ws->last.differentiable;
    const bool         grads = ws->last.differentiable && !m->tuning.adapter; /* another thread may allocate
                                                                               * m->gradients */
    fgti_io            io    = {.out          = fgti_along(l, s->out),
                                .y            = ws->memory + y->at,
                                .weights      = m->weights,
                                .gradients    = grads ? m->gradients : NULL,
                                .touched      = &ws->model->touched,
                                .cache        = ws->memory + s->cache,
                                .peer_cache   = l->peer ? ws->memory + ws->slot[l->peer->id].cache : NULL,
                                .keep         = ws->model->keep.all.memory + l->keep,
                                .packs        = packs ? ws->model->keep.packs.memory + l->packs : NULL,
                                .scratch      = ws->memory + ws->plan.scratch,
                                .arena        = ws->memory + ws->plan.arena,
                                .arena_stride = ws->plan.arena_stride};
    for (int32_t k = 0; k < l->inputs; k++) {
        const int64_t    from  = l->input[k].from;
        const fgti_shape shape = from == FGTI_MODEL_INPUT ? ws->in : ws->slot[from].out;
        ws->input[k] =
            (fgti_operand){.shape = fgti_along(l, shape), .x = ws->memory + ws->tensor[from + 1].at};
    }
    io.input = ws->input;
    io.in    = io.input->shape;
    io.x     = io.input->x;
    io.ids   = (const int32_t *)io.x;
    for (int32_t k = 0; k < l->states; k++) {
        io.state[k]     = ws->memory + s->state[k];
        io.state_end[k] = ws->memory + s->state_end[k];
        io.dstate[k]    = ws->memory + s->dstate[k];
    }
    for (int32_t k = 0; k < l->pasts; k++) io.past[k] = ws->memory + s->past[k];
    fgti_pass_lift_red_zones(ws);
    return io;
}

const fgt_view *fgti_pass_padding(const fgt_workspace *ws, const fgti_layer *l)
{
    const int64_t     from    = l->inputs ? l->input[l->inputs - 1].from : FGTI_MODEL_INPUT;
    const fgti_layer *thinned = from >= 0 ? ws->model->layer[from]->thinned : NULL;
    return thinned ? &ws->slot[thinned->id].padding : &ws->padding_view;
}

/* The run of a layer. Of a kind of mask, the layer's own mask is used; else the model's mask, which is along
 * time; else, for padding, the mask made from ids. */
fgti_run fgti_pass_run(const fgt_workspace *ws, int64_t layer)
{
    const fgti_layer *l      = ws->model->layer[layer];
    const bool        padded = ws->padding && layer > ws->padding_from;
    fgti_run          run    = ws->last;
    for (int i = 0; i < FGT_MASK_COUNT; i++) {
        const fgt_view *v = l->mask[i] >= 0 ? &ws->slot[l->mask[i]].value : &ws->mask[i];
        if (!v->data && i == FGT_MASK_KEY_PADDING && padded && l->mask[i] < 0) v = fgti_pass_padding(ws, l);
        const bool applies = l->axis == FGT_AXIS_TIME || l->mask[i] >= 0;
        run.mask[i]        = v->data && applies ? v : NULL;
    }
    return run;
}
