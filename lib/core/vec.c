/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of vec.h in plain loops that the compiler vectorises. Meson builds this file once per
 * instruction set with FGTI_VEC_NAME set; vec_dispatch.c chooses a table at run time.
 *
 * Sums: floating-point addition is not associative and the compiler may not pretend it is, so every
 * sum over a row is LANES partial sums, written as loops over the lanes. Element i goes to lane
 * i mod LANES on every instruction set; only fused multiply-add makes them differ. */
#include "core/vec.h"

#include <stdbool.h>

#include "core/vec_math.h"

/* One AVX-512 register of float, two of AVX2, four of SSE2 or NEON: enough independent chains to hide
 * the latency of an addition. */
#define LANES 16

/* "No iteration reads what another wrote": arrays are the same or apart. Without it the vector loop
 * stands behind a test for overlap, which equal pointers fail. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* For helpers whose constant arguments select the code. */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* ---- activations ---- */

/* Slopes are written with |x| and the sign put back, because a clamp on both sides becomes a chain of
 * masks with GCC. The bounds keep inf * 0 away. */
#define GELU_FLAT ((fgti_real)40)  /* Phi(-40) = 0 in double too */
#define SILU_FLAT ((fgti_real)800) /* exp(-800) = 0 in double too */
#define SQRT_2_PI ((fgti_real)0.79788456080286536) /* sqrt(2/pi) */
#define CUBE      ((fgti_real)0.044715)            /* Hendrycks and Gimpel 2016 */

INLINE fgti_real none(fgti_real x)
{
    return x;
}

INLINE fgti_real relu(fgti_real x)
{
    return x < 0 ? 0 : x;
}

INLINE fgti_real gelu(fgti_real x)
{
    return at_least(-GELU_FLAT, x) * normal_cdf(x);
}

/* Phi(x) + x phi(x) */
INLINE fgti_real gelu_slope(fgti_real x)
{
    const fgti_real a   = at_most(GELU_FLAT, absolute(x));
    const fgti_real pdf = (fgti_real)0.3989422804014327 * exp_real((fgti_real)-0.5 * a * a); /* 1/sqrt(2 pi) */
    return normal_cdf(x) + with_sign(a * pdf, x);
}

INLINE fgti_real gelu_tanh(fgti_real x)
{
    const fgti_real c = at_least(-GELU_FLAT, x);
    return (fgti_real)0.5 * c * (1 + tanh_real(SQRT_2_PI * c * (1 + CUBE * c * c)));
}

/* t = tanh(u):  (1 + t + x (1 - t^2) u') / 2 */
INLINE fgti_real gelu_tanh_slope(fgti_real x)
{
    const fgti_real a = at_most(GELU_FLAT, absolute(x));
    const fgti_real t = tanh_real(SQRT_2_PI * a * (1 + CUBE * a * a));
    const fgti_real h = t + a * (1 - t * t) * SQRT_2_PI * (1 + 3 * CUBE * a * a);
    return (fgti_real)0.5 + with_sign((fgti_real)0.5 * h, x);
}

/* sech^2 = 4 s (1 - s) at 2x */
INLINE fgti_real tanh_slope(fgti_real x)
{
    return 4 * sigmoid_slope(2 * x);
}

INLINE fgti_real silu(fgti_real x)
{
    return at_least(-SILU_FLAT, x) * sigmoid(x);
}

/* s + x s (1 - s), with s(|x|) = q and s(-|x|) = e q */
INLINE fgti_real silu_slope(fgti_real x)
{
    const fgti_real a = at_most(SILU_FLAT, absolute(x));
    const fgti_real e = exp_real(-a);
    const fgti_real q = 1 / (1 + e);
    return (x < 0 ? e * q : q) + with_sign(a * e * q * q, x);
}

INLINE fgti_real elu(fgti_real x)
{
    return x > 0 ? x : expm1_real(at_most(0, x));
}

INLINE fgti_real elu_slope(fgti_real x)
{
    return exp_real(at_most(0, x));
}

