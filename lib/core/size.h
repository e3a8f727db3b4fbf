/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SIZE_H
#define FGTI_SIZE_H

/* Arithmetic on sizes, and the placing of arrays in one block of memory. */

#include "core/alloc.h"
#include "core/tensor.h"

/* Products and sums of sizes that stick at a value which no allocation can satisfy, so
 * that sizes may be added up first and checked once. */
#define FGTI_HUGE (INT64_MAX / 64)
static inline int64_t fgti_mul(int64_t a, int64_t b)
{
    return b > 0 && a > FGTI_HUGE / b ? FGTI_HUGE : a * b;
}

/* How many parts of a size n has, the last one maybe short; n with that one made whole; the lesser of two. */
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

/* Cuts a block of memory into aligned parts: returns the part at *at and moves *at behind it.
 * With base == NULL it only counts, so one function serves size and place. */
static inline fgti_real *fgti_take(fgti_real *base, int64_t *at, int64_t n)
{
    const int64_t lanes = FGTI_ALIGN / (int64_t)sizeof(fgti_real), here = *at;
    *at += (n + lanes - 1) / lanes * lanes;
    return base ? base + here : NULL;
}

/* A distance of rows of n elements that is an odd number of cache lines: columns of a matrix with rows at a
 * power of two would all meet in a few sets of the cache. */
static inline int64_t fgti_spread(int64_t n)
{
    const int64_t line = 64 / (int64_t)sizeof(fgti_real), lines = (n + line - 1) / line;
    return (lines | 1) * line;
}

#endif
