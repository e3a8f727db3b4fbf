/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/affine_narrow.h"
#include "nn/layer.h"

/* Rows or elements are handed out in blocks of about this many elements: 64 KiB in
 * floats, a share that stays in a core's first caches and outweighs waking a thread. */
#define BLOCK 16384

typedef struct bias_job {
    const fgti_run  *run;
    int64_t          rows, n, ld, block;
    const fgti_real *b;
    fgti_real       *y;
} bias_job;

static void bias_task(void *arg, int64_t task, int32_t worker)
{
    const bias_job *j = arg;
    (void)worker;
    const int64_t r = task * j->block, n = j->rows - r < j->block ? j->rows - r : j->block;
    j->run->vec->bias(n, j->n, j->ld, j->b, j->y + r * j->ld);
}

static int64_t rows_per_block(int64_t d)
{
    return d < BLOCK ? BLOCK / d : 1;
}

void fgti_bias(const fgti_run *run, int64_t rows, int64_t n, int64_t ld, const fgti_real *b, fgti_real *y)
{
    bias_job j = {.run = run, .rows = rows, .n = n, .ld = ld, .block = rows_per_block(n), .b = b, .y = y};
    fgti_parallel(run->exec, (rows + j.block - 1) / j.block, bias_task, &j);
}

void fgti_affine(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                 const fgti_real *w, const fgti_real *b, fgti_real *y, int64_t ldy)
{
    fgti_gemm_parallel(run->blas, run->exec,
                       &(fgti_gemm){.m     = rows,
                                    .n     = h,
                                    .k     = d,
                                    .alpha = 1,
                                    .a     = x,
                                    .rsa   = d,
                                    .csa   = 1,
                                    .b     = w,
                                    .rsb   = 1,
                                    .csb   = d,
                                    .c     = y,
                                    .ldc   = ldy});
    if (b) fgti_bias(run, rows, h, ldy, b, y);
}

void fgti_affine_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                      const fgti_real *w, const fgti_real *dy, int64_t lddy, fgti_real *dw, fgti_real *db,
                      fgti_real *dx, bool add)
{
    const bool auto_products = run->products == FGT_PRODUCTS_AUTO;
    if (auto_products && fgti_affine_narrow(d, h))
        fgti_affine_narrow_weights(run, rows, d, h, x, dy, lddy, dw);
    else
        fgti_gemm_parallel(run->blas, run->exec,
                           &(fgti_gemm){.m     = h,
                                        .n     = d,
                                        .k     = rows,
                                        .alpha = 1,
                                        .beta  = 1,
                                        .a     = dy,
                                        .rsa   = 1,
                                        .csa   = lddy,
                                        .b     = x,
                                        .rsb   = d,
                                        .csb   = 1,
                                        .c     = dw,
                                        .ldc   = d});
    if (db) fgti_column_sum(run, rows, h, lddy, dy, db);
    if (dx && auto_products && fgti_affine_narrow_out(d, h))
        fgti_affine_narrow_inputs(run, rows, d, h, w, dy, lddy, dx, add);
    else if (dx)
        fgti_gemm_parallel(run->blas, run->exec,
                           &(fgti_gemm){.m     = rows,
                                        .n     = d,
                                        .k     = h,
                                        .alpha = 1,
                                        .beta  = add,
                                        .a     = dy,
                                        .rsa   = lddy,
                                        .csa   = 1,
                                        .b     = w,
                                        .rsb   = d,
                                        .csb   = 1,
                                        .c     = dx,
                                        .ldc   = d});
}

void fgti_affine_in_out(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                        const fgti_real *w, fgti_real *y)
{
    fgti_gemm_parallel(run->blas, run->exec,
                       &(fgti_gemm){.m     = rows,
                                    .n     = h,
                                    .k     = d,
                                    .alpha = 1,
                                    .a     = x,
                                    .rsa   = d,
                                    .csa   = 1,
                                    .b     = w,
                                    .rsb   = h,
                                    .csb   = 1,
                                    .c     = y,
                                    .ldc   = h});
}

