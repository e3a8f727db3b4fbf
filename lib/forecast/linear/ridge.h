/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RIDGE_H
#define FGTI_RIDGE_H

/* One affine map from L rows of a series to the H rows after them, from the moments of windows of L + H
 * rows. */

#include <stdbool.h>

#include "core/vec/vec.h"
#include "forecast/linear/moments.h"

/* Which map. */
typedef struct fgti_linear_choice {
    int64_t lags;    /* l: only the last l rows of the window have weights */
    bool    each;    /* one map for each series; else one for all */
    bool    last;    /* the map reads and forecasts differences from the last value: a shift of a window
                        shifts its forecast */
    int64_t period;  /* rows of a period, with an infinite penalty: the map between whole periods */
    double  penalty; /* of the squares of the weights, as a share of the mean square of a row. Infinite: no
                        weights, so the forecast is the last value, or the mean */
} fgti_linear_choice;

/* Scratch memory, and the map that was found last. */
typedef struct fgti_ridge {
    const fgti_vec *vec;
    int64_t         lags, steps; /* L, H */
    double         *weight;      /* [L,H] */
    double         *bias;        /* [H] */
    double         *matrix;      /* [L,L] */
    double         *days;        /* [L] */
    fgti_moments    above;       /* the last value */
} fgti_ridge;

fgt_status fgti_ridge_new(fgt_context *ctx, int64_t lags, int64_t steps, fgti_ridge *r);
void       fgti_ridge_done(fgt_context *ctx, fgti_ridge *r);

/* Fills weight and bias. False: the equations have no solution. */
bool fgti_ridge_solve(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *choice);
/* The solution as weight [H,L] and bias [H]. */
void fgti_ridge_write(const fgti_ridge *r, double *weight, double *bias);

#endif
