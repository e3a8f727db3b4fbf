/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolution as products of matrices. Time is divided into N blocks of M steps. Let X_J be the rows
 * [samples,M] of block J, and T_d[q][p] = K[d M + p - q] the Toeplitz matrix between blocks at distance d.
 * Then
 *   Y_{J+d} += X_J T_d for every d and J.
 * This is one product for each d, because the blocks of a channel are contiguous: [N][samples][M]. T_d is
 * never stored, because it is the kernel with strides -1 and +1. With one direction K is 0 at negative
 * indices. So T_0 is triangular, and half of its multiplications are by zeros. With two directions the second
 * kernel K1 is at negative indices: K[-1-j] = K1[j]. The gradients are
 *   dX_J += dY_{J+d} T_d', dK[d M + p - q] += (dY_{J+d}' X_J)[p][q] */
#include "nn/ssm/ssm_toeplitz.h"

#include <string.h>

#include "nn/ssm/ssm.h"

/* M. A sequence that is shorter is one block. 48 to 96 were equally fast in measurements. Larger blocks
 * multiply by more zeros in T_0. */
#define STEPS 64

/* Most elements of a channel in the samples that are computed at a time. They take 64 KiB, which stay in the
 * cache. */
#define ROWS 16384

typedef struct cut {
    int64_t steps, blocks, padded; /* M, N, N M */
    int64_t samples;               /* number of samples that are computed at a time */
    int64_t rows; /* upper bound of the elements of a channel that are computed at a time. It grows with all
                   * sizes */
    int64_t before, length; /* elements of the kernel's row: before K[0], and in the whole row */
} cut;

static cut cut_of(const fgti_ssm *m, int64_t samples, int64_t time)
{
    cut c;
    c.steps   = time < STEPS ? time : STEPS;
    c.blocks  = (time + c.steps - 1) / c.steps;
    c.padded  = c.blocks * c.steps;
    c.samples = ROWS / c.padded > 1 ? ROWS / c.padded : 1;
    c.rows    = ROWS > c.padded ? ROWS : c.padded;
    if (c.samples > samples) c.samples = samples;
    if (c.rows / c.padded >= samples) c.rows = samples * c.padded;
    c.before = m->directions == 2 ? c.padded : c.steps;
    c.length = c.before + c.padded;
    return c;
}

/* The parts of a worker's arena: rows and kernels of FGTI_SCAN channels. */
typedef struct parts {
    fgti_real *x, *y, *dx; /* [FGTI_SCAN][N][samples][M] */
    fgti_real *k, *dk;     /* [FGTI_SCAN][length] */
    fgti_real *product;    /* [M][M] */
} parts;

static int64_t ssm_toeplitz_layout(const cut *c, fgti_real *base, parts *p)
{
    const int64_t rows = fgti_mul(FGTI_SCAN, c->rows);
    int64_t       at   = 0;
    p->x               = fgti_take(base, &at, rows);
    p->y               = fgti_take(base, &at, rows);
    p->dx              = fgti_take(base, &at, rows);
    p->k               = fgti_take(base, &at, fgti_mul(FGTI_SCAN, c->length));
    p->dk              = fgti_take(base, &at, fgti_mul(FGTI_SCAN, c->length));
    p->product         = fgti_take(base, &at, c->steps * c->steps);
    return at;
}

int64_t fgti_ssm_toeplitz_arena(const fgti_ssm *m, int64_t samples, int64_t time)
{
    const cut c = cut_of(m, samples, time);
    parts     p;
    return ssm_toeplitz_layout(&c, NULL, &p);
}

/* Writes the kernel of every channel as one row. */
static void spread_kernel(const fgti_ssm_conv *c, const cut *u, fgti_real *k)
{
    const int64_t time = c->p->time, count = fgti_ssm_count(&c->p->m, c->block);
    memset(k, 0, (size_t)(FGTI_SCAN * u->length) * sizeof *k);
    for (int64_t ch = 0; ch < count; ch++) {
        fgti_real *row = k + ch * u->length + u->before;
        for (int64_t t = 0; t < time; t++) row[t] = c->kernel[0][t * FGTI_SCAN + ch];
        for (int64_t t = 0; t < time && c->p->m.directions == 2; t++)
            row[-1 - t] = c->kernel[1][t * FGTI_SCAN + ch];
    }
}

