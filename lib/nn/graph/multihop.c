/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/graph/multihop.h"

#include "nn/affine.h"
#include "nn/rows.h"

/* Columns that a task multiplies A with, at least: with fewer, packing A would cost as much as the
 * product. */
enum { COLUMNS = 256 };

static int64_t rows_of(const fgti_multihop *m)
{
    return m->groups * m->tokens * m->side;
}

/* How many of the rows that lie side by side are of one task. */
static int64_t rows_of_task(const fgti_multihop *m)
{
    const int64_t n = m->over_inputs ? m->d : m->h;
    return n < COLUMNS ? (COLUMNS + n - 1) / n : 1;
}

static int64_t parts_of(const fgti_multihop *m)
{
    const int64_t each = rows_of_task(m);
    return (m->side + each - 1) / each;
}

int64_t fgti_multihop_tasks(const fgti_multihop *m)
{
    return m->groups * parts_of(m);
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

void fgti_multihop_apply(const fgti_multihop *m, void *scratch, int64_t task, bool transposed, int64_t n,
                         const fgti_real *x, bool add, fgti_real *y)
{
    const int64_t    t = m->tokens, parts = parts_of(m), each = rows_of_task(m), first = task % parts * each;
    const int64_t    columns = (m->side - first < each ? m->side - first : each) * n, ld = m->side * n;
    const int64_t    at = task / parts * t * ld + first * n;
    const fgti_real *a  = m->a.dense;
    if (!a) {
        fgti_spmm(transposed ? &m->a.transposed : &m->a.rows, 0, t, columns, x + at, ld, add, y + at, ld);
        return;
    }
    const fgti_gemm g = transposed ? fgti_gemm_tn(t, columns, t, a, t, x + at, ld, add, y + at, ld)
                                   : fgti_gemm_nn(t, columns, t, a, t, x + at, ld, add, y + at, ld);
    fgti_gemm_run(m->run->blas, scratch, &g);
}

/* Z_i of one head, i >= 1; and the gradients of Z_i, i >= 0. Z_0 is X for all heads. */
static const fgti_real *z_at(const fgti_multihop *m, int64_t i, int64_t head)
{
    return i ? m->z + ((i - 1) * m->heads + head) * rows_of(m) * m->d : m->x;
}

static fgti_real *dz_at(const fgti_multihop *m, int64_t i, int64_t head)
{
    return m->dz + (i * m->heads + head) * rows_of(m) * m->d;
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
void fgti_multihop_task(const fgti_multihop *m, void *scratch, int64_t task)
{
    const int64_t n = m->h, hop = rows_of(m) * n;
    if (!m->over_inputs)
        for (int64_t i = m->kappa - 2; i >= 0; i--)
            fgti_multihop_apply(m, scratch, task, false, n, m->u + (i + 1) * hop, true, m->u + i * hop);
    else
        for (int64_t i = 1; i < m->kappa; i++)
            fgti_multihop_apply(m, scratch, task, false, m->d, z_at(m, i - 1, 0), false,
                                (fgti_real *)z_at(m, i, 0));
}

/* Y = X W_0 + sum_{i>0} Z_i W_i */
void fgti_multihop_after(const fgti_multihop *m)
{
    const int64_t rows = rows_of(m), d = m->d, h = m->h, n = h / m->heads;
    if (!m->over_inputs) return;
    fgti_affine_in_out(m->run, rows, d, h, m->x, m->w, m->u);
    for (int64_t i = 1; i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_multiply(m->run, fgti_gemm_nn(rows, n, d, z_at(m, i, head), d, m->w + i * d * h + head * n,
                                               h, 1, m->u + head * n, h));
}

/* dZ_i = dY W_i', i >= 1; dZ_0 is left to the groups */
void fgti_multihop_grad_before(const fgti_multihop *m)
{
    const int64_t rows = rows_of(m), d = m->d, h = m->h, n = h / m->heads;
    for (int64_t i = 1; m->over_inputs && i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_multiply(m->run, fgti_gemm_nt(rows, d, n, m->du + head * n, h, m->w + i * d * h + head * n,
                                               h, 0, dz_at(m, i, head), d));
}

/* dU_{i+1} = A' dU_i;   or   dZ_{i-1} += A' dZ_i */
void fgti_multihop_grad_task(const fgti_multihop *m, void *scratch, int64_t task)
{
    const int64_t n = m->h, hop = rows_of(m) * n;
    if (!m->over_inputs)
        for (int64_t i = 0; i < m->kappa - 1; i++)
            fgti_multihop_apply(m, scratch, task, true, n, m->du + i * hop, false, m->du + (i + 1) * hop);
    else
        for (int64_t i = m->kappa - 1; i > 0; i--)
            fgti_multihop_apply(m, scratch, task, true, m->d, dz_at(m, i, 0), i > 1, dz_at(m, i - 1, 0));
}

/* dA += dy x' of one product y = A x, n columns */
static void adjacency_grad(const fgti_multihop *m, int64_t n, const fgti_real *dy, const fgti_real *x,
                           fgti_real *da)
{
    const int64_t t = m->tokens, ld = m->side * n;
    for (int64_t g = 0; g < m->groups; g++)
        fgti_multiply(m->run, fgti_gemm_nt(t, t, ld, dy + g * t * ld, ld, x + g * t * ld, ld, 1, da, t));
}

void fgti_multihop_grad_adjacency(const fgti_multihop *m, fgti_real *da)
{
    const int64_t hop = rows_of(m) * m->h;
    for (int64_t i = 0; i < m->kappa - 1; i++)
        if (m->over_inputs)
            adjacency_grad(m, m->d, dz_at(m, i + 1, 0), z_at(m, i, 0), da);
        else
            adjacency_grad(m, m->h, m->du + i * hop, m->u + (i + 1) * hop, da);
}

/* dW_i[:, columns of head] += Z_i' dY */
static void weight_grad(const fgti_multihop *m, int64_t i, int64_t head, fgti_real *dw)
{
    const int64_t d = m->d, h = m->h, n = h / m->heads;
    fgti_multiply(m->run, fgti_gemm_tn(d, n, rows_of(m), z_at(m, i, head), d, m->du + head * n, h, 1,
                                       dw + i * d * h + head * n, h));
}

/* Over outputs:  dW_i += X' dU_i, dX = sum_i dU_i W_i'
 * Over inputs:   dW_i += Z_i' dY, dX = dY W_0' + sum over heads of dZ_0 */
void fgti_multihop_grad_after(const fgti_multihop *m, fgti_real *dw, fgti_real *dx)
{
    const int64_t rows = rows_of(m), n = m->d * m->h;
    for (int64_t i = 0; i < (m->over_inputs ? 1 : m->kappa); i++)
        fgti_affine_in_out_grad(m->run, rows, m->d, m->h, m->x, m->w + i * n, m->du + i * rows * m->h,
                                dw + i * n, dx, i > 0 || m->adds);
    if (!m->over_inputs || m->kappa < 2) return;
    for (int64_t head = 0; head < m->heads; head++) {
        for (int64_t i = 1; i < m->kappa; i++) weight_grad(m, i, head, dw);
        if (dx) fgti_add(m->run, rows * m->d, dz_at(m, 0, head), dx);
    }
}
