/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LANES_H
#define FGTI_LANES_H

/* Eight bytes of a text at once, in one word whose lowest byte is the first. A mark is the highest bit of a
 * byte. */

#include <stdint.h>
#include <string.h>

#define FGTI_LANES(byte) (UINT64_C(0x0101010101010101) * (uint8_t)(byte))

static inline uint64_t fgti_lanes_load(const char *s)
{
    uint64_t x;
    memcpy(&x, s, sizeof x);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Marks the bytes that are at least `least`, 1 .. 0x7f. No borrow crosses bytes, as each of them is at least
 * 0x80 before the subtraction. */
static inline uint64_t fgti_lanes_from(uint64_t x, uint8_t least)
{
    return (((x | FGTI_LANES(0x80)) - FGTI_LANES(least)) | x) & FGTI_LANES(0x80);
}

/* Number of the first byte with a mark; 8: none has one. */
static inline int fgti_lanes_first(uint64_t marks)
{
    if (!marks) return 8;
#if defined(__GNUC__)
    return __builtin_ctzll(marks) / 8;
#else
    int i = 0;
    for (; !(marks & 0x80); marks >>= 8) i++;
    return i;
#endif
}

#endif