static void collect_kernel(const fgti_ssm_conv *c, const cut *u, const fgti_real *dk)
{
    const int64_t time = c->p->time, count = fgti_ssm_count(&c->p->m, c->block);
    for (int64_t ch = 0; ch < FGTI_SCAN; ch++) {
        const fgti_real *row = dk + ch * u->length + u->before;
        for (int64_t t = 0; t < time; t++) c->dkernel[0][t * FGTI_SCAN + ch] = ch < count ? row[t] : 0;
        for (int64_t t = 0; t < time && c->p->m.directions == 2; t++)
            c->dkernel[1][t * FGTI_SCAN + ch] = ch < count ? row[-1 - t] : 0;
    }
}

/* Copies [time,channels] of n samples from `first` on into rows of blocks, with zeros after the end. */
static void toeplitz_gather(const fgti_ssm_conv *c, const cut *u, int64_t first, int64_t n,
                            const fgti_real *from, fgti_real *rows)
{
    const fgti_ssm_pass *p     = c->p;
    const int64_t        width = p->m.width, plane = n * u->padded;
    const int64_t        count = fgti_ssm_count(&p->m, c->block);
    for (int64_t j = 0; j < u->blocks; j++)
        for (int64_t b = 0; b < n; b++) {
            const int64_t t0 = j * u->steps, have = p->time - t0 < u->steps ? p->time - t0 : u->steps;
            fgti_real    *to = rows + (j * n + b) * u->steps;
            p->run->vec->transpose(have, count,
                                   from + ((first + b) * p->time + t0) * width + c->block * FGTI_SCAN, width,
                                   to, plane);
            for (int64_t ch = 0; ch < count && have < u->steps; ch++)
                memset(to + ch * plane + have, 0, (size_t)(u->steps - have) * sizeof *to);
        }
}

static void toeplitz_scatter(const fgti_ssm_conv *c, const cut *u, int64_t first, int64_t n,
                             const fgti_real *rows, fgti_real *to)
{
    const fgti_ssm_pass *p     = c->p;
    const int64_t        width = p->m.width, plane = n * u->padded;
    for (int64_t j = 0; j < u->blocks; j++)
        for (int64_t b = 0; b < n; b++) {
            const int64_t t0 = j * u->steps, have = p->time - t0 < u->steps ? p->time - t0 : u->steps;
            p->run->vec->transpose(fgti_ssm_count(&p->m, c->block), have, rows + (j * n + b) * u->steps,
                                   plane, to + ((first + b) * p->time + t0) * width + c->block * FGTI_SCAN,
                                   width);
        }
}

/* to_{J+d} (+)= from_J T_d, or with `adjoint` to_J (+)= from_{J+d} T_d'. k points to K[0]. */
static void toeplitz_multiply(const fgti_ssm_conv *c, const cut *u, int64_t n, int64_t d,
                              const fgti_real *from, const fgti_real *k, bool adjoint, fgti_real *to)
{
    const int64_t block = n * u->steps, far = d < 0 ? -d : d;
    const bool    later = (d >= 0) != adjoint; /* `to` is later than `from` */
    fgti_gemm     g =
        fgti_gemm_nn((u->blocks - far) * n, u->steps, u->steps, later ? from : from + far * block, u->steps,
                     k + d * u->steps, 0, d != 0, later ? to + far * block : to, u->steps);
    g.rsb = adjoint ? 1 : -1;
    g.csb = -g.rsb;
    fgti_gemm_run(c->p->run->blas, c->gemm, &g);
}

/* Adds the diagonals of dY_{J+d}' X_J to dK. The columns of the product are in reverse order, so that its
 * rows, each one place further than the row before it, add up to the diagonals. */
