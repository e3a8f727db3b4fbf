/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_H
#define FGTI_FORECASTER_H

#include <fighter/forecast.h>

#include "core/context.h"
#include "core/opts.h"
#include "data/list.h"

enum { FGTI_TOKENS_COUNT = 3 }; /* number of enumerators of fgt_tokens; recipe.c asserts it */

struct fgt_forecaster {
    fgt_context        *ctx;
    fgt_model          *model;
    fgt_scaler         *scaler;
    fgti_strings        names; /* [info.columns] */
    fgt_forecaster_info info;
    int64_t             batch;
    float              *x, *y; /* one window for predictions, [L,C] and [H,C] */
};

/* ---- forecaster.c ---- */

/* Makes a forecaster from its info and the names of its series. The caller adds the model, the batch, the
 * seed and the values of the scaler. Takes *names on success. */
fgt_status fgti_forecaster_new(fgt_context *ctx, const fgt_forecaster_info *info, fgti_strings *names,
                               fgt_forecaster **out);
/* The table's values of the forecaster's series, standardised, [rows,C]; the caller frees *out. */
fgt_status fgti_forecaster_series(const fgt_forecaster *f, const fgt_table *table, float **out);

/* ---- recipe.c ---- */

/* Fills in the defaults and checks what does not depend on the series. */
fgt_status fgti_recipe_check(fgti_error *err, fgt_forecaster_opts *o);
/* Makes the model. graph NULL: the block's default. */
fgt_status fgti_recipe_build(fgt_context *ctx, const fgt_forecaster_opts *o, int64_t columns,
                             const fgt_graph *graph, fgt_model **model);

#endif
