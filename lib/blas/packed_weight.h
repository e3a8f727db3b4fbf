/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PACKED_WEIGHT_H
#define FGTI_PACKED_WEIGHT_H

/* A weight matrix that is copied once into the order in which the microkernels read it, and then multiplied
 * many times. The layer owns the memory, usually a part of io->keep (nn/kept.h). Weights of reduced precision
 * would be a further form here. */

#include "blas/tile.h"

typedef enum fgti_weight_form {
    FGTI_WEIGHT_FOR_ROWS,   /* V panels: y [m,n] = x [m,k] W for rows in the usual order */
    FGTI_WEIGHT_FOR_PANELS, /* U panels: y [n][v] = W' x for panels x [k][v], by fgti_tile_product() */
    FGTI_WEIGHT_FORMS
} fgti_weight_form;

/* W [k,n]. */
typedef struct fgti_packed_weight {
    int64_t          k, n;
    fgti_weight_form form;
    fgti_real       *data;
} fgti_packed_weight;

/* Cuts the memory for a packed weight from a block, as fgti_take() does: base == NULL only counts. U panels
 * fit where V panels do. A matrix with k == 0
 * or n == 0 takes none. */
static inline fgti_packed_weight fgti_packed_weight_take(fgti_weight_form form, const fgti_blas *blas,
                                                         int64_t k, int64_t n, fgti_real *base, int64_t *at)
{
    const int64_t size = k && n ? fgti_gemm_pack_size(blas, k, n) : 0;
    return (fgti_packed_weight){k, n, form, fgti_take(base, at, size)};
}

/* Packs W, whose element (p,j) is w[p*rsw + j*csw]. */
void fgti_packed_weight_fill(const fgti_packed_weight *p, const fgti_blas *blas, const fgti_real *w,
                             int64_t rsw, int64_t csw);

/* y = x W + beta y for m rows of x at distance ldx and of y at ldy, on this thread; form FOR_ROWS. `reversed`
 * starts with the last columns: when the same W is multiplied again and again, a caller that reverses every
 * second product begins with the panels that the one before has left in the cache. */
void fgti_packed_weight_multiply(const fgti_packed_weight *p, const fgti_blas *blas, void *scratch, int64_t m,
                                 const fgti_real *x, int64_t ldx, int beta, fgti_real *y, int64_t ldy,
                                 bool reversed);

#endif
