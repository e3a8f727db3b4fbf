/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/affine_pack.h"

/* Below so many elements packing takes less time than the looks at what is kept save. */
#define PACK_LEAST 4096

fgti_affine_pack fgti_affine_pack_take(int64_t d, int64_t h, fgti_real *base, int64_t *at)
{
    fgti_affine_pack p = {.w = {.k = d, .n = h}};
    if (fgti_mul(d, h) < PACK_LEAST) return p;
    p.kept = fgti_kept_take(base, at);
    p.w    = fgti_packed_weight_take(FGTI_WEIGHT_FOR_ROWS, d, h, base, at);
    return p;
}

/* y = x W' + b */
void fgti_affine_packed(const fgti_run *run, const fgti_affine_pack *pack, int64_t rows, const fgti_real *x,
                        const fgti_real *w, int64_t rsw, int64_t csw, const fgti_real *b, fgti_real *y,
                        int64_t ldy)
{
    const int64_t   d = pack->w.k, h = pack->w.n;
    const fgti_gemm g = {rows, h, d, 1, 0, x, d, 1, w, csw, rsw, y, ldy, false};
    if (pack->w.data && fgti_kept_is_stale(&pack->kept, run)) {
        fgti_packed_weight_fill(&pack->w, run->blas, w, csw, rsw);
        fgti_kept_set_fresh(&pack->kept, run);
    }
    if (pack->w.data)
        fgti_gemm_parallel_packed(run->blas, run->exec, &g, pack->w.data);
    else
        fgti_gemm_parallel(run->blas, run->exec, &g);
    if (b) fgti_bias(run, rows, h, ldy, b, y);
}
