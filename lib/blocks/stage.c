/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/stage.h"

#include <stdio.h>

#include "model/access.h"

#define NAME 48

static void name_part(const fgti_stage *s, const char *part, char name[NAME])
{
    snprintf(name, NAME, "%s.%lld.%s", s->stem, (long long)s->number, part);
}

fgt_status fgti_stage_add(const fgti_stage *s, const char *part, fgt_layer layer)
{
    char name[NAME];
    name_part(s, part, name);
    return fgt_model_add(s->m, fgt_named(name, layer));
}

fgt_status fgti_stage_add_from(const fgti_stage *s, const char *part, fgt_layer layer, int32_t count,
                               const char *const *from)
{
    char name[NAME];
    name_part(s, part, name);
    return fgt_model_add_from(s->m, fgt_named(name, layer), from, count);
}

fgt_status fgti_stage_add_dropout(const fgti_stage *s, const char *part)
{
    const fgt_dropout_opts drop = {.size = sizeof drop, .p = s->o->block.dropout};
    return s->o->block.dropout > 0 ? fgti_stage_add(s, part, fgt_dropout(&drop)) : FGT_OK;
}

fgt_status fgti_stage_add_residual(const fgti_stage *s, const char *x, const char *dropout, const char *sum)
{
    FGTI_TRY(fgti_stage_add_dropout(s, dropout));
    return fgti_stage_add_from(s, sum, fgt_sum(NULL), 2, (const char *[]){x, fgti_model_last_name(s->m)});
}

fgt_status fgti_stage_add_feed(const fgti_stage *s, const char *dropout, bool no_bias)
{
    const int64_t             width = fgti_model_last_shape(s->m).width;
    const fgt_linear_opts     up    = {.size = sizeof up, .out = s->o->block.ff, .no_bias = no_bias};
    const fgt_linear_opts     down  = {.size = sizeof down, .out = width, .no_bias = no_bias};
    const fgt_activation_opts gelu  = {.size = sizeof gelu, .kind = FGT_ACT_GELU};
    FGTI_TRY(fgti_stage_add(s, "up", fgt_linear(&up)));
    FGTI_TRY(fgti_stage_add(s, "gelu", fgt_activation(&gelu)));
    if (dropout) FGTI_TRY(fgti_stage_add_dropout(s, dropout));
    return fgti_stage_add(s, "down", fgt_linear(&down));
}
