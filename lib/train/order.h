/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ORDER_H
#define FGTI_ORDER_H

/* The order in which an epoch takes the samples of a source.
 *
 * Samples in memory are shuffled as one. Those of a source in chunks lie on a disk. They are cut into as many
 * streams as a batch has shards, and each stream into chunks of neighbours. The chunks of a stream are
 * shuffled, and of `pool` chunks in a row the samples are mixed. Shard k of every batch comes from stream k,
 * so a rank reads its own part of the data, and a pool at a time. The order depends on the number of shards,
 * and not on that of ranks. */

#include <stdbool.h>

#include "core/alloc.h"

typedef struct fgti_order_opts {
    int64_t  count;        /* samples */
    int64_t  chunk, pool;  /* of fgt_source; chunk 0: all are in memory */
    int64_t  thin;         /* an epoch takes one chunk in so many */
    int64_t  shards;       /* 0 as 1 */
    int64_t  batch;
    uint64_t seed;
    bool     no_shuffle;
} fgti_order_opts;

typedef struct fgti_order {
    fgt_context    *ctx;
    fgti_order_opts opts;
    int64_t         samples; /* of an epoch */
    int64_t         epoch;
    int64_t         streams, parts; /* chunks of a stream, of opts.chunk samples each */
    int64_t         taken, pool;    /* chunks of a stream in an epoch, and together in memory */
    int64_t         shift;          /* samples before the first chunk: others in each epoch */
    int64_t        *part; /* [streams,parts]: the chunks, as this epoch takes them; the first `taken` count */
    int64_t        *loaded;         /* [streams]: the pool that is in `index`; -1: none */
    int64_t        *index;          /* [count], or [streams,pool * chunk] */
    int64_t        *batch;          /* [batch], of a source in chunks */
} fgti_order;

/* FGT_E_ARG: the batch has shards of different sizes, or thin is for a source that has no chunks.
 * Call fgti_order_done() even after an error. */
fgt_status fgti_order_init(fgt_context *ctx, const fgti_order_opts *opts, fgti_order *o);
void       fgti_order_done(fgti_order *o);
/* Epoch 1, 2, ...; each can be begun at any time. */
void fgti_order_begin(fgti_order *o, int64_t epoch);
/* The samples at places first .. first+n-1 of the epoch, of which n fit into a batch; valid until the next
 * call. */
const int64_t *fgti_order_take(fgti_order *o, int64_t first, int64_t n);

#endif
