/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of vec_panels.h, in loops over a constant number of lanes, which the compiler keeps in
 * registers. The file is built in the same way as vec.c. */
#include "core/vec/vec_panels.h"

#include <stdbool.h>

#include "core/vec/vec_exp.h"
#include "core/vec/vec_strip.h"

/* Number of lanes that are computed at once where fewer lanes than a whole register are left. */
enum { FEW = REG < 4 ? REG : 4 };

/* Loads `width` lanes of a panel. The other lanes of the register are zeros. */
INLINE reg some(int width, const fgti_real *s)
{
    reg x = {0};
    if (width == REG) return *(const reg *)s;
    memcpy(&x, s, (size_t)width * sizeof *s);
    return x;
}

INLINE void put(int width, reg x, fgti_real *s)
{
    if (width == REG)
        *(reg *)s = x;
    else
        memcpy(s, &x, (size_t)width * sizeof *s);
}

/* The largest of `top` and of n rows. There are four maxima at once, because a comparison must wait for the
 * previous one. */
INLINE reg top_of(int64_t n, int64_t v, int width, const fgti_real *s, reg top)
{
    reg     a = top, b = top, c = top;
    int64_t j = 0;
    for (; j + 4 <= n; j += 4, s += 4 * v) {
        top = higher(some(width, s), top);
        a   = higher(some(width, s + v), a);
        b   = higher(some(width, s + 2 * v), b);
        c   = higher(some(width, s + 3 * v), c);
    }
    for (; j < n; j++, s += v) top = higher(some(width, s), top);
    return higher(higher(c, b), higher(a, top));
}

/* The shift of a softmax is its largest score. If all scores are masked, the shift is 0, and exp(-inf - 0) =
 * 0 instead of NaN. */
INLINE fgti_real shift_of(fgti_real top)
{
    return choose(top == -(fgti_real)INFINITY, 0, top);
}

/* s = exp(s - shift); returns the sums of the results. */
INLINE reg exp_strip(int64_t n, int64_t v, int width, reg shift, fgti_real *s)
{
    reg sum = {0};
    for (int64_t j = 0; j < n; j++, s += v) {
        const reg e = exp_low(some(width, s) - shift);
        put(width, e, s);
        sum += e;
    }
    return sum;
}

INLINE void scale_strip(int64_t n, int64_t v, int width, const fgti_real *f, fgti_real *s)
{
    const reg by = some(width, f);
    for (int64_t j = 0; j < n; j++, s += v) put(width, some(width, s) * by, s);
}

INLINE void softmax_strip(int64_t n, int64_t v, int width, fgti_real *s, fgti_real *shift, fgti_real *factor)
{
    const fgti_real lowest = -(fgti_real)INFINITY;
    put(width, top_of(n, v, width, s, (reg){0} + lowest), shift);
    for (int l = 0; l < width; l++) shift[l] = shift_of(shift[l]);
    put(width, exp_strip(n, v, width, some(width, shift), s), factor);
    for (int l = 0; l < width; l++) factor[l] = choose(factor[l] == 0, 0, 1 / factor[l]);
    scale_strip(n, v, width, factor, s);
}

static void vec_panels_softmax(int64_t n, int64_t v, fgti_real *s, fgti_real *shift, fgti_real *factor)
{
    int64_t l = 0;
    for (; l + REG <= v; l += REG) softmax_strip(n, v, REG, s + l, shift + l, factor + l);
    for (; l < v; l += FEW) softmax_strip(n, v, FEW, s + l, shift + l, factor + l);
}

INLINE void part_strip(int64_t n, int64_t v, int width, fgti_real *s, fgti_real *top, fgti_real *sum,
                       fgti_real *fix)
{
    const reg before = some(width, top), now = top_of(n, v, width, s, before);
    fgti_real of[REG];
    put(width, now, top);
    for (int l = 0; l < width; l++) of[l] = shift_of(top[l]);
    const reg shift = some(width, of), part = exp_strip(n, v, width, shift, s), by = exp_low(before - shift);
    put(width, by, fix);
    put(width, some(width, sum) * by + part, sum);
}

static void softmax_part(int64_t n, int64_t v, fgti_real *s, fgti_real *top, fgti_real *sum, fgti_real *fix)
{
    int64_t l = 0;
    for (; l + REG <= v; l += REG) part_strip(n, v, REG, s + l, top + l, sum + l, fix + l);
    for (; l < v; l += FEW) part_strip(n, v, FEW, s + l, top + l, sum + l, fix + l);
}

