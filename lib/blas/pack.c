/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/pack.h"

#include <string.h>

#include "blas/kernel.h"

/* A transpose works in 4 x 4 blocks, because four divides the width of most panels. Registers of 256 or 512
 * bits take two or four blocks at once. The last block overlaps the one before it if the size is not a
 * multiple of 4. Vectors need not be aligned. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAVE_QUAD
typedef fgti_real quad
    __attribute__((vector_size(4 * sizeof(fgti_real)), aligned(sizeof(fgti_real)), may_alias));
#if defined(__x86_64__) && !defined(FGTI_DOUBLE)
#define HAVE_AVX2
typedef float octet __attribute__((vector_size(8 * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef float wide __attribute__((vector_size(16 * sizeof(float)), aligned(sizeof(float)), may_alias));
#endif
#endif
#endif

/* Number of columns that are transposed before the next four rows. 64 columns of the widest panel, which has
 * 32 floats, are 8 KiB. */
#define CHUNK 64

/* The cases of constant size make the copy a few vector moves. A call of memcpy() would double its cost. */
void fgti_pack_rows(int64_t count, int64_t k, const fgti_real *src, int64_t sp, fgti_real *dst, int64_t ld)
{
    switch (count) {
    case 32:
        for (int64_t p = 0; p < k; p++) memcpy(dst + p * ld, src + p * sp, 32 * sizeof *dst);
        break;
    case 16:
        for (int64_t p = 0; p < k; p++) memcpy(dst + p * ld, src + p * sp, 16 * sizeof *dst);
        break;
    case 12:
        for (int64_t p = 0; p < k; p++) memcpy(dst + p * ld, src + p * sp, 12 * sizeof *dst);
        break;
    case 8:
        for (int64_t p = 0; p < k; p++) memcpy(dst + p * ld, src + p * sp, 8 * sizeof *dst);
        break;
    case 6:
        for (int64_t p = 0; p < k; p++) memcpy(dst + p * ld, src + p * sp, 6 * sizeof *dst);
        break;
    case 4:
        for (int64_t p = 0; p < k; p++) memcpy(dst + p * ld, src + p * sp, 4 * sizeof *dst);
        break;
    default:
        for (int64_t p = 0; p < k; p++)
            for (int64_t i = 0; i < count; i++) dst[p * ld + i] = src[p * sp + i];
    }
}

static void pack_gather(int64_t count, int64_t k, const fgti_real *src, int64_t si, int64_t sp,
                        fgti_real *dst, int64_t ld)
{
    for (int64_t p = 0; p < k; p++)
        for (int64_t i = 0; i < count; i++) dst[p * ld + i] = src[i * si + p * sp];
}

/* The two transposes below need at least 4 rows. transpose_sse() takes any number of columns from 4 on;
 * transpose_avx2() takes whole groups of eight columns. */
#ifdef HAVE_QUAD
static void transpose_sse(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst,
                          int64_t ldd)
{
    for (int64_t i = 0; i < rows; i += 4) {
        const int64_t row = i + 4 <= rows ? i : rows - 4;
        for (int64_t j = 0; j < cols; j += 4) {
            const int64_t    col = j + 4 <= cols ? j : cols - 4;
            const fgti_real *s   = src + row * lds + col;
            fgti_real       *d   = dst + col * ldd + row;
            const quad r0 = *(const quad *)s, r1 = *(const quad *)(s + lds);
            const quad r2 = *(const quad *)(s + 2 * lds), r3 = *(const quad *)(s + 3 * lds);
            const quad lo01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
            const quad hi01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
            const quad lo23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
            const quad hi23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
            *(quad *)d = __builtin_shufflevector(lo01, lo23, 0, 1, 4, 5);
            *(quad *)(d + ldd) = __builtin_shufflevector(lo01, lo23, 2, 3, 6, 7);
            *(quad *)(d + 2 * ldd) = __builtin_shufflevector(hi01, hi23, 0, 1, 4, 5);
            *(quad *)(d + 3 * ldd) = __builtin_shufflevector(hi01, hi23, 2, 3, 6, 7);
        }
    }
}
#endif

#ifdef HAVE_AVX2
/* Joins four columns of rows p and q as the halves of one vector of eight. The loads join the halves, so that
 * only the shuffles of two 4 x 4 blocks remain. */
#define HALVES(p, q) \
    __builtin_shufflevector(*(const quad *)(p), *(const quad *)(q), 0, 1, 2, 3, 4, 5, 6, 7)

