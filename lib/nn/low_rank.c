/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/low_rank.h"

#include "nn/affine.h"

const fgti_low_rank *fgti_low_rank_find(const fgti_run *run, const fgti_real *dw)
{
    const uintptr_t at = (uintptr_t)dw;
    for (int64_t i = 0; dw && i < run->low_ranks; i++) {
        const fgti_low_rank *m = &run->low_rank[i];
        if (at >= (uintptr_t)m->dw && at < (uintptr_t)(m->dw + m->out * m->in)) return m;
    }
    return NULL;
}

/* u = s x A',  dB += dy'u,   v = s dy B,  dA += v'x */
void fgti_low_rank_grad(const fgti_run *run, const fgti_low_rank *map, int64_t rows, int64_t h,
                        const fgti_real *x, const fgti_real *dy, int64_t lddy, const fgti_real *dw)
{
    const int64_t d = map->in, r = map->rank, row = (dw - map->dw) / d, block = fgti_low_rank_rows(r);
    for (int64_t first = 0; first < rows; first += block) {
        const int64_t    n  = fgti_least(block, rows - first);
        const fgti_real *xs = x + first * d, *dys = dy + first * lddy;
        fgti_gemm        u = fgti_gemm_nt(n, r, d, xs, d, map->a, d, 0, map->u, r);
        fgti_gemm        v = fgti_gemm_nn(n, r, h, dys, lddy, map->b + row * r, r, 0, map->v, r);
        u.alpha = v.alpha = (fgti_real)map->scale;
        fgti_multiply(run, u);
        fgti_multiply(run, v);
        fgti_affine_weight_grad(run, n, r, h, map->u, dys, lddy, map->db + row * r);
        fgti_affine_weight_grad(run, n, d, r, xs, map->v, r, map->da);
    }
}
