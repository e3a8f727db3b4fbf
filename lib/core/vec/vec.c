/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of vec.h, in plain loops that the compiler vectorises. The kernels for cells, panels, scans and
 * updates are in separate files. Meson builds this file once per instruction set, with FGTI_VEC_NAME set, and
 * vec_dispatch.c chooses one of the resulting tables at run time.
 *
 * Floating-point addition is not associative, and the compiler may not assume that it is. So every sum over a
 * row is written as PARTS partial sums (vec_build.h), in the same order on every instruction set. Results of
 * two instruction sets differ only because one may fuse a multiplication and an addition. */
#include "core/vec/vec.h"

#include <stdbool.h>

#include "core/vec/vec_build.h"
#include "core/vec/vec_math.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* ---- activations ---- */

INLINE fgti_real none(fgti_real x)
{
    return x;
}

INLINE void map(int64_t n, const fgti_real *x, fgti_real *y, fgti_real (*f)(fgti_real))
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] = f(x[i]);
}

INLINE void map_grad(int64_t n, const fgti_real *x, const fgti_real *dy, fgti_real *dx,
                     fgti_real (*slope)(fgti_real))
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) dx[i] = dy[i] * slope(x[i]);
}

/* NaN gives NaN; an infinity gives the limit of f. */
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
    case FGTI_ACT_SOFTPLUS: map(n, x, y, softplus); break;
    }
}

/* dx = dy f'(x); relu'(0) = 0. */
static void act_grad(fgti_act kind, int64_t n, const fgti_real *x, const fgti_real *dy, fgti_real *dx)
{
    switch (kind) {
    case FGTI_ACT_NONE: map(n, dy, dx, none); break;
    case FGTI_ACT_RELU: /* a selection, not a product, so that an infinite dy becomes 0 where x < 0 */
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
    case FGTI_ACT_SOFTPLUS: map_grad(n, x, dy, dx, sigmoid); break;
    }
}

static void glu(int64_t rows, int64_t n, const fgti_real *u, fgti_real *y)
{
    for (int64_t r = 0; r < rows; r++, u += 2 * n, y += n) {
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) y[i] = u[i] * sigmoid(u[n + i]);
    }
}

static void glu_grad(int64_t rows, int64_t n, const fgti_real *u, const fgti_real *dy, fgti_real *du)
{
    for (int64_t r = 0; r < rows; r++, u += 2 * n, dy += n, du += 2 * n) {
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) {
            const fgti_real a = u[i], b = u[n + i], d = dy[i];
            du[i]     = d * sigmoid(b);
            du[n + i] = d * a * sigmoid_slope(b);
        }
    }
}

/* ---- transpose ---- */

#define TILE 16 /* one cache line of floats on either side */

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE __builtin_shufflevector
#endif
#endif

/* Transposes a 4 x 4 block; element by element if there are no shuffles (gcc before 12). */
INLINE void transpose_quad(const fgti_real *src, int64_t lds, fgti_real *dst, int64_t ldd)
{
#if defined(SHUFFLE)
    /* four elements at any address */
    typedef fgti_real quad
        __attribute__((vector_size(4 * sizeof(fgti_real)), aligned(sizeof(fgti_real)), may_alias));
    const quad a = *(const quad *)src, b = *(const quad *)(src + lds);
    const quad c = *(const quad *)(src + 2 * lds), d = *(const quad *)(src + 3 * lds);
    const quad ab01          = SHUFFLE(a, b, 0, 4, 1, 5); /* a0 b0 a1 b1 */
    const quad ab23          = SHUFFLE(a, b, 2, 6, 3, 7); /* a2 b2 a3 b3 */
    const quad cd01          = SHUFFLE(c, d, 0, 4, 1, 5);
    const quad cd23          = SHUFFLE(c, d, 2, 6, 3, 7);
    *(quad *)dst             = SHUFFLE(ab01, cd01, 0, 1, 4, 5);
    *(quad *)(dst + ldd)     = SHUFFLE(ab01, cd01, 2, 3, 6, 7);
    *(quad *)(dst + 2 * ldd) = SHUFFLE(ab23, cd23, 0, 1, 4, 5);
    *(quad *)(dst + 3 * ldd) = SHUFFLE(ab23, cd23, 2, 3, 6, 7);
#else
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) dst[j * ldd + i] = src[i * lds + j];
#endif
}