/* Transposes an 8 x 8 block. */
__attribute__((target("avx2"), always_inline)) static inline void
transpose_block(const float *s, int64_t lds, float *d, int64_t ldd)
{
    for (int half = 0; half < 2; half++, s += 4, d += 4 * ldd) {
        const octet r0 = HALVES(s, s + 4 * lds), r1 = HALVES(s + lds, s + 5 * lds);
        const octet r2 = HALVES(s + 2 * lds, s + 6 * lds), r3 = HALVES(s + 3 * lds, s + 7 * lds);
        const octet lo01 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
        const octet hi01 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
        const octet lo23 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
        const octet hi23 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
        *(octet *)d = __builtin_shufflevector(lo01, lo23, 0, 1, 8, 9, 4, 5, 12, 13);
        *(octet *)(d + ldd) = __builtin_shufflevector(lo01, lo23, 2, 3, 10, 11, 6, 7, 14, 15);
        *(octet *)(d + 2 * ldd) = __builtin_shufflevector(hi01, hi23, 0, 1, 8, 9, 4, 5, 12, 13);
        *(octet *)(d + 3 * ldd) = __builtin_shufflevector(hi01, hi23, 2, 3, 10, 11, 6, 7, 14, 15);
    }
}

/* Transposes eight rows, in whole groups of eight columns. */
__attribute__((target("avx2"))) static void transpose_eight(int64_t cols, const float *src, int64_t lds,
                                                            float *dst, int64_t ldd)
{
    for (int64_t j = 0; j + 8 <= cols; j += 8) transpose_block(src + j, lds, dst + j * ldd, ldd);
}

/* Transposes rows `first` .. rows - 1, in whole groups of eight columns. */
__attribute__((target("avx2"))) static void transpose_avx2(int64_t first, int64_t rows, int64_t cols,
                                                           const float *src, int64_t lds, float *dst,
                                                           int64_t ldd)
{
    for (; first + 8 <= rows; first += 8) transpose_eight(cols, src + first * lds, lds, dst + first, ldd);
    for (int64_t i = first; i < rows; i += 4) {
        const int64_t row = i + 4 <= rows ? i : rows - 4;
        const float  *s   = src + row * lds;
        float        *d   = dst + row;
        for (int64_t j = 0; j + 8 <= cols; j += 8, s += 8, d += 8 * ldd) {
            const octet r0 = *(const octet *)s, r1 = *(const octet *)(s + lds);
            const octet r2 = *(const octet *)(s + 2 * lds), r3 = *(const octet *)(s + 3 * lds);
            const octet lo01 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
            const octet hi01 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
            const octet lo23 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
            const octet hi23 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
            const octet c04 = __builtin_shufflevector(lo01, lo23, 0, 1, 8, 9, 4, 5, 12, 13);
            const octet c15 = __builtin_shufflevector(lo01, lo23, 2, 3, 10, 11, 6, 7, 14, 15);
            const octet c26 = __builtin_shufflevector(hi01, hi23, 0, 1, 8, 9, 4, 5, 12, 13);
            const octet c37 = __builtin_shufflevector(hi01, hi23, 2, 3, 10, 11, 6, 7, 14, 15);
            *(quad *)d = __builtin_shufflevector(c04, c04, 0, 1, 2, 3);
            *(quad *)(d + ldd) = __builtin_shufflevector(c15, c15, 0, 1, 2, 3);
            *(quad *)(d + 2 * ldd) = __builtin_shufflevector(c26, c26, 0, 1, 2, 3);
            *(quad *)(d + 3 * ldd) = __builtin_shufflevector(c37, c37, 0, 1, 2, 3);
            *(quad *)(d + 4 * ldd) = __builtin_shufflevector(c04, c04, 4, 5, 6, 7);
            *(quad *)(d + 5 * ldd) = __builtin_shufflevector(c15, c15, 4, 5, 6, 7);
            *(quad *)(d + 6 * ldd) = __builtin_shufflevector(c26, c26, 4, 5, 6, 7);
            *(quad *)(d + 7 * ldd) = __builtin_shufflevector(c37, c37, 4, 5, 6, 7);
        }
    }
}

/* Joins four columns of rows t, t + 4, t + 8 and t + last in one vector: the same row of four 4 x 4 blocks,
 * or of three. */
