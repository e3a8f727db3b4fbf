/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_DEFAULTS_H
#define FGTI_DEFAULTS_H

#include "forecast/forecaster_impl.h"

/* The default of input_len: enough rows to show periods, but a small part of the table, so that enough
 * windows are left to learn from. table may be NULL. */
int64_t fgti_default_input(const fgt_table *table, const fgt_forecaster_opts *o);
/* The default of layer_len. */
int64_t fgti_default_layer_len(const fgt_forecaster_opts *o);
/* Whether there may be a linear part. */
bool fgti_recipe_has_linear(const fgt_forecaster_opts *o);
/* Whether the output of the layers is positive. */
bool fgti_recipe_is_positive(const fgt_forecaster_opts *o);

#endif