INLINE void map(int64_t n, const fgti_real *x, fgti_real *y, fgti_real (*f)(fgti_real))
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] = f(x[i]);
}

INLINE void map_grad(int64_t n, const fgti_real *x, const fgti_real *dy, fgti_real *dx, fgti_real (*slope)(fgti_real))
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) dx[i] = dy[i] * slope(x[i]);
}

/* A NaN stays one; an infinity gives the limit of f. */
static void act(fgti_act kind, int64_t n, const fgti_real *x, fgti_real *y)
{
    switch (kind) {
    case FGTI_ACT_NONE: map(n, x, y, none); break;
    case FGTI_ACT_RELU: map(n, x, y, relu); break;
    case FGTI_ACT_GELU: map(n, x, y, gelu); break;
    case FGTI_ACT_GELU_TANH: map(n, x, y, gelu_tanh); break;
    case FGTI_ACT_TANH: map(n, x, y, tanh_real); break;
    case FGTI_ACT_SIGMOID: map(n, x, y, sigmoid); break;
    case FGTI_ACT_SILU: map(n, x, y, silu); break;
    case FGTI_ACT_ELU: map(n, x, y, elu); break;
    }
}

/* dx = dy f'(x); relu'(0) = 0. */
static void act_grad(fgti_act kind, int64_t n, const fgti_real *x, const fgti_real *dy, fgti_real *dx)
{
    switch (kind) {
    case FGTI_ACT_NONE: map(n, dy, dx, none); break;
    case FGTI_ACT_RELU: /* chosen, not multiplied: an infinite dy dies behind a negative x */
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) {
            const fgti_real d = dy[i];
            dx[i]             = x[i] <= 0 ? 0 : d;
        }
        break;
    case FGTI_ACT_GELU: map_grad(n, x, dy, dx, gelu_slope); break;
    case FGTI_ACT_GELU_TANH: map_grad(n, x, dy, dx, gelu_tanh_slope); break;
    case FGTI_ACT_TANH: map_grad(n, x, dy, dx, tanh_slope); break;
    case FGTI_ACT_SIGMOID: map_grad(n, x, dy, dx, sigmoid_slope); break;
    case FGTI_ACT_SILU: map_grad(n, x, dy, dx, silu_slope); break;
    case FGTI_ACT_ELU: map_grad(n, x, dy, dx, elu_slope); break;
    }
}

/* ---- rows ---- */

/* Folded in halves: the same tree on every instruction set. */
INLINE fgti_real lanes_sum(fgti_real s[LANES])
{
    for (int l = 0; l < 8; l++) s[l] += s[l + 8];
    for (int l = 0; l < 4; l++) s[l] += s[l + 4];
    return (s[0] + s[2]) + (s[1] + s[3]);
}

INLINE fgti_real row_sum(int64_t n, const fgti_real *x)
{
    fgti_real s[LANES] = {0};
    int64_t   i        = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) s[l] += x[i + l];
    for (int l = 0; i + l < n; l++) s[l] += x[i + l];
    return lanes_sum(s);
}

INLINE fgti_real row_dot(int64_t n, const fgti_real *x, const fgti_real *y)
{
    fgti_real s[LANES] = {0};
    int64_t   i        = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) s[l] += x[i + l] * y[i + l];
    for (int l = 0; i + l < n; l++) s[l] += x[i + l] * y[i + l];
    return lanes_sum(s);
}

/* sum (x - mean)^2 */
INLINE fgti_real row_spread(int64_t n, const fgti_real *x, fgti_real mean)
{
    fgti_real s[LANES] = {0};
    int64_t   i        = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) s[l] += (x[i + l] - mean) * (x[i + l] - mean);
    for (int l = 0; i + l < n; l++) s[l] += (x[i + l] - mean) * (x[i + l] - mean);
    return lanes_sum(s);
}

