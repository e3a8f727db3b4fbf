/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_SCORES_H
#define PROGRAMS_FORECAST_REPORT_SCORES_H

/* Tables of errors. */

#include "run.h"

/* Prints a blank and a number, or a dash for NaN. */
void report_cell(FILE *out, int width, double v, int digits);
/* Prints one line of the table of errors; prints nothing if the MSE is NaN. */
void report_line(FILE *out, const char *name, const errors *e);
/* NULL: no memory. */
json_t *report_pack_errors(const errors *e);
/* Tables of errors: for model and baselines, by series, by step. */
void report_scores(const run *r, FILE *out);
/* NAME_mse, NAME_mae and so on; false: no memory. */
bool report_set_errors(json_t *object, const char *name, const errors *e);
/* All series and all steps; false: no memory. */
bool report_set_scores(json_t *object, const run *r);

#endif
