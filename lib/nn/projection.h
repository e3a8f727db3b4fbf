/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PROJECTION_H
#define FGTI_PROJECTION_H

/* All that the same rows are multiplied by, side by side: [P_0 P_1 ..] = x W + b is one product, and x is
 * read once. The layer puts W and b together from its parameters; they stay in io->keep while the weights
 * do. */

#include "nn/layer.h"

typedef struct fgti_projection {
    const fgti_run  *run;
    int64_t          rows, d, n, biased; /* columns with a bias: the first ones; 0: none */
    int64_t          ld;                 /* of rows of y and dy */
    const fgti_real *x;                  /* [R,D] */
    fgti_real       *y;                  /* [R,N] */
    fgti_real       *version, *w, *b;    /* kept: [D,N], [N] */
    fgti_real       *dy;                 /* as y */
    fgti_real       *dw, *db;            /* [D,N], [N] */
} fgti_projection;

/* Whether slices of rows make sense: W goes into the cache beside them. */
bool fgti_projection_slices(int64_t d, int64_t n);
/* Places what is kept; returns its elements. */
int64_t fgti_projection_keep(fgti_projection *p, fgti_real *base);
/* True when W and b must be put together again; the next call says so no more. */
bool fgti_projection_stale(const fgti_projection *p);
/* Columns `first` .. first+n-1 of W = w [D,n], or w' with turned, w [n,D]. */
void fgti_projection_set(const fgti_projection *p, int64_t first, int64_t n, bool turned, const fgti_real *w);
/* to += the same columns of dw */
void fgti_projection_add(const fgti_projection *p, int64_t first, int64_t n, bool turned, fgti_real *to);

/* y = x W + b */
void fgti_projection_forward(const fgti_projection *p);
/* dx = dy W', or added to it, columns `first` and up of dy and W */
void fgti_projection_backward(const fgti_projection *p, int64_t first, bool add, fgti_real *dx);
/* dw = x'dy and db = column sums, in columns `first` and up */
void fgti_projection_gradient(const fgti_projection *p, int64_t first);

#endif
