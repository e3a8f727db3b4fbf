/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RIDGE_H
#define FGTI_RIDGE_H

/* One ridge regression, from the moments of windows of L + H rows. */

#include "forecast/linear_map.h"
#include "forecast/moments.h"

typedef struct fgti_ridge {
    int64_t      lags, steps; /* L, H */
    double      *weight;      /* [L,H] */
    double      *bias;        /* [H] */
    double      *prior;       /* [L,H] */
    double      *matrix;      /* [L,L] */
    double      *row;         /* [L+H] */
    fgti_moments above;       /* the last value */
} fgti_ridge;

fgt_status fgti_ridge_new(fgt_context *ctx, int64_t lags, int64_t steps, fgti_ridge *r);
void       fgti_ridge_done(fgt_context *ctx, fgti_ridge *r);

/* Fills weight and bias. False: the equations have no solution. */
bool fgti_ridge_solve(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *choice);
/* The sum of squared errors on the windows of m. `last` as in the choice that was solved for. */
double fgti_ridge_error(fgti_ridge *r, const fgti_moments *m, bool last);
/* Writes the solution as a map of the rows themselves: weight [H,L], bias [H]. */
void fgti_ridge_write(const fgti_ridge *r, bool last, double *weight, double *bias);

#endif
