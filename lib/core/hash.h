/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HASH_H
#define FGTI_HASH_H

/* FNV-1a of 64 bits (Fowler, Noll, Vo): for each byte h = (h xor byte) * prime. The hash detects changed data
 * and spreads keys over tables. It does not withstand an attacker. */

#include <stdint.h>
#include <string.h>

/* The first value of every hash. */
#define FGTI_HASH_START UINT64_C(0xcbf29ce484222325)

/* Adds a value to a hash. FNV-1a itself adds single bytes; some hashes of the library add whole numbers. */
static inline uint64_t fgti_hash_value(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* Adds `size` bytes to a hash. */
static inline uint64_t fgti_hash(uint64_t hash, const void *bytes, int64_t size)
{
    const unsigned char *p = bytes;
    for (int64_t i = 0; i < size; i++) hash = fgti_hash_value(hash, p[i]);
    return hash;
}

/* Adds a text, including its NUL, to a hash. */
static inline uint64_t fgti_hash_text(uint64_t hash, const char *text)
{
    return fgti_hash(hash, text, (int64_t)strlen(text) + 1);
}

#endif
