/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PREDICT_H
#define PROGRAMS_FORECAST_PREDICT_H

/* Forecasts of the rows after the data. */

#include "run.h"

/* Number of planes [H,C] of a forecast: the forecast, the model's quantiles, both ends of each interval. */
int64_t predict_planes(const run *r);
/* Forecasts the rows after the data, [planes,H,C]; rows [C]: the first row of each target's forecast, -1: no
 * forecast. */
bool predict_values(run *r, double *values, int64_t *rows);
/* predict_values() from known rows of the table, which are equal for all targets. Intervals are NaN if there
 * are too few errors for them. */
bool predict_known(run *r, double *values, const int64_t *rows);
/* Refuses a target whose last value is in row `last` (-1: it has no value), and which has no value in the
 * `rows` rows before the forecast; over [info.columns]: all such targets. */
bool predict_refuse_over(const run *r, const bool *over, int64_t target, int64_t last, int64_t rows);

/* Columns that end before the last row, and the last row of the first such column. */
typedef struct predict_late {
    int64_t     count;
    const char *name;
    int64_t     row;
} predict_late;

/* Prints a warning; what: the treatment of the later rows. */
void predict_warn_late(const run *r, const predict_late *late, const char *what);
/* The row of `future` that is h rows after row first - 1 of the table, or -1 if it lacks this time. */
int64_t predict_find_future(const fgt_table *table, const fgt_table *future, int64_t first, int64_t h);
/* Before the training: checks that the columns of --predict have different names. */
bool predict_check_names(const run *r);
/* Before the training: checks this, and that outputs that need test windows have them, prints which columns
 * of a wide table ended too long ago to be forecast, and what --future lacks. */
bool predict_check(const run *r);
/* Forecasts the rows after the last row with a target, and writes the file of --predict, in long form if the
 * data was long. */
bool predict_next(run *r);

#endif