/* A float as an integer of the same order, and back: all bits but the sign are flipped where it is set.
 * A maximum of integers is associative to the compiler, one of floats is not, because of NaN. */
#ifdef FGTI_DOUBLE
typedef int64_t order;
#else
typedef int32_t order;
#endif

#define ORDER_BITS ((order)(((uint64_t)1 << (8 * sizeof(order) - 1)) - 1)) /* all but the sign */

INLINE order order_of(fgti_real x)
{
    order k;
    memcpy(&k, &x, sizeof k);
    return k ^ ((k >> (8 * sizeof k - 1)) & ORDER_BITS);
}

/* NaN may count as more than infinity or as less than its negative: see softmax. */
INLINE fgti_real row_max(int64_t n, const fgti_real *x)
{
    fgti_real top = -(fgti_real)INFINITY;
    order     m   = order_of(top);
    for (int64_t i = 0; i < n; i++) {
        const order k = order_of(x[i]);
        m             = k > m ? k : m;
    }
    m ^= (m >> (8 * sizeof m - 1)) & ORDER_BITS;
    memcpy(&top, &m, sizeof top);
    return top;
}

/* a_j = exp(a_j - max) / sum. A NaN reaches the sum, and so the row, whether or not it was the maximum. */
static void softmax(int64_t rows, int64_t n, int64_t ld, fgti_real *a)
{
    for (int64_t r = 0; r < rows; r++, a += ld) {
        const fgti_real top   = row_max(n, a);
        const fgti_real shift = top == -(fgti_real)INFINITY ? 0 : top; /* all masked: exp(-inf) = 0, not NaN */
        INDEPENDENT
        for (int64_t j = 0; j < n; j++) a[j] = exp_real(a[j] - shift);
        const fgti_real sum = row_sum(n, a);
        const fgti_real inv = sum == 0 ? 0 : 1 / sum;
        for (int64_t j = 0; j < n; j++) a[j] *= inv;
    }
}

/* da_j <- a_j (da_j - sum_i da_i a_i) */
static void softmax_grad(int64_t rows, int64_t n, int64_t ld, const fgti_real *a, fgti_real *da)
{
    for (int64_t r = 0; r < rows; r++, a += ld, da += ld) {
        const fgti_real s = row_dot(n, a, da);
        INDEPENDENT
        for (int64_t j = 0; j < n; j++) da[j] = a[j] * (da[j] - s);
    }
}

/* ---- layer normalisation ---- */

/* y = (x - mean) rstd w + b,  rstd = 1 / sqrt(var + eps) */
static void norm(int64_t rows, int64_t d, double eps, const fgti_real *x, const fgti_real *w, const fgti_real *b,
                 fgti_real *y, fgti_real *mean, fgti_real *rstd)
{
    const fgti_real inv = 1 / (fgti_real)d;
    for (int64_t r = 0; r < rows; r++, x += d, y += d) {
        const fgti_real mu = row_sum(d, x) * inv;
        const fgti_real rs = 1 / sqrt_real(row_spread(d, x, mu) * inv + (fgti_real)eps);
        mean[r]            = mu;
        rstd[r]            = rs;
        INDEPENDENT
        for (int64_t j = 0; j < d; j++) y[j] = (x[j] - mu) * rs * (w ? w[j] : 1) + (b ? b[j] : 0);
    }
}

/* sg = sum g, sgu = sum g u in lanes, as below. Called once with w == NULL as a constant. */
INLINE void norm_grad_sums(int64_t d, const fgti_real *x, const fgti_real *w, fgti_real mu, fgti_real rs,
                           const fgti_real *dy, fgti_real sg[LANES], fgti_real sgu[LANES])
{
    int64_t j = 0;
    for (; j + LANES <= d; j += LANES)
        for (int l = 0; l < LANES; l++) {
            const fgti_real g = (w ? w[j + l] : 1) * dy[j + l];
            sg[l] += g;
            sgu[l] += g * ((x[j + l] - mu) * rs);
        }
    for (int l = 0; j + l < d; l++) {
        const fgti_real g = (w ? w[j + l] : 1) * dy[j + l];
        sg[l] += g;
        sgu[l] += g * ((x[j + l] - mu) * rs);
    }
}

