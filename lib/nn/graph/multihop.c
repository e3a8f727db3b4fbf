/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/graph/multihop.h"

#include "core/sparse.h"

static int64_t rows_of(const fgti_multihop *m)
{
    return m->groups * m->tokens;
}

int64_t fgti_multihop_cache(int64_t rows, int64_t d, int64_t h, int64_t heads, int64_t kappa)
{
    if (!fgti_multihop_propagates(heads, d, h)) return fgti_mul(kappa, fgti_mul(rows, h));
    return fgti_mul(rows, h) + fgti_mul(fgti_mul(kappa - 1, heads), fgti_mul(rows, d));
}

int64_t fgti_multihop_scratch(int64_t rows, int64_t d, int64_t h, int64_t heads, int64_t kappa)
{
    if (!fgti_multihop_propagates(heads, d, h)) return fgti_mul(kappa, fgti_mul(rows, h));
    return fgti_mul(rows, h) + fgti_mul(fgti_mul(kappa, heads), fgti_mul(rows, d));
}

void fgti_multihop_place(fgti_multihop *m, fgti_real *cache, fgti_real *scratch)
{
    m->propagate = fgti_multihop_propagates(m->heads, m->d, m->h);
    m->u         = cache;
    m->z         = cache + rows_of(m) * m->h;
    m->du        = scratch;
    m->dz        = scratch ? scratch + rows_of(m) * m->h : NULL;
}

void fgti_multihop_apply(const fgti_multihop *m, void *scratch, bool transposed, int64_t n,
                         const fgti_real *x, int64_t ldx, bool add, fgti_real *y, int64_t ldy)
{
    const int64_t t = m->tokens;
    if (!m->graph->dense) {
        fgti_spmm(transposed ? &m->graph->transposed : &m->graph->rows, 0, t, n, x, ldx, add, y, ldy);
        return;
    }
    fgti_gemm_run(m->run->blas, scratch,
                  &(fgti_gemm){.m     = t,
                               .n     = n,
                               .k     = t,
                               .alpha = 1,
                               .beta  = add,
                               .a     = m->graph->dense,
                               .rsa   = transposed ? 1 : t,
                               .csa   = transposed ? t : 1,
                               .b     = x,
                               .rsb   = ldx,
                               .csb   = 1,
                               .c     = y,
                               .ldc   = ldy});
}

/* Z_i of one group and head, i >= 1; and the gradients of Z_i, i >= 0. Z_0 is X for all heads. */
static const fgti_real *z_at(const fgti_multihop *m, int64_t i, int64_t g, int64_t head)
{
    const int64_t rows = rows_of(m), at = g * m->tokens * m->d;
    return i ? m->z + ((i - 1) * m->heads + head) * rows * m->d + at : m->x + at;
}

static fgti_real *dz_at(const fgti_multihop *m, int64_t i, int64_t g, int64_t head)
{
    return m->dz + ((i * m->heads + head) * rows_of(m) + g * m->tokens) * m->d;
}

/* U_i = X W_i */
void fgti_multihop_before(const fgti_multihop *m)
{
    const int64_t rows = rows_of(m);
    if (m->propagate) return;
    for (int64_t i = 0; i < m->kappa; i++)
        fgti_affine_in_out(m->run, rows, m->d, m->h, m->x, m->w + i * m->d * m->h, m->u + i * rows * m->h);
}

/* U_i += A U_{i+1}, or Z_i = A Z_{i-1} */
void fgti_multihop_block(const fgti_multihop *m, void *scratch, int64_t g)
{
    const int64_t n = m->h, hop = rows_of(m) * n;
    fgti_real    *u = m->u + g * m->tokens * n;
    if (!m->propagate)
        for (int64_t i = m->kappa - 2; i >= 0; i--)
            fgti_multihop_apply(m, scratch, false, n, u + (i + 1) * hop, n, true, u + i * hop, n);
    else
        for (int64_t i = 1; i < m->kappa; i++)
            fgti_multihop_apply(m, scratch, false, m->d, z_at(m, i - 1, g, 0), m->d, false,
                                (fgti_real *)z_at(m, i, g, 0), m->d);
}