static void transpose_tile(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst,
                           int64_t ldd)
{
    int64_t j = 0;
    for (; j + 4 <= cols; j += 4) {
        int64_t i = 0;
        for (; i + 4 <= rows; i += 4) transpose_quad(src + i * lds + j, lds, dst + j * ldd + i, ldd);
        for (; i < rows; i++)
            for (int k = 0; k < 4; k++) dst[(j + k) * ldd + i] = src[i * lds + j + k];
    }
    for (; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) dst[j * ldd + i] = src[i * lds + j];
}

static void vec_transpose(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst,
                          int64_t ldd)
{
    for (int64_t i = 0; i < rows; i += TILE)
        for (int64_t j = 0; j < cols; j += TILE)
            transpose_tile(rows - i < TILE ? rows - i : TILE, cols - j < TILE ? cols - j : TILE,
                           src + i * lds + j, lds, dst + j * ldd + i, ldd);
}

/* ---- rows ---- */

/* sum (x - mean)^2 */
INLINE fgti_real row_spread(int64_t n, const fgti_real *x, fgti_real mean)
{
    fgti_real s[PARTS] = {0};
    int64_t   i        = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int l = 0; l < PARTS; l++) s[l] += (x[i + l] - mean) * (x[i + l] - mean);
    for (int l = 0; i + l < n; l++) s[l] += (x[i + l] - mean) * (x[i + l] - mean);
    return parts_sum(s);
}

/* ---- vectors ---- */

static void axpy(int64_t n, fgti_real a, const fgti_real *x, fgti_real *y)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static void vec_scale(int64_t n, fgti_real a, fgti_real *y)
{
    for (int64_t i = 0; i < n; i++) y[i] *= a;
}

static void scale_add(int64_t n, fgti_real a, const fgti_real *x, const fgti_real *b, fgti_real *y)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + b[i];
}

static void muladd(int64_t n, const fgti_real *x, const fgti_real *z, fgti_real *y)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] += x[i] * z[i];
}

static double sumsq(int64_t n, const fgti_real *x)
{
    double  s[PARTS] = {0};
    int64_t i        = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int l = 0; l < PARTS; l++) s[l] += (double)x[i + l] * (double)x[i + l];
    for (int l = 0; i + l < n; l++) s[l] += (double)x[i + l] * (double)x[i + l];
    for (int l = 0; l < 8; l++) s[l] += s[l + 8];
    for (int l = 0; l < 4; l++) s[l] += s[l + 4];
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* ---- a row times panels ---- */

enum { PER_BLOCK = 16 / REG };

/* Multiplies a row by up to `most` blocks. The loops always compute `most` blocks: for a missing block they
 * read the first block, and do not store the result. */
INLINE void row_blocks(int most, int64_t k, int64_t v, int64_t first, int64_t blocks, fgti_real alpha,
                       const fgti_real *x, int64_t sx, const fgti_real *b, fgti_real beta, fgti_real *y)
{
    const fgti_real *p[FGTI_ROW_BLOCKS];
    reg              sum[FGTI_ROW_BLOCKS][PER_BLOCK] = {0};
    for (int64_t i = 0; i < most; i++) {
        const int64_t at = 16 * (first + i < blocks ? first + i : first);
        p[i]             = b + at / v * v * k + at % v;
    }
    for (int64_t i = 0; i < k; i++) {
        const fgti_real xi = x[i * sx];
        for (int j = 0; j < most; j++)
            for (int l = 0; l < PER_BLOCK; l++) sum[j][l] += xi * *(const reg *)(p[j] + i * v + l * REG);
    }
    for (int j = 0; j < most && first + j < blocks; j++)
        for (int l = 0; l < PER_BLOCK; l++) {
            reg *to = (reg *)(y + 16 * (first + j) + l * REG);
            *to     = beta == 0 ? alpha * sum[j][l] : alpha * sum[j][l] + beta * *to;
        }
}

/* Eight blocks at a time are eight independent chains, which keep both multiply-add units busy. With only 16
 * registers there are four blocks at a time. */
