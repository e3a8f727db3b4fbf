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
    const bool slices = fgti_projection_slices(p->d, p->n);
    int64_t    at     = 0;
    p->version        = fgti_take(base, &at, (int64_t)(sizeof p->run->version / sizeof *base + 1));
    p->w              = fgti_take(base, &at, fgti_mul(p->d, p->n));
    p->b              = fgti_take(base, &at, p->n);
    p->packed         = slices ? fgti_take(base, &at, fgti_gemm_pack_size(p->d, p->n)) : NULL;
    p->turned         = slices ? fgti_take(base, &at, fgti_gemm_pack_size(p->n, p->d)) : NULL;
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

void fgti_projection_pack(const fgti_projection *p)
{
    if (!p->packed) return;
    fgti_gemm_pack(p->run->blas, p->d, p->n, p->w, p->n, 1, p->packed);
    fgti_gemm_pack(p->run->blas, p->n, p->d, p->w, 1, p->n, p->turned);
}

/* ---- y = x W + b ---- */

static fgti_gemm forward_product(const fgti_projection *p, int64_t row, int64_t rows)
{
    return (fgti_gemm){.m     = rows,
                       .n     = p->n,
                       .k     = p->d,
                       .alpha = 1,
                       .a     = p->x + row * p->d,
                       .rsa   = p->d,
                       .csa   = 1,
                       .b     = p->w,
                       .rsb   = p->n,
                       .csb   = 1,
                       .c     = p->y + row * p->ld,
                       .ldc   = p->ld};
}

void fgti_projection_forward(const fgti_projection *p)
{
    const fgti_gemm g = forward_product(p, 0, p->rows);
    fgti_gemm_parallel(p->run->blas, p->run->exec, &g);
    if (p->biased) fgti_bias(p->run, p->rows, p->biased, p->ld, p->b, p->y);
}

void fgti_projection_forward_slice(const fgti_projection *p, void *scratch, int64_t row, int64_t rows)
{
    const fgti_gemm g = forward_product(p, row, rows);
    fgti_gemm_run_packed(p->run->blas, scratch, &g, p->packed);
    if (p->biased) p->run->vec->bias(rows, p->biased, p->ld, p->b, p->y + row * p->ld);
}

/* ---- dx = dy W' ---- */

static fgti_gemm backward_product(const fgti_projection *p, int64_t first, int64_t row, int64_t rows,
                                  fgti_real *dx)
{
    return (fgti_gemm){.m     = rows,
                       .n     = p->d,
                       .k     = p->n - first,
                       .alpha = 1,
                       .a     = p->dy + (row - p->dy_first) * p->ld + first,
                       .rsa   = p->ld,
                       .csa   = 1,
                       .b     = p->w + first,
                       .rsb   = 1,
                       .csb   = p->n,
                       .c     = dx + row * p->d,
                       .ldc   = p->d};
}

void fgti_projection_backward(const fgti_projection *p, int64_t first, bool add, fgti_real *dx)
{
    fgti_gemm g = backward_product(p, first, 0, p->rows, dx);
    g.beta      = add;
    fgti_gemm_parallel(p->run->blas, p->run->exec, &g);
}

void fgti_projection_backward_slice(const fgti_projection *p, void *scratch, int64_t row, int64_t rows,
                                    fgti_real *dx)
{
    const fgti_gemm g = backward_product(p, 0, row, rows, dx);
    fgti_gemm_run_packed(p->run->blas, scratch, &g, p->turned);
}

/* ---- dw = x'dy, db = sum of dy ---- */

static fgti_gemm gradient_product(const fgti_projection *p, int64_t first, int64_t row, int64_t rows)
{
    return (fgti_gemm){.m     = p->d,
                       .n     = p->n - first,
                       .k     = rows,
                       .alpha = 1,
                       .a     = p->x + row * p->d,
                       .rsa   = 1,
                       .csa   = p->d,
                       .b     = p->dy + (row - p->dy_first) * p->ld + first,
                       .rsb   = p->ld,
                       .csb   = 1,
                       .c     = p->dw + first,
                       .ldc   = p->n};
}

/* A chunk's sum goes in and out of the second cache with each slice: 512 KiB at most. More than 8 chunks are
 * for sums that are soon added up, 2 MiB all together. */
#define CHUNK_MOST  (INT64_C(1) << 17)
#define CHUNKS_MOST (INT64_C(1) << 19)

int64_t fgti_projection_chunks(const fgti_projection *p, int64_t slices)
{
    const int64_t each = fgti_mul(p->d, p->n);
    if (each > CHUNK_MOST) return 1;
    const int64_t most = 16 * each <= CHUNKS_MOST ? 16 : 8;
    return slices < most ? slices : most;
}

void fgti_projection_gradient_slice(const fgti_projection *p, void *scratch, int64_t row, int64_t rows,
                                    int64_t chunk, bool fresh)
{
    fgti_gemm  g  = gradient_product(p, 0, row, rows);
    fgti_real *db = p->db + chunk * p->n;
    g.c += chunk * p->d * p->n;
    g.beta = !fresh;
    p->run->blas->gemm(scratch, &g);
    if (fresh) memset(db, 0, (size_t)p->n * sizeof *db);
    if (p->biased) p->run->vec->colsum(rows, p->biased, p->ld, g.b, db);
}

/* A row of dw. */
static void sum_task(void *arg, int64_t row, int32_t lane)
{
    const fgti_projection *p = arg;
    (void)lane;
    for (int64_t c = 1; c < p->chunks; c++)
        p->run->vec->axpy(p->n, 1, p->dw + (c * p->d + row) * p->n, p->dw + row * p->n);
}

void fgti_projection_gradient_sum(const fgti_projection *p)
{
    fgti_parallel(p->run->exec, p->d, sum_task, (void *)p);
    for (int64_t c = 1; c < p->chunks; c++) p->run->vec->axpy(p->n, 1, p->db + c * p->n, p->db);
}

void fgti_projection_gradient(const fgti_projection *p, int64_t first)
{
    const fgti_gemm g = gradient_product(p, first, 0, p->rows);
    fgti_gemm_parallel(p->run->blas, p->run->exec, &g);
    if (p->biased <= first) return;
    memset(p->db, 0, (size_t)p->n * sizeof *p->db);
    fgti_column_sum(p->run, p->rows, p->biased - first, p->ld, p->dy + first, p->db + first);
}
