/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_H
#define FGTI_FORECASTER_H

#include "forecast/forecaster_impl.h"

/* The number of the quantile that serves as the forecast: the level nearest to 1/2. */
int64_t fgti_forecaster_middle(const fgt_forecaster *f);
/* FGT_E_ARG: the levels do not rise, or are not between 0 and 1. */
fgt_status fgti_quantiles_check(fgti_error *err, const double *quantiles, int64_t count);
/* K, the number of known values of a row. */
int64_t fgti_forecaster_known(const fgt_forecaster_info *info);
/* Finds a further input of a forecaster's model. *v gets its shape for one window, and no data. */
bool fgti_forecaster_find_input(const fgt_model *m, const char *name, fgt_view *v);

#endif
