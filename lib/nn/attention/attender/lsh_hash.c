/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/lsh_hash.h"

#include <string.h>

/* Most buckets that come from one rotation. With more buckets, the time of one rotation would grow with the
 * square of T. So the number of a bucket is composed of digits below DIGIT, each with a rotation of its own,
 * and of a last digit for the rest. */
#define ONE_HASH 64
#define DIGIT    16
#define BLOCK    64 /* tokens that are rotated at once */

int64_t fgti_lsh_set_digits(fgti_lsh *p)
{
    const int64_t buckets = p->padded / p->bucket;
    int64_t       n       = buckets;
    p->digits             = 0;
    for (; n > ONE_HASH && !p->given; p->digits++) n = fgti_parts(n, DIGIT);
    p->last    = n + n % 2;
    p->columns = DIGIT / 2 * p->digits + p->last / 2;
    /* fewer buckets may need more columns, but no more than the returned number: memory must grow with the
     * tokens */
    return fgti_least(buckets, ONE_HASH) / 2 + DIGIT / 2 * p->digits;
}

/* Returns the range of the numbers of buckets. It is at most twice the number of chunks in a round. */
static int64_t buckets_of(const fgti_lsh *p)
{
    int64_t n = p->last;
    for (int64_t i = 0; i < p->digits; i++) n = fgti_mul(n, DIGIT);
    return n;
}

fgti_lsh_hash fgti_lsh_hash_place(const fgti_lsh *p, fgti_real *base, int64_t *at)
{
    const int64_t buckets = p->padded / p->bucket;
    fgti_lsh_hash hash;
    hash.bucket  = fgti_take_integers(base, at, fgti_mul(p->rounds, p->padded));
    hash.count   = fgti_take_integers(base, at, 2 * buckets + 1);
    hash.rotated = fgti_take(base, at, fgti_mul(BLOCK, buckets / 2));
    return hash;
}

/* Returns the index of the largest element of [x, -x], where x is [n/2]. If several are equal, the lowest
 * index. */
static int64_t lsh_largest(int64_t n, const fgti_real *x)
{
    int64_t top = 0, low = 0;
    for (int64_t i = 1; i < n / 2; i++) {
        top = x[i] > x[top] ? i : top;
        low = x[i] < x[low] ? i : low;
    }
    return x[top] >= -x[low] ? top : n / 2 + low;
}

static int32_t lsh_bucket_of(const fgti_lsh *p, const fgti_real *rotated)
{
    int64_t unit = 1, bucket = 0;
    for (int64_t i = 0; i < p->digits; i++, unit *= DIGIT, rotated += DIGIT / 2)
        bucket += unit * lsh_largest(DIGIT, rotated);
    return (int32_t)(bucket + unit * lsh_largest(p->last, rotated));
}

/* Finds the buckets of all tokens. The zeros after the tokens are in bucket 0. */
static void find_buckets(const fgti_lsh_hash *hash, const fgti_chain *c, const fgti_real *q, int64_t ldq,
                         void *scratch)
{
    const fgti_lsh *p    = &c->lsh;
    const int64_t   time = c->attention.tq;
    const int64_t   n    = p->columns;
    memset(hash->bucket, 0, (size_t)(p->rounds * p->padded) * sizeof *hash->bucket);
    for (int64_t i = 0; i < p->rounds * fgti_parts(time, BLOCK); i++) {
        const int64_t   r = i % p->rounds, t0 = i / p->rounds * BLOCK, rows = fgti_least(BLOCK, time - t0);
        const fgti_gemm g = fgti_gemm_nn(rows, n, c->attention.dh, q + t0 * ldq, ldq, p->rotations + r * n,
                                         p->rounds * n, 0, hash->rotated, n);
        fgti_gemm_run(c->attention.run->blas, scratch, &g);
        for (int64_t t = 0; t < rows; t++)
            hash->bucket[r * p->padded + t0 + t] = lsh_bucket_of(p, hash->rotated + t * n);
    }
}

void fgti_lsh_sort(const fgti_lsh_hash *hash, const fgti_chain *c, const fgti_real *q, int64_t ldq,
                   int32_t *order, void *scratch)
{
    const fgti_lsh *p = &c->lsh;
    const int64_t   n = buckets_of(p);
    find_buckets(hash, c, q, ldq, scratch);
    for (int64_t r = 0; r < p->rounds; r++, order += p->padded) {
        const int32_t *bucket = hash->bucket + r * p->padded;
        memset(hash->count, 0, (size_t)(n + 1) * sizeof *hash->count);
        for (int64_t t = 0; t < p->padded; t++) hash->count[bucket[t] + 1]++;
        for (int64_t b = 0; b < n; b++) hash->count[b + 1] += hash->count[b];
        for (int64_t t = 0; t < p->padded; t++) order[hash->count[bucket[t]]++] = (int32_t)t;
    }
}
