/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_TASK_H
#define FGTI_LINEAR_TASK_H

/* The data and the result of a linear map in closed form. */

#include <stdbool.h>
#include <stdint.h>

/* A map from the last rows of all columns to what it adds to the forecasts of the targets. */
typedef struct fgti_past_map {
    int64_t lags;   /* K: number of last rows of the window that it reads; 0: no past columns, or too many */
    double *weight; /* [H,T,K,C] */
    double *bias;   /* [H,T] */
} fgti_past_map;

typedef struct fgti_linear_map {
    int64_t       maps;   /* 1, or the number of series; 0: no training window, or too long windows */
    double       *weight; /* [maps,H,L] */
    double       *bias;   /* [maps,H] */
    double       *share;  /* [C]: share of the effect that is subtracted */
    fgti_past_map past;
} fgti_linear_map;

typedef struct fgti_linear_task {
    const float *series; /* [rows,C], standardised; NaN is a missing value */
    const float *effect; /* [rows,C]: effect of a row's known values, fitted to the training rows; NULL: no
                            effect */
    const float *effect_of_all; /* [rows,C]: the effect, fitted to rows train_begin .. end-1 */
    bool         divisible;     /* a share of the effect may be subtracted; otherwise all of it is */
    int64_t      rows, columns;
    int64_t      targets;                /* T: the first columns; all others are past columns. 0: C */
    int64_t      wide;                   /* elements from one row to the next, of both; C or more */
    int64_t      lags, steps;            /* L, H */
    int64_t      train_begin, train_end; /* rows of the windows of training */
    int64_t      val_begin, val_end;     /* rows of the targets of validation */
    int64_t      end; /* the chosen regressions are solved on rows train_begin .. end-1: train_end or more */
    int64_t      season; /* rows after which values are likely to come again; 0: none */
} fgti_linear_task;

#endif
