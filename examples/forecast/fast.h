/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_FORECAST_FAST_H
#define EXAMPLES_FORECAST_FAST_H

/* Shared by the files of forecasts without training. */

#include "report.h"

typedef struct fast {
    run           *r;
    int64_t        count, steps, seasons[SEASONS];
    const char   **name;   /* [count] */
    int64_t       *column; /* [count] of the table */
    int64_t       *end;    /* [count]: the row after its last one */
    int64_t       *rows;   /* [count] */
    double        *block;  /* the values of all, series by series */
    const double **values; /* [count], in the block */
    double         level[FGT_QUANTILES_MAX + 2 * MAX_INTERVALS];
    int64_t        levels;
    double        *forecast, *quantiles, *weights, *hindcast; /* as in fgt_local_opts */
    int64_t        measured; /* series whose last rows were forecast from rows before them */
} fast;

/* ---- outliers.c ---- */

/* Names the first value that lies far from the rows around it. */
bool fast_warn_of_outliers(const fast *f);

/* ---- fast_report.c ---- */

/* Errors of forecasts of the last rows, and of the baselines, in r->test and so on. */
bool fast_measure(fast *f);
void fast_print(const fast *f, FILE *out);
bool fast_print_json(const fast *f);
/* The file of --predict. */
bool fast_write(const fast *f);

#endif