/* u = (x - mean) rstd, g = w dy:  dx = rstd (g - mean_j(g) - u mean_j(g u)) */
static void norm_grad(int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *mean,
                      const fgti_real *rstd, const fgti_real *dy, fgti_real *dx)
{
    const fgti_real inv = 1 / (fgti_real)d;
    for (int64_t r = 0; r < rows; r++, x += d, dy += d, dx += d) {
        const fgti_real mu = mean[r], rs = rstd[r];
        fgti_real       sg[LANES] = {0}, sgu[LANES] = {0};
        if (w)
            norm_grad_sums(d, x, w, mu, rs, dy, sg, sgu);
        else
            norm_grad_sums(d, x, NULL, mu, rs, dy, sg, sgu);
        const fgti_real mg = lanes_sum(sg) * inv, mgu = lanes_sum(sgu) * inv;
        INDEPENDENT
        for (int64_t j = 0; j < d; j++) dx[j] = rs * ((w ? w[j] : 1) * dy[j] - mg - (x[j] - mu) * rs * mgu);
    }
}

#define STRIP 64 /* columns summed together: their sums stay in registers and the first cache */
#define CHUNK 64 /* rows summed before they are added to what was there: the error grows with the longer of both */

/* dw += sum_r dy (x - mean) rstd,  db += sum_r dy */
static void norm_grad_param(int64_t rows, int64_t d, int64_t begin, int64_t end, const fgti_real *x,
                            const fgti_real *mean, const fgti_real *rstd, const fgti_real *dy, fgti_real *dw,
                            fgti_real *db)
{
    for (int64_t j0 = begin; j0 < end; j0 += STRIP) {
        const int64_t n = end - j0 < STRIP ? end - j0 : STRIP;
        for (int64_t r0 = 0; r0 < rows; r0 += CHUNK) {
            const int64_t r1 = r0 + CHUNK < rows ? r0 + CHUNK : rows;
            fgti_real     sw[STRIP] = {0}, sb[STRIP] = {0};
            for (int64_t r = r0; r < r1; r++) {
                const fgti_real *xr = x + r * d + j0, *dyr = dy + r * d + j0;
                const fgti_real  mu = mean[r], rs = rstd[r];
                for (int64_t j = 0; j < n; j++) {
                    sw[j] += dyr[j] * ((xr[j] - mu) * rs);
                    sb[j] += dyr[j];
                }
            }
            for (int64_t j = 0; j < n; j++) dw[j0 + j] += sw[j];
            for (int64_t j = 0; j < n; j++) db[j0 + j] += sb[j];
        }
    }
}

/* ---- matrices by column ---- */

static void bias(int64_t rows, int64_t n, int64_t ld, const fgti_real *b, fgti_real *y)
{
    for (int64_t r = 0; r < rows; r++, y += ld) {
        INDEPENDENT
        for (int64_t j = 0; j < n; j++) y[j] += b[j];
    }
}

static void colsum(int64_t rows, int64_t n, int64_t ld, const fgti_real *x, fgti_real *out)
{
    for (int64_t j0 = 0; j0 < n; j0 += STRIP) {
        const int64_t width = n - j0 < STRIP ? n - j0 : STRIP;
        for (int64_t r0 = 0; r0 < rows; r0 += CHUNK) {
            const int64_t r1       = r0 + CHUNK < rows ? r0 + CHUNK : rows;
            fgti_real     s[STRIP] = {0};
            for (int64_t r = r0; r < r1; r++)
                for (int64_t j = 0; j < width; j++) s[j] += x[r * ld + j0 + j];
            for (int64_t j = 0; j < width; j++) out[j0 + j] += s[j];
        }
    }
}

/* ---- vectors ---- */

