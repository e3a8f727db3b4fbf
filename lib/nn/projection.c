/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/projection.h"

#include <string.h>

/* Elements of W that leave room for others in a second cache or come from a third one in time: 1 MiB. */
#define SLICED_MOST (INT64_C(1) << 18)

bool fgti_projection_slices(int64_t d, int64_t n)
{
    return fgti_mul(d, n) <= SLICED_MOST;
}

int64_t fgti_projection_keep(fgti_projection *p, fgti_real *base)
{
    int64_t at = 0;
    p->version = fgti_take(base, &at, (int64_t)(sizeof p->run->version / sizeof *base + 1));
    p->w       = fgti_take(base, &at, fgti_mul(p->d, p->n));
    p->b       = fgti_take(base, &at, p->n);
    return at;
}

bool fgti_projection_stale(const fgti_projection *p)
{
    uint64_t version;
    memcpy(&version, p->version, sizeof version);
    if (version == p->run->version) return false;
    memcpy(p->version, &p->run->version, sizeof version);
    return true;
}

void fgti_projection_set(const fgti_projection *p, int64_t first, int64_t n, bool turned, const fgti_real *w)
{
    if (turned) p->run->vec->transpose(n, p->d, w, p->d, p->w + first, p->n);
    for (int64_t r = 0; !turned && r < p->d; r++)
        memcpy(p->w + r * p->n + first, w + r * n, (size_t)n * sizeof *w);
}

void fgti_projection_add(const fgti_projection *p, int64_t first, int64_t n, bool turned, fgti_real *to)
{
    if (!turned) p->run->vec->lanes->add_rows(p->d, n, p->dw + first, p->n, to, n);
    for (int64_t r = 0; turned && r < n; r++)
        for (int64_t i = 0; i < p->d; i++) to[r * p->d + i] += p->dw[i * p->n + first + r];
}

void fgti_projection_forward(const fgti_projection *p)
{
    fgti_gemm_parallel(p->run->blas, p->run->exec,
                       &(fgti_gemm){.m     = p->rows,
                                    .n     = p->n,
                                    .k     = p->d,
                                    .alpha = 1,
                                    .a     = p->x,
                                    .rsa   = p->d,
                                    .csa   = 1,
                                    .b     = p->w,
                                    .rsb   = p->n,
                                    .csb   = 1,
                                    .c     = p->y,
                                    .ldc   = p->ld});
    if (p->biased) fgti_bias(p->run, p->rows, p->biased, p->ld, p->b, p->y);
}

void fgti_projection_backward(const fgti_projection *p, int64_t first, bool add, fgti_real *dx)
{
    fgti_gemm_parallel(p->run->blas, p->run->exec,
                       &(fgti_gemm){.m     = p->rows,
                                    .n     = p->d,
                                    .k     = p->n - first,
                                    .alpha = 1,
                                    .beta  = add,
                                    .a     = p->dy + first,
                                    .rsa   = p->ld,
                                    .csa   = 1,
                                    .b     = p->w + first,
                                    .rsb   = 1,
                                    .csb   = p->n,
                                    .c     = dx,
                                    .ldc   = p->d});
}

void fgti_projection_gradient(const fgti_projection *p, int64_t first)
{
    fgti_gemm_parallel(p->run->blas, p->run->exec,
                       &(fgti_gemm){.m     = p->d,
                                    .n     = p->n - first,
                                    .k     = p->rows,
                                    .alpha = 1,
                                    .a     = p->x,
                                    .rsa   = 1,
                                    .csa   = p->d,
                                    .b     = p->dy + first,
                                    .rsb   = p->ld,
                                    .csb   = 1,
                                    .c     = p->dw + first,
                                    .ldc   = p->n});
    if (p->biased <= first) return;
    memset(p->db, 0, (size_t)p->n * sizeof *p->db);
    fgti_column_sum(p->run, p->rows, p->biased - first, p->ld, p->dy + first, p->db + first);
}
