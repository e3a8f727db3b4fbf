/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FOLD_H
#define FGTI_FOLD_H

/* For predictions: folds an affine map from few features to the width of a model into the first products of
 * the layer after the map. From the map and the positions this layer gets, for token t,
 *     x_t = V z_t + s_t          z [K], x [D], K < D
 * where V is the weight of the map, and s_t is its bias plus the position. The layer computes
 *     norm(x_t) = rstd_t (x_t - mean(x_t)) g + h,   Y_t = W norm(x_t) + b.
 * Let the matrix C subtract the mean of a column. Then
 *     Y_t = rstd_t (P z_t + S_t) + q,    P = W diag(g) C V,  S_t = W diag(g) C s_t,  q = W h + b
 * which takes K/D of the multiply-adds. Without a norm Y_t = P z_t + S_t, with P = W V and S_t = W s_t + b. x
 * itself is still computed, for rstd and for residuals. */

#include "nn/layer.h"

typedef struct fgti_fold {
    const fgti_layer *l;
    int64_t           k, d, n;   /* features of z and x; columns of Y */
    int64_t           tokens;    /* fgti_fold_tokens() */
    double            eps;       /* epsilon of the norm; 0: no norm */
    fgti_real        *p, *s, *q; /* P' [K,N], S [tokens,N] and q [N], which are kept from pass to pass */
} fgti_fold;

/* The weights that are folded. Element (n,d) of W is w[n*rsw + d*csw]. b [biased] may be NULL. Without a norm
 * g and h [D] are NULL; with a norm h may be NULL. */
typedef struct fgti_fold_weights {
    const fgti_real *w;
    int64_t          rsw, csw;
    const fgti_real *b;
    int64_t          biased;
    const fgti_real *g, *h;
} fgti_fold_weights;

/* Whether a map is folded into this layer, which belongs to a predictor. */
static inline bool fgti_is_folded(const fgti_layer *l)
{
    return l->fold_map != NULL;
}

/* Returns z, which is the last input of the layer. */
static inline const fgti_real *fgti_fold_z(const fgti_layer *l, const fgti_io *io)
{
    return io->input[l->inputs - 1].x;
}

/* For plan: l->fold_map is the map that might be folded. Sets it to NULL unless folding saves time in a
 * product with n columns. n = 0: folding is impossible. */
void fgti_fold_decide(fgti_layer *l, int64_t n);

/* Number of rows of S: the planned tokens, or 1 if one row is for all tokens. */
static inline int64_t fgti_fold_tokens(const fgti_layer *l)
{
    return l->fold_position ? l->in.time : 1;
}

/* Set up a folded layer: fgti_fold_set() sets its sizes, fgti_fold_keep() returns the number of elements that
 * it keeps, in one piece, and fgti_fold_scratch() returns the scratch of fgti_fold_fill(). */
void    fgti_fold_set(fgti_fold *f, const fgti_layer *l, int64_t n, double eps);
int64_t fgti_fold_keep(fgti_fold *f, fgti_real *base);
int64_t fgti_fold_scratch(const fgti_fold *f);

/* Computes P, S and q; io has the weights of the model. */
void fgti_fold_fill(const fgti_fold *f, const fgti_run *run, const fgti_io *io, const fgti_fold_weights *w,
                    fgti_real *scratch);

/* Computes Y of some rows, or of all rows, on this thread. N and ld are multiples of FGTI_REGISTER. z is
 * [R,K] and x is [R,D]. Row 0 is the first token of a group. */
void fgti_fold_rows(const fgti_fold *f, const fgti_vec *vec, int64_t time, int64_t row, int64_t rows,
                    const fgti_real *z, const fgti_real *x, fgti_real *y, int64_t ld);
void fgti_fold_forward(const fgti_fold *f, const fgti_run *run, const fgti_io *io, fgti_real *y, int64_t ld);

#endif
