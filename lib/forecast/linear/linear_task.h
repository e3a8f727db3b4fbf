/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_TASK_H
#define FGTI_LINEAR_TASK_H

/* The data and the result of a linear map in closed form. */

#include <stdbool.h>
#include <stdint.h>

/* A map from the last rows of all columns to corrections of the forecasts of the targets. */
typedef struct fgti_past_map {
    int64_t lags;   /* K, the number of last rows that the map reads; 0: no past columns, or too many */
    double *weight; /* [H,T,K,C] */
    double *bias;   /* [H,T] */
} fgti_past_map;

typedef struct fgti_linear_map {
    int64_t       maps;   /* 1, or the number of series; 0: no training window, or windows are too long */
    double       *weight; /* [maps,H,L] */
    double       *bias;   /* [maps,H] */
    double       *share;  /* [C]: share of the effect that is subtracted */
    fgti_past_map past;
} fgti_linear_map;

typedef struct fgti_linear_task {
    const float *series; /* [rows,C], standardised; NaN is a missing value */
    const float *effect; /* [rows,C]: the effect of a row's known values, fitted to the training rows; NULL:
                            no effect */
    const float *effect_of_all; /* [rows,C]: the effect, fitted to rows train_begin .. end-1 */
    bool         divisible;     /* a share of the effect may be subtracted; false: all of it is subtracted */
    int64_t      rows, columns;
    int64_t      targets;                /* T, the first columns; all others are past columns. 0: C */
    int64_t      wide;                   /* elements from one row to the next, of both arrays; at least C */
    int64_t      lags, steps;            /* L, H */
    int64_t      train_begin, train_end; /* rows of the windows for training */
    int64_t      val_begin, val_end;     /* rows of the targets for validation */
    int64_t      end; /* at least train_end; the chosen regressions are solved on rows train_begin .. end-1 */
    int64_t      season; /* number of rows after which values are likely to come again; 0: no season */
} fgti_linear_task;

#endif
