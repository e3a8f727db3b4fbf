/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_plan.h"

#include <stdio.h>

/* Declares the four parameters of one direction of a stacked layer. All are uniform in +-1/sqrt(H), as in
 * PyTorch. */
static fgt_status recurrent_add_params(fgt_context *ctx, fgti_layer *l, const fgti_recurrent_conf *o,
                                       int64_t layer, const char *suffix)
{
    static const struct {
        const char *name;
        int32_t     rank;
    } params[] = {
        [FGTI_W_IH] = {"weight_ih", 2},
        [FGTI_W_HH] = {"weight_hh", 2},
        [FGTI_B_IH] = {"bias_ih", 1},
        [FGTI_B_HH] = {"bias_hh", 1},
    };
    const int64_t width = layer ? fgti_mul(o->dirs, o->hidden) : l->in.width;
    const int64_t rows  = fgti_mul(fgti_cell_of(l)->gates, o->hidden);
    const double  range = fgti_fan_in(o->hidden);
    for (int i = 0; i < (o->no_bias ? 2 : 4); i++) {
        const int64_t shape[2] = {rows, i == FGTI_W_IH ? width : o->hidden};
        char          name[32];
        snprintf(name, sizeof name, "%s_l%d%s", params[i].name, (int)layer, suffix);
        FGTI_TRY(fgti_param_add(ctx, l, name, params[i].rank, shape, FGTI_INIT_UNIFORM, range));
    }
    return FGT_OK;
}

fgt_status fgti_recurrent_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgti_recurrent_conf o     = fgti_recurrent_conf_of(l);
    const int64_t             outer = o.layers * o.dirs, inner = fgti_mul(l->in.nodes, o.hidden);
    for (int64_t k = 0; k < o.layers; k++) {
        FGTI_TRY(recurrent_add_params(ctx, l, &o, k, ""));
        if (o.dirs == 2) FGTI_TRY(recurrent_add_params(ctx, l, &o, k, "_reverse"));
    }
    fgti_state_add(l, "h", outer, inner);
    if (fgti_cell_of(l)->has_c) fgti_state_add(l, "c", outer, inner);
    l->both_ways = o.dirs == 2;
    return fgti_recurrent_shape(&ctx->error, l, l->in, &l->out);
}

fgt_status fgti_recurrent_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgti_recurrent_conf o = fgti_recurrent_conf_of(l);
    (void)err;
    *out = (fgti_shape){in.nodes, o.last ? 1 : in.time, fgti_mul(o.dirs, o.hidden)};
    return FGT_OK;
}

double fgti_recurrent_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgti_recurrent_conf o = fgti_recurrent_conf_of(l);
    const double h = (double)o.hidden, dirs = (double)o.dirs, upper = (double)(o.layers - 1);
    const double inputs = (double)in.width + upper * dirs * h, states = (double)o.layers * h;
    return 2 * (double)fgti_cell_of(l)->gates * (double)fgti_rows(batch, in) * dirs * h * (inputs + states);
}
