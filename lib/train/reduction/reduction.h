/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REDUCTION_H
#define FGTI_REDUCTION_H

/* The sum of the gradients of all shards of a batch over all ranks, along the tree of ranks/tree.h.
 *
 * A rank computes its shards one after another. The gradients of a shard are added to the gradients of the
 * shards before it as soon as both are the halves of a node; until then the latter are stored as a partial
 * sum. At the end the rank has its pieces: the last one in the model's gradients, the others as partial sums.
 * While the last shard's backward pass still runs, finished gradients are exchanged in buckets, from the end
 * of the slabs on: each rank gets its segment of the bucket (segments.h) from all others and sums the pieces.
 * Rows of a sparse gradient follow at the end, as rows: reduction_rows.c. Each rank then updates the weights
 * whose sums it has, and sends the weights to all. If the host adds the gradients, all ranks have the dense
 * sums at once. */

#include "model/access.h"
#include "ranks/ranks.h"
#include "ranks/tree.h"
#include "train/optim/segments.h"

/* The sum over the shards of a piece, stored until it is needed. */
typedef struct fgti_partial {
    int64_t    first, shards;
    fgti_real *value; /* as the slabs; of a sparse gradient only the rows that follow */
    int32_t   *row;   /* [rows] */
    int64_t    rows;
} fgti_partial;

typedef enum fgti_bucket_stage { FGTI_WAITS, FGTI_SUMS, FGTI_SUMMED, FGTI_SPREADS } fgti_bucket_stage;

/* Elements begin .. end-1 of the slabs. */
typedef struct fgti_bucket {
    int64_t           begin, end;
    fgti_bucket_stage stage;
    void             *request;
    int64_t          *table;   /* [4,ranks]: an exchange's places and sizes */
    fgti_real        *send;    /* my pieces, one after another; NULL: a single piece is sent from its place */
    fgti_real        *receive; /* the others' pieces of my segment */
} fgti_bucket;

/* The rest of a piece of rows: reduction_rows.c. */
typedef struct fgti_row_source {
    const int32_t *number, *end;
    fgti_real     *value;  /* of the next row; for my own pieces as the slabs */
    bool           own;
} fgti_row_source;

/* Number of parts in which the weights of a rank's touched rows are sent, each while the next is updated. */
#define FGTI_ROW_PARTS 2

typedef struct fgti_row_exchange {
    int64_t         *table;  /* [FGTI_ROW_PARTS,4,ranks] */
    int64_t         *begin;  /* [FGTI_PIECES_MAX]: beginning of the next message in each of my pieces */
    int64_t         *count;  /* [ranks]: number of rows whose sums each rank has */
    int64_t         *bytes;  /* [ranks] */
    fgti_row_source *source; /* [pieces of all ranks] */
    int32_t         *list;   /* [rows]: row numbers, temporary */
    unsigned char   *send, *receive; /* messages */
    void            *request[FGTI_ROW_PARTS];
} fgti_row_exchange;

typedef struct fgti_reduction {
    fgt_model        *model;
    fgti_ranks       *ranks;
    fgti_slabs        slabs;
    fgti_segments     segments;
    int64_t           shards, first, end; /* all; mine are first .. end-1; next: the next one */
    int64_t           next;
    int32_t           pieces; /* mine */
    int64_t           all_pieces;
    int64_t          *before; /* [ranks+1]: pieces of the ranks before */
    int64_t          *shard;  /* [all_pieces]: first shard of each */
    fgti_term        *term;   /* [all_pieces] */
    fgti_partial      partial[FGTI_PIECES_MAX];
    int32_t           partials, held; /* number with memory; number in use */
    int32_t           merges;         /* number in use that the last shard's gradients are added to */
    fgti_bucket      *bucket;
    int64_t           buckets, begun;
    fgti_row_exchange rows;
    fgt_status        status; /* the first failure of an exchange in this step */
} fgti_reduction;

/* The model has its gradients, and takes no more layers. On error the caller calls fgti_reduction_done(). */
fgt_status fgti_reduction_init(fgt_model *model, fgti_ranks *ranks, int64_t shards, fgti_reduction *r);
void       fgti_reduction_done(fgti_reduction *r);

/* A step: begin, then for each of my shards its backward pass, before the last of them fgti_reduction_last(),
 * after the others fgti_reduction_add(), then end: the model has the sums of this rank's segments, and of its
 * rows. All ranks make all these calls, even if a pass has failed. */
void       fgti_reduction_begin(fgti_reduction *r);
void       fgti_reduction_add(fgti_reduction *r);
void       fgti_reduction_last(fgti_reduction *r);
fgt_status fgti_reduction_end(fgti_reduction *r);
/* Called during the last backward pass: gradients from this element of the slabs on are complete. */
void fgti_reduction_ready(void *reduction, int64_t from);
/* Begins to send this rank's segment of a bucket to all others, or only to rank 0; `to` is as the slabs. */
fgt_status fgti_reduction_spread(fgti_reduction *r, int64_t bucket, const fgti_real *from, fgti_real *to,
                                 bool to_all);
/* Waits until all of these are sent. */
fgt_status fgti_reduction_settle(fgti_reduction *r);

#endif
