/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/rows.h"

#include <string.h>

/* ---- bias: rows in blocks ---- */

/* Elements in a task, about. They are 64 KiB of floats, which stay in a core's first caches, and enough work
 * to be worth waking a thread. */
#define BLOCK 16384

static int64_t rows_per_block(int64_t width)
{
    return width < BLOCK ? BLOCK / width : 1;
}

typedef struct bias_rows {
    const fgti_run  *run;
    int64_t          rows, n, ld, block;
    const fgti_real *b;
    fgti_real       *y;
} bias_rows;

static void bias_task(void *arg, int64_t task, int32_t worker)
{
    const bias_rows *p     = arg;
    const int64_t    first = task * p->block;
    (void)worker;
    p->run->vec->bias(fgti_least(p->block, p->rows - first), p->n, p->ld, p->b, p->y + first * p->ld);
}

void fgti_bias(const fgti_run *run, int64_t rows, int64_t n, int64_t ld, const fgti_real *b, fgti_real *y)
{
    bias_rows p = {.run = run, .rows = rows, .n = n, .ld = ld, .block = rows_per_block(n), .b = b, .y = y};
    fgti_parallel(run->exec, fgti_parts(rows, p.block), bias_task, &p);
}

/* ---- sums over rows: tasks are columns, so a sum is never divided ---- */

/* Returns the columns in a task. A task has at least a cache line of floats, so that workers do not share a
 * line. If there are enough columns for all workers, a task takes several lines, because memory delivers
 * adjacent lines faster. */
static int64_t columns_per_task(int64_t n)
{
    return n < 512 ? 16 : 64;
}

typedef struct column_sums {
    const fgti_run  *run;
    int64_t          rows, n, ld;
    const fgti_real *x, *mean, *rstd, *dy;
    fgti_real       *dw, *db;
} column_sums;

static void each_columns(const column_sums *p, fgti_task_fn task)
{
    fgti_parallel(p->run->exec, fgti_parts(p->n, columns_per_task(p->n)), task, (void *)p);
}

static void column_sum_task(void *arg, int64_t task, int32_t worker)
{
    const column_sums *p       = arg;
    const int64_t      columns = columns_per_task(p->n), first = task * columns;
    (void)worker;
    p->run->vec->colsum(p->rows, fgti_least(columns, p->n - first), p->ld, p->dy + first, p->db + first);
}

void fgti_column_sum(const fgti_run *run, int64_t rows, int64_t n, int64_t ld, const fgti_real *dy,
                     fgti_real *db)
{
    each_columns(&(column_sums){.run = run, .rows = rows, .n = n, .ld = ld, .dy = dy, .db = db},
                 column_sum_task);
}

/* ---- LayerNorm of rows ---- */

typedef struct norm_rows {
    const fgti_run  *run;
    int64_t          rows, d, block;
    double           eps;
    const fgti_real *x, *w, *b, *dy;
    fgti_real       *y, *mean, *rstd, *dx;
} norm_rows;

/* y = (x - mean) rstd w + b */
static void norm_task(void *arg, int64_t task, int32_t worker)
{
    const norm_rows *p     = arg;
    const int64_t    first = task * p->block, at = first * p->d;
    (void)worker;
    p->run->vec->norm(fgti_least(p->block, p->rows - first), p->d, p->eps, p->x + at, p->w, p->b, p->y + at,
                      p->mean + first, p->rstd + first);
}

