/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

enum { KINDS = 8 }; /* number of enumerators */
_Static_assert(FGT_VALUE_ROTATIONS == KINDS - 1, "count of enumerators");

static const fgti_opt value_opts[] = {
    FGTI_FIELD(fgt_value_opts, time, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_value_opts, features, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_value_opts, nodes, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_value_opts, kind, ENUM, 0, KINDS - 1, 0),
    FGTI_FIELD(fgt_value_opts, reserved, ENUM, 0, 0, 0),
    {0},
};

/* l->in is the shape of the model's input. Options that are 0 stand for this shape. They stay 0, because a
 * file may be loaded with another number of tokens. */
static fgt_status value_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_value_opts *o     = l->opts;
    const bool            real  = o->kind == FGT_VALUE_REAL;
    const int64_t         width = o->features || !real ? o->features : l->in.width;
    if (!width && real)
        return fgti_fail(&ctx->error, FGT_E_STATE,
                         "features is not given (need 1 or more, because the model's own input is ids)");
    if (!real && (o->features || o->nodes > 1))
        return fgti_fail(&ctx->error, FGT_E_ARG, "features and nodes are only for FGT_VALUE_REAL");
    l->kind = o->kind;
    l->out  = (fgti_shape){o->nodes, o->time ? o->time : l->in.time, width};
    return FGT_OK;
}

const fgti_class fgti_class_value = {
    .name      = "value",
    .opts      = value_opts,
    .opts_size = sizeof(fgt_value_opts),
    .streams   = true,
    .is_value  = true,
    .plan      = value_plan,
};
