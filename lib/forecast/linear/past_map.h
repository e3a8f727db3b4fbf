/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PAST_MAP_H
#define FGTI_PAST_MAP_H

/* What columns that are known only up to now add to the forecasts of a linear map. linear_map.h has the
 * equations. */

#include "forecast/linear/linear_map.h"

/* A fit at work. The first members are given. */
typedef struct fgti_past {
    fgt_context            *ctx;
    const fgti_linear_task *task;
    fgti_linear_map        *map;
    int64_t                 cut; /* tests are the rows from here to train_end, and of validation */

    double  horizons; /* n of linear_map.h */
    bool    again;    /* the forms are solved once more, without tests */
    int64_t wide;     /* 1 + P: numbers of a row that a forecast reads */
    int64_t inputs;   /* Q = K (1 + P) */
    int64_t forms;
    int64_t blocks; /* horizons in the tests */
    float  *series; /* [rows,C]: less their effects */
    double *weight; /* [T,forms] */
    double *share;  /* [H,T]: s_h */
    double *kept;   /* [T]: odds, then the probability of a gain */

    struct fgti_past_worker *worker;
} fgti_past;

/* Finds K and takes all memory, which map->past has a part of. Without past columns K is 0, and nothing else
 * may be called but fgti_past_done(), which is due even after an error. */
fgt_status fgti_past_new(fgti_past *p);
void       fgti_past_done(fgti_past *p);

/* Gives column c less its effect, [rows]. */
void fgti_past_put(fgti_past *p, int64_t c, const double *column);

/* Solves the forms for what the map leaves of the targets: on rows train_begin .. cut-1, and tests them;
 * then, if called again, up to row end-1. horizons: n of linear_map.h. */
void fgti_past_solve(fgti_past *p, double horizons);
/* Leaves the share of each target that the tests speak for. */
void fgti_past_keep(fgti_past *p);

#endif
