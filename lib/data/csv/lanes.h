/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LANES_H
#define FGTI_LANES_H

/* Works on eight bytes of a text at once. They are in one word, whose lowest byte is the first of them. A
 * mark is the highest bit of a byte. Other functions work on 64 bytes at once, with one bit for each byte. */

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* Marks the bytes that are at least `least`, which is 1 .. 0x7f. Each byte is at least 0x80 before the
 * subtraction, so no borrow goes from one byte to the next. */
static inline uint64_t fgti_lanes_from(uint64_t x, uint8_t least)
{
    return (((x | FGTI_LANES(0x80)) - FGTI_LANES(least)) | x) & FGTI_LANES(0x80);
}

/* Number of the lowest bit of x, which is not 0. */
static inline int fgti_lowest_bit(uint64_t x)
{
#if defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    int i = 0;
    for (; !(x & 1); x >>= 1) i++;
    return i;
#endif
}

/* Number of the first byte that has a mark; 8: no byte has one. */
static inline int fgti_lanes_first(uint64_t marks)
{
    if (!marks) return 8;
    return fgti_lowest_bit(marks) / 8;
}

/* For the 64 bytes from s on, returns a bit for each byte: 1 if the byte is `byte` or at most `most`, which
 * is 0 .. 0x7e. The lowest bit belongs to the first byte. This version runs on every processor. */
static inline uint64_t fgti_find_bytes_by_words(const char *s, char byte, uint8_t most)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        const uint64_t x     = fgti_lanes_load(s + 8 * i), differ = fgti_lanes_from(x ^ FGTI_LANES(byte), 1);
        const uint64_t marks = (differ & fgti_lanes_from(x, (uint8_t)(most + 1))) ^ FGTI_LANES(0x80);
        bits |= ((marks >> 7) * UINT64_C(0x0102040810204080) >> 56) << 8 * i; /* the product collects all
                                                                               * eight marks in the highest
                                                                               * byte */
    }
    return bits;
}

static inline uint64_t fgti_find_bytes(const char *s, char byte, uint8_t most)
{
#ifdef __SSE2__
    const __m128i same = _mm_set1_epi8(byte), limit = _mm_set1_epi8((char)most);
    uint64_t      bits = 0;
    for (int i = 0; i < 4; i++) {
        const __m128i x   = _mm_loadu_si128((const __m128i *)(const void *)(s + 16 * i));
        const __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, same), _mm_cmpeq_epi8(_mm_min_epu8(x, limit), x));
        bits |= (uint64_t)_mm_movemask_epi8(hit) << 16 * i;
    }
    return bits;
#else
    return fgti_find_bytes_by_words(s, byte, most);
#endif
}

#endif
