/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RIDGE_H
#define FGTI_RIDGE_H

/* One affine map from L rows of a series to the H rows after them, from the moments of windows of L + H
 * rows. */

#include <stdbool.h>

#include "core/vec/vec.h"
#include "forecast/linear/moments.h"

/* The kind of a map. */
typedef struct fgti_linear_choice {
    int64_t lags;    /* l, the number of rows at the end of the window that have weights */
    bool    each;    /* each series has its own map; false: one map for all series */
    bool    last;    /* the map reads and forecasts differences from the last value: a shift of a window
                        shifts its forecast */
    int64_t period;  /* rows of a period. With an infinite penalty, the map reads and forecasts whole
                      * periods */
    double  penalty; /* penalty of the squares of the weights, as a share of the mean square of a row.
                        Infinite: the map has no weights, so the forecast is the last value, or the mean */
} fgti_linear_choice;

/* Scratch memory, and the map that was found last. */
typedef struct fgti_ridge {
    const fgti_vec *vec;
    int64_t         lags, steps; /* L, H */
    double         *weight;      /* [L,H] */
    double         *bias;        /* [H] */
    double         *matrix;      /* [L,L] */
    double         *days;        /* [L] */
    fgti_moments    above;       /* moments of differences from the last value */
} fgti_ridge;

fgt_status fgti_ridge_new(fgt_context *ctx, int64_t lags, int64_t steps, fgti_ridge *r);
void       fgti_ridge_done(fgt_context *ctx, fgti_ridge *r);

/* Solves the map: fills weight and bias. Returns false if the equations have no solution. */
bool fgti_ridge_solve(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *choice);
/* Writes the solution as weight [H,L] and bias [H]. */
void fgti_ridge_write(const fgti_ridge *r, double *weight, double *bias);

#endif
