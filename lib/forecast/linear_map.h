/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_MAP_H
#define FGTI_LINEAR_MAP_H

/* The best affine map from L rows of a series to the H rows after them, in closed form. */

#include <stdbool.h>

#include "core/alloc.h"

/* What the map is pulled towards, and how hard. */
typedef struct fgti_linear_choice {
    bool    each;    /* one map for each series; else one for all */
    bool    last;    /* of what the series are above their last value: a shift of a window shifts its
                        forecast */
    int64_t period;  /* the map between whole periods of so many rows; 0: the last value, or the mean */
    double  penalty; /* of squared distances from that, as a share of the mean square of a row */
} fgti_linear_choice;

typedef struct fgti_linear_map {
    fgti_linear_choice choice;
    int64_t            maps;   /* 1, or the number of series; 0: no window is without missing values, or they
                                  are too long */
    double            *weight; /* [maps,H,L] */
    double            *bias;   /* [maps,H] */
    double             mse;    /* on the validation rows; NaN: there are none */
} fgti_linear_map;

typedef struct fgti_linear_task {
    const float *series; /* [rows,C], standardised; NaN is a missing value */
    int64_t      rows, columns;
    int64_t      wide;                   /* C or more: from one row to the next */
    int64_t      season;                 /* rows after which a missing value is likely to come again */
    int64_t      lags, steps;            /* L, H */
    int64_t      train_begin, train_end; /* rows of the windows of training */
    int64_t      val_begin, val_end;     /* rows of the targets of validation */
    int64_t      period;                 /* that is tried; 0: none */
} fgti_linear_task;

/* Ridge regression from normal equations, in double. The choice with the least error on the validation rows
 * is taken; without validation rows one map for all, a penalty of 0.1, above the last value.
 * fgti_linear_map_done() is due even after an error. */
fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map);
void       fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map);

#endif
