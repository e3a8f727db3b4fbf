/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/affine_pack.h"

#include "nn/affine.h"

/* With fewer elements, it takes less time to pack a weight than to look up the packed weight. */
#define PACK_LEAST 4096

fgti_affine_pack fgti_affine_pack_take(const fgti_layer *l, int64_t d, int64_t h, fgti_real *base,
                                       int64_t *at)
{
    fgti_affine_pack p = {.w = {.k = d, .n = h}};
    if (fgti_mul(d, h) < PACK_LEAST) return p;
    p.kept = fgti_kept_take(base, at);
    p.bf16 = l->bf16;
    if ((l->half || l->bf16) && fgti_gemm_pack_suffices(l->blas, d, h))
        p.w = fgti_packed_weight_take_half(l->blas, l->bf16, d, h, base, at);
    else
        p.w = fgti_packed_weight_take(FGTI_WEIGHT_FOR_ROWS, l->blas, d, h, base, at);
    return p;
}

bool fgti_affine_pack_suffices(const fgti_blas *blas, int64_t d, int64_t h)
{
    return fgti_mul(d, h) >= PACK_LEAST && fgti_gemm_pack_suffices(blas, d, h);
}

/* Packs the weights, in the first pass that uses them or before this pass. */
static void affine_pack_update(const fgti_run *run, const fgti_affine_pack *pack, const fgti_real *w,
                               int64_t rsw, int64_t csw)
{
    if (!fgti_kept_is_stale(&pack->kept, run)) return;
    fgti_packed_weight_fill(&pack->w, run->blas, fgti_worker_scratch(run->exec, 0), w, csw, rsw);
    fgti_kept_set_fresh(&pack->kept, run);
}

bool fgti_affine_pack_prepare(const fgti_run *run, const fgti_affine_pack *pack, const fgti_real *w,
                              int64_t rsw, int64_t csw)
{
    if (pack->w.data) affine_pack_update(run, pack, w, rsw, csw);
    return fgti_affine_pack_suffices(run->blas, pack->w.k, pack->w.n);
}

/* y = x W' + b */
void fgti_affine_packed(const fgti_run *run, const fgti_affine_pack *pack, int64_t rows, const fgti_real *x,
                        const fgti_real *w, int64_t rsw, int64_t csw, const fgti_real *b, int64_t biased,
                        fgti_real *y, int64_t ldy)
{
    const int64_t   d = pack->w.k, h = pack->w.n;
    const fgti_gemm g = {rows, h,     d, 1,      0,        x,         d, 1, w, csw, rsw, y, ldy,
                         false, b, biased, run->vec, pack->bf16 || fgti_is_bf16(run, d, h)};
    if (!pack->w.data) {
        fgti_gemm_parallel(run->blas, run->exec, &g);
        return;
    }
    affine_pack_update(run, pack, w, rsw, csw);
    fgti_gemm_parallel_packed(run->blas, run->exec, &g, fgti_packed_weight_read(&pack->w));
}
