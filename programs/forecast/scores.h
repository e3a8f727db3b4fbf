/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_SCORES_H
#define PROGRAMS_FORECAST_SCORES_H

/* Errors by series and step, and the file of --forecasts. */

#include "run.h"

/* Allocates sums for the series of r->info, all of them 0, and scales of 1. Call scores_done() even after an
 * error. */
bool scores_allocate(scores *s, const run *r, int64_t season);
/* scores_allocate() for the series of r->forecaster, with the scales of its columns. `same` has the naive
 * errors of this season in the training rows; NULL: they are measured. */
bool scores_init(scores *s, const run *r, int64_t season, const scores *same);
void scores_done(scores *s);
/* Forecasts windows and adds their errors; out: file for each forecast, NULL: not written. */
bool scores_take(scores *s, const run *r, fgt_forecaster *f, fgt_forecast_visit_opts o, FILE *out);

/* First rows of forecasts that begin in different rows. */
typedef struct series_rows {
    const fgt_table *const *axis; /* [series]: the tables that have these rows */
    const int64_t          *row;  /* [series]; -1: no forecast */
} series_rows;

/* Adds the errors of one forecast; rows NULL: it begins in window->row of the table. */
bool scores_add(scores *s, const run *r, const fgt_forecast_window *window, const series_rows *rows,
                FILE *out);
/* Adds the errors of `one` by step and series. */
void scores_sum(scores *s, const scores *one);
/* scores_errors: errors of steps first .. first+steps-1 of all series. scores_of_series: an
 * fgt_forecast_measure of one series. */
errors scores_errors(const scores *s, int64_t first, int64_t steps);
double scores_of_series(const scores *s, int64_t series, int64_t first, int64_t steps, int32_t measure);
/* Writes the first line of a file of forecasts, with a column for each quantile of the model. */
void forecasts_head(const run *r, FILE *out);

#endif