static void row(int64_t k, int64_t v, int64_t blocks, fgti_real alpha, const fgti_real *x, int64_t sx,
                const fgti_real *b, fgti_real beta, fgti_real *y)
{
    int64_t first = 0;
    for (; PER_BLOCK == 1 && first + 4 < blocks; first += 8)
        row_blocks(8, k, v, first, blocks, alpha, x, sx, b, beta, y);
    for (; first < blocks; first += 4) row_blocks(4, k, v, first, blocks, alpha, x, sx, b, beta, y);
}

/* ---- layer normalisation ---- */

/* y = (x - mean) rstd w + b of one row */
INLINE void norm_row(int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *b, fgti_real mu,
                     fgti_real rs, fgti_real *y)
{
    if (b) {
        INDEPENDENT
        for (int64_t j = 0; j < d; j++) y[j] = (x[j] - mu) * rs * w[j] + b[j];
    } else {
        INDEPENDENT
        for (int64_t j = 0; j < d; j++) y[j] = (x[j] - mu) * rs * w[j];
    }
}

/* 1 / sqrt(var + eps) of one row */
INLINE fgti_real norm_rstd(int64_t d, double eps, const fgti_real *x, fgti_real mu)
{
    const fgti_real inv = 1 / (fgti_real)d;
    return 1 / sqrt_real(row_spread(d, x, mu) * inv + (fgti_real)eps);
}

static void vec_norm(int64_t rows, int64_t d, double eps, const fgti_real *x, const fgti_real *w,
                     const fgti_real *b, fgti_real *y, fgti_real *mean, fgti_real *rstd)
{
    const fgti_real inv = 1 / (fgti_real)d;
    for (int64_t r = 0; r < rows; r++, x += d, y += d) {
        const fgti_real mu = row_sum(d, x) * inv;
        const fgti_real rs = norm_rstd(d, eps, x, mu);
        mean[r]            = mu;
        rstd[r]            = rs;
        norm_row(d, x, w, b, mu, rs, y);
    }
}

static void norm_scale(int64_t rows, int64_t d, double eps, const fgti_real *x, fgti_real *rstd)
{
    const fgti_real inv = 1 / (fgti_real)d;
    for (int64_t r = 0; r < rows; r++, x += d) rstd[r] = norm_rstd(d, eps, x, row_sum(d, x) * inv);
}

static void norm_again(int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *b,
                       const fgti_real *mean, const fgti_real *rstd, fgti_real *y, int64_t ldy)
{
    for (int64_t r = 0; r < rows; r++, x += d, y += ldy) norm_row(d, x, w, b, mean[r], rstd[r], y);
}

/* The partial sums of g and g u in norm_grad(). */
INLINE void norm_grad_sums(int64_t d, const fgti_real *x, const fgti_real *w, fgti_real mu, fgti_real rs,
                           const fgti_real *dy, fgti_real sg[PARTS], fgti_real sgu[PARTS])
{
    int64_t i = 0;
    for (; i + PARTS <= d; i += PARTS)
        for (int l = 0; l < PARTS; l++) {
            const fgti_real g = w[i + l] * dy[i + l];
            sg[l] += g;
            sgu[l] += g * ((x[i + l] - mu) * rs);
        }
    for (int l = 0; i + l < d; l++) {
        const fgti_real g = w[i + l] * dy[i + l];
        sg[l] += g;
        sgu[l] += g * ((x[i + l] - mu) * rs);
    }
}

/* u = (x - mean) rstd, g = w dy:  dx = rstd (g - mean_j(g) - u mean_j(g u)) */
static void norm_grad(int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *mean,
                      const fgti_real *rstd, const fgti_real *dy, fgti_real *dx)
{
    const fgti_real inv = 1 / (fgti_real)d;
    for (int64_t r = 0; r < rows; r++, x += d, dy += d, dx += d) {
        const fgti_real mu = mean[r], rs = rstd[r];
        fgti_real       sg[PARTS] = {0}, sgu[PARTS] = {0};
        norm_grad_sums(d, x, w, mu, rs, dy, sg, sgu);
        const fgti_real mg = parts_sum(sg) * inv, mgu = parts_sum(sgu) * inv;
        INDEPENDENT
        for (int64_t j = 0; j < d; j++) dx[j] = rs * (w[j] * dy[j] - mg - (x[j] - mu) * rs * mgu);
    }
}

