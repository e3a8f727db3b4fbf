/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double fgti_fan_in(int64_t fan_in)
{
    return 1.0 / sqrt((double)fan_in);
}

static fgt_status layer_make_room(fgt_context *ctx, fgti_layer *l)
{
    fgti_param   *bigger;
    const int32_t capacity = l->params_capacity ? 2 * l->params_capacity : 8;
    if (l->params < l->params_capacity) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, capacity, "parameters", &bigger));
    if (l->params) memcpy(bigger, l->param, (size_t)l->params * sizeof *bigger);
    fgti_free(ctx, l->param);
    l->param       = bigger;
    l->params_capacity = capacity;
    return FGT_OK;
}

fgt_status fgti_param_add(fgt_context *ctx, fgti_layer *l, const char *name, int32_t rank,
                          const int64_t *shape, fgti_init init, double scale)
{
    FGTI_TRY(layer_make_room(ctx, l));
    fgti_param *p = &l->param[l->params];
    *p = (fgti_param){.rank = rank, .count = 1, .init = init, .scale = scale, .zero_row = -1};
    for (int32_t i = 0; i < rank; i++) {
        p->shape[i] = shape[i];
        p->count    = fgti_mul(p->count, shape[i]);
    }
    if (p->count >= FGTI_HUGE) return fgti_fail(&ctx->error, FGT_E_SIZE, "parameter %s is too large", name);
    const int n = snprintf(p->full_name, sizeof p->full_name, "%s%s%s", l->name, *l->name ? "." : "", name);
    if (n < 0 || (size_t)n >= sizeof p->full_name)
        return fgti_fail(&ctx->error, FGT_E_NAME, "the name of parameter %s is too long", name);
    for (int32_t i = 0; i < l->params; i++)
        if (!strcmp(l->param[i].full_name, p->full_name))
            return fgti_fail(&ctx->error, FGT_E_NAME, "the parameter name \"%s\" is taken", p->full_name);
    if (l->admit) FGTI_TRY(l->admit->param(l->admit->user, p));
    l->params++;
    return FGT_OK;
}

fgt_status fgti_shape_width(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    (void)err;
    *out = (fgti_shape){in.nodes, in.time, l->out.width};
    return FGT_OK;
}

void fgti_state_add(fgti_layer *l, const char *name, int64_t outer, int64_t inner)
{
    l->state[l->states++] = (fgti_state){.name = name, .outer = outer, .inner = inner};
}

void fgti_past_add(fgti_layer *l, const char *name, int64_t parts, int64_t width)
{
    l->past[l->pasts++] = (fgti_past){.name = name, .parts = parts, .width = width};
}