static void axpy(int64_t n, fgti_real a, const fgti_real *x, fgti_real *y)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static void scale(int64_t n, fgti_real a, fgti_real *y)
{
    for (int64_t i = 0; i < n; i++) y[i] *= a;
}

static void muladd(int64_t n, const fgti_real *x, const fgti_real *z, fgti_real *y)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] += x[i] * z[i];
}

static double sumsq(int64_t n, const fgti_real *x)
{
    double  s[LANES] = {0};
    int64_t i        = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) s[l] += (double)x[i + l] * (double)x[i + l];
    for (int l = 0; i + l < n; l++) s[l] += (double)x[i + l] * (double)x[i + l];
    for (int l = 0; l < 8; l++) s[l] += s[l + 8];
    for (int l = 0; l < 4; l++) s[l] += s[l + 4];
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* ---- random ---- */

#define BLOCKS 16 /* Philox counters side by side: one lane each */

/* Words 4*block .. 4*(block+BLOCKS)-1 of the stream, in order. */
INLINE void draw(fgti_rng rng, uint64_t block, uint32_t word[4 * BLOCKS])
{
    for (int l = 0; l < BLOCKS; l++) {
        const fgti_philox c = fgti_philox_of(rng, block + (uint64_t)l);
        word[4 * l]     = c.w0;
        word[4 * l + 1] = c.w1;
        word[4 * l + 2] = c.w2;
        word[4 * l + 3] = c.w3;
    }
}

/* Dropped where the uniform number of fgti_rng_uniform is below p; chosen, so that a dropped NaN is 0. */
static void dropout(fgti_rng rng, double p, uint64_t first, int64_t n, const fgti_real *x, fgti_real *y)
{
    const int32_t   drop = (int32_t)ceil(p * 0x1p24);
    const fgti_real keep = (fgti_real)(1 / (1 - p));
    for (int64_t i = 0; i < n; i += 4 * BLOCKS) {
        const int64_t m = n - i < 4 * BLOCKS ? n - i : 4 * BLOCKS;
        uint32_t      word[4 * BLOCKS];
        draw(rng, first / 4 + (uint64_t)i / 4, word);
        INDEPENDENT
        for (int64_t j = 0; j < m; j++) {
            const fgti_real v = x[i + j] * keep;
            y[i + j]          = (int32_t)(word[j] >> 8) < drop ? 0 : v;
        }
    }
}

/* ---- updates, as torch.optim ---- */

/* g += decay w;  v = g at first, then momentum v + g;  w -= lr v, or lr (g + momentum v) with Nesterov */
static void sgd(const fgti_sgd *o, int64_t n, double gscale, const fgti_real *g, fgti_real *v, fgti_real *w)
{
    const fgti_real lr = (fgti_real)o->lr, decay = (fgti_real)o->weight_decay, gs = (fgti_real)gscale;
    const fgti_real momentum = (fgti_real)o->momentum;
    if (o->momentum == 0) {
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) w[i] -= lr * (g[i] * gs + decay * w[i]);
        return;
    }
    const fgti_real old  = o->first ? 0 : momentum;
    const fgti_real by_g = o->nesterov ? 1 : 0, by_v = o->nesterov ? momentum : 1;
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const fgti_real gi = g[i] * gs + decay * w[i];
        const fgti_real vi = old * v[i] + gi;
        v[i] = vi;
        w[i] -= lr * (by_g * gi + by_v * vi);
    }
}

/* m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  w -= lr/(1-b1^t) m / (sqrt(v)/sqrt(1-b2^t) + eps).
 * Decay: g += decay w before, or (AdamW) w *= 1 - lr decay. */