#define STRIP 64 /* columns summed together, so that their sums stay in the first cache */
#define CHUNK 64 /* rows that are summed separately, before this sum is added to the others: less rounding */

/* dw += sum_r dy (x - mean) rstd,  db += sum_r dy */
static void norm_grad_param(int64_t rows, int64_t d, int64_t begin, int64_t end, const fgti_real *x,
                            const fgti_real *mean, const fgti_real *rstd, const fgti_real *dy, fgti_real *dw,
                            fgti_real *db)
{
    for (int64_t j0 = begin; j0 < end; j0 += STRIP) {
        const int64_t n = end - j0 < STRIP ? end - j0 : STRIP;
        for (int64_t r0 = 0; r0 < rows; r0 += CHUNK) {
            const int64_t r1        = r0 + CHUNK < rows ? r0 + CHUNK : rows;
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
            for (int64_t j = 0; db && j < n; j++) db[j0 + j] += sb[j];
        }
    }
}

/* ---- matrices by column ---- */

static void vec_bias(int64_t rows, int64_t n, int64_t ld, const fgti_real *b, fgti_real *y)
{
    for (int64_t r = 0; r < rows; r++, y += ld) {
        INDEPENDENT
        for (int64_t j = 0; j < n; j++) y[j] += b[j];
    }
}

static void expand(int64_t n, const uint16_t *from, fgti_real *to)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        float          x;
        memcpy(&x, &bits, sizeof x);
        to[i] = x;
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

/* ---- random ---- */

/* Lanes of 64 bits, whose lower half holds the number. MUL_LOW multiplies the lower halves, which C cannot
 * express: for the plain expression GCC 12 makes three multiplications, or one with shuffles before and
 * after. */
#if defined(__AVX512F__)
typedef uint64_t wide __attribute__((vector_size(64)));
#define MUL_LOW(a, b) ((wide)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#elif defined(__AVX2__)
typedef uint64_t wide __attribute__((vector_size(32)));
#define MUL_LOW(a, b) ((wide)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#elif defined(__SSE2__)
typedef uint64_t wide __attribute__((vector_size(16)));
#define MUL_LOW(a, b) ((wide)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#else
typedef uint64_t wide __attribute__((vector_size(16)));
#define MUL_LOW(a, b) (((a)&0xffffffffu) * (b))
#endif
#define BLOCKS 16 /* Philox counters side by side */
enum { WIDE = sizeof(wide) / sizeof(uint64_t), WIDES = BLOCKS / WIDE };

/* Writes `blocks` blocks of the stream from `block` on, one after the other, as fgti_rng_block does. */
INLINE void draw(int blocks, fgti_rng rng, uint64_t block, uint32_t *out)
{
    const wide m0 = FGTI_PHILOX_M0 + (wide){0}, m1 = FGTI_PHILOX_M1 + (wide){0};
    wide       c0[WIDES], c1[WIDES], c2[WIDES], c3[WIDES], first = {0};
    uint64_t   k0 = (uint32_t)rng.key, k1 = rng.key >> 32;
    for (int l = 0; l < WIDE; l++) first[l] = (uint64_t)l;
    for (int v = 0; v < blocks / WIDE; v++) {
        c0[v] = first + (block + (uint64_t)(v * WIDE));
        c1[v] = c0[v] >> 32;
        c2[v] = rng.stream + (wide){0};
        c3[v] = c2[v] >> 32;
    }
    for (int round = 0; round < 10; round++, k0 += FGTI_PHILOX_W0, k1 += FGTI_PHILOX_W1)
        for (int v = 0; v < blocks / WIDE; v++) {
            const wide p0 = MUL_LOW(c0[v], m0), p1 = MUL_LOW(c2[v], m1);
            c0[v] = (p1 >> 32) ^ c1[v] ^ k0;
            c2[v] = (p0 >> 32) ^ c3[v] ^ k1;
            c1[v] = p1; /* from here on the upper halves are meaningless; nothing reads them */
            c3[v] = p0;
        }
    for (int v = 0; v < blocks / WIDE; v++) {
        const wide low = 0xffffffffu + (wide){0};
        const wide a = (c0[v] & low) | c1[v] << 32, b = (c2[v] & low) | c3[v] << 32;
        wide       pair[2];
        for (int l = 0; l < WIDE; l++) {
            pair[2 * l / WIDE][2 * l % WIDE] = a[l];
            pair[2 * l / WIDE][2 * l % WIDE + 1] = b[l];
        }
        memcpy(out + 4 * WIDE * v, pair, sizeof pair);
    }
}

