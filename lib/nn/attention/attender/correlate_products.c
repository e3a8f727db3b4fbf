/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes r_d by products of matrices: column t of row j of K Q' is added to r_d with d = (t - j) mod L. */
#include "nn/attention/attender/correlate_products.h"

#include <string.h>

#include "nn/attention/attender/attender.h"
#include "nn/attention/attender/correlate.h"
#include "nn/attention/attention_core.h"

#define KEYS 32 /* rows of K Q' that are computed at once: enough for the kernel, few enough for the cache */

static fgti_real *correlate_products_layout(int64_t time, fgti_real *base, int64_t *at)
{
    return fgti_take(base, at, fgti_mul(KEYS, time));
}

int64_t fgti_correlate_products_arena(int64_t time)
{
    int64_t at = 0;
    correlate_products_layout(time, NULL, &at);
    return at;
}

/* r_d += p_t for all t, where d = (t - j) mod L */
static void correlate_add_row(const fgti_correlate *c, int64_t j, const fgti_real *p)
{
    c->vec->axpy(c->time - j, 1, p + j, c->r);
    c->vec->axpy(j, 1, p, c->r + c->time - j);
}

void fgti_correlate_products(const fgti_correlate *c)
{
    int64_t          at = 0;
    fgti_real *const p  = correlate_products_layout(c->time, c->arena, &at);
    memset(c->r, 0, (size_t)c->time * sizeof *c->r);
    for (int64_t j0 = 0; j0 < c->keys; j0 += KEYS) {
        const int64_t   n = fgti_least(KEYS, c->keys - j0);
        const fgti_gemm g =
            fgti_gemm_nt(n, c->time, c->width, c->k + j0 * c->ldk, c->ldk, c->q, c->ldq, 0, p, c->time);
        fgti_gemm_run(c->blas, c->scratch, &g);
        for (int64_t j = 0; j < n; j++) correlate_add_row(c, j0 + j, p + j * c->time);
    }
}
