/* SPDX-License-Identifier: BSD-3-Clause */
/* Which maps a predictor may fold into the layers behind them: nn/fold.h. */
#include <string.h>

#include "model/predictor_impl.h"

static bool is(const fgti_layer *l, const char *name)
{
    return !strcmp(l->cls->name, name) && l->axis == FGT_AXIS_TIME;
}

/* The layer whose output a layer reads, dropout being none in a prediction; NULL: it is the model's input. */
static const fgti_layer *maker_of(const fgt_model *m, const fgti_layer *reader)
{
    int64_t from = reader->input[0].from;
    while (from >= 0 && (is(m->layer[from], "dropout") || is(m->layer[from], "drop_path")))
        from = m->layer[from]->input[0].from;
    return from < 0 ? NULL : m->layer[from];
}

void fgti_predictor_offer_fold(const fgt_model *m, fgti_layer *l)
{
    if (!l->cls->folds || l->axis != FGT_AXIS_TIME || m->ctx->products != FGT_PRODUCTS_AUTO) return;
    const fgti_layer *map = maker_of(m, l), *position = NULL;
    if (map && is(map, "position")) {
        position = map;
        map      = maker_of(m, position);
    }
    if (!map || !is(map, "linear")) return;
    l->fold_map      = map;
    l->fold_position = position;
}

void fgti_predictor_take_fold(fgti_layer *l)
{
    if (l->fold_map) l->input[l->inputs++] = l->fold_map->input[0];
}