void fgti_affine_in_out_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                             const fgti_real *w, const fgti_real *dy, fgti_real *dw, fgti_real *dx, bool add)
{
    fgti_gemm_parallel(run->blas, run->exec,
                       &(fgti_gemm){.m     = d,
                                    .n     = h,
                                    .k     = rows,
                                    .alpha = 1,
                                    .beta  = 1,
                                    .a     = x,
                                    .rsa   = 1,
                                    .csa   = d,
                                    .b     = dy,
                                    .rsb   = h,
                                    .csb   = 1,
                                    .c     = dw,
                                    .ldc   = h});
    if (dx)
        fgti_gemm_parallel(run->blas, run->exec,
                           &(fgti_gemm){.m     = rows,
                                        .n     = d,
                                        .k     = h,
                                        .alpha = 1,
                                        .beta  = add,
                                        .a     = dy,
                                        .rsa   = h,
                                        .csa   = 1,
                                        .b     = w,
                                        .rsb   = 1,
                                        .csb   = h,
                                        .c     = dx,
                                        .ldc   = d});
}

/* ---- sums over rows: split over columns, so that a sum is never split ---- */

/* Columns a task owns: a cache line of floats at least, so that workers do not share one. Several make better
 * use of what memory sends, where there are enough for all workers. */
static int64_t columns_per_task(int64_t n)
{
    return n < 512 ? 16 : 64;
}

typedef struct column_job {
    const fgti_run  *run;
    int64_t          rows, n, ld;
    const fgti_real *x, *mean, *rstd, *dy;
    fgti_real       *dw, *db;
} column_job;

static void column_sum_task(void *arg, int64_t task, int32_t worker)
{
    const column_job *j = arg;
    (void)worker;
    const int64_t columns = columns_per_task(j->n), begin = task * columns;
    const int64_t n = j->n - begin < columns ? j->n - begin : columns;
    j->run->vec->colsum(j->rows, n, j->ld, j->dy + begin, j->db + begin);
}

void fgti_column_sum(const fgti_run *run, int64_t rows, int64_t n, int64_t ld, const fgti_real *dy,
                     fgti_real *db)
{
    column_job j = {.run = run, .rows = rows, .n = n, .ld = ld, .dy = dy, .db = db};
    fgti_parallel(run->exec, (n - 1) / columns_per_task(n) + 1, column_sum_task, &j);
}

static void norm_param_task(void *arg, int64_t task, int32_t worker)
{
    const column_job *j = arg;
    (void)worker;
    const int64_t columns = columns_per_task(j->n), begin = task * columns;
    const int64_t end = begin + columns < j->n ? begin + columns : j->n;
    j->run->vec->norm_grad_param(j->rows, j->n, begin, end, j->x, j->mean, j->rstd, j->dy, j->dw, j->db);
}

/* ---- LayerNorm of rows ---- */

typedef struct norm_job {
    const fgti_run  *run;
    int64_t          rows, d, block;
    double           eps;
    const fgti_real *x, *w, *b, *dy;
    fgti_real       *y, *mean, *rstd, *dx;
} norm_job;

static void norm_task(void *arg, int64_t task, int32_t worker)
{
    const norm_job *j = arg;
    (void)worker;
    const int64_t r = task * j->block, n = j->rows - r < j->block ? j->rows - r : j->block;
    j->run->vec->norm(n, j->d, j->eps, j->x + r * j->d, j->w, j->b, j->y + r * j->d, j->mean + r,
                      j->rstd + r);
}

void fgti_norm(const fgti_run *run, int64_t rows, int64_t d, double eps, const fgti_real *x,
               const fgti_real *w, const fgti_real *b, fgti_real *y, fgti_real *mean, fgti_real *rstd)
{
    norm_job j = {.run   = run,
                  .rows  = rows,
                  .d     = d,
                  .block = rows_per_block(d),
                  .eps   = eps,
                  .x     = x,
                  .w     = w,
                  .b     = b,
                  .y     = y,
                  .mean  = mean,
                  .rstd  = rstd};
    fgti_parallel(run->exec, (rows + j.block - 1) / j.block, norm_task, &j);
}

static void norm_grad_task(void *arg, int64_t task, int32_t worker)
{
    const norm_job *j = arg;
    (void)worker;
    const int64_t r = task * j->block, n = j->rows - r < j->block ? j->rows - r : j->block;
    j->run->vec->norm_grad(n, j->d, j->x + r * j->d, j->w, j->mean + r, j->rstd + r, j->dy + r * j->d,
                           j->dx + r * j->d);
}

