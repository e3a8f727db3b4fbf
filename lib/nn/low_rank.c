/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/low_rank.h"

#include <string.h>

#include "nn/affine_narrow.h"

const fgti_low_rank *fgti_low_rank_find(const fgti_run *run, const fgti_real *dw)
{
    const uintptr_t at = (uintptr_t)dw;
    for (int64_t i = 0; dw && i < run->low_ranks; i++) {
        const fgti_low_rank *m = &run->low_rank[i];
        if (at >= (uintptr_t)m->dw && at < (uintptr_t)(m->dw + m->out * m->in)) return m;
    }
    return NULL;
}

/* ---- products with a factor F [r,n], z = s y F' ---- */

#define BLOCK 64 /* rows in a task */

typedef struct factor_product {
    const fgti_run  *run;
    const fgti_real *y, *packed;
    int64_t          rows, n, ldy, rank;
    fgti_real        scale, *z;
} factor_product;

/* Computes some rows of z. The few columns of F' are padded to a register. y is not packed, because to pack y
 * would take longer than the product. */
static void product_task(void *arg, int64_t task, int32_t worker)
{
    const factor_product *p     = arg;
    const int64_t         first = task * BLOCK, rows = fgti_least(BLOCK, p->rows - first), r = p->rank;
    fgti_real             sum[BLOCK * FGTI_REGISTER];
    (void)worker;
    p->run->vec->panels->multiply(rows, FGTI_REGISTER, p->n, p->scale, p->y + first * p->ldy, p->ldy, 1,
                                  p->packed, FGTI_REGISTER, 0, sum, FGTI_REGISTER);
    for (int64_t i = 0; i < rows; i++)
        memcpy(p->z + (first + i) * r, sum + i * FGTI_REGISTER, (size_t)r * sizeof *sum);
}

/* Computes z [rows,r] = s y F' from y [rows, ldy >= n] and F [r,n], whose strides are rs and cs. */
static void multiply_factor(const fgti_run *run, const fgti_low_rank *map, int64_t rows, int64_t n,
                            const fgti_real *y, int64_t ldy, const fgti_real *f, int64_t rs, int64_t cs,
                            fgti_real *z)
{
    const int64_t r = map->rank;
    if (run->products != FGT_PRODUCTS_AUTO || r > FGTI_REGISTER) {
        const fgti_gemm g = {.m   = rows, .n = r, .k = n, .alpha = (fgti_real)map->scale,
                             .a   = y, .rsa = ldy, .csa = 1, .b = f, .rsb = cs, .csb = rs,
                             .c   = z, .ldc = r};
        fgti_multiply(run, g);
        return;
    }
    factor_product p = {run, y, map->packed, rows, n, ldy, r, (fgti_real)map->scale, z};
    memset(map->packed, 0, (size_t)(n * FGTI_REGISTER) * sizeof *map->packed);
    for (int64_t i = 0; i < r; i++)
        for (int64_t k = 0; k < n; k++) map->packed[k * FGTI_REGISTER + i] = f[i * rs + k * cs];
    fgti_parallel(run->exec, fgti_parts(rows, BLOCK), product_task, &p);
}

/* ---- gradients ---- */

/* u = s x A',  dB += dy'u,   v = s dy B,  dA += v'x */
void fgti_low_rank_grad(const fgti_run *run, const fgti_low_rank *map, int64_t rows, int64_t h,
                        const fgti_real *x, const fgti_real *dy, int64_t lddy, const fgti_real *dw)
{
    const int64_t d = map->in, r = map->rank, row = (dw - map->dw) / d, block = fgti_low_rank_rows(r);
    for (int64_t first = 0; first < rows; first += block) {
        const int64_t    n  = fgti_least(block, rows - first);
        const fgti_real *xs = x + first * d, *dys = dy + first * lddy;
        multiply_factor(run, map, n, d, xs, d, map->a, d, 1, map->u);
        multiply_factor(run, map, n, h, dys, lddy, map->b + row * r, 1, r, map->v);
        fgti_affine_weight_grad(run, n, r, h, map->u, dys, lddy, map->db + row * r);
        fgti_affine_weight_grad(run, n, d, r, xs, map->v, r, map->da);
    }
}

/* ---- tables ---- */

#define WIDTH 256 /* columns of B that are transposed at a time */

void fgti_low_rank_lookup(const fgti_vec *vec, const fgti_low_rank *map, int64_t rows, const int32_t *ids,
                          fgti_real *y)
{
    fgti_real b[WIDTH];
    for (int64_t h = 0; h < map->out; h += WIDTH) {
        const int64_t n = fgti_least(WIDTH, map->out - h);
        for (int64_t k = 0; k < map->rank; k++) {
            for (int64_t j = 0; j < n; j++) b[j] = (fgti_real)map->scale * map->b[(h + j) * map->rank + k];
            for (int64_t i = 0; i < rows; i++)
                vec->axpy(n, map->a[k * map->in + ids[i]], b, y + i * map->out + h);
        }
    }
}

typedef struct table {
    const fgti_vec      *vec;
    const fgti_low_rank *map;
    fgti_real           *w;
} table;

static void table_task(void *arg, int64_t task, int32_t worker)
{
    const table  *t     = arg;
    const int64_t first = task * FGTI_LOOKUP, rows = fgti_least(FGTI_LOOKUP, t->map->in - first);
    int32_t       id[FGTI_LOOKUP];
    (void)worker;
    for (int64_t i = 0; i < rows; i++) id[i] = (int32_t)(first + i);
    fgti_low_rank_lookup(t->vec, t->map, rows, id, t->w + first * t->map->out);
}

void fgti_low_rank_table(const fgti_exec *exec, const fgti_vec *vec, const fgti_low_rank *map, fgti_real *w)
{
    table t = {vec, map, w};
    fgti_parallel(exec, fgti_parts(map->in, FGTI_LOOKUP), table_task, &t);
}

typedef struct lookup {
    const fgti_low_rank *map;
    const int32_t       *ids;
    int64_t              rows, skip;
} lookup;

/* For row k of A: u = s a_id', and da_id += v. The sums are in the order of the rows of ids */
static void lookup_task(void *arg, int64_t k, int32_t worker)
{
    const lookup        *p   = arg;
    const fgti_low_rank *map = p->map;
    const fgti_real     *a   = map->a + k * map->in;
    fgti_real           *da  = map->da + k * map->in;
    (void)worker;
    for (int64_t i = 0; i < p->rows; i++) {
        map->u[i * map->rank + k] = (fgti_real)map->scale * a[p->ids[i]];
        if (p->ids[i] != p->skip) da[p->ids[i]] += map->v[i * map->rank + k];
    }
}

/* v = s dy B,  da_id += v,   u = s a_id',  dB += dy'u */
void fgti_low_rank_lookup_grad(const fgti_run *run, const fgti_low_rank *map, int64_t rows,
                               const int32_t *ids, int64_t skip, const fgti_real *dy)
{
    const int64_t r = map->rank, h = map->out, block = fgti_low_rank_rows(r);
    for (int64_t first = 0; first < rows; first += block) {
        lookup           p   = {map, ids + first, fgti_least(block, rows - first), skip};
        const fgti_real *dys = dy + first * h;
        multiply_factor(run, map, p.rows, h, dys, h, map->b, 1, r, map->v);
        fgti_parallel(run->exec, r, lookup_task, &p);
        fgti_affine_weight_grad(run, p.rows, r, h, map->u, dys, h, map->db);
    }
}