/* Dropout of n elements, at most 4 * blocks: elements whose random word is below `drop` become 0. */
INLINE void drop_blocks(int blocks, fgti_rng rng, uint64_t block, uint32_t drop, fgti_real keep, int64_t n,
                        const fgti_real *x, fgti_real *y)
{
    uint32_t word[4 * BLOCKS];
    draw(blocks, rng, block, word);
    INDEPENDENT
    for (int64_t j = 0; j < n; j++) y[j] = choose(word[j] < drop, 0, x[j] * keep);
}

/* An element is dropped if the upper 24 bits of its random word are below p, as with fgti_rng_uniform().
 * Dropping is a selection, not a product, so that a dropped NaN becomes 0. */
static void dropout(fgti_rng rng, double p, uint64_t first, int64_t n, const fgti_real *x, fgti_real *y)
{
    const uint32_t  drop = (uint32_t)ceil(p * 0x1p24) << 8;
    const fgti_real keep = (fgti_real)(1 / (1 - p));
    uint64_t        block = first / 4;
    for (; n > 2 * BLOCKS; n -= 4 * BLOCKS, block += BLOCKS, x += 4 * BLOCKS, y += 4 * BLOCKS)
        drop_blocks(BLOCKS, rng, block, drop, keep, n < 4 * BLOCKS ? n : 4 * BLOCKS, x, y);
    if (n > 0) drop_blocks(BLOCKS / 2, rng, block, drop, keep, n, x, y);
}

/* ---- the table ---- */

extern const fgti_vec_panels THIS_TABLE(fgti_vec_panels_);
extern const fgti_cell_steps THIS_TABLE(fgti_cells_)[FGTI_CELLS];
extern const fgti_scans      THIS_TABLE(fgti_scans_);
extern const fgti_updates    THIS_TABLE(fgti_updates_);
extern void                  THIS_TABLE(fgti_round_)(int64_t n, const fgti_real *x, fgti_real *y);
extern void                  THIS_TABLE(fgti_pair_)(int64_t k, int64_t width, const fgti_real *x, int64_t ld,
                                   uint32_t *to);
extern void                  THIS_TABLE(fgti_combine_)(const fgti_combination *c, double *y);
extern const fgti_vec        THIS_TABLE(fgti_vec_);
const fgti_vec               THIS_TABLE(fgti_vec_) = {
                  .name            = TEXT_NAME(FGTI_VEC_NAME),
                  .act             = act,
                  .act_grad        = act_grad,
                  .glu             = glu,
                  .glu_grad        = glu_grad,
                  .norm            = vec_norm,
                  .norm_scale      = norm_scale,
                  .norm_again      = norm_again,
                  .norm_grad       = norm_grad,
                  .norm_grad_param = norm_grad_param,
                  .bias            = vec_bias,
                  .colsum          = colsum,
                  .expand          = expand,
                  .round           = THIS_TABLE(fgti_round_),
                  .pair            = THIS_TABLE(fgti_pair_),
                  .axpy            = axpy,
                  .scale           = vec_scale,
                  .scale_add       = scale_add,
                  .muladd          = muladd,
                  .sumsq           = sumsq,
                  .dropout         = dropout,
                  .row             = row,
                  .transpose       = vec_transpose,
                  .combine         = THIS_TABLE(fgti_combine_),
                  .panels          = &THIS_TABLE(fgti_vec_panels_),
                  .cells           = THIS_TABLE(fgti_cells_),
                  .scans           = &THIS_TABLE(fgti_scans_),
                  .updates         = &THIS_TABLE(fgti_updates_),
};
