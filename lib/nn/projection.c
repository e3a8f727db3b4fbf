/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/projection.h"

#include <string.h>

#include "nn/affine.h"
#include "nn/rows.h"

int64_t fgti_projection_keep(fgti_projection *p, fgti_real *base)
{
    int64_t at = 0;
    p->kept    = fgti_kept_take(base, &at);
    p->w       = p->pack_only ? NULL : fgti_take(base, &at, fgti_mul(p->d, p->n));
    p->b       = fgti_take(base, &at, p->n);
    return at;
}

bool fgti_projection_is_packed(const fgti_projection *p)
{
    return p->l->predicts && fgti_affine_pack_suffices(p->l->blas, p->d, p->n);
}

int64_t fgti_projection_pack(fgti_projection *p, fgti_real *base)
{
    int64_t at = 0;
    p->pack    = fgti_affine_pack_take(p->l, p->d, p->n, base, &at);
    return at;
}

void fgti_projection_place_gradients(fgti_projection *p, fgti_real *base, int64_t *at)
{
    p->dy = fgti_take(base, at, fgti_mul(p->rows, p->ld));
    p->dw = fgti_take(base, at, fgti_mul(p->d, p->n));
    p->db = fgti_take(base, at, p->n);
}

/* ---- the parameters: some rows of W at a time ---- */

#define ROWS_AT_ONCE    32
#define COLUMNS_AT_ONCE 64

/* A parameter, and the columns of W that it has. */
typedef struct part {
    const fgti_projection *p;
    int64_t                first, n;
    bool                   transposed;
    const fgti_real       *from;
    fgti_real             *to;
} part;

static void projection_each_row(const part *c, fgti_task_fn fn)
{
    fgti_parallel(c->p->run->exec, fgti_parts(c->p->d, ROWS_AT_ONCE), fn, (void *)c);
}

static void set_task(void *arg, int64_t task, int32_t worker)
{
    const part            *c   = arg;
    const fgti_projection *p   = c->p;
    const int64_t          row = task * ROWS_AT_ONCE, end = fgti_least(row + ROWS_AT_ONCE, p->d);
    fgti_real             *w = p->w + c->first;
    (void)worker;
    if (c->transposed) p->run->vec->transpose(c->n, end - row, c->from + row, p->d, w + row * p->n, p->n);
    for (int64_t r = row; !c->transposed && r < end; r++)
        memcpy(w + r * p->n, c->from + r * c->n, (size_t)c->n * sizeof *w);
}

void fgti_projection_set(const fgti_projection *p, int64_t first, int64_t n, bool transposed,
                         const fgti_real *w)
{
    projection_each_row(&(part){.p = p, .first = first, .n = n, .transposed = transposed, .from = w},
                        set_task);
}

void fgti_projection_clear(const fgti_projection *p, int64_t first, int64_t n)
{
    for (int64_t r = 0; n > 0 && r < p->d; r++)
        memset(p->w + r * p->n + first, 0, (size_t)n * sizeof *p->w);
}

static void projection_add_task(void *arg, int64_t task, int32_t worker)
{
    const part            *c   = arg;
    const fgti_projection *p   = c->p;
    const fgti_vec        *vec = p->run->vec;
    const int64_t          row = task * ROWS_AT_ONCE, rows = fgti_least(ROWS_AT_ONCE, p->d - row);
    const fgti_real       *dw = p->dw + row * p->n + c->first;
    fgti_real              block[COLUMNS_AT_ONCE * ROWS_AT_ONCE];
    (void)worker;
    if (!c->transposed) vec->panels->add_rows(rows, c->n, dw, p->n, c->to + row * c->n, c->n);
    for (int64_t i = 0; c->transposed && i < c->n; i += COLUMNS_AT_ONCE) {
        const int64_t n = fgti_least(COLUMNS_AT_ONCE, c->n - i);
        vec->transpose(rows, n, dw + i, p->n, block, ROWS_AT_ONCE);
        vec->panels->add_rows(n, rows, block, ROWS_AT_ONCE, c->to + i * p->d + row, p->d);
    }
}

void fgti_projection_add(const fgti_projection *p, int64_t first, int64_t n, bool transposed, fgti_real *to)
{
    projection_each_row(&(part){.p = p, .first = first, .n = n, .transposed = transposed, .to = to},
                        projection_add_task);
}

/* ---- the products ---- */

void fgti_projection_forward(const fgti_projection *p)
{
    fgti_affine_packed(p->run, &p->pack, p->rows, p->x, p->w, 1, p->n, p->biased ? p->b : NULL, p->biased,
                       p->y, p->ld);
}

void fgti_projection_backward(const fgti_projection *p, bool add, fgti_real *dx)
{
    fgti_multiply_map(p->run, p->d, p->n,
                      fgti_gemm_nt(p->rows, p->d, p->n, p->dy, p->ld, p->w, p->n, add, dx, p->d));
}

void fgti_projection_gradient(const fgti_projection *p)
{
    fgti_multiply_map(p->run, p->d, p->n,
                      fgti_gemm_tn(p->d, p->n, p->rows, p->x, p->d, p->dy, p->ld, 0, p->dw, p->n));
    if (!p->biased) return;
    memset(p->db, 0, (size_t)p->n * sizeof *p->db);
    fgti_column_sum(p->run, p->rows, p->biased, p->ld, p->dy, p->db);
}