void fgti_norm(const fgti_run *run, int64_t rows, int64_t d, double eps, const fgti_real *x,
               const fgti_real *w, const fgti_real *b, fgti_real *y, fgti_real *mean, fgti_real *rstd)
{
    norm_rows p = {.run   = run,
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
    fgti_parallel(run->exec, fgti_parts(rows, p.block), norm_task, &p);
}

/* dw += sum_r dy n,  db += sum_r dy */
static void norm_weights_task(void *arg, int64_t task, int32_t worker)
{
    const column_sums *p       = arg;
    const int64_t      columns = columns_per_task(p->n), first = task * columns;
    (void)worker;
    p->run->vec->norm_grad_param(p->rows, p->n, first, fgti_least(first + columns, p->n), p->x, p->mean,
                                 p->rstd, p->dy, p->dw, p->db);
}

/* dx = rstd (g - mean(g) - n mean(g n)),  g = dy w */
static void norm_inputs_task(void *arg, int64_t task, int32_t worker)
{
    const norm_rows *p     = arg;
    const int64_t    first = task * p->block, at = first * p->d;
    (void)worker;
    p->run->vec->norm_grad(fgti_least(p->block, p->rows - first), p->d, p->x + at, p->w, p->mean + first,
                           p->rstd + first, p->dy + at, p->dx + at);
}

/* dw and db are computed before dx, because dx may overwrite dy. */
void fgti_norm_grad(const fgti_run *run, int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w,
                    const fgti_real *mean, const fgti_real *rstd, const fgti_real *dy, fgti_real *dw,
                    fgti_real *db, fgti_real *dx)
{
    const column_sums sums = {.run  = run,
                              .rows = rows,
                              .n    = d,
                              .x    = x,
                              .mean = mean,
                              .rstd = rstd,
                              .dy   = dy,
                              .dw   = dw,
                              .db   = db};
    if (dw) each_columns(&sums, norm_weights_task);
    if (!dw && db) fgti_column_sum(run, rows, d, d, dy, db);
    if (!dx) return;
    norm_rows p = {.run   = run,
                   .rows  = rows,
                   .d     = d,
                   .block = rows_per_block(d),
                   .x     = x,
                   .w     = w,
                   .dy    = dy,
                   .mean  = (fgti_real *)mean,
                   .rstd  = (fgti_real *)rstd,
                   .dx    = dx};
    fgti_parallel(run->exec, fgti_parts(rows, p.block), norm_inputs_task, &p);
}

/* ---- gated linear unit ---- */

typedef struct glu_rows {
    const fgti_vec  *vec;
    int64_t          rows, n, block;
    const fgti_real *u, *dy;
    fgti_real       *y, *du;
} glu_rows;

static void glu_task(void *arg, int64_t task, int32_t worker)
{
    const glu_rows *p     = arg;
    const int64_t   first = task * p->block, rows = fgti_least(p->block, p->rows - first);
    const int64_t   at = first * p->n;
    (void)worker;
    if (p->du)
        p->vec->glu_grad(rows, p->n, p->u + 2 * at, p->dy + at, p->du + 2 * at);
    else
        p->vec->glu(rows, p->n, p->u + 2 * at, p->y + at);
}

static void each_glu(const fgti_run *run, glu_rows p)
{
    p.vec   = run->vec;
    p.block = rows_per_block(p.n);
    fgti_parallel(run->exec, fgti_parts(p.rows, p.block), glu_task, &p);
}

void fgti_glu(const fgti_run *run, int64_t rows, int64_t n, const fgti_real *u, fgti_real *y)
{
    each_glu(run, (glu_rows){.rows = rows, .n = n, .u = u, .y = y});
}

void fgti_glu_grad(const fgti_run *run, int64_t rows, int64_t n, const fgti_real *u, const fgti_real *dy,
                   fgti_real *du)
{
    each_glu(run, (glu_rows){.rows = rows, .n = n, .u = u, .dy = dy, .du = du});
}

/* ---- elementwise: ends of blocks, sums, copies ---- */

typedef struct elements {
    const fgti_run  *run;
    const fgti_tail *tail;
    int64_t          n;
    const fgti_real *u, *residual, *dy;
    fgti_real       *y;
} elements;

static void each_block(const elements *p, fgti_task_fn task)
{
    fgti_parallel(p->run->exec, fgti_parts(p->n, BLOCK), task, (void *)p);
}

/* y = 0 for the elements of skipped samples, y /= 1 - p for the others */
static void skip(const fgti_vec *vec, const fgti_tail *t, int64_t first, int64_t n, fgti_real *y)
{
    for (int64_t i = first, next; i < first + n; i = next) {
        const int64_t b = i / t->sample;
        next            = fgti_least((b + 1) * t->sample, first + n);
        if (fgti_rng_uniform(t->skip_rng, (uint64_t)b) < t->skip)
            memset(y + (i - first), 0, (size_t)(next - i) * sizeof *y);
        else
            vec->scale(next - i, (fgti_real)(1 / (1 - t->skip)), y + (i - first));
    }
}

/* y = [x +] skip(dropout(act(u))) */
void fgti_tail_part(const fgti_vec *vec, const fgti_tail *t, int64_t first, int64_t n, const fgti_real *u,
                    const fgti_real *residual, fgti_real *y)
{
    if (u != y || t->act != FGTI_ACT_NONE) vec->act(t->act, n, u, y);
    if (t->dropout > 0) vec->dropout(t->rng, t->dropout, (uint64_t)first, n, y, y);
    if (t->skip > 0) skip(vec, t, first, n, y);
    if (residual) vec->axpy(n, 1, residual, y);
}

void fgti_tail_drop_part(const fgti_vec *vec, const fgti_tail *t, int64_t first, int64_t n,
                         const fgti_real *dy, fgti_real *du)
{
    if (t->dropout > 0)
        vec->dropout(t->rng, t->dropout, (uint64_t)first, n, dy, du);
    else if (dy != du)
        memcpy(du, dy, (size_t)n * sizeof *du);
    if (t->skip > 0) skip(vec, t, first, n, du);
}

/* du = skip(dropout(dy)) act'(u) */
void fgti_tail_grad_part(const fgti_vec *vec, const fgti_tail *t, int64_t first, int64_t n,
                         const fgti_real *u, const fgti_real *dy, fgti_real *du)
{
    if (fgti_tail_drops(t)) {
        fgti_tail_drop_part(vec, t, first, n, dy, du);
        dy = du;
    }
    vec->act_grad(t->act, n, u, dy, du);
}

static void tail_task(void *arg, int64_t task, int32_t worker)
{
    const elements  *p     = arg;
    const int64_t    first = task * BLOCK, n = fgti_least(BLOCK, p->n - first);
    const fgti_real *residual = p->residual ? p->residual + first : NULL;
    (void)worker;
    fgti_tail_part(p->run->vec, p->tail, first, n, p->u + first, residual, p->y + first);
}

static void tail_grad_task(void *arg, int64_t task, int32_t worker)
{
    const elements *p     = arg;
    const int64_t   first = task * BLOCK, n = fgti_least(BLOCK, p->n - first);
    (void)worker;
    fgti_tail_grad_part(p->run->vec, p->tail, first, n, p->u + first, p->dy + first, p->y + first);
}

void fgti_tail_forward(const fgti_run *run, const fgti_tail *t, int64_t n, const fgti_real *u,
                       const fgti_real *residual, fgti_real *y)
{
    each_block(&(elements){.run = run, .tail = t, .n = n, .u = u, .residual = residual, .y = y}, tail_task);
}

void fgti_tail_backward(const fgti_run *run, const fgti_tail *t, int64_t n, const fgti_real *u,
                        const fgti_real *dy, fgti_real *du)
{
    each_block(&(elements){.run = run, .tail = t, .n = n, .u = u, .dy = dy, .y = du}, tail_grad_task);
}

static void rows_add_task(void *arg, int64_t task, int32_t worker)
{
    const elements *p     = arg;
    const int64_t   first = task * BLOCK;
    (void)worker;
    p->run->vec->axpy(fgti_least(BLOCK, p->n - first), 1, p->u + first, p->y + first);
}

void fgti_add(const fgti_run *run, int64_t n, const fgti_real *x, fgti_real *y)
{
    each_block(&(elements){.run = run, .n = n, .u = x, .y = y}, rows_add_task);
}

void fgti_copy(const fgti_run *run, int64_t n, const fgti_real *x, fgti_real *y)
{
    fgti_tail_forward(run, &(fgti_tail){.act = FGTI_ACT_NONE}, n, x, NULL, y);
}
