/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HASH_H
#define FGTI_HASH_H

/* FNV-1a of 64 bits (Fowler, Noll, Vo): for each byte h = (h xor byte) * prime. It tells changed data from
 * unchanged and spreads keys over tables; it does not withstand an attacker. */

#include <stdint.h>
#include <string.h>

/* The hash of nothing: what every hash starts from. */
#define FGTI_HASH_START UINT64_C(0xcbf29ce484222325)

/* `hash` with one more value, a byte in FNV-1a proper; some hashes here are over whole numbers. */
static inline uint64_t fgti_hash_value(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* `hash` with `size` more bytes. */
static inline uint64_t fgti_hash(uint64_t hash, const void *bytes, int64_t size)
{
    const unsigned char *p = bytes;
    for (int64_t i = 0; i < size; i++) hash = fgti_hash_value(hash, p[i]);
    return hash;
}

/* `hash` with a text, its end included. */
static inline uint64_t fgti_hash_text(uint64_t hash, const char *text)
{
    return fgti_hash(hash, text, (int64_t)strlen(text) + 1);
}

#endif
