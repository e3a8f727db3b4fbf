/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ORDER_H
#define FGTI_ORDER_H

/* The order in which an epoch takes the samples of a source.
 *
 * Samples in memory are all shuffled together. Samples of a source in chunks are on disk. They are cut into
 * streams: one for each shard of a batch. Each stream is cut into chunks of neighbouring samples. The chunks
 * of a stream are shuffled. Then the samples of each `pool` consecutive chunks are mixed. Shard k of every
 * batch comes from stream k. So a rank reads only its own part of the data, one pool at a time. The order
 * depends on the number of shards, but not on the number of ranks. */

#include <stdbool.h>

#include "core/alloc.h"

typedef struct fgti_order_opts {
    int64_t  count;       /* number of samples */
    int64_t  chunk, pool; /* chunk and pool of the fgt_source; chunk 0: all samples are in memory */
    int64_t  thin;        /* an epoch takes one of every `thin` chunks */
    int64_t  shards;      /* shards of a batch; 0 counts as 1 */
    int64_t  batch;
    uint64_t seed;
    bool     no_shuffle;
} fgti_order_opts;

typedef struct fgti_order {
    fgt_context    *ctx;
    fgti_order_opts opts;
    int64_t         samples; /* number of samples in an epoch */
    int64_t         epoch;
    int64_t         streams, parts; /* streams: number of streams; parts: chunks in a stream, each of
                                     * opts.chunk samples */
    int64_t         taken, pool;    /* taken: chunks of a stream that an epoch takes; pool: chunks that are in
                                     * memory together */
    int64_t         shift;          /* number of samples before the first chunk; differs in each epoch */
    int64_t        *part;   /* [streams,parts]: the chunks in the order of this epoch, which takes the first
                             * `taken` ones */
    int64_t        *loaded; /* [streams]: number of the pool whose samples are in `index`; -1: no pool */
    int64_t        *index;  /* [count], or for a source in chunks [streams,pool * chunk] */
    int64_t        *batch;  /* [batch]: samples of a batch, only for a source in chunks */
} fgti_order;

/* Makes an order. FGT_E_ARG: the shards of a batch would differ in size, or `thin` is given for a source
 * without chunks. Call fgti_order_done() even after an error. */
fgt_status fgti_order_init(fgt_context *ctx, const fgti_order_opts *opts, fgti_order *o);
void       fgti_order_done(fgti_order *o);
/* Begins an epoch, counted from 1. Any epoch may be begun at any time. */
void fgti_order_begin(fgti_order *o, int64_t epoch);
/* The numbers of the samples at positions first .. first+n-1 of the epoch, where n is at most a batch. Valid
 * until the next call. */
const int64_t *fgti_order_take(fgti_order *o, int64_t first, int64_t n);

#endif
