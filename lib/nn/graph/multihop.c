/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/graph/multihop.h"

#include "core/sparse.h"
#include "nn/affine.h"
#include "nn/rows.h"

static int64_t rows_of(const fgti_multihop *m)
{
    return m->groups * m->tokens;
}

void fgti_multihop_place(fgti_multihop *m, int64_t rows, fgti_real *base, int64_t *at)
{
    const int64_t rh = fgti_mul(rows, m->h), rd = fgti_mul(rows, m->d);
    m->u = fgti_take(base, at, m->over_inputs ? rh : fgti_mul(m->kappa, rh));
    m->z = m->over_inputs ? fgti_take(base, at, fgti_mul(fgti_mul(m->kappa - 1, m->heads), rd)) : NULL;
}

void fgti_multihop_place_gradients(fgti_multihop *m, int64_t rows, fgti_real *base, int64_t *at)
{
    const int64_t rh = fgti_mul(rows, m->h), rd = fgti_mul(rows, m->d);
    m->du = fgti_take(base, at, m->over_inputs ? rh : fgti_mul(m->kappa, rh));
    m->dz = m->over_inputs ? fgti_take(base, at, fgti_mul(fgti_mul(m->kappa, m->heads), rd)) : NULL;
}

void fgti_multihop_apply(const fgti_multihop *m, void *scratch, bool transposed, int64_t n,
                         const fgti_real *x, int64_t ldx, bool add, fgti_real *y, int64_t ldy)
{
    const int64_t    t = m->tokens;
    const fgti_real *a = m->graph->dense;
    if (!a) {
        fgti_spmm(transposed ? &m->graph->transposed : &m->graph->rows, 0, t, n, x, ldx, add, y, ldy);
        return;
    }
    const fgti_gemm g = transposed ? fgti_gemm_tn(t, n, t, a, t, x, ldx, add, y, ldy)
                                   : fgti_gemm_nn(t, n, t, a, t, x, ldx, add, y, ldy);
    fgti_gemm_run(m->run->blas, scratch, &g);
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
    if (m->over_inputs) return;
    for (int64_t i = 0; i < m->kappa; i++)
        fgti_affine_in_out(m->run, rows, m->d, m->h, m->x, m->w + i * m->d * m->h, m->u + i * rows * m->h);
}

/* U_i += A U_{i+1}, or Z_i = A Z_{i-1} */
void fgti_multihop_group(const fgti_multihop *m, void *scratch, int64_t g)
{
    const int64_t n = m->h, hop = rows_of(m) * n;
    fgti_real    *u = m->u + g * m->tokens * n;
    if (!m->over_inputs)
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
    const int64_t rows = rows_of(m), d = m->d, h = m->h, n = h / m->heads;
    if (!m->over_inputs) return;
    fgti_affine_in_out(m->run, rows, d, h, m->x, m->w, m->u);
    for (int64_t i = 1; i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_multiply(m->run, fgti_gemm_nn(rows, n, d, z_at(m, i, 0, head), d,
                                               m->w + i * d * h + head * n, h, 1, m->u + head * n, h));
}

/* dZ_i = dY W_i', i >= 1; dZ_0 is left to the groups */
void fgti_multihop_grad_before(const fgti_multihop *m)
{
    const int64_t rows = rows_of(m), d = m->d, h = m->h, n = h / m->heads;
    for (int64_t i = 1; m->over_inputs && i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_multiply(m->run, fgti_gemm_nt(rows, d, n, m->du + head * n, h, m->w + i * d * h + head * n,
                                               h, 0, dz_at(m, i, 0, head), d));
}

/* dU_{i+1} = A' dU_i;   or   dZ_{i-1} += A' dZ_i */
void fgti_multihop_grad_group(const fgti_multihop *m, void *scratch, int64_t g)
{
    const int64_t n = m->h, hop = rows_of(m) * n;
    fgti_real    *du = m->du + g * m->tokens * n;
    if (!m->over_inputs)
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
    const int64_t d = m->d, h = m->h, n = h / m->heads;
    fgti_multiply(m->run, fgti_gemm_tn(d, n, rows_of(m), z_at(m, i, 0, head), d, m->du + head * n, h, 1,
                                       dw + i * d * h + head * n, h));
}

/* Over outputs:  dW_i += X' dU_i, dX = sum_i dU_i W_i'
 * Over inputs:   dW_i += Z_i' dY, dX = dY W_0' + sum over heads of dZ_0 */
void fgti_multihop_grad_after(const fgti_multihop *m, fgti_real *dw, fgti_real *dx)
{
    const int64_t rows = rows_of(m), n = m->d * m->h;
    for (int64_t i = 0; i < (m->over_inputs ? 1 : m->kappa); i++)
        fgti_affine_in_out_grad(m->run, rows, m->d, m->h, m->x, m->w + i * n, m->du + i * rows * m->h,
                                dw + i * n, dx, i > 0);
    if (!m->over_inputs || m->kappa < 2) return;
    for (int64_t head = 0; head < m->heads; head++) {
        for (int64_t i = 1; i < m->kappa; i++) weight_grad(m, i, head, dw);
        if (dx) fgti_add(m->run, rows * m->d, dz_at(m, 0, 0, head), dx);
    }
}
