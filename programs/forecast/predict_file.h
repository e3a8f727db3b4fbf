/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PREDICT_FILE_H
#define PROGRAMS_FORECAST_PREDICT_FILE_H

/* The file of --predict. */

#include <stdbool.h>

#include <fighter/table.h>

/* Forecasts of the rows after the rows of a table. */
typedef struct predict_file {
    const fgt_table   *table;
    int64_t            series, steps;
    const char *const *name;     /* [series] */
    const double      *quantile; /* [quantile_count] */
    int64_t            quantile_count;
    const double      *interval; /* [interval_count]: shares */
    int64_t            interval_count;
    const double      *values; /* [planes,steps,series]: the forecast, its quantiles, the ends of intervals */
    const int64_t     *row;    /* [series]: number of the first row that is forecast; -1: no forecast */
    const fgt_table *const *axis; /* [series]: the tables that have these rows; NULL: the table of the file */
} predict_file;

/* Before the forecast, without values, rows and axis: checks that no two columns have the same name. On error
 * prints a message and returns false. */
bool predict_file_check(const predict_file *f, const char *path);
/* Writes the forecasts as CSV, in long form if the table was long. */
bool predict_file_write(const predict_file *f, const char *path);

#endif
