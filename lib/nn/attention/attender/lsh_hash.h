/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NN_ATTENTION_LSH_HASH_H
#define FGTI_NN_ATTENTION_LSH_HASH_H

#include "nn/attention/attender/attender.h"

/* The buckets of LSH attention; attender_lsh.c has the equation. */

/* Sets the digits of a bucket's number: p->digits, their count without the last digit; p->last, the size of
 * the last digit; and p->columns, the columns of the rotations of a round. Returns the number of columns to
 * allocate. */
int64_t fgti_lsh_set_digits(fgti_lsh *p);

typedef struct fgti_lsh_hash {
    int32_t   *bucket;  /* [rounds,L] */
    int32_t   *count;   /* for each bucket, the number of tokens in the buckets up to it */
    fgti_real *rotated; /* [a block of tokens,columns] */
} fgti_lsh_hash;

fgti_lsh_hash fgti_lsh_hash_place(const fgti_lsh *p, fgti_real *base, int64_t *at);

/* Writes to order [rounds,L] the positions of each round, sorted by bucket, then by position. */
void fgti_lsh_sort(const fgti_lsh_hash *hash, const fgti_chain *c, const fgti_real *q, int64_t ldq,
                   int32_t *order, void *scratch);

#endif
