/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PROJECTION_H
#define FGTI_PROJECTION_H

/* The products of the same rows x with several parameters P_0, P_1 .., computed as one product x W + b = [x
 * P_0, x P_1 ..], with W = [P_0 P_1 ..]. So x is read only once. The layer copies its parameters into W and
 * b, which are kept from pass to pass while the weights do not change. */

#include "nn/affine_pack.h"

typedef struct fgti_projection {
    const fgti_run  *run;
    const fgti_layer *l;
    int64_t           rows, d, n, biased; /* biased: the first `biased` columns have a bias */
    int64_t          ld;                 /* distance of the rows of y and dy */
    const fgti_real *x;                  /* [R,D] */
    fgti_real       *y;                  /* [R,N] */
    fgti_kept        kept;
    bool              pack_only; /* a predictor needs only the pack, not W; W is in scratch while `prepare`
                                 * makes the pack */
    fgti_real        *w, *b;     /* kept from pass to pass: [D,N], [N] */
    fgti_affine_pack  pack;      /* the pack of W */
    fgti_real        *dy;        /* scratch, with the shape of y */
    fgti_real       *dw, *db; /* scratch: [D,N], [N] */
} fgti_projection;

/* Place the kept memory, the pack, and the scratch of the backward pass; with base == NULL they only
 * count. */
int64_t fgti_projection_keep(fgti_projection *p, fgti_real *base);
int64_t fgti_projection_pack(fgti_projection *p, fgti_real *base);
void    fgti_projection_place_gradients(fgti_projection *p, fgti_real *base, int64_t *at);

/* Sets columns `first` .. first+n-1 of W to w [D,n], or with `transposed` to w' for w [n,D]. */
void fgti_projection_set(const fgti_projection *p, int64_t first, int64_t n, bool transposed,
                         const fgti_real *w);
/* Sets columns that belong to no parameter to 0. */
void fgti_projection_clear(const fgti_projection *p, int64_t first, int64_t n);
/* to += columns `first` .. first+n-1 of dw, or with `transposed` their transpose */
void fgti_projection_add(const fgti_projection *p, int64_t first, int64_t n, bool transposed, fgti_real *to);

/* Whether the layer of a predictor needs only the pack; l, d and n must be set. */
bool fgti_projection_is_packed(const fgti_projection *p);

/* y = x W + b */
void fgti_projection_forward(const fgti_projection *p);
/* dx = dy W'; with `add` dx += dy W' */
void fgti_projection_backward(const fgti_projection *p, bool add, fgti_real *dx);
/* dw = x'dy and db = column sums of dy */
void fgti_projection_gradient(const fgti_projection *p);

#endif
