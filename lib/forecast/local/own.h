/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OWN_H
#define FGTI_OWN_H

/* The errors of the members in the runs of each series. */

#include "forecast/local/runs.h"

typedef struct fgti_own {
    double *sum;                /* [count,FGTI_MEMBERS]: sums of the errors over the runs of each series */
    double *seen;               /* [count]: number of runs */
    double  mean[FGTI_MEMBERS]; /* means over all runs, without constant and rare series */
} fgti_own;

/* Runs count from origin `first` on, backwards in time. Call fgti_own_done() even after an error.
 * FGT_E_NOMEM. */
fgt_status fgti_own_new(fgt_context *ctx, const fgti_runs *runs, int64_t first, fgti_own *own);
void       fgti_own_done(fgt_context *ctx, fgti_own *own);

/* Computes log q [FGTI_MEMBERS]. q is the error of a member in the runs of the series divided by its usual
 * error, shrunk towards 1 as if two more runs had q = 1. If some member made no error at all in 3 runs or
 * more, log q is 0 for such members and 100 for the others. A run with errors `less` [FGTI_MEMBERS] is left
 * out; NULL: no run is left out. */
void fgti_own_ratio(const fgti_own *own, int64_t series, const float *less, double *log_q);

#endif
