/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CALIBRATION_H
#define FGTI_CALIBRATION_H

/* Errors of past forecasts, and what they say of those to come. */

#include <fighter/evaluate.h>

#include "forecast/forecaster.h"

struct fgt_calibration {
    fgt_context *ctx;
    double      *scale;   /* [cells]: of the targets, for each step */
    int64_t      cells;   /* H C */
    int64_t      targets; /* C */
    int64_t      windows;
    int64_t      heads;  /* Q, or 1 */
    bool         levels; /* the model has quantiles */
    double       level[FGT_QUANTILES_MAX];
    double      *least; /* [targets]: of forecasts, in units of the table */
    int64_t     *count; /* [heads,cells]: errors that are in `error` */
    int64_t     *known; /* [heads,cells]: and that these stand for */
    int64_t      total; /* the most of these */
    int64_t      trained; /* so many of them are of rows that the model was trained on, as far as is known */
    int64_t      last;  /* time of the last row that it knows; 0: not known. Only of kept errors */
    float       *error; /* [heads,cells,windows], truth - forecast, standardised; the known ones first,
                            sorted */
};

/* Rows that calibration looks back over, and the distance of its windows. */
int64_t fgti_calibration_rows(const fgt_forecaster *f);
int64_t fgti_calibration_stride(const fgt_forecaster *f);
/* The first row that the model was not trained on, as far as times tell. */
int64_t fgti_calibration_first(const fgt_forecaster *f, const fgt_table *table);
/* fgt_calibration_create() where rows first .. row-1 were not trained on, and the kept errors know those
 * before row `more`; -1: they are not to be used. */
fgt_status fgti_calibration_make(fgt_forecaster *f, const fgt_table *table, int64_t first, int64_t more,
                                 int64_t row, fgt_calibration **c);
/* Fewer windows, or errors of a step and target, say nothing about quantiles by themselves; more are not
 * looked at. */
enum { FGTI_CALIBRATION_LEAST = 20, FGTI_CALIBRATION_MOST = 1008 };

/* Makes an empty calibration, into which `windows` errors of each cell fit. */
fgt_status fgti_calibration_new(const fgt_forecaster *f, int64_t windows, fgt_calibration **c);
/* Adds the errors [heads,cells] of a window; fgti_calibration_sort() is due before quantiles are asked
 * for. */
void fgti_calibration_add(fgt_calibration *c, const float *error);
void fgti_calibration_sort(fgt_calibration *c);
/* After that, puts the errors of a window in the place of those of another one that it has, or beside them if
 * `old` is NULL. */
void fgti_calibration_replace(fgt_calibration *c, const float *old, const float *next);
/* Of the model's quantiles the one that is nearest to q. */
int64_t fgti_calibration_head(const fgt_calibration *c, double q);
/* The q-quantile of the next error, standardised; NaN: too few are known for it. row: head * cells + cell. */
double fgti_calibration_quantile(const fgt_calibration *c, int64_t row, double q);

#endif
