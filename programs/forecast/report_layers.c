/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the Fighter layers for --json: shares of hops, importance of tokens in the last test window. */
#include <stdlib.h>

#include <fighter/experimental/exact.h>

#include "report_layers.h"

#include "../common/blocks.h"
#include "../common/layers.h"

/* Names of the tokens if these are series; null: tokens are rows or groups of rows, in order. */
static json_t *pack_tokens(const run *r)
{
    const fgt_forecaster_info *i = &r->info;
    if (i->tokens != FGT_TOKENS_VARIATE) return json_null();
    json_t *list = json_array();
    for (int64_t c = 0; list && c < i->columns + i->past; c++)
        json_array_append_new(list, json_string(fgt_forecaster_get_name(r->forecaster, c)));
    return list;
}

/* Predicts by the model's own pass, after which the layers can be read. */
static fgt_status predict_exactly(const run *r, const fgt_view *y)
{
    const int64_t row = r->split.test_end - r->info.pred_len;
    fgt_status    s   = fgt_forecaster_set_exact(r->forecaster, 1);
    if (s == FGT_OK) s = fgt_forecaster_predict_table(r->forecaster, r->table, row, NULL, y);
    return fgt_forecaster_set_exact(r->forecaster, r->o->exact) == FGT_OK ? s : FGT_E_ARG;
}

/* The list is empty if the model refuses the window, for example because values are missing. */
static json_t *pack_layers(const run *r)
{
    const int64_t  n = r->info.pred_len * r->info.columns;
    double        *y = malloc((size_t)n * sizeof *y);
    const fgt_view v = *FGT_VIEW_OF(FGT_DTYPE_F64, y, r->info.pred_len, r->info.columns);
    if (!y) return NULL;
    json_t *list = predict_exactly(r, &v) == FGT_OK
                       ? layers_describe(fgt_forecaster_get_model(r->forecaster), NULL, 0)
                       : json_array();
    free(y);
    return list;
}

bool report_set_layers(json_t *object, const run *r)
{
    if (!r->test_windows || !block_has(r->info.block, FGT_BLOCK_TRAIT_TOKENS)) return true;
    json_t *list = pack_layers(r);
    if (list && !json_array_size(list)) {
        json_decref(list);
        return true;
    }
    return !json_object_set_new(object, "fighter_layers", list) &&
           !json_object_set_new(object, "fighter_tokens", pack_tokens(r));
}
