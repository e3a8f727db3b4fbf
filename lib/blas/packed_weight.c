/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/packed_weight.h"

/* As fgti_gemm_pack_size(), but sticking. It is enough for U panels too: no microkernel is higher than
 * FGTI_TILE_MAX rows. */
static int64_t packed_size(int64_t k, int64_t n)
{
    return k && n ? fgti_mul(n + FGTI_TILE_MAX - 1, k) + FGTI_TILE_MAX : 0;
}

fgti_packed_weight fgti_packed_weight_take(fgti_weight_form form, int64_t k, int64_t n, fgti_real *base,
                                           int64_t *at)
{
    return (fgti_packed_weight){k, n, form, fgti_take(base, at, packed_size(k, n))};
}

void fgti_packed_weight_fill(const fgti_packed_weight *p, const fgti_blas *blas, const fgti_real *w,
                             int64_t rsw, int64_t csw)
{
    if (p->form == FGTI_WEIGHT_FOR_ROWS) {
        fgti_gemm_pack(blas, p->k, p->n, w, rsw, csw, p->data);
    } else {
        const int64_t u = fgti_tile_kernel(blas)->u;
        fgti_tile_pack(u, p->n, p->k, w, csw, rsw, p->data, u * p->k);
    }
}

void fgti_packed_weight_multiply(const fgti_packed_weight *p, const fgti_blas *blas, void *scratch, int64_t m,
                                 const fgti_real *x, int64_t ldx, int beta, fgti_real *y, int64_t ldy,
                                 bool reversed)
{
    fgti_gemm g = fgti_gemm_nn(m, p->n, p->k, x, ldx, NULL, 0, beta, y, ldy);
    g.reversed  = reversed;
    fgti_gemm_run_packed(blas, scratch, &g, p->data);
}
