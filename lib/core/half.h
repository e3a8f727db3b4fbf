/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HALF_H
#define FGTI_HALF_H

/* bf16: the upper half of a float, with the float's exponent and 8 of its 24 significant bits.
 * fgti_vec.expand converts bf16 to floats. */

#include <math.h>
#include <string.h>

#include "core/tensor.h"

/* Returns the bf16 nearest to x; if two are equally near, the even one. The result for a finite x is
 * finite. */
static inline uint16_t fgti_half_of(fgti_real x)
{
    const float f = (float)x;
    uint32_t    bits, rounded;
    memcpy(&bits, &f, sizeof bits);
    rounded = bits + 0x7fff + (bits >> 16 & 1);
    if (isnan(f)) rounded = bits | 0x400000;
    if (isfinite(f) && (rounded & 0x7f800000) == 0x7f800000) rounded = bits;
    return (uint16_t)(rounded >> 16);
}

/* Rounds x to bf16, as an operand of a product in bf16 (blas/bf16.h), and returns the bits of the result as a
 * float. A denormal number becomes 0, because the instructions for bf16 take denormal numbers for 0. The
 * function has no branches, so loops over it are vectorised. */
static inline uint32_t fgti_bf16_bits(fgti_real x)
{
    const int32_t infinite = 0x7f800000, smallest = 0x800000;
    const float   f = (float)x;
    uint32_t      bits;
    memcpy(&bits, &f, sizeof bits);
    const int32_t size = (int32_t)(bits & 0x7fffffff), near = size + 0x7fff + (size >> 16 & 1);
    const int32_t bounded = near < infinite ? near : 0x7f7f0000, normal = near < smallest ? 0 : bounded;
    const int32_t special = size > infinite ? size | 0x400000 : size;
    return (bits & 0x80000000) | ((uint32_t)(size < infinite ? normal : special) & 0xffff0000);
}

/* The number of fgti_real whose memory holds n numbers in bf16. */
static inline int64_t fgti_halves(int64_t n)
{
    const int64_t each = (int64_t)(sizeof(fgti_real) / sizeof(uint16_t));
    return (n + each - 1) / each;
}

#endif
