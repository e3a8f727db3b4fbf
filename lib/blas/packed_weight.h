/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PACKED_WEIGHT_H
#define FGTI_PACKED_WEIGHT_H

/* A weight matrix that is copied once into the order in which the microkernels read it, then multiplied many
 * times. The layer owns the memory, usually a part of io->keep (nn/kept.h). */

#include "blas/tile.h"
#include "core/half.h"

typedef enum fgti_weight_form {
    FGTI_WEIGHT_FOR_ROWS,   /* V panels: y [m,n] = x [m,k] W for rows in the usual order */
    FGTI_WEIGHT_FOR_PANELS, /* U panels: y [n][v] = W' x for panels x [k][v], by fgti_tile_product() */
    FGTI_WEIGHT_FORMS
} fgti_weight_form;

/* A weight W [k,n]. */
typedef struct fgti_packed_weight {
    int64_t          k, n;
    fgti_weight_form form;
    bool             half;  /* stored as bf16; for rows only */
    bool             bf16;  /* stored as bf16, and products also round the other operand (bf16.h) */
    bool             whole; /* W is stored as it is, not packed; for rows only:
                             * fgti_packed_weight_take_small() */
    fgti_real       *data;  /* floats, or halves */
    int64_t          u;     /* rows of a U panel, set by the layer */
} fgti_packed_weight;

/* Cuts the memory for a packed weight from a block, as fgti_take() does; with base == NULL the function only
 * counts. U panels need no more memory than V panels. A matrix with k == 0 or n == 0 needs no memory. */
static inline fgti_packed_weight fgti_packed_weight_take(fgti_weight_form form, const fgti_blas *blas,
                                                         int64_t k, int64_t n, fgti_real *base, int64_t *at)
{
    const int64_t size = k && n ? fgti_gemm_pack_size(blas, k, n) : 0;
    return (fgti_packed_weight){k, n, form, false, false, false, fgti_take(base, at, size), 0};
}
/* Cuts the memory for a weight in bf16, form FOR_ROWS, if fgti_gemm_pack_suffices() is true. bf16: the weight
 * is for products in bf16. */
static inline fgti_packed_weight fgti_packed_weight_take_half(const fgti_blas *blas, bool bf16, int64_t k,
                                                              int64_t n, fgti_real *base, int64_t *at)
{
    const int64_t size =
        bf16 ? fgti_gemm_pack_size_bf16(blas, k, n) : fgti_halves(fgti_gemm_pack_size(blas, k, n));
    return (fgti_packed_weight){k, n, FGTI_WEIGHT_FOR_ROWS, true, bf16, false, fgti_take(base, at, size), 0};
}
/* Cuts the memory for a weight of products with many rows. If fgti_gemm_is_small() is true, W is not packed:
 * our own loops pack neither W nor x. */
static inline fgti_packed_weight fgti_packed_weight_take_small(const fgti_blas *blas, int64_t k, int64_t n,
                                                               fgti_real *base, int64_t *at)
{
    if (!fgti_gemm_is_small(blas, k, n))
        return fgti_packed_weight_take(FGTI_WEIGHT_FOR_ROWS, blas, k, n, base, at);
    return (fgti_packed_weight){
        k, n, FGTI_WEIGHT_FOR_ROWS, false, false, true, fgti_take(base, at, fgti_mul(k, n)), 0};
}

/* Packs W, whose element (p,j) is w[p*rsw + j*csw]. scratch: a worker's scratch, used only with bf16. */
void fgti_packed_weight_fill(const fgti_packed_weight *p, const fgti_blas *blas, void *scratch,
                             const fgti_real *w, int64_t rsw, int64_t csw);
/* Returns the weight in the form that products take. */
static inline fgti_packed fgti_packed_weight_read(const fgti_packed_weight *p)
{
    return p->half ? (fgti_packed){NULL, (const uint16_t *)p->data} : (fgti_packed){p->data, NULL};
}

/* Computes y = x W + beta y on this thread, for m rows. W has the form FOR_ROWS, and ldx and ldy are the row
 * distances of x and y. reversed: the last columns are computed first. A caller that multiplies by the same
 * W again and again reverses every second product. Each product then begins with the panels that the product
 * before has left in the cache. */
void fgti_packed_weight_multiply(const fgti_packed_weight *p, const fgti_blas *blas, const fgti_vec *vec,
                                 void *scratch, int64_t m, const fgti_real *x, int64_t ldx, int beta,
                                 fgti_real *y, int64_t ldy, bool reversed);

#endif
