/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HALF_H
#define FGTI_HALF_H

/* bf16: the upper half of a float, which has its exponent and 8 of its 24 significant bits.
 * fgti_vec.expand makes floats of them. */

#include <math.h>
#include <string.h>

#include "core/tensor.h"

/* The nearest one, of two the even one; never infinite for a finite x. */
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

/* Elements of fgti_real that n of them take. */
static inline int64_t fgti_halves(int64_t n)
{
    const int64_t each = (int64_t)(sizeof(fgti_real) / sizeof(uint16_t));
    return (n + each - 1) / each;
}

#endif