static void softmax_end(int64_t v, fgti_real *top, fgti_real *sum)
{
    for (int64_t l = 0; l < v; l++) {
        top[l] = shift_of(top[l]);
        sum[l] = sum[l] == 0 ? 0 : 1 / sum[l];
    }
}

INLINE void exp_lanes_strip(int64_t n, int64_t v, int width, const fgti_real *shift, const fgti_real *factor,
                            fgti_real *s)
{
    const reg by = some(width, shift), f = some(width, factor);
    for (int64_t j = 0; j < n; j++, s += v) put(width, exp_low(some(width, s) - by) * f, s);
}

static void exp_lanes(int64_t n, int64_t v, const fgti_real *shift, const fgti_real *factor, fgti_real *s)
{
    int64_t l = 0;
    for (; l + REG <= v; l += REG) exp_lanes_strip(n, v, REG, shift + l, factor + l, s + l);
    for (; l < v; l += FEW) exp_lanes_strip(n, v, FEW, shift + l, factor + l, s + l);
}

static void exp_rows(int64_t n, int64_t v, int64_t ld, const fgti_real *shift, const fgti_real *factor,
                     fgti_real *s)
{
    for (int64_t j = 0; j < n; j++, s += ld) {
        const fgti_real by = shift[j], f = factor[j];
        int64_t         l  = 0;
        for (; l + REG <= v; l += REG) put(REG, exp_low(some(REG, s + l) - by) * f, s + l);
        for (; l + FEW <= v; l += FEW) put(FEW, exp_low(some(FEW, s + l) - by) * f, s + l);
        for (; l < v; l++) put(1, exp_low(some(1, s + l) - by) * f, s + l);
    }
}

static void vec_panels_scale(int64_t n, int64_t v, const fgti_real *f, fgti_real *s)
{
    int64_t l = 0;
    for (; l + REG <= v; l += REG) scale_strip(n, v, REG, f + l, s + l);
    for (; l < v; l += FEW) scale_strip(n, v, FEW, f + l, s + l);
}

/* One element of the gradient of the softmax. The three functions below store the elements in different
 * orders. */
INLINE fgti_real score_grad(fgti_real a, fgti_real b, fgti_real delta, fgti_real da)
{
    return b * da - a * delta;
}

static void softmax_grad(int64_t n, int64_t v, const fgti_real *a, const fgti_real *b, const fgti_real *delta,
                         fgti_real *da)
{
    for (int64_t j = 0; j < n; j++, a += v, b += v, da += v) {
        const fgti_real d = delta[j];
        INDEPENDENT
        for (int64_t l = 0; l < v; l++) da[l] = score_grad(a[l], b[l], d, da[l]);
    }
}

INLINE void grad_lanes_strip(int64_t n, int64_t v, int width, const fgti_real *a, const fgti_real *b,
                             fgti_real *da)
{
    fgti_real delta[STRIP] = {0};
    for (int64_t j = 0; j < n; j++) {
        LANES
        for (int l = 0; l < width; l++) delta[l] += b[j * v + l] * da[j * v + l];
    }
    for (int64_t j = 0; j < n; j++) {
        LANES
        for (int l = 0; l < width; l++)
            da[j * v + l] = score_grad(a[j * v + l], b[j * v + l], delta[l], da[j * v + l]);
    }
}

static void softmax_grad_lanes(int64_t n, int64_t v, const fgti_real *a, const fgti_real *b, fgti_real *da)
{
    int64_t l = 0;
    for (; l + STRIP <= v; l += STRIP) grad_lanes_strip(n, v, STRIP, a + l, b + l, da + l);
    for (; l < v; l += 4) grad_lanes_strip(n, v, 4, a + l, b + l, da + l);
}

/* sum of x_i y_i */
INLINE fgti_real row_dot(int64_t n, const fgti_real *x, const fgti_real *y)
{
    fgti_real part[PARTS] = {0}, rest = 0;
    int64_t   i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int l = 0; l < PARTS; l++) part[l] += x[i + l] * y[i + l];
    for (; i < n; i++) rest += x[i] * y[i];
    return rest + parts_sum(part);
}

static void softmax_grad_rows(int64_t rows, int64_t n, int64_t ld, const fgti_real *a, const fgti_real *b,
                              fgti_real *da)
{
    for (int64_t r = 0; r < rows; r++, a += ld, b += ld, da += ld) {
        const fgti_real delta = row_dot(n, b, da);
        INDEPENDENT
        for (int64_t j = 0; j < n; j++) da[j] = score_grad(a[j], b[j], delta, da[j]);
    }
}

/* Number of rows that are computed together, each in two registers. There are enough independent chains to
 * hide the latency of a multiply-add, and the sums are few enough to stay in registers beside the
 * operands. */