static void toeplitz_kernel_grad(const fgti_ssm_conv *c, const cut *u, int64_t n, int64_t d,
                                 const fgti_real *x, const fgti_real *dy, fgti_real *product, fgti_real *dk)
{
    const int64_t block = n * u->steps, far = d < 0 ? -d : d;
    fgti_gemm     g =
        fgti_gemm_tn(u->steps, u->steps, (u->blocks - far) * n, d >= 0 ? dy + far * block : dy, u->steps,
                     (d >= 0 ? x : x + far * block) + u->steps - 1, u->steps, 0, product, u->steps);
    g.csb = -1;
    fgti_gemm_run(c->p->run->blas, c->gemm, &g);
    for (int64_t p = 0; p < u->steps; p++)
        c->p->run->vec->axpy(u->steps, 1, product + p * u->steps, dk + (d - 1) * u->steps + p + 1);
}

/* Returns the most negative d. */
static int64_t first_lag(const fgti_ssm_conv *c, const cut *u)
{
    return c->p->m.directions == 2 ? -(u->blocks - 1) : 0;
}

static void toeplitz_convolve(const fgti_ssm_conv *c, const cut *u, int64_t n, const fgti_real *from,
                              const fgti_real *k, bool adjoint, fgti_real *to)
{
    toeplitz_multiply(c, u, n, 0, from, k, adjoint, to); /* this product overwrites `to`; the other products
                                                          * add to it */
    for (int64_t d = first_lag(c, u); d < u->blocks; d++)
        if (d) toeplitz_multiply(c, u, n, d, from, k, adjoint, to);
}

void fgti_ssm_toeplitz(const fgti_ssm_conv *c)
{
    const cut     u     = cut_of(&c->p->m, c->last - c->first, c->p->time);
    const int64_t count = fgti_ssm_count(&c->p->m, c->block);
    parts         s;
    ssm_toeplitz_layout(&u, c->arena, &s);
    spread_kernel(c, &u, s.k);
    for (int64_t b = c->first; b < c->last; b += u.samples) {
        const int64_t n = c->last - b < u.samples ? c->last - b : u.samples, plane = n * u.padded;
        toeplitz_gather(c, &u, b, n, c->p->x, s.x);
        for (int64_t ch = 0; ch < count; ch++)
            toeplitz_convolve(c, &u, n, s.x + ch * plane, s.k + ch * u.length + u.before, false,
                              s.y + ch * plane);
        toeplitz_scatter(c, &u, b, n, s.y, c->p->y);
    }
}

void fgti_ssm_toeplitz_grad(const fgti_ssm_conv *c)
{
    const cut     u     = cut_of(&c->p->m, c->last - c->first, c->p->time);
    const int64_t count = fgti_ssm_count(&c->p->m, c->block);
    parts         s;
    ssm_toeplitz_layout(&u, c->arena, &s);
    spread_kernel(c, &u, s.k);
    memset(s.dk, 0, (size_t)(FGTI_SCAN * u.length) * sizeof *s.dk);
    for (int64_t b = c->first; b < c->last; b += u.samples) {
        const int64_t n = c->last - b < u.samples ? c->last - b : u.samples, plane = n * u.padded;
        toeplitz_gather(c, &u, b, n, c->p->x, s.x);
        toeplitz_gather(c, &u, b, n, c->p->dy, s.y);
        for (int64_t ch = 0; ch < count; ch++) {
            const int64_t at = ch * plane, zeroth = ch * u.length + u.before;
            for (int64_t d = first_lag(c, &u); d < u.blocks; d++)
                toeplitz_kernel_grad(c, &u, n, d, s.x + at, s.y + at, s.product, s.dk + zeroth);
            if (c->p->dx) toeplitz_convolve(c, &u, n, s.y + at, s.k + zeroth, true, s.dx + at);
        }
        if (c->p->dx) toeplitz_scatter(c, &u, b, n, s.dx, c->p->dx);
    }
    collect_kernel(c, &u, s.dk);
}
