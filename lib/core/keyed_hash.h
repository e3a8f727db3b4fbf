/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_KEYED_HASH_H
#define FGTI_KEYED_HASH_H

/* Hashes for tables of strings that come from outside. With a secret key no attacker can make a file whose
 * strings all fall into one place of the table. */

#include <stdint.h>

typedef struct fgti_hash_key {
    uint64_t k[2];
} fgti_hash_key;

/* Returns another key at every call, from the system's random numbers if the system has them. */
fgti_hash_key fgti_hash_key_draw(void);

/* SipHash-1-3 (Aumasson, Bernstein 2012). */
uint64_t fgti_keyed_hash(const fgti_hash_key *key, const void *bytes, int64_t size);

#endif
