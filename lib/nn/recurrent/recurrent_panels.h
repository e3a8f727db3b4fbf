/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_PANELS_H
#define FGTI_RECURRENT_PANELS_H

/* One direction of a stacked layer for a few sequences, which are side by side in panels (blas/tile.h). The
 * gates W x + U h of a step are then a block [slots][v], where v is the width of a V panel. From the gates
 * the cell computes h, which is a V panel again. So the next step multiplies h, and the layer above reads h,
 * without a copy. Panels are for predictions only, because no gates are kept for the backward pass. */

#include "nn/recurrent/recurrent_weights.h"

typedef struct fgti_panels {
    const fgti_run        *run;
    const fgti_recurrent_cell *cell;
    const fgti_kernel     *kn;
    int64_t                rows, time, width, h; /* rows: number of sequences, at most v; width: width of x;
                                                  * h: width of the state */
    bool                   reversed, relu;
    fgti_direction_weights weights; /* in the form FGTI_WEIGHT_FOR_PANELS */
    /* x: sequences are at distance ldx and tokens at distance stepx. With ldx == 0, x is a panel [width][v]
     * for each token. y: in the same layout, with width h; NULL if nothing reads it. */
    const fgti_real *x;
    int64_t          ldx, stepx;
    fgti_real       *y;
    int64_t          ldy, stepy;
    const fgti_real *start[FGTI_MAX_STATES]; /* states before the first step, rows of length h */
    fgti_real       *end[FGTI_MAX_STATES];
} fgti_panels;

/* Elements of a worker's arena that fgti_panels_run() takes. */
int64_t fgti_panels_arena(const fgti_panels *p);
void    fgti_panels_run(const fgti_panels *p, fgti_real *arena);

#endif
