/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/tile.h"

const fgti_kernel *fgti_tile_kernel(const fgti_blas *blas)
{
    return blas->microkernel ? blas->microkernel : fgti_blas_ref.microkernel;
}

const fgti_kernel *fgti_tile_kernel_for(const fgti_blas *blas, int64_t width)
{
    return blas->own && width <= blas->own_width ? blas->own : fgti_tile_kernel(blas);
}

void fgti_tile_pack(int64_t width, int64_t n, int64_t k, const fgti_real *x, int64_t si, int64_t sp,
                    fgti_real *dst, int64_t ld)
{
    for (int64_t i = 0; i < n; i += width, dst += ld)
        fgti_pack_panel(width, fgti_least(width, n - i), k, x + i * si, si, sp, dst);
}

/* Whether `product` of vec_panels.h is faster than the kernel. The kernel takes the same time for any number
 * of rows up to a full tile. `product` rounds the number of rows up to a multiple of four, and is faster if
 * the rounded number is at most two thirds of a tile. So `product` never computes more rows than a tile has,
 * even where a tile has only three rows. */
static bool tile_few_rows(const fgti_kernel *kn, int64_t rows)
{
    return kn->vec && 3 * fgti_round_up(rows, 4) <= 2 * kn->u;
}

void fgti_tile_product(const fgti_kernel *kn, int64_t n, int64_t k, fgti_real alpha, const fgti_real *up,
                       int64_t ld, const fgti_real *vp, fgti_real beta, fgti_real *c)
{
    int64_t i = 0;
    for (; kn->strip && i < n && !tile_few_rows(kn, n - i); i += kn->u, up += ld, c += kn->u * kn->v)
        kn->strip(kn->u, kn->v, k, alpha, up, vp, beta, c, kn->v);
    if (i < n) kn->vec->panels->product(n - i, kn->v, k, alpha, up, kn->u, ld, vp, beta, c);
}
