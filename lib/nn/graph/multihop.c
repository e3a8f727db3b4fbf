/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/graph/multihop.h"

#include <string.h>

#include "nn/affine.h"
#include "nn/rows.h"

/* Least number of columns in a task that multiplies by A. With fewer columns, to pack A would cost as much as
 * the product. */
enum { COLUMNS = 256 };

/* Elements in a task of whole rows: 256 KB, which the cache of a core holds. */
enum { ELEMENTS = 1 << 16 };

static int64_t multihop_rows_of(const fgti_multihop *m)
{
    return m->groups * m->tokens * m->side;
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

/* ---- products with A ---- */

/* A product y = A x or A'x, with `add` y += A x or A'x. x and y have n columns, and begin with the first of
 * all rows. */
typedef struct product {
    const fgti_multihop *m;
    bool                 transposed, add;
    int64_t              n;
    const fgti_real     *x;
    fgti_real           *y;
} product;

/* Number of adjacent rows of a token in one task. */
static int64_t rows_of_task(const product *p)
{
    return p->n < COLUMNS ? fgti_parts(COLUMNS, p->n) : 1;
}

static int64_t tasks_of(const product *p)
{
    return p->m->groups * fgti_parts(p->m->side, rows_of_task(p));
}

/* Computes a group, or some columns of it. */
static void apply_columns(const product *p, void *scratch, int64_t task)
{
    const fgti_multihop *m = p->m;
    const int64_t        t = m->tokens, ld = m->side * p->n;
    const int64_t        each = rows_of_task(p), parts = fgti_parts(m->side, each);
    const int64_t        first = task % parts * each, at = task / parts * t * ld + first * p->n;
    const int64_t        columns = fgti_least(each, m->side - first) * p->n;
    const fgti_real     *a = m->a.dense, *x = p->x + at;
    fgti_real           *y = p->y + at;
    if (!a) {
        fgti_spmm(p->transposed ? &m->a.transposed : &m->a.rows, 0, t, columns, x, ld, p->add, y, ld);
        return;
    }
    const fgti_gemm g = p->transposed ? fgti_gemm_tn(t, columns, t, a, t, x, ld, p->add, y, ld)
                                      : fgti_gemm_nn(t, columns, t, a, t, x, ld, p->add, y, ld);
    fgti_gemm_run(m->run->blas, scratch, &g);
}

/* Whether each task computes all columns of some rows. This is so if A is given by edges, and a group is
 * larger than a task. Each row of x is then in a page or two of its own. A task visits these pages once, not
 * again for each part of the columns. The next product begins only after this one. */
static bool is_by_rows(const product *p)
{
    return !p->m->a.dense && p->m->tokens * p->m->side * p->n > ELEMENTS;
}

static void multihop_rows_task(void *arg, int64_t i, int32_t worker)
{
    const product       *p = arg;
    const fgti_multihop *m = p->m;
    const int64_t        t = m->tokens, ld = m->side * p->n;
    const int64_t        each = fgti_parts(ELEMENTS, ld), parts = fgti_parts(t, each);
    const int64_t        begin = i % parts * each, end = fgti_least(begin + each, t), at = i / parts * t * ld;
    (void)worker;
    fgti_spmm(p->transposed ? &m->a.transposed : &m->a.rows, begin, end, ld, p->x + at, ld, p->add, p->y + at,
              ld);
}

static void run_by_rows(product p)
{
    const int64_t each = fgti_parts(ELEMENTS, p.m->side * p.n);
    fgti_parallel(p.m->run->exec, p.m->groups * fgti_parts(p.m->tokens, each), multihop_rows_task, &p);
}

static void columns_task(void *arg, int64_t i, int32_t worker)
{
    const product *p = arg;
    apply_columns(p, fgti_worker_scratch(p->m->run->exec, worker), i);
}

void fgti_multihop_multiply(const fgti_multihop *m, bool transposed, int64_t n, const fgti_real *x,
                            fgti_real *y)
{
    product p = {.m = m, .transposed = transposed, .n = n, .x = x, .y = y};
    if (is_by_rows(&p))
        run_by_rows(p);
    else
        fgti_parallel(m->run->exec, tasks_of(&p), columns_task, &p);
}

/* ---- hops ---- */

/* Returns Z_i of one head, i >= 1; Z_0 is X for all heads. dz_at() returns the gradient of Z_i, i >= 0. */
static const fgti_real *z_at(const fgti_multihop *m, int64_t i, int64_t head)
{
    return i ? m->z + ((i - 1) * m->heads + head) * multihop_rows_of(m) * m->d : m->x;
}

static fgti_real *dz_at(const fgti_multihop *m, int64_t i, int64_t head)
{
    return m->dz + (i * m->heads + head) * multihop_rows_of(m) * m->d;
}

/* U_i = X W_i */
void fgti_multihop_before(const fgti_multihop *m)
{
    const int64_t rows = multihop_rows_of(m);
    if (m->over_inputs) return;
    for (int64_t i = 0; i < m->kappa; i++)
        fgti_affine_in_out(m->run, rows, m->d, m->h, m->x, m->w + i * m->d * m->h, m->u + i * rows * m->h);
}

/* Returns product i of the forward pass: U_j += A U_{j+1}, where j goes from the last power down; or Z_{i+1}
 * = A Z_i */
static product hop_of(const fgti_multihop *m, int64_t i)
{
    const int64_t hop = multihop_rows_of(m) * m->h, j = m->kappa - 2 - i;
    if (m->over_inputs)
        return (product){.m = m, .n = m->d, .x = z_at(m, i, 0), .y = (fgti_real *)z_at(m, i + 1, 0)};
    return (product){.m = m, .add = true, .n = m->h, .x = m->u + (j + 1) * hop, .y = m->u + j * hop};
}

/* Returns product i of the backward pass: dU_{i+1} = A' dU_i; or dZ_{j-1} += A' dZ_j, where j goes from the
 * last power down */
static product grad_hop_of(const fgti_multihop *m, int64_t i)
{
    const int64_t hop = multihop_rows_of(m) * m->h, j = m->kappa - 1 - i;
    product       p   = {.m = m, .transposed = true, .n = m->h};
    p.x               = m->du + i * hop;
    p.y               = m->du + (i + 1) * hop;
    if (!m->over_inputs) return p;
    p.add = j > 1;
    p.n   = m->d;
    p.x   = dz_at(m, j, 0);
    p.y   = dz_at(m, j - 1, 0);
    return p;
}

typedef struct chain {
    const fgti_multihop *m;
    product (*hop)(const fgti_multihop *m, int64_t i);
} chain;

/* Computes all products of a group, or of some columns of it. These columns stay in the cache between the
 * products. */
static void chain_task(void *arg, int64_t task, int32_t worker)
{
    const chain *c = arg;
    for (int64_t i = 0; i < c->m->kappa - 1; i++) {
        const product p = c->hop(c->m, i);
        apply_columns(&p, fgti_worker_scratch(c->m->run->exec, worker), task);
    }
}

static void run_chain(chain c)
{
    if (c.m->kappa < 2) return;
    const product first = c.hop(c.m, 0);
    if (!is_by_rows(&first)) {
        fgti_parallel(c.m->run->exec, tasks_of(&first), chain_task, &c);
        return;
    }
    for (int64_t i = 0; i < c.m->kappa - 1; i++) run_by_rows(c.hop(c.m, i));
}

void fgti_multihop_hops(const fgti_multihop *m)
{
    run_chain((chain){m, hop_of});
}

/* Returns the first hop that has one product for each head. Hop 0 multiplies X for all heads at once. */
static int64_t first_by_heads(const fgti_multihop *m)
{
    return m->first ? m->first : 1;
}

/* Y = X W_0 + sum_{i>0} Z_i W_i, without the terms i < f */
void fgti_multihop_after(const fgti_multihop *m)
{
    const int64_t rows = multihop_rows_of(m), d = m->d, h = m->h, n = h / m->heads;
    if (!m->over_inputs) return;
    if (!m->first) fgti_affine_in_out(m->run, rows, d, h, m->x, m->w, m->u);
    for (int64_t i = first_by_heads(m); i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_multiply(m->run, fgti_gemm_nn(rows, n, d, z_at(m, i, head), d,
                                               m->w + (i - m->first) * d * h + head * n, h, i > m->first,
                                               m->u + head * n, h));
}

/* dZ_i = dY W_i' for i >= 1, and 0 for i < f. The caller computes dZ_0. */
void fgti_multihop_grad_before(const fgti_multihop *m)
{
    const int64_t rows = multihop_rows_of(m), d = m->d, h = m->h, n = h / m->heads;
    if (!m->over_inputs) return;
    if (m->first > 1)
        memset(dz_at(m, 1, 0), 0, (size_t)((m->first - 1) * m->heads * rows * d) * sizeof *m->dz);
    for (int64_t i = first_by_heads(m); i < m->kappa; i++)
        for (int64_t head = 0; head < m->heads; head++)
            fgti_multiply(m->run, fgti_gemm_nt(rows, d, n, m->du + head * n, h,
                                               m->w + (i - m->first) * d * h + head * n, h, 0,
                                               dz_at(m, i, head), d));
}

void fgti_multihop_grad_hops(const fgti_multihop *m)
{
    run_chain((chain){m, grad_hop_of});
}

/* dA += dy x' of one product y = A x with n columns */
static void adjacency_grad(const fgti_multihop *m, int64_t n, const fgti_real *dy, const fgti_real *x,
                           fgti_real *da)
{
    const int64_t t = m->tokens, ld = m->side * n;
    for (int64_t g = 0; g < m->groups; g++)
        fgti_multiply(m->run, fgti_gemm_nt(t, t, ld, dy + g * t * ld, ld, x + g * t * ld, ld, 1, da, t));
}

void fgti_multihop_grad_adjacency(const fgti_multihop *m, fgti_real *da)
{
    const int64_t hop = multihop_rows_of(m) * m->h;
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
    fgti_multiply(m->run, fgti_gemm_tn(d, n, multihop_rows_of(m), z_at(m, i, head), d, m->du + head * n, h, 1,
                                       dw + (i - m->first) * d * h + head * n, h));
}

/* Over outputs: dW_i += X' dU_i, dX = sum_i dU_i W_i'. Over inputs: dW_i += Z_i' dY, dX = dY W_0' + sum over
 * heads of dZ_0. If f > 0, there is no term with W_0 */
void fgti_multihop_grad_after(const fgti_multihop *m, fgti_real *dw, fgti_real *dx)
{
    const int64_t rows = multihop_rows_of(m), n = m->d * m->h,
                  maps = !m->over_inputs ? m->kappa
                         : m->first      ? 0
                                         : 1;
    for (int64_t i = 0; i < maps; i++)
        fgti_affine_in_out_grad(m->run, rows, m->d, m->h, m->x, m->w + i * n, m->du + i * rows * m->h,
                                dw + i * n, dx, i > 0 || m->adds);
    if (!m->over_inputs || m->kappa < 2) return;
    for (int64_t head = 0; head < m->heads; head++) {
        for (int64_t i = first_by_heads(m); i < m->kappa; i++) weight_grad(m, i, head, dw);
        if (!dx) continue;
        if (!maps && !head && !m->adds)
            fgti_copy(m->run, rows * m->d, dz_at(m, 0, head), dx);
        else
            fgti_add(m->run, rows * m->d, dz_at(m, 0, head), dx);
    }
}
