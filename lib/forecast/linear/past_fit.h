/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PAST_FIT_H
#define FGTI_PAST_FIT_H

/* Past columns improve the forecasts of a linear map. Their values are known only up to the present.
 * linear_map.h has the equations. */

#include "core/context.h"
#include "forecast/linear/linear_task.h"

/* A running fit. The caller sets the members before the empty line. */
typedef struct fgti_past_fit {
    fgt_context            *ctx;
    const fgti_linear_task *task;
    fgti_linear_map        *map;
    int64_t                 cut; /* tests are the validation rows, and the rows from here to train_end */

    double  horizons; /* n of linear_map.h */
    bool    again;    /* the forms are solved once more, without tests */
    int64_t wide;     /* 1 + P, the numbers of a row that a forecast reads; P is the number of past columns */
    int64_t inputs;   /* Q = K (1 + P) */
    int64_t forms;
    int64_t blocks; /* horizons in the tests */
    float  *series; /* [rows,C]: the series minus their effects */
    double *weight; /* [T,forms] */
    double *share;  /* [H,T]: s_h */
    double *kept;   /* [T]: odds, then the probability of a gain */

    struct fgti_past_fit_worker *worker;
} fgti_past_fit;

/* Finds K and takes all memory; a part of it belongs to map->past. Without past columns K is 0, and only
 * fgti_past_fit_done() may be called. Call fgti_past_fit_done() even after an error. */
fgt_status fgti_past_fit_new(fgti_past_fit *p);
void       fgti_past_fit_done(fgti_past_fit *p);

/* Stores column c, [rows], from which the effect has been subtracted. */
void fgti_past_fit_put(fgti_past_fit *p, int64_t c, const double *column);

/* Solves the forms for the errors of the map. The first call solves the forms on rows train_begin .. cut-1,
 * and tests them. A second call solves them on rows up to end-1. horizons: the n of linear_map.h. */
void fgti_past_fit_solve(fgti_past_fit *p, double horizons);
/* Scales the map of each target by the share that the tests give. */
void fgti_past_fit_keep(fgti_past_fit *p);

#endif
