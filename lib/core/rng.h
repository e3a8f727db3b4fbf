/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RNG_H
#define FGTI_RNG_H

/* Counter-based random numbers: word i of stream s with key k depends only on (k, s, i), so any thread can
 * draw any part of a stream. Philox4x32-10: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as
 * easy as 1, 2, 3". */

#include <stdint.h>

typedef struct fgti_rng {
    uint64_t key;    /* the seed */
    uint64_t stream; /* identifies the layer, the purpose and the step */
} fgti_rng;

/* Multipliers and Weyl constants: table 2 of the paper. vec.c repeats the ten rounds with vectors. */
#define FGTI_PHILOX_M0 UINT64_C(0xD2511F53)
#define FGTI_PHILOX_M1 UINT64_C(0xCD9E8D57)
#define FGTI_PHILOX_W0 0x9E3779B9u
#define FGTI_PHILOX_W1 0xBB67AE85u

/* Words 4*block .. 4*block+3 of the stream. */
void fgti_rng_block(fgti_rng rng, uint64_t block, uint32_t out[4]);
uint32_t fgti_rng_u32(fgti_rng rng, uint64_t index);
/* Uniform in [0,1), a multiple of 2^-24. */
double fgti_rng_uniform(fgti_rng rng, uint64_t index);
/* Standard normal. */
double fgti_rng_normal(fgti_rng rng, uint64_t index);
/* Uniform in 0 .. n-1, n >= 1. */
uint64_t fgti_rng_below(fgti_rng rng, uint64_t index, uint64_t n);
/* A permutation of 0 .. n-1 by Fisher and Yates; it depends only on rng. */
void fgti_rng_shuffle(fgti_rng rng, int64_t n, int64_t *out);

/* Makes the stream of (purpose, id, step). Different triples have different streams. */
enum { FGTI_STREAM_INIT = 1, FGTI_STREAM_DROPOUT, FGTI_STREAM_SHUFFLE, FGTI_STREAM_ATTENT,
       FGTI_STREAM_PRETRAIN, FGTI_STREAM_KEYS, FGTI_STREAM_PROBES, FGTI_STREAM_SPLIT, FGTI_STREAM_PATHS,
       FGTI_STREAM_MASKS, FGTI_STREAM_ADAPTER, FGTI_STREAM_AUGMENT, FGTI_STREAM_FEATURES };
static inline fgti_rng fgti_rng_of(uint64_t seed, int purpose, uint64_t id, uint64_t step)
{
    return (fgti_rng){seed, ((uint64_t)purpose << 60) ^ (id << 40) ^ step};
}

#endif
