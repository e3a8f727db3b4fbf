/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

#include <math.h>

double fgti_fan_in(int64_t fan_in)
{
    return 1.0 / sqrt((double)fan_in);
}

fgt_status fgti_param_add(fgt_context *ctx, fgti_layer *l, const char *name, int32_t rank,
                          const int64_t *shape, fgti_init init, double scale)
{
    fgti_param *p = &l->param[l->params];
    *p = (fgti_param){.name = name, .rank = rank, .count = 1, .init = init, .scale = scale, .zero_row = -1};
    for (int32_t i = 0; i < rank; i++) {
        p->shape[i] = shape[i];
        p->count    = fgti_mul(p->count, shape[i]);
    }
    if (p->count >= FGTI_HUGE) return fgti_fail(&ctx->error, FGT_E_SIZE, "parameter %s is too large", name);
    l->params++;
    return FGT_OK;
}

void fgti_state_add(fgti_layer *l, const char *name, int64_t outer, int64_t inner)
{
    l->state[l->states++] = (fgti_state){.name = name, .outer = outer, .inner = inner};
}