/* Y = X W_0 + sum_{i>0} Z_i W_i */
void fgti_multihop_after(const fgti_multihop *m)
{
    const int64_t n = m->h / m->heads;
    if (!m->propagate) return;
    fgti_affine_in_out(m->run, rows_of(m), m->d, m->h, m->x, m->w, m->u);
    for (int64_t i = 1; i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_gemm_parallel(m->run->blas, m->run->exec,
                               &(fgti_gemm){.m     = rows_of(m),
                                            .n     = n,
                                            .k     = m->d,
                                            .alpha = 1,
                                            .beta  = 1,
                                            .a     = z_at(m, i, 0, head),
                                            .rsa   = m->d,
                                            .csa   = 1,
                                            .b     = m->w + i * m->d * m->h + head * n,
                                            .rsb   = m->h,
                                            .csb   = 1,
                                            .c     = m->u + head * n,
                                            .ldc   = m->h});
}

/* dZ_i = dY W_i', i >= 1; dZ_0 is left to the blocks */
void fgti_multihop_grad_before(const fgti_multihop *m)
{
    if (!m->propagate) return;
    const int64_t n = m->h / m->heads;
    for (int64_t i = 1; i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_gemm_parallel(m->run->blas, m->run->exec,
                               &(fgti_gemm){.m     = rows_of(m),
                                            .n     = m->d,
                                            .k     = n,
                                            .alpha = 1,
                                            .a     = m->du + head * n,
                                            .rsa   = m->h,
                                            .csa   = 1,
                                            .b     = m->w + i * m->d * m->h + head * n,
                                            .rsb   = 1,
                                            .csb   = m->h,
                                            .c     = dz_at(m, i, 0, head),
                                            .ldc   = m->d});
}

/* dU_{i+1} = A' dU_i;   or   dZ_{i-1} += A' dZ_i */
void fgti_multihop_grad_block(const fgti_multihop *m, void *scratch, int64_t g)
{
    const int64_t n = m->h, hop = rows_of(m) * n;
    fgti_real    *du = m->du + g * m->tokens * n;
    if (!m->propagate)
        for (int64_t i = 0; i < m->kappa - 1; i++)
            fgti_multihop_apply(m, scratch, true, n, du + i * hop, n, false, du + (i + 1) * hop, n);
    else
        for (int64_t i = m->kappa - 1; i > 0; i--)
            fgti_multihop_apply(m, scratch, true, m->d, dz_at(m, i, g, 0), m->d, i > 1, dz_at(m, i - 1, g, 0),
                                m->d);
}

/* dW_i[:, columns of head] += Z_i' dY */
static void weight_grad(const fgti_multihop *m, int64_t i, int64_t head, fgti_real *dw)
{
    const int64_t n = m->h / m->heads;
    fgti_gemm_parallel(m->run->blas, m->run->exec,
                       &(fgti_gemm){.m     = m->d,
                                    .n     = n,
                                    .k     = rows_of(m),
                                    .alpha = 1,
                                    .beta  = 1,
                                    .a     = z_at(m, i, 0, head),
                                    .rsa   = 1,
                                    .csa   = m->d,
                                    .b     = m->du + head * n,
                                    .rsb   = m->h,
                                    .csb   = 1,
                                    .c     = dw + i * m->d * m->h + head * n,
                                    .ldc   = m->h});
}

/* Horner:     dW_i += X' dU_i, dX = sum_i dU_i W_i'
 * Propagate:  dW_i += Z_i' dY, dX = dY W_0' + sum over heads of dZ_0 */
void fgti_multihop_grad_after(const fgti_multihop *m, fgti_real *dw, fgti_real *dx)
{
    const int64_t rows = rows_of(m), n = m->d * m->h;
    for (int64_t i = 0; i < (m->propagate ? 1 : m->kappa); i++)
        fgti_affine_in_out_grad(m->run, rows, m->d, m->h, m->x, m->w + i * n, m->du + i * rows * m->h,
                                dw + i * n, dx, i > 0);
    if (!m->propagate || m->kappa < 2) return;
    for (int64_t head = 0; head < m->heads; head++) {
        for (int64_t i = 1; i < m->kappa; i++) weight_grad(m, i, head, dw);
        if (dx) fgti_add(m->run, rows * m->d, dz_at(m, 0, 0, head), dx);
    }
}
