/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_KNOWN_ERRORS_H
#define FGTI_KNOWN_ERRORS_H

/* Ends of intervals from the errors that were known when a forecast was made. */

#include "forecast/predict/calibration.h"
#include "forecast/rows/frame.h"

/* The errors that give the two ends of an interval: the first row of each in the calibration. */
typedef struct fgti_ends {
    int64_t low, high;
} fgti_ends;

typedef struct fgti_known_errors {
    fgt_forecaster  *f;
    const double    *level; /* [levels]: shares of values that the intervals should hold */
    int64_t          levels, cells;
    fgt_calibration *now;
    fgti_ends       *from;       /* [levels,cells]: distance from the model's quantile to the end, by the
                                  * errors in `now`; NaN: too few known errors for the level */
    double          *low, *high; /* [levels,cells], of `now`: distance from the model's quantile to the end;
                                    NaN: too few known errors for the level */
    float           *past;       /* [windows,heads,cells]: errors of the windows that calibrate */
    int64_t          first, stride; /* first row that these windows forecast; rows from one window to the
                                     * next */
    int64_t          windows;
    int64_t          end;   /* `now` includes all windows before this one; 0: no window */
    int64_t          until; /* `now` is valid for forecasts before this row */
} fgti_known_errors;

/* FGT_E_ARG: a level is not between 0 and 1. */
fgt_status fgti_levels_check(fgti_error *err, const double *levels, int64_t count);
/* Forecasts the windows that may calibrate windows of rows begin .. end-1. There may be no such window. level
 * is borrowed. Call fgti_known_errors_done() even after an error. */
fgt_status fgti_known_errors_init(fgti_known_errors *k, fgt_forecaster *f, const fgt_table *table,
                                  const fgti_frame *frame, const double *level, int64_t levels,
                                  int64_t begin, int64_t end);
void       fgti_known_errors_done(fgti_known_errors *k);
/* Computes low and high for the window that begins at `row`. From call to call, `row` must not become
 * smaller. */
void fgti_known_errors_at(fgti_known_errors *k, int64_t row);

#endif