#define QUARTERS(t)                                                                               \
    __builtin_shufflevector(HALVES(t, (t) + 4 * lds), HALVES((t) + 8 * lds, (t) + last * lds), 0, \
                            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

/* Stores one column of all blocks. */
__attribute__((target("avx512f"), always_inline)) static inline void
store_wide(int blocks, wide c, float *d)
{
    if (blocks == 4) {
        *(wide *)d = c;
        return;
    }
    *(octet *)d      = __builtin_shufflevector(c, c, 0, 1, 2, 3, 4, 5, 6, 7);
    *(quad *)(d + 8) = __builtin_shufflevector(c, c, 8, 9, 10, 11);
}

/* Transposes 16 or 12 rows, four columns at a time. Arrays of vectors are not used: GCC 12 assumes that they
 * are aligned, but AddressSanitizer does not align them. */
__attribute__((target("avx512f"), always_inline)) static inline void
transpose_wide(int blocks, int64_t cols, const float *s, int64_t lds, float *d, int64_t ldd)
{
    const int64_t last = (blocks - 1) * 4;
    for (int64_t j = 0; j + 4 <= cols; j += 4, s += 4, d += 4 * ldd) {
        const wide r0 = QUARTERS(s), r1 = QUARTERS(s + lds), r2 = QUARTERS(s + 2 * lds);
        const wide r3 = QUARTERS(s + 3 * lds);
        const wide lo01 =
            __builtin_shufflevector(r0, r1, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        const wide hi01 =
            __builtin_shufflevector(r0, r1, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
        const wide lo23 =
            __builtin_shufflevector(r2, r3, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        const wide hi23 =
            __builtin_shufflevector(r2, r3, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
        const wide c0 =
            __builtin_shufflevector(lo01, lo23, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        const wide c1 =
            __builtin_shufflevector(lo01, lo23, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        const wide c2 =
            __builtin_shufflevector(hi01, hi23, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        const wide c3 =
            __builtin_shufflevector(hi01, hi23, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        store_wide(blocks, c0, d);
        store_wide(blocks, c1, d + ldd);
        store_wide(blocks, c2, d + 2 * ldd);
        store_wide(blocks, c3, d + 3 * ldd);
    }
}

/* Transposes as many rows as it can, in whole groups of eight columns. Returns the number of rows. */
__attribute__((target("avx512f"))) static int64_t
transpose_avx512(int64_t rows, int64_t cols, const float *src, int64_t lds, float *dst, int64_t ldd)
{
    const int64_t eights = cols / 8 * 8;
    int64_t       i      = 0;
    for (; i + 16 <= rows; i += 16) transpose_wide(4, eights, src + i * lds, lds, dst + i, ldd);
    if (rows - i < 12) return i;
    transpose_wide(3, eights, src + i * lds, lds, dst + i, ldd);
    return i + 12;
}
#endif

static void transpose_chunk(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst,
                            int64_t ldd)
{
#ifdef HAVE_QUAD
    if (rows >= 4 && cols >= 4) {
#ifdef HAVE_AVX2
        if (cols >= 8 && __builtin_cpu_supports("avx2")) {
            const int64_t done =
                __builtin_cpu_supports("avx512f") ? transpose_avx512(rows, cols, src, lds, dst, ldd) : 0;
            transpose_avx2(done, rows, cols, src, lds, dst, ldd);
            const int64_t rest = (cols % 8 + 3) / 4 * 4;
            src += cols - rest;
            dst += (cols - rest) * ldd;
            cols = rest;
        }
#endif
        transpose_sse(rows, cols, src, lds, dst, ldd);
        return;
    }
#endif
    pack_gather(rows, cols, src, lds, 1, dst, ldd);
}

void fgti_pack_transpose(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst,
                         int64_t ldd)
{
    for (int64_t j = 0; j < cols; j += CHUNK)
        transpose_chunk(rows, fgti_least(CHUNK, cols - j), src + j, lds, dst + j * ldd, ldd);
}

void fgti_pack_panel(int64_t width, int64_t count, int64_t k, const fgti_real *src, int64_t si, int64_t sp,
                     fgti_real *dst)
{
    if (count < width) memset(dst, 0, (size_t)(width * k) * sizeof *dst);
    if (si == 1)
        fgti_pack_rows(count, k, src, sp, dst, width);
    else if (sp == 1)
        fgti_pack_transpose(count, k, src, si, dst, width);
    else
        pack_gather(count, k, src, si, sp, dst, width);
}
