/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_TRAIN_OPTS_H
#define PROGRAMS_FORECAST_TRAIN_OPTS_H

/* The options of a forecaster and of its training. */

#include "columns.h"

/* Options from the command line, without columns and graph; linear: for the linear baseline. */
fgt_forecaster_opts     train_opts(const run *r, bool linear);
fgt_forecaster_fit_opts train_fit_opts(const run *r);
/* Rows of the input and of the forecast, by the options. */
bool train_find_length(const run *r, int64_t *input, int64_t *pred);
/* Checks the rows of input and forecast before memory is allocated for windows that are longer than the
 * series. */
bool train_check_length(const run *r);
/* Adds columns, graph, holidays and features to options. Call columns_done() even after an error. */
bool train_add_data(const run *r, const fgt_graph *graph, fgt_forecaster_opts *opts, column_roles *c);
/* The options of the model; with --auto, the chosen options. */
fgt_forecaster_opts     train_final_opts(const run *r);
fgt_forecaster_fit_opts train_final_fit_opts(const run *r);

#endif
