/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_MAP_H
#define FGTI_LINEAR_MAP_H

/* An affine map from L rows of a series to the H rows after them, in closed form: the weighted mean of
 * several linear regressions, which is an affine map again. */

#include "forecast/linear/linear_forms.h"

typedef struct fgti_linear_map {
    int64_t maps;   /* 1, or the number of series; 0: no window is without missing values, or they are too
                       long */
    double *weight; /* [maps,H,L] */
    double *bias;   /* [maps,H] */
    double  mse;    /* on the validation rows; NaN: there are none */
} fgti_linear_map;

typedef struct fgti_linear_task {
    const float *series; /* [rows,C], standardised; NaN is a missing value */
    int64_t      rows, columns;
    int64_t      wide;                   /* C or more: from one row to the next */
    int64_t      season;                 /* rows after which a missing value is likely to come again */
    int64_t      lags, steps;            /* L, H */
    int64_t      train_begin, train_end; /* rows of the windows of training */
    int64_t      val_begin, val_end;     /* rows of the targets of validation */
    int64_t      period;                 /* of maps between whole periods; 0: none */
    const float *all; /* as `series`: the regressions of the chosen mean are solved again on its rows
                         train_begin .. all_end-1; NULL: they stay as the training rows gave them */
    int64_t      all_end;
} fgti_linear_task;

/* Normal equations, in double. Each series has a map of its own, unless there is one series or the
 * maps would be too large. How much each regression counts is chosen by errors on the validation rows,
 * and on a part of the training rows as well where the validation rows are short. The last value
 * takes in the mean of a series the share (1 - p) (1 - q), the probability that it is a walk: that
 * nothing foretells it by more than chance, p for what does, and that it does not return to its mean,
 * q (unit_root.h). Without validation rows there is one ridge regression for all series, above the
 * last value, or that value where it has no solution. fgti_linear_map_done() is due even after an error. */
fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map);
void       fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map);

#endif
