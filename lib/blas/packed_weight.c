/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/packed_weight.h"

/* Copies W [k,n] row by row. */
static void packed_copy(const fgti_packed_weight *p, const fgti_real *w, int64_t rsw, int64_t csw)
{
    if (rsw == 1) {
        fgti_pack_transpose(p->n, p->k, w, csw, p->data, p->n);
        return;
    }
    for (int64_t i = 0; i < p->k; i++)
        for (int64_t j = 0; j < p->n; j++) p->data[i * p->n + j] = w[i * rsw + j * csw];
}

void fgti_packed_weight_fill(const fgti_packed_weight *p, const fgti_blas *blas, void *scratch,
                             const fgti_real *w, int64_t rsw, int64_t csw)
{
    if (p->whole) {
        packed_copy(p, w, rsw, csw);
    } else if (p->bf16) {
        fgti_gemm_pack_bf16(blas, scratch, p->k, p->n, w, rsw, csw, (uint16_t *)p->data);
    } else if (p->half) {
        fgti_gemm_pack_half(blas, scratch, p->k, p->n, w, rsw, csw, (uint16_t *)p->data);
    } else if (p->form == FGTI_WEIGHT_FOR_ROWS) {
        fgti_gemm_pack(blas, p->k, p->n, w, rsw, csw, p->data);
    } else {
        fgti_tile_pack(p->u, p->n, p->k, w, csw, rsw, p->data, p->u * p->k);
    }
}

void fgti_packed_weight_multiply(const fgti_packed_weight *p, const fgti_blas *blas, const fgti_vec *vec,
                                 void *scratch, int64_t m, const fgti_real *x, int64_t ldx, int beta,
                                 fgti_real *y, int64_t ldy, bool reversed)
{
    if (p->whole) {
        vec->panels->multiply(m, p->n, p->k, 1, x, ldx, 1, p->data, p->n, (fgti_real)beta, y, ldy);
        return;
    }
    fgti_gemm g = fgti_gemm_nn(m, p->n, p->k, x, ldx, NULL, 0, beta, y, ldy);
    g.reversed  = reversed;
    fgti_gemm_run_packed(blas, scratch, &g, fgti_packed_weight_read(p));
}
