/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/affine_narrow.h"

#include "blas/kernel.h"

#define FEW   16  /* most features of the narrow side of W */
#define WIDE  64  /* features of the wide side in a task */
#define CHUNK 384 /* rows that are summed separately, before this sum is added to the total: less rounding */
#define BLOCK 256 /* rows in a task that computes dx */

/* Rows that stay in the first cache while a task of a small weight computes all its outputs. */
#define HELD 128

/* Returns the outputs in a task of a small weight. Each task reads x again. So there are at most four tasks,
 * and each has at least 32 outputs. */
static int64_t outputs_per_task(int64_t h)
{
    const int64_t quarter = fgti_round_up(fgti_parts(h, 4), FGTI_REGISTER);
    return quarter < 32 ? 32 : quarter;
}

static bool few_to_many(int64_t few, int64_t many)
{
    return few <= FEW && many % FGTI_REGISTER == 0;
}

bool fgti_affine_narrow_or_small(const fgti_run *run, int64_t d, int64_t h)
{
    return run->products == FGT_PRODUCTS_AUTO && (few_to_many(h, d) || fgti_gemm_is_small(run->blas, d, h));
}

static bool is_narrow(const fgti_run *run, int64_t d, int64_t h)
{
    return run->products == FGT_PRODUCTS_AUTO && (few_to_many(h, d) || few_to_many(d, h));
}

typedef struct narrow_map {
    const fgti_run  *run;
    int64_t          rows, few, many;
    const fgti_real *x, *y; /* x: rows of the narrow side, at distance ldx; y: rows of the wide side, at
                             * distance ldy */
    int64_t          ldx, ldy;
    fgti_real       *out, *db; /* db: NULL, or for small weights the gradient of the bias */
    int64_t          sf, sm;   /* strides of the narrow side (sf) and the wide side (sm) in dw */
    bool             add;
} narrow_map;

/* Computes dw for some features of the wide side: sums it as [few][many], then adds the sum to dw. */
static void weights_task(void *arg, int64_t task, int32_t worker)
{
    const narrow_map      *m      = arg;
    const fgti_vec_panels *panels = m->run->vec->panels;
    const int64_t          first = task * WIDE, n = fgti_least(WIDE, m->many - first);
    fgti_real              sum[FEW * WIDE];
    (void)worker;
    for (int64_t r = 0; r < m->rows; r += CHUNK)
        panels->multiply(m->few, n, fgti_least(CHUNK, m->rows - r), 1, m->x + r * m->ldx, 1, m->ldx,
                         m->y + r * m->ldy + first, m->ldy, r > 0, sum, WIDE);
    for (int64_t i = 0; i < m->few; i++)
        for (int64_t k = 0; k < n; k++) m->out[i * m->sf + (first + k) * m->sm] += sum[i * WIDE + k];
}

static void add_narrow(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                       const fgti_real *dy, int64_t lddy, fgti_real *dw)
{
    const bool out = few_to_many(h, d);
    narrow_map m   = {.run  = run,
                      .rows = rows,
                      .few  = out ? h : d,
                      .many = out ? d : h,
                      .x    = out ? dy : x,
                      .y    = out ? x : dy,
                      .ldx  = out ? lddy : d,
                      .ldy  = out ? d : lddy,
                      .out  = dw,
                      .sf   = out ? d : 1,
                      .sm   = out ? 1 : d};
    fgti_parallel(run->exec, fgti_parts(m.many, WIDE), weights_task, &m);
}

void fgti_affine_weight_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                             const fgti_real *dy, int64_t lddy, fgti_real *dw)
{
    if (is_narrow(run, d, h))
        add_narrow(run, rows, d, h, x, dy, lddy, dw);
    else
        fgti_multiply_map(run, d, h, fgti_gemm_tn(h, d, rows, dy, lddy, x, d, 1, dw, d));
}

/* ---- small weights ---- */

/* Computes dw and db of some outputs, while rows of x and dy are in the first cache. */
static void small_task(void *arg, int64_t task, int32_t worker)
{
    const narrow_map *m     = arg;
    const fgti_vec   *vec   = m->run->vec;
    const int64_t     each = outputs_per_task(m->few), first = task * each;
    const int64_t     n    = fgti_least(each, m->few - first);
    (void)worker;
    for (int64_t r = 0; r < m->rows; r += HELD) {
        const int64_t    rows = fgti_least(HELD, m->rows - r);
        const fgti_real *dy   = m->x + r * m->ldx + first;
        vec->panels->multiply(n, m->many, rows, 1, dy, 1, m->ldx, m->y + r * m->ldy, m->ldy, 1,
                              m->out + first * m->many, m->many);
        if (m->db) vec->colsum(rows, n, m->ldx, dy, m->db + first);
    }
}

void fgti_affine_small_weights(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                               const fgti_real *dy, int64_t lddy, fgti_real *dw, fgti_real *db)
{
    narrow_map m = {.run  = run,
                    .rows = rows,
                    .few  = h,
                    .many = d,
                    .x    = dy,
                    .y    = x,
                    .ldx  = lddy,
                    .ldy  = d,
                    .out  = dw,
                    .db   = db};
    fgti_parallel(run->exec, fgti_parts(h, outputs_per_task(h)), small_task, &m);
}

/* ---- gradients of the inputs ---- */

/* Computes dx of some rows. */
static void inputs_task(void *arg, int64_t task, int32_t worker)
{
    const narrow_map *m     = arg;
    const int64_t     first = task * BLOCK;
    (void)worker;
    m->run->vec->panels->multiply(fgti_least(BLOCK, m->rows - first), m->many, m->few, 1,
                                  m->x + first * m->ldx, m->ldx, 1, m->y, m->ldy, m->add,
                                  m->out + first * m->many, m->many);
}

void fgti_affine_narrow_inputs(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *w,
                               const fgti_real *dy, int64_t lddy, fgti_real *dx, bool add)
{
    narrow_map m = {.run  = run,
                    .rows = rows,
                    .few  = h,
                    .many = d,
                    .x    = dy,
                    .y    = w,
                    .ldx  = lddy,
                    .ldy  = d,
                    .out  = dx,
                    .add  = add};
    fgti_parallel(run->exec, fgti_parts(rows, BLOCK), inputs_task, &m);
}
