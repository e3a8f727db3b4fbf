/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SIZE_H
#define FGTI_SIZE_H

/* Computes sizes, and places arrays in one block of memory. */

#include "core/alloc.h"
#include "core/red_zone.h"
#include "core/tensor.h"

/* A product of sizes. If it is too large, the result is FGTI_HUGE, which no allocation can satisfy. So the
 * sizes of a plan can be added up first, and checked once at the end. */
#define FGTI_HUGE (INT64_MAX / 64)
static inline int64_t fgti_mul(int64_t a, int64_t b)
{
    int64_t n;
    return __builtin_mul_overflow(a, b, &n) || n > FGTI_HUGE ? FGTI_HUGE : n;
}

/* fgti_parts(): the number of parts of length `size` that cover n. fgti_round_up(): the least multiple of
 * `step` that is at least n. fgti_least(): the smaller of two numbers. */
static inline int64_t fgti_parts(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

static inline int64_t fgti_round_up(int64_t n, int64_t step)
{
    return fgti_parts(n, step) * step;
}

static inline int64_t fgti_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Cuts a block of memory into aligned parts: returns the part that begins at *at, and moves *at to its end.
 * With base == NULL the function only counts, so the same code computes the size of the block and the places
 * in it.
 *
 * Under AddressSanitizer a red zone follows each part, so that a write beyond the end of an array is
 * reported. A part is opened when it is taken, so the same block may be cut again at other places. After
 * that, all parts in use must be taken again, or opened by fgti_red_zone_lift(). */
static inline fgti_real *fgti_take(fgti_real *base, int64_t *at, int64_t n)
{
    const int64_t size = (int64_t)sizeof(fgti_real), here = *at;
    *at += fgti_round_up(n, FGTI_ALIGN / size) + FGTI_RED_ZONE / size;
    if (!base) return NULL;
    fgti_red_zone_lift(base + here, n * size);
    if (FGTI_RED_ZONE) fgti_red_zone(base + here + n, (*at - here - n) * size);
    return base + here;
}

/* Returns the number of fgti_real whose memory holds n doubles, so that fgti_take() can cut an array of
 * doubles. */
static inline int64_t fgti_doubles(int64_t n)
{
    return fgti_mul(n, (int64_t)(sizeof(double) / sizeof(fgti_real)));
}
static inline double *fgti_take_doubles(fgti_real *base, int64_t *at, int64_t n)
{
    return (double *)fgti_take(base, at, fgti_doubles(n));
}

/* Returns a distance for rows of n elements: an odd number of cache lines. If the distance were a power of
 * two, all elements of a column would be in the same few sets of the cache. */
static inline int64_t fgti_spread(int64_t n)
{
    const int64_t line = 64 / (int64_t)sizeof(fgti_real), lines = (n + line - 1) / line;
    return (lines | 1) * line;
}

#endif
