/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of vec_panels.h, in loops over a constant number of lanes, which the compiler keeps in
 * registers. The file is built as vec.c is. */
#include "core/vec/vec.h"

#include <stdbool.h>

#include "core/vec/vec_math.h"
#include "core/vec/vec_strip.h"

/* exp(x) for x <= 0 or slightly more, where a softmax adds it to terms near 1. It is 2^t with t = x log2(e),
 * as 2^n times a polynomial of t - n, |t - n| <= 1/2. The rounding of t makes the relative error 1e-7 (1 +
 * |x|). 2^-126 is subtracted from the result, so that all below becomes 0; beside terms near 1 that is
 * negligible. */
#ifdef FGTI_DOUBLE
INLINE double exp_low(double x)
{
    return exp_real(x);
}
#else
INLINE float exp_low(float x)
{
    const float round = 0x1.8p23f + 127; /* adding it leaves 2^n's exponent in the low mantissa bits */
    float       t     = x * 1.44269504f, power;
    t                 = t < -126.0f ? -126.0f : t;
    const float m = t + round, r = t - (m - round);
    float       p = (1.3276471961e-3f * r + 9.6755415027e-3f) * r + 5.55071327506e-2f;
    p             = ((p * r + 0.2402211972075f) * r + 0.6931469670629f) * r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &m, sizeof bits);
    bits <<= 23;
    memcpy(&power, &bits, sizeof power);
    return p * power - 0x1p-126f;
}
#endif

/* Lanes from `first` on, `width` of them, in loops with a constant width. */
INLINE void higher(int width, const fgti_real *s, fgti_real *top)
{
    LANES
    for (int l = 0; l < width; l++) top[l] = choose(s[l] > top[l], s[l], top[l]);
}

/* Four maxima at once, because a comparison must wait for the previous one. */
INLINE void top_of(int64_t n, int64_t v, int width, const fgti_real *s, fgti_real *top)
{
    fgti_real a[STRIP], b[STRIP], c[STRIP];
    int64_t   j = 0;
    for (int l = 0; l < width; l++) a[l] = b[l] = c[l] = top[l];
    for (; j + 4 <= n; j += 4, s += 4 * v) {
        higher(width, s, top);
        higher(width, s + v, a);
        higher(width, s + 2 * v, b);
        higher(width, s + 3 * v, c);
    }
    for (; j < n; j++, s += v) higher(width, s, top);
    higher(width, a, top);
    higher(width, b, c);
    higher(width, c, top);
}

/* if all are masked: exp(-inf - 0) = 0 instead of NaN */
INLINE fgti_real shift_of(fgti_real top)
{
    return choose(top == -(fgti_real)INFINITY, 0, top);
}

INLINE void exp_strip(int64_t n, int64_t v, int width, const fgti_real *shift, fgti_real *s, fgti_real *sum)
{
    for (int64_t j = 0; j < n; j++) {
        LANES
        for (int l = 0; l < width; l++) {
            const fgti_real e = exp_low(s[j * v + l] - shift[l]);
            s[j * v + l]      = e;
            sum[l] += e;
        }
    }
}

INLINE void scale_strip(int64_t n, int64_t v, int width, const fgti_real *f, fgti_real *s)
{
    for (int64_t j = 0; j < n; j++) {
        LANES
        for (int l = 0; l < width; l++) s[j * v + l] *= f[l];
    }
}

INLINE void softmax_strip(int64_t n, int64_t v, int width, fgti_real *s, fgti_real *shift, fgti_real *factor)
{
    fgti_real top[STRIP], sum[STRIP];
    for (int l = 0; l < width; l++) top[l] = -(fgti_real)INFINITY, sum[l] = 0;
    top_of(n, v, width, s, top);
    for (int l = 0; l < width; l++) top[l] = shift_of(top[l]);
    exp_strip(n, v, width, top, s, sum);
    for (int l = 0; l < width; l++) sum[l] = choose(sum[l] == 0, 0, 1 / sum[l]);
    scale_strip(n, v, width, sum, s);
    for (int l = 0; l < width; l++) shift[l] = top[l], factor[l] = sum[l];
}

static void softmax(int64_t n, int64_t v, fgti_real *s, fgti_real *shift, fgti_real *factor)
{
    int64_t l = 0;
    for (; l + STRIP <= v; l += STRIP) softmax_strip(n, v, STRIP, s + l, shift + l, factor + l);
    for (; l < v; l += 4) softmax_strip(n, v, 4, s + l, shift + l, factor + l);
}

INLINE void part_strip(int64_t n, int64_t v, int width, fgti_real *s, fgti_real *top, fgti_real *sum,
                       fgti_real *fix)
{
    fgti_real now[STRIP], shift[STRIP], part[STRIP];
    for (int l = 0; l < width; l++) now[l] = top[l], part[l] = 0;
    top_of(n, v, width, s, now);
    for (int l = 0; l < width; l++) shift[l] = shift_of(now[l]);
    exp_strip(n, v, width, shift, s, part);
    for (int l = 0; l < width; l++) {
        fix[l] = exp_low(top[l] - shift[l]);
        sum[l] = sum[l] * fix[l] + part[l];
        top[l] = now[l];
    }
}

