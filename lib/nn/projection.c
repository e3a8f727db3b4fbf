/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/projection.h"

#include <string.h>

#include "blas/kernel.h"

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

/* ---- the parameters: some rows of W at a time ---- */

#define ROWS_AT_ONCE    32
#define COLUMNS_AT_ONCE 64

/* A parameter in its columns of W. */
typedef struct part {
    const fgti_projection *p;
    int64_t                first, n;
    bool                   turned;
    const fgti_real       *from;
    fgti_real             *to;
} part;

static void each_row(const part *c, fgti_task_fn fn)
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
    if (c->turned) p->run->vec->transpose(c->n, end - row, c->from + row, p->d, w + row * p->n, p->n);
    for (int64_t r = row; !c->turned && r < end; r++)
        memcpy(w + r * p->n, c->from + r * c->n, (size_t)c->n * sizeof *w);
}

void fgti_projection_set(const fgti_projection *p, int64_t first, int64_t n, bool turned, const fgti_real *w)
{
    each_row(&(part){.p = p, .first = first, .n = n, .turned = turned, .from = w}, set_task);
}

static void add_task(void *arg, int64_t task, int32_t worker)
{
    const part            *c   = arg;
    const fgti_projection *p   = c->p;
    const fgti_vec        *vec = p->run->vec;
    const int64_t          row = task * ROWS_AT_ONCE, rows = fgti_least(ROWS_AT_ONCE, p->d - row);
    const fgti_real       *dw = p->dw + row * p->n + c->first;
    fgti_real              block[COLUMNS_AT_ONCE * ROWS_AT_ONCE];
    (void)worker;
    if (!c->turned) vec->panels->add_rows(rows, c->n, dw, p->n, c->to + row * c->n, c->n);
    for (int64_t i = 0; c->turned && i < c->n; i += COLUMNS_AT_ONCE) {
        const int64_t n = fgti_least(COLUMNS_AT_ONCE, c->n - i);
        vec->transpose(rows, n, dw + i, p->n, block, ROWS_AT_ONCE);
        vec->panels->add_rows(n, rows, block, ROWS_AT_ONCE, c->to + i * p->d + row, p->d);
    }
}

void fgti_projection_add(const fgti_projection *p, int64_t first, int64_t n, bool turned, fgti_real *to)
{
    each_row(&(part){.p = p, .first = first, .n = n, .turned = turned, .to = to}, add_task);
}

/* ---- the products ---- */

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
