/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/fold.h"

#include <string.h>

/* Most features of z, because a block of z is on the stack. */
#define FEATURES 128

/* Rows that are computed at a time, so that they stay in the second cache. */
#define BLOCK 24

/* Most elements of S, 4 MiB. */
#define TABLE (INT64_C(1) << 20)

/* Cost of reading an element of S from the third cache, in multiply-adds. */
#define BESIDE 16

void fgti_fold_decide(fgti_layer *l, int64_t n)
{
    if (!l->fold_map) return;
    const int64_t k = l->fold_map->in.width, table = fgti_mul(fgti_fold_tokens(l), n);
    if (n && k <= FEATURES && k + BESIDE < l->in.width && table <= TABLE) return;
    l->fold_map = l->fold_position = NULL;
}

void fgti_fold_set(fgti_fold *f, const fgti_layer *l, int64_t n, double eps)
{
    *f = (fgti_fold){.l      = l,
                     .k      = l->fold_map->in.width,
                     .d      = l->in.width,
                     .n      = n,
                     .tokens = fgti_fold_tokens(l),
                     .eps    = eps};
}

/* ---- the precomputed matrices ---- */

int64_t fgti_fold_keep(fgti_fold *f, fgti_real *base)
{
    int64_t at = 0;
    f->p       = fgti_take(base, &at, fgti_mul(f->k + f->tokens + 1, f->n));
    f->s       = base ? f->p + f->k * f->n : NULL;
    f->q       = base ? f->s + f->tokens * f->n : NULL;
    return at;
}

int64_t fgti_fold_scratch(const fgti_fold *f)
{
    return fgti_mul(f->k + f->tokens + 1, f->d);
}

/* Multiplies a row by C, then by diag(g), in place. */
static void centre(int64_t d, const fgti_real *g, fgti_real *row)
{
    double mean = 0;
    for (int64_t j = 0; j < d; j++) mean += (double)row[j] / (double)d;
    for (int64_t j = 0; j < d; j++) row[j] = (fgti_real)((double)row[j] - mean) * g[j];
}

/* Writes the rows that are then multiplied by W: V', s and h. */
static void fill_rows(const fgti_fold *f, const fgti_io *io, const fgti_fold_weights *w, fgti_real *m)
{
    const fgti_layer *map = f->l->fold_map, *position = f->l->fold_position;
    const int64_t     d = f->d, k = f->k;
    const fgti_real  *v = fgti_w(map, io, 0), *c = map->params > 1 ? fgti_w(map, io, 1) : NULL;
    const fgti_real  *table = !position ? NULL : position->params ? fgti_w(position, io, 0) : position->table;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < d; j++) m[i * d + j] = v[j * k + i];
    fgti_real *s = m + k * d, *h = s + f->tokens * d;
    for (int64_t t = 0; t < f->tokens; t++)
        for (int64_t j = 0; j < d; j++) s[t * d + j] = (c ? c[j] : 0) + (table ? table[t * d + j] : 0);
    for (int64_t i = 0; w->g && i < k + f->tokens; i++) centre(d, w->g, m + i * d);
    for (int64_t j = 0; j < d; j++) h[j] = w->h ? w->h[j] : 0;
}

void fgti_fold_fill(const fgti_fold *f, const fgti_run *run, const fgti_io *io, const fgti_fold_weights *w,
                    fgti_real *scratch)
{
    const int64_t rows = f->k + f->tokens + 1, n = f->n;
    fill_rows(f, io, w, scratch);
    fgti_gemm g = fgti_gemm_nt(rows, n, f->d, scratch, f->d, w->w, 0, 0, f->p, n);
    g.rsb       = w->csw;
    g.csb       = w->rsw;
    fgti_gemm_parallel(run->blas, run->exec, &g);
    if (w->b) run->vec->axpy(w->biased, 1, w->b, f->q);
    for (int64_t t = 0; f->eps <= 0 && t < f->tokens; t++) run->vec->axpy(n, 1, f->q, f->s + t * n);
}

/* ---- the products ---- */

/* Writes the first terms of row t of Y: y = S_t, or with a norm rstd S_t + q. */
static void start_row(const fgti_fold *f, const fgti_vec *vec, int64_t t, fgti_real rstd, fgti_real *y)
{
    const fgti_real *s = f->s + (f->tokens > 1 ? t : 0) * f->n;
    if (f->eps > 0)
        vec->scale_add(f->n, rstd, s, f->q, y);
    else
        memcpy(y, s, (size_t)f->n * sizeof *y);
}

/* Computes at most BLOCK rows. */
static void some_rows(const fgti_fold *f, const fgti_vec *vec, int64_t first, int64_t time, int64_t rows,
                      const fgti_real *z, const fgti_real *x, fgti_real *y, int64_t ld)
{
    const int64_t k           = f->k;
    fgti_real     rstd[BLOCK] = {0}, scaled[BLOCK * FEATURES];
    if (f->eps > 0) vec->norm_scale(rows, f->d, f->eps, x, rstd);
    for (int64_t r = 0; r < rows; r++) {
        start_row(f, vec, (first + r) % time, rstd[r], y + r * ld);
        for (int64_t i = 0; f->eps > 0 && i < k; i++) scaled[r * k + i] = rstd[r] * z[r * k + i];
    }
    vec->panels->multiply(rows, f->n, k, 1, f->eps > 0 ? scaled : z, k, 1, f->p, f->n, 1, y, ld);
}

void fgti_fold_rows(const fgti_fold *f, const fgti_vec *vec, int64_t time, int64_t row, int64_t rows,
                    const fgti_real *z, const fgti_real *x, fgti_real *y, int64_t ld)
{
    for (int64_t r = row; r < row + rows; r += BLOCK)
        some_rows(f, vec, r, time, fgti_least(BLOCK, row + rows - r), z + r * f->k, x + r * f->d, y + r * ld,
                  ld);
}

typedef struct all_rows {
    const fgti_fold *f;
    const fgti_run  *run;
    const fgti_io   *io;
    fgti_real       *y;
    int64_t          rows, ld;
} all_rows;

static void block_task(void *arg, int64_t task, int32_t worker)
{
    const all_rows *a   = arg;
    const int64_t   row = task * BLOCK;
    (void)worker;
    fgti_fold_rows(a->f, a->run->vec, a->io->in.time, row, fgti_least(BLOCK, a->rows - row),
                   fgti_fold_z(a->f->l, a->io), a->io->x, a->y, a->ld);
}

void fgti_fold_forward(const fgti_fold *f, const fgti_run *run, const fgti_io *io, fgti_real *y, int64_t ld)
{
    all_rows a = {f, run, io, y, fgti_rows(run->batch, io->in), ld};
    fgti_parallel(run->exec, fgti_parts(a.rows, BLOCK), block_task, &a);
}