#if REGISTER == 64 || defined(__aarch64__)
#define ROWS 8 /* for 32 registers */
#else
#define ROWS 6 /* for 16 registers */
#endif

/* The ways to end a sum: C = sum, C = sum + C, or C = alpha sum + beta C. The first two avoid multiplications
 * by 1, which would take a sixteenth of the time of a sum of 16 terms. */
enum { PUT, ADD, SCALE };

INLINE void multiply_tile(int end, int rows, int regs, int64_t k, fgti_real alpha, const fgti_real *x,
                          int64_t rs, int64_t cs, const fgti_real *y, int64_t ldy, fgti_real beta,
                          fgti_real *c, int64_t ldc)
{
    reg sum[2 * ROWS][2] = {0};
    for (int64_t p = 0; p < k; p++, x += cs, y += ldy)
        for (int r = 0; r < rows; r++)
            for (int l = 0; l < regs; l++) sum[r][l] += x[r * rs] * *(const reg *)(y + l * REG);
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < regs; l++) {
            reg *to = (reg *)(c + r * ldc + l * REG);
            if (end == PUT)
                *to = sum[r][l];
            else if (end == ADD)
                *to += sum[r][l];
            else
                *to = beta == 0 ? alpha * sum[r][l] : alpha * sum[r][l] + beta * *to;
        }
}

INLINE void multiply_strip(int end, int regs, int64_t rows, int64_t k, fgti_real alpha, const fgti_real *x,
                           int64_t rs, int64_t cs, const fgti_real *y, int64_t ldy, fgti_real beta,
                           fgti_real *c, int64_t ldc)
{
    int64_t r = 0;
    for (; regs == 1 && r + 2 * ROWS <= rows; r += 2 * ROWS, x += 2 * ROWS * rs, c += 2 * ROWS * ldc)
        multiply_tile(end, 2 * ROWS, 1, k, alpha, x, rs, cs, y, ldy, beta, c, ldc);
    for (; r + ROWS <= rows; r += ROWS, x += ROWS * rs, c += ROWS * ldc)
        multiply_tile(end, ROWS, regs, k, alpha, x, rs, cs, y, ldy, beta, c, ldc);
    const int64_t rest = rows - r;
    if (rest & 4) {
        multiply_tile(end, 4, regs, k, alpha, x, rs, cs, y, ldy, beta, c, ldc);
        x += 4 * rs, c += 4 * ldc;
    }
    if (rest & 2) {
        multiply_tile(end, 2, regs, k, alpha, x, rs, cs, y, ldy, beta, c, ldc);
        x += 2 * rs, c += 2 * ldc;
    }
    if (rest & 1) multiply_tile(end, 1, regs, k, alpha, x, rs, cs, y, ldy, beta, c, ldc);
}

INLINE void multiply_strips(int end, int64_t rows, int64_t n, int64_t k, fgti_real alpha, const fgti_real *x,
                            int64_t rs, int64_t cs, const fgti_real *y, int64_t ldy, fgti_real beta,
                            fgti_real *c, int64_t ldc)
{
    int64_t l = 0;
    for (; l + 2 * REG <= n; l += 2 * REG)
        multiply_strip(end, 2, rows, k, alpha, x, rs, cs, y + l, ldy, beta, c + l, ldc);
    if (l < n) multiply_strip(end, 1, rows, k, alpha, x, rs, cs, y + l, ldy, beta, c + l, ldc);
}

static void vec_panels_multiply(int64_t rows, int64_t n, int64_t k, fgti_real alpha, const fgti_real *x,
                                int64_t rs, int64_t cs, const fgti_real *y, int64_t ldy, fgti_real beta,
                                fgti_real *c, int64_t ldc)
{
    if (alpha == 1 && beta == 0)
        multiply_strips(PUT, rows, n, k, 1, x, rs, cs, y, ldy, 0, c, ldc);
    else if (alpha == 1 && beta == 1)
        multiply_strips(ADD, rows, n, k, 1, x, rs, cs, y, ldy, 1, c, ldc);
    else
        multiply_strips(SCALE, rows, n, k, alpha, x, rs, cs, y, ldy, beta, c, ldc);
}

/* The sum over d rows of x - mu, or of its square. There are four partial sums, because an addition must wait
 * for the previous one. */