static void softmax_part(int64_t n, int64_t v, fgti_real *s, fgti_real *top, fgti_real *sum, fgti_real *fix)
{
    int64_t l = 0;
    for (; l + STRIP <= v; l += STRIP) part_strip(n, v, STRIP, s + l, top + l, sum + l, fix + l);
    for (; l < v; l += 4) part_strip(n, v, 4, s + l, top + l, sum + l, fix + l);
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
    for (int64_t j = 0; j < n; j++) {
        LANES
        for (int l = 0; l < width; l++) s[j * v + l] = exp_low(s[j * v + l] - shift[l]) * factor[l];
    }
}

static void exp_lanes(int64_t n, int64_t v, const fgti_real *shift, const fgti_real *factor, fgti_real *s)
{
    int64_t l = 0;
    for (; l + STRIP <= v; l += STRIP) exp_lanes_strip(n, v, STRIP, shift + l, factor + l, s + l);
    for (; l < v; l += 4) exp_lanes_strip(n, v, 4, shift + l, factor + l, s + l);
}

static void exp_rows(int64_t n, int64_t v, int64_t ld, const fgti_real *shift, const fgti_real *factor,
                     fgti_real *s)
{
    for (int64_t j = 0; j < n; j++, s += ld) {
        const fgti_real by = shift[j], f = factor[j];
        INDEPENDENT
        for (int64_t l = 0; l < v; l++) s[l] = exp_low(s[l] - by) * f;
    }
}

static void scale(int64_t n, int64_t v, const fgti_real *f, fgti_real *s)
{
    int64_t l = 0;
    for (; l + STRIP <= v; l += STRIP) scale_strip(n, v, STRIP, f + l, s + l);
    for (; l < v; l += 4) scale_strip(n, v, 4, f + l, s + l);
}

/* The softmax's gradient, in three orders of storage. */
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

/* Rows that are computed together, each in two registers: enough independent chains to hide the latency of a
 * multiply-add, and few enough sums to stay in registers beside the operands. */
#if REGISTER == 64 || defined(__aarch64__)
#define ROWS 8 /* of 32 registers */
#else
#define ROWS 6 /* of 16 */
#endif

/* Uses of a sum: C = sum, C = sum + C, or C = alpha sum + beta C. Multiplications by 1 would take a
 * sixteenth of the time of sums of 16. */
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

static void multiply(int64_t rows, int64_t n, int64_t k, fgti_real alpha, const fgti_real *x, int64_t rs,
                     int64_t cs, const fgti_real *y, int64_t ldy, fgti_real beta, fgti_real *c, int64_t ldc)
{
    if (alpha == 1 && beta == 0)
        multiply_strips(PUT, rows, n, k, 1, x, rs, cs, y, ldy, 0, c, ldc);
    else if (alpha == 1 && beta == 1)
        multiply_strips(ADD, rows, n, k, 1, x, rs, cs, y, ldy, 1, c, ldc);
    else
        multiply_strips(SCALE, rows, n, k, alpha, x, rs, cs, y, ldy, beta, c, ldc);
}

/* The sum over d rows of x - mu, or of its square; in four sums, because an addition must wait for the
 * previous one. */
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

/* As norm in vec.c. */
static void norm(int64_t d, int64_t n, int64_t ld, double eps, const fgti_real *w, const fgti_real *b,
                 fgti_real *x, fgti_real *mean, fgti_real *rstd)
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

static void product(int64_t rows, int64_t v, int64_t k, fgti_real alpha, const fgti_real *x, int64_t u,
                    int64_t ld, const fgti_real *y, fgti_real beta, fgti_real *c)
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

static void add_rows(int64_t rows, int64_t n, const fgti_real *x, int64_t ldx, fgti_real *y, int64_t ldy)
{
    for (int64_t r = 0; r < rows; r++, x += ldx, y += ldy) {
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] += x[i];
    }
}

extern const fgti_vec_panels THIS_TABLE(fgti_vec_panels_);
const fgti_vec_panels        THIS_TABLE(fgti_vec_panels_) = {
           .softmax            = softmax,
           .softmax_part       = softmax_part,
           .softmax_end        = softmax_end,
           .exp_lanes          = exp_lanes,
           .exp_rows           = exp_rows,
           .scale              = scale,
           .softmax_grad       = softmax_grad,
           .softmax_grad_lanes = softmax_grad_lanes,
           .softmax_grad_rows  = softmax_grad_rows,
           .norm               = norm,
           .multiply           = multiply,
           .add_each           = add_each,
           .sum_rows           = sum_rows,
           .product            = product,
           .dot_rows           = dot_rows,
           .add_rows           = add_rows,
};