static void adam(const fgti_adam *o, int64_t n, double gscale, const fgti_real *g, fgti_real *m, fgti_real *v,
                 fgti_real *w)
{
    const fgti_real b1 = (fgti_real)o->beta1, a1 = (fgti_real)(1 - o->beta1);
    const fgti_real b2 = (fgti_real)o->beta2, a2 = (fgti_real)(1 - o->beta2);
    const fgti_real step  = (fgti_real)(o->lr / (1 - pow(o->beta1, (double)o->t)));
    const fgti_real root  = (fgti_real)(1 / sqrt(1 - pow(o->beta2, (double)o->t)));
    const fgti_real eps   = (fgti_real)o->eps, gs = (fgti_real)gscale;
    const fgti_real decay = (fgti_real)(o->decoupled ? 0 : o->weight_decay);
    const fgti_real keep  = (fgti_real)(o->decoupled ? 1 - o->lr * o->weight_decay : 1);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const fgti_real gi = g[i] * gs + decay * w[i];
        const fgti_real mi = b1 * m[i] + a1 * gi;
        const fgti_real vi = b2 * v[i] + a2 * gi * gi;
        m[i] = mi;
        v[i] = vi;
        w[i] = keep * w[i] - step * mi / (sqrt_real(vi) * root + eps);
    }
}

/* ---- transpose ---- */

#define TILE 16

/* One TILE x TILE block. Its elements have an index of 8 bits, row above column. Interleaving the two halves of
 * an array turns the index left by one bit; after four turns rows and columns have changed places. */
INLINE void transpose_tile(const fgti_real *src, int64_t lds, fgti_real *dst, int64_t ldd)
{
    enum { HALF = TILE * TILE / 2 };
    fgti_real a[2 * HALF], b[2 * HALF];
    for (int r = 0; r < TILE / 2; r++)
        for (int c = 0; c < TILE; c++) {
            a[2 * (r * TILE + c)]     = src[r * lds + c];
            a[2 * (r * TILE + c) + 1] = src[(r + TILE / 2) * lds + c];
        }
    for (int k = 0; k < HALF; k++) {
        b[2 * k]     = a[k];
        b[2 * k + 1] = a[k + HALF];
    }
    for (int k = 0; k < HALF; k++) {
        a[2 * k]     = b[k];
        a[2 * k + 1] = b[k + HALF];
    }
    for (int r = 0; r < TILE; r++)
        for (int c = 0; c < TILE / 2; c++) {
            dst[r * ldd + 2 * c]     = a[r * TILE / 2 + c];
            dst[r * ldd + 2 * c + 1] = a[r * TILE / 2 + c + HALF];
        }
}

static void transpose(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst, int64_t ldd)
{
    for (int64_t i = 0; i < rows; i += TILE)
        for (int64_t j = 0; j < cols; j += TILE) {
            if (i + TILE <= rows && j + TILE <= cols) {
                transpose_tile(src + i * lds + j, lds, dst + j * ldd + i, ldd);
                continue;
            }
            const int64_t ie = i + TILE < rows ? i + TILE : rows, je = j + TILE < cols ? j + TILE : cols;
            for (int64_t jj = j; jj < je; jj++)
                for (int64_t ii = i; ii < ie; ii++) dst[jj * ldd + ii] = src[ii * lds + jj];
        }
}

/* ---- the table ---- */

#define JOIN(a, b)   a##b
#define TABLE_OF(id) JOIN(fgti_vec_, id)
#define TEXT(id)     #id
#define NAME_OF(id)  TEXT(id)

extern const fgti_vec TABLE_OF(FGTI_VEC_NAME);
const fgti_vec        TABLE_OF(FGTI_VEC_NAME) = {
    .name            = NAME_OF(FGTI_VEC_NAME),
    .act             = act,
    .act_grad        = act_grad,
    .softmax         = softmax,
    .softmax_grad    = softmax_grad,
    .norm            = norm,
    .norm_grad       = norm_grad,
    .norm_grad_param = norm_grad_param,
    .bias            = bias,
    .colsum          = colsum,
    .axpy            = axpy,
    .scale           = scale,
    .muladd          = muladd,
    .sumsq           = sumsq,
    .dropout         = dropout,
    .sgd             = sgd,
    .adam            = adam,
    .transpose       = transpose,
};
