/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WINDOWS_H
#define FGTI_WINDOWS_H

/* Windows of a grid [H,W,D] as rows, so that a convolution is one product of matrices. A sequence is a grid
 * of one row. */

#include "nn/layer.h"

/* The windows along one axis. Window s has `kernel` places, from place s stride - before on. Places outside
 * the grid have the value 0; with `circular` they are places at the other end of the axis. */
typedef struct fgti_steps {
    int64_t kernel, stride, before;
    bool    circular;
} fgti_steps;

typedef struct fgti_windows {
    int64_t          grids, h, w, d;
    int64_t          out_h, out_w; /* windows along each axis */
    fgti_steps       down, across;
    bool             planar; /* a row is [D,kh,kw], as in the weights of convolutions; false: [kh,kw,D] */
    const fgti_real *x;      /* [grids,H,W,D] */
    fgti_real       *rows;   /* [grids,out_h,out_w, numbers of a window] */
    fgti_real       *dx;     /* gradient of x */
} fgti_windows;

/* Numbers of a window: kh kw D. */
int64_t fgti_window_size(const fgti_windows *w);
/* x -> rows */
void fgti_windows_gather(const fgti_run *run, const fgti_windows *w);
/* dx = the sum, for each place of x, of the gradients of all its copies in `rows` */
void fgti_windows_scatter(const fgti_run *run, const fgti_windows *w);

#endif
