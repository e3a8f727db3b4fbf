/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_FORECAST_REPORT_H
#define EXAMPLES_FORECAST_REPORT_H

/* Parts of the report that have files of their own. */

#include "forecast.h"

#include "../common/json_out.h"

/* ---- report_scores.c ---- */

/* Tables of errors: of model and baselines, by series, by step. */
void report_scores(const run *r, FILE *out);
/* NAME_mse, NAME_mae and so on; false: no memory. */
bool report_set_errors(json_t *object, const char *name, const errors *e);
/* All series and all steps; false: no memory. */
bool report_set_scores(json_t *object, const run *r);

#endif
