/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CALIBRATION_H
#define FGTI_CALIBRATION_H

/* Errors of past forecasts, and intervals of the next ones. */

#include <fighter/experimental/evaluate.h>

#include "forecast/forecaster_impl.h"

struct fgt_calibration {
    fgt_context *ctx;
    double      *scale;   /* [cells]: scale of each target, repeated for each step */
    int64_t      cells;   /* H C */
    int64_t      targets; /* C */
    int64_t      windows;
    int64_t      heads;  /* Q, or 1 */
    bool         levels; /* the model has quantiles */
    double       level[FGT_QUANTILES_MAX];
    double      *least; /* [targets]: the least forecast of each target, in units of the table */
    int64_t     *count; /* [heads,cells]: number of errors in `error` */
    int64_t     *known; /* [heads,cells]: number of errors for which the errors in `error` stand */
    int64_t      total; /* largest element of `known` */
    int64_t      trained; /* part of `total`: errors on training rows, as far as is known */
    int64_t      last;    /* time of the last row included; 0: not known */
    float       *error; /* [heads,cells,windows], truth - forecast, standardised; known ones first, sorted */
};

/* The number of rows over which calibration looks back, and the distance of its windows. */
int64_t fgti_calibration_rows(const fgt_forecaster *f);
int64_t fgti_calibration_stride(const fgt_forecaster *f);
/* FGTI_CALIBRATION_LEAST: with fewer windows, or fewer errors of a step and target, these errors do not
 * determine quantiles by themselves. FGTI_CALIBRATION_MOST: more windows are not read. */
enum { FGTI_CALIBRATION_LEAST = 20, FGTI_CALIBRATION_MOST = 1008 };

/* Makes an empty calibration with room for `windows` errors of each cell. */
fgt_status fgti_calibration_new(const fgt_forecaster *f, int64_t windows, fgt_calibration **c);
/* Adds the errors [heads,cells] of a window. Call fgti_calibration_sort() before asking for quantiles. */
void fgti_calibration_add(fgt_calibration *c, const float *error);
void fgti_calibration_sort(fgt_calibration *c);
/* Replaces the errors of one window by another window's errors, or adds them if `old` is NULL. Call it after
 * fgti_calibration_sort(). */
void fgti_calibration_replace(fgt_calibration *c, const float *old, const float *next);
/* The number of the model's quantile that is nearest to q. */
int64_t fgti_calibration_head(const fgt_calibration *c, double q);
/* Returns the q-quantile of the next error, standardised; NaN: there are too few errors. row: head * cells +
 * cell. */
double fgti_calibration_quantile(const fgt_calibration *c, int64_t row, double q);

#endif
