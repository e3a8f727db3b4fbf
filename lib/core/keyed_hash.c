/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/keyed_hash.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#if defined(__linux__)
#include <sys/random.h>
#endif

/* ---- keys ---- */

/* Makes a key on systems without random numbers, from the time and from a counter, so that keys differ. */
static fgti_hash_key improvise(void)
{
    static atomic_uint_fast64_t keys;
    struct timespec             now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t time = (uint64_t)now.tv_sec * 1000000007 + (uint64_t)now.tv_nsec;
    return (fgti_hash_key){{time, (uint64_t)(uintptr_t)&now ^ atomic_fetch_add(&keys, 1) << 48}};
}

static bool ask_system(fgti_hash_key *key)
{
#if defined(__linux__)
    return getrandom(key, sizeof *key, GRND_NONBLOCK) == (int64_t)sizeof *key;
#else
    (void)key;
    return false;
#endif
}

fgti_hash_key fgti_hash_key_draw(void)
{
    fgti_hash_key key;
    return ask_system(&key) ? key : improvise();
}

/* ---- the hash ---- */

static inline uint64_t rotate(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static inline uint64_t little_endian(const unsigned char *p, int64_t n)
{
    uint64_t x = 0;
    for (int64_t i = 0; i < n; i++) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static inline void take_in(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

uint64_t fgti_keyed_hash(const fgti_hash_key *key, const void *bytes, int64_t size)
{
    const unsigned char *p    = bytes;
    int64_t              i    = 0;
    uint64_t             v[4] = {
        key->k[0] ^ UINT64_C(0x736f6d6570736575), key->k[1] ^ UINT64_C(0x646f72616e646f6d),
        key->k[0] ^ UINT64_C(0x6c7967656e657261), key->k[1] ^ UINT64_C(0x7465646279746573)};
    for (; i + 8 <= size; i += 8) take_in(v, little_endian(p + i, 8));
    take_in(v, little_endian(p + i, size - i) | (uint64_t)size << 56);
    v[2] ^= 0xff;
    for (int r = 0; r < 3; r++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
