/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECIPE_H
#define FGTI_RECIPE_H

#include "forecast/build/closed_form.h"
#include "forecast/forecaster_impl.h"

/* Fills in the defaults, and checks everything that does not depend on the columns. */
fgt_status fgti_recipe_check(fgti_error *err, const fgt_table *table, fgt_forecaster_opts *o);
/* Makes the model. graph NULL: the block's default graph; closed NULL: a model without a linear part. */
fgt_status fgti_recipe_build(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_forecaster_info *info,
                             const fgt_graph *graph, const fgti_closed_form *closed, fgt_model **model);

#endif
