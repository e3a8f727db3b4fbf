/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ORDER_H
#define FGTI_ORDER_H

/* The order in which an epoch takes the samples of a source.
 *
 * Samples in memory are shuffled all together. Samples of a source in chunks are on disk. They are cut into
 * as many streams as a batch has shards, and each stream into chunks of neighbours. The chunks of a stream
 * are shuffled, and the samples of `pool` chunks in a row are mixed. Shard k of every batch comes from stream
 * k, so a rank reads only its own part of the data, one pool at a time. The order depends on the number of
 * shards, but not on the number of ranks. */

#include <stdbool.h>

#include "core/alloc.h"

typedef struct fgti_order_opts {
    int64_t  count;        /* samples */
    int64_t  chunk, pool;  /* chunk and pool of fgt_source; chunk 0: all samples are in memory */
    int64_t  thin;         /* an epoch takes one of `thin` chunks */
    int64_t  shards;       /* 0 counts as 1 */
    int64_t  batch;
    uint64_t seed;
    bool     no_shuffle;
} fgti_order_opts;

typedef struct fgti_order {
    fgt_context    *ctx;
    fgti_order_opts opts;
    int64_t         samples; /* samples of an epoch */
    int64_t         epoch;
    int64_t         streams, parts; /* chunks of a stream, of opts.chunk samples each */
    int64_t         taken, pool;    /* chunks of a stream in an epoch, and together in memory */
    int64_t         shift;          /* samples before the first chunk, different in each epoch */
    int64_t        *part; /* [streams,parts]: the chunks, in this epoch's order; the first `taken` count */
    int64_t        *loaded;         /* [streams]: number of the pool in `index`; -1: none */
    int64_t        *index;          /* [count], or [streams,pool * chunk] */
    int64_t        *batch;          /* [batch]: samples of a batch, for a source in chunks */
} fgti_order;

/* FGT_E_ARG: the shards of the batch differ in size, or thin is given for a source without chunks. Call
 * fgti_order_done() even after an error. */
fgt_status fgti_order_init(fgt_context *ctx, const fgti_order_opts *opts, fgti_order *o);
void       fgti_order_done(fgti_order *o);
/* Epoch 1, 2, ...; each can be begun at any time. */
void fgti_order_begin(fgti_order *o, int64_t epoch);
/* The samples at positions first .. first+n-1 of the epoch; n samples fit into a batch. Valid until the next
 * call. */
const int64_t *fgti_order_take(fgti_order *o, int64_t first, int64_t n);

#endif
