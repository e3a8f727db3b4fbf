/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHORT_NUMBER_H
#define FGTI_SHORT_NUMBER_H

/* The fast path for numbers, which most cells take. No branch depends on a digit or a sign. */

#include <float.h>
#include <stdbool.h>

#include "data/csv/lanes.h"

/* Number of bytes that fgti_number_read_short() may read after the end of the text. */
#define FGTI_NUMBER_PAD 8

/* The number with eight digits 0 .. 9, one in each byte. First digits are combined to pairs in every other
 * byte, then all four pairs in the upper half of the sum. */
static inline uint64_t fgti_eight_digits(uint64_t x)
{
    const uint64_t pairs = 10 * x + (x >> 8), mask = 0x000000ff000000ff;
    return ((pairs & mask) * (100 + (UINT64_C(1000000) << 32)) +
            (pairs >> 16 & mask) * (1 + (UINT64_C(10000) << 32))) >>
           32;
}

/* Removes the decimal point from the digits. Shifts the digits before the point by one byte, so that the
 * digit `before` comes first. Returns the number of digits after the point; -1: there is no point; -2: there
 * is another character. */
static inline int fgti_take_point(uint64_t *x, uint64_t before)
{
    const uint64_t marks = fgti_lanes_from(*x, 10), low = marks & (0 - marks);
    if (!marks) return -1;
    /* masks for the byte with the mark: one is the lowest bit of the byte; sign is all its bits; below is all
     * bits of the bytes below the byte */
    const uint64_t one = low >> 7, sign = one * 0xff, below = one - 1;
    if (marks != low || (*x & sign) != one * ('.' ^ '0')) return -2;
    *x = (*x & below) << 8 | (*x & ~(below | sign)) | before;
    return 7 - fgti_lanes_first(low);
}

/* Reads a number of at most 16 characters without an exponent. Rounds it as fgti_number_parse() does. Returns
 * false if it cannot read the text, which may still be a number. The text needs no NUL at its end. */
static inline bool fgti_number_read_short(const char *s, int64_t size, double *value)
{
    static const double   ten[]  = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    static const double   sign[] = {1, -1};
    static const uint64_t zeros  = FGTI_LANES('0');
    const bool            minus  = *s == '-';
    s += minus;
    size -= minus;
    if (FLT_EVAL_METHOD != 0 || size < 1 || size > 16) return false;
    const uint64_t first = fgti_lanes_load(s) ^ zeros;
    if (size <= 8) {
        uint64_t  x        = first << 8 * (8 - size);
        const int decimals = fgti_take_point(&x, 0);
        if (decimals == -2 || (decimals == 0 && size == 1)) return false;
        *value = (double)(int64_t)fgti_eight_digits(x) * sign[minus] / ten[decimals < 0 ? 0 : decimals];
        return true;
    }
    uint64_t high = first << 8 * (16 - size), low = fgti_lanes_load(s + size - 8) ^ zeros;
    int      decimals = fgti_take_point(&low, high >> 56);
    if (decimals >= 0) {
        if (fgti_lanes_from(high, 10)) return false;
        high <<= 8; /* the last digit of `high` is in `low` now */
    } else if (decimals == -1) {
        decimals = fgti_take_point(&high, 0);
        if (decimals == -2) return false;
        decimals = decimals < 0 ? 0 : 8 + decimals;
    } else {
        return false;
    }
    const uint64_t m = 100000000 * fgti_eight_digits(high) + fgti_eight_digits(low);
    if (m > UINT64_C(1) << 53) return false; /* Clinger 1990: m and the power of ten must be exact doubles */
    *value = (double)(int64_t)m * sign[minus] / ten[decimals];
    return true;
}

#endif
