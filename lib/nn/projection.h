/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PROJECTION_H
#define FGTI_PROJECTION_H

/* All products of the same rows x with several parameters as one: [P_0 P_1 ..] = x W + b, where x is read
 * once. The layer copies its parameters into W and b, which are kept from pass to pass while the weights are
 * the same. */

#include "nn/affine_pack.h"

typedef struct fgti_projection {
    const fgti_run  *run;
    const fgti_layer *l;
    int64_t          rows, d, n, biased; /* biased: the first columns that have a bias; 0: none */
    int64_t          ld;                 /* of rows of y and dy */
    const fgti_real *x;                  /* [R,D] */
    fgti_real       *y;                  /* [R,N] */
    fgti_kept        kept;
    bool             pack_only; /* a predictor needs no W besides the pack; prepare has it in scratch */
    fgti_real       *w, *b;     /* kept: [D,N], [N] */
    fgti_affine_pack pack;    /* of W */
    fgti_real       *dy;      /* scratch: as y */
    fgti_real       *dw, *db; /* scratch: [D,N], [N] */
} fgti_projection;

/* Places what is kept, and what the backward pass needs from a scratch; base == NULL only counts. */
int64_t fgti_projection_keep(fgti_projection *p, fgti_real *base);
int64_t fgti_projection_pack(fgti_projection *p, fgti_real *base);
void    fgti_projection_place_gradients(fgti_projection *p, fgti_real *base, int64_t *at);

/* Columns `first` .. first+n-1 of W = w [D,n], or w' with transposed, w [n,D]. */
void fgti_projection_set(const fgti_projection *p, int64_t first, int64_t n, bool transposed,
                         const fgti_real *w);
/* Such columns that no parameter has are zeros. */
void fgti_projection_clear(const fgti_projection *p, int64_t first, int64_t n);
/* to += the same columns of dw */
void fgti_projection_add(const fgti_projection *p, int64_t first, int64_t n, bool transposed, fgti_real *to);

/* Whether a predictor's layer, with l, d and n set, needs only the pack. */
bool fgti_projection_is_packed(const fgti_projection *p);

/* y = x W + b */
void fgti_projection_forward(const fgti_projection *p);
/* dx = dy W', or added to it */
void fgti_projection_backward(const fgti_projection *p, bool add, fgti_real *dx);
/* dw = x'dy and db = column sums of dy */
void fgti_projection_gradient(const fgti_projection *p);

#endif