INLINE reg moment(bool square, int64_t d, int64_t ld, const fgti_real *x, reg mu)
{
    reg     sum[4] = {0};
    int64_t i      = 0;
    for (; i + 4 <= d; i += 4, x += 4 * ld)
        for (int q = 0; q < 4; q++) {
            reg e = *(const reg *)(x + q * ld) - mu;
            if (square) e *= e;
            sum[q] += e;
        }
    for (; i < d; i++, x += ld) {
        reg e = *(const reg *)x - mu;
        if (square) e *= e;
        sum[0] += e;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Layer normalisation by the formula of norm() in vec.c. */
static void vec_panels_norm(int64_t d, int64_t n, int64_t ld, double eps, const fgti_real *w,
                            const fgti_real *b, fgti_real *x, fgti_real *mean, fgti_real *rstd)
{
    const fgti_real inv = 1 / (fgti_real)d;
    for (int64_t l = 0; l < n; l += REG, x += REG) {
        const reg mu = moment(false, d, ld, x, (reg){0}) * inv;
        reg       rs = moment(true, d, ld, x, mu) * inv + (fgti_real)eps;
        for (int i = 0; i < REG; i++) rs[i] = 1 / sqrt_real(rs[i]);
        for (int64_t i = 0; i < d; i++) {
            reg *to = (reg *)(x + i * ld);
            *to     = (*to - mu) * rs * w[i] + b[i];
        }
        *(reg *)(mean + l) = mu;
        *(reg *)(rstd + l) = rs;
    }
}

static void add_each(int64_t rows, int64_t n, const fgti_real *b, fgti_real *y, int64_t ld)
{
    for (int64_t r = 0; r < rows; r++, y += ld) {
        const fgti_real by = b[r];
        for (int64_t i = 0; i < n; i++) y[i] += by;
    }
}

static void sum_rows(int64_t rows, int64_t n, const fgti_real *x, int64_t ld, fgti_real *out)
{
    for (int64_t r = 0; r < rows; r++, x += ld) out[r] += row_sum(n, x);
}

INLINE void product_panels(int end, int64_t rows, int64_t v, int64_t k, fgti_real alpha, const fgti_real *x,
                           int64_t u, int64_t ld, const fgti_real *y, fgti_real beta, fgti_real *c)
{
    for (int64_t r = 0; r < rows; r += u, x += ld, c += u * v) {
        const int64_t n = rows - r < u ? (rows - r + 3) / 4 * 4 : u;
        int64_t       l = 0;
        for (; l + 2 * REG <= v; l += 2 * REG)
            multiply_strip(end, 2, n, k, alpha, x, 1, u, y + l, v, beta, c + l, v);
        for (; l < v; l += REG) multiply_strip(end, 1, n, k, alpha, x, 1, u, y + l, v, beta, c + l, v);
    }
}

static void vec_panels_product(int64_t rows, int64_t v, int64_t k, fgti_real alpha, const fgti_real *x,
                               int64_t u, int64_t ld, const fgti_real *y, fgti_real beta, fgti_real *c)
{
    if (alpha == 1 && beta == 0)
        product_panels(PUT, rows, v, k, 1, x, u, ld, y, 0, c);
    else if (alpha == 1 && beta == 1)
        product_panels(ADD, rows, v, k, 1, x, u, ld, y, 1, c);
    else
        product_panels(SCALE, rows, v, k, alpha, x, u, ld, y, beta, c);
}

static void dot_rows(int64_t rows, int64_t n, const fgti_real *x, int64_t ldx, const fgti_real *y,
                     int64_t ldy, fgti_real *out)
{
    for (int64_t r = 0; r < rows; r++, x += ldx, y += ldy) out[r] += row_dot(n, x, y);
}

static void vec_panels_add_rows(int64_t rows, int64_t n, const fgti_real *x, int64_t ldx, fgti_real *y,
                                int64_t ldy)
{
    for (int64_t r = 0; r < rows; r++, x += ldx, y += ldy) {
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] += x[i];
    }
}

extern const fgti_vec_panels THIS_TABLE(fgti_vec_panels_);
const fgti_vec_panels        THIS_TABLE(fgti_vec_panels_) = {
           .softmax            = vec_panels_softmax,
           .softmax_part       = softmax_part,
           .softmax_end        = softmax_end,
           .exp_lanes          = exp_lanes,
           .exp_rows           = exp_rows,
           .scale              = vec_panels_scale,
           .softmax_grad       = softmax_grad,
           .softmax_grad_lanes = softmax_grad_lanes,
           .softmax_grad_rows  = softmax_grad_rows,
           .norm               = vec_panels_norm,
           .multiply           = vec_panels_multiply,
           .add_each           = add_each,
           .sum_rows           = sum_rows,
           .product            = vec_panels_product,
           .dot_rows           = dot_rows,
           .add_rows           = vec_panels_add_rows,
};
