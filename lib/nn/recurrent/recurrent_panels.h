/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_PANELS_H
#define FGTI_RECURRENT_PANELS_H

/* One direction of a stacked layer over some sequences, in panels (blas/tile.h): the sequences are the lanes.
 * The gates W x + U h of a step are then a block [slots][v], and the h that the cell makes of it is a V
 * panel, which the next step multiplies and the layer above reads as it is. For predictions, which keep no
 * gates. */

#include "nn/recurrent/recurrent_weights.h"

typedef struct fgti_panels {
    const fgti_run    *run;
    const fgti_cell   *cell;
    const fgti_kernel *kn;
    int64_t            rows, time, width, h; /* sequences, at most v; width of x and of the state */
    bool               reversed, relu;
    fgti_packed        weights;
    /* Sequences at distance ldx and tokens at stepx, or with ldx == 0 panels [width][v] for each token; y the
     * same with [h], or NULL: nobody reads it. */
    const fgti_real *x;
    int64_t          ldx, stepx;
    fgti_real       *y;
    int64_t          ldy, stepy;
    const fgti_real *start[FGTI_MAX_STATES]; /* states, rows [h] */
    fgti_real       *end[FGTI_MAX_STATES];
} fgti_panels;

/* Elements of a worker's arena that fgti_panels_run() takes. */
int64_t fgti_panels_room(const fgti_panels *p);
void    fgti_panels_run(const fgti_panels *p, fgti_real *room);

#endif