void fgti_norm_grad(const fgti_run *run, int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w,
                    const fgti_real *mean, const fgti_real *rstd, const fgti_real *dy, fgti_real *dw,
                    fgti_real *db, fgti_real *dx)
{
    column_job c = {
        .run = run, .rows = rows, .n = d, .x = x, .mean = mean, .rstd = rstd, .dy = dy, .dw = dw, .db = db};
    fgti_parallel(run->exec, (d - 1) / columns_per_task(d) + 1, norm_param_task, &c);
    if (!dx) return;
    norm_job j = {.run   = run,
                  .rows  = rows,
                  .d     = d,
                  .block = rows_per_block(d),
                  .x     = x,
                  .w     = w,
                  .dy    = dy,
                  .mean  = (fgti_real *)mean,
                  .rstd  = (fgti_real *)rstd,
                  .dx    = dx};
    fgti_parallel(run->exec, (rows + j.block - 1) / j.block, norm_grad_task, &j);
}

/* ---- elementwise ends of blocks ---- */

typedef struct tail_job {
    const fgti_run  *run;
    const fgti_tail *tail;
    int64_t          n;
    const fgti_real *u, *residual, *dy;
    fgti_real       *y;
} tail_job;

static void tail_task(void *arg, int64_t task, int32_t worker)
{
    const tail_job *j = arg;
    (void)worker;
    const fgti_vec *vec = j->run->vec;
    const int64_t   at = task * BLOCK, n = j->n - at < BLOCK ? j->n - at : BLOCK;
    vec->act(j->tail->act, n, j->u + at, j->y + at);
    if (j->tail->dropout > 0)
        vec->dropout(j->tail->rng, j->tail->dropout, (uint64_t)at, n, j->y + at, j->y + at);
    if (j->residual) vec->axpy(n, 1, j->residual + at, j->y + at);
}

static void tail_grad_task(void *arg, int64_t task, int32_t worker)
{
    const tail_job *j = arg;
    (void)worker;
    const fgti_vec  *vec = j->run->vec;
    const int64_t    at = task * BLOCK, n = j->n - at < BLOCK ? j->n - at : BLOCK;
    const fgti_real *dy = j->dy + at;
    if (j->tail->dropout > 0) {
        vec->dropout(j->tail->rng, j->tail->dropout, (uint64_t)at, n, dy, j->y + at);
        dy = j->y + at;
    }
    vec->act_grad(j->tail->act, n, j->u + at, dy, j->y + at);
}

void fgti_tail_forward(const fgti_run *run, const fgti_tail *t, int64_t n, const fgti_real *u,
                       const fgti_real *residual, fgti_real *y)
{
    tail_job j = {.run = run, .tail = t, .n = n, .u = u, .residual = residual, .y = y};
    fgti_parallel(run->exec, (n + BLOCK - 1) / BLOCK, tail_task, &j);
}

void fgti_tail_backward(const fgti_run *run, const fgti_tail *t, int64_t n, const fgti_real *u,
                        const fgti_real *dy, fgti_real *du)
{
    tail_job j = {.run = run, .tail = t, .n = n, .u = u, .dy = dy, .y = du};
    fgti_parallel(run->exec, (n + BLOCK - 1) / BLOCK, tail_grad_task, &j);
}

static void add_task(void *arg, int64_t task, int32_t worker)
{
    const tail_job *j = arg;
    (void)worker;
    const int64_t at = task * BLOCK, n = j->n - at < BLOCK ? j->n - at : BLOCK;
    j->run->vec->axpy(n, 1, j->u + at, j->y + at);
}

void fgti_add(const fgti_run *run, int64_t n, const fgti_real *x, fgti_real *y)
{
    tail_job j = {.run = run, .n = n, .u = x, .y = y};
    fgti_parallel(run->exec, (n + BLOCK - 1) / BLOCK, add_task, &j);
}

void fgti_copy(const fgti_run *run, int64_t n, const fgti_real *x, fgti_real *y)
{
    fgti_tail_forward(run, &(fgti_tail){.act = FGTI_ACT_NONE}, n, x, NULL, y);
}
