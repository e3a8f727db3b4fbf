/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REDUCTION_IMPL_H
#define FGTI_REDUCTION_IMPL_H

/* The sums of the gradients in one training. reduction.c and reduction_rows.c compute them. */

#include "model/access.h"
#include "ranks/ranks.h"
#include "ranks/tree.h"
#include "train/optim/segments.h"

/* The sum of the gradients of a piece's shards, stored until it is needed. */
typedef struct fgti_partial {
    int64_t    first, shards;
    fgti_real *value; /* in the layout of the slabs; of a sparse gradient only the rows listed in `row` have a
                       * value */
    int32_t   *row;   /* [rows]: numbers of the rows */
    int64_t    rows;
} fgti_partial;

typedef enum fgti_bucket_stage { FGTI_WAITS, FGTI_SUMS, FGTI_SUMMED, FGTI_SPREADS } fgti_bucket_stage;

/* Elements begin .. end-1 of the slabs. */
typedef struct fgti_bucket {
    int64_t           begin, end;
    fgti_bucket_stage stage;
    void             *request;
    int64_t          *table;   /* [4,ranks]: places and sizes for an exchange */
    fgti_real        *send;    /* the pieces of this rank, one after another; NULL: the single piece is sent
                                * from its place */
    fgti_real        *receive; /* the pieces of this rank's segment that other ranks have sent */
} fgti_bucket;

/* A piece of rows, of which some rows are already read (reduction_rows.c). */
typedef struct fgti_row_source {
    const int32_t *number, *end;
    fgti_real     *value; /* values of the next row; a piece of this rank has the layout of the slabs */
    bool           own;
} fgti_row_source;

/* The weights of a rank's touched rows are sent in this many parts. While a part is sent, the next one is
 * updated. */
#define FGTI_ROW_PARTS 2

typedef struct fgti_row_exchange {
    int64_t         *table;  /* [FGTI_ROW_PARTS,4,ranks]: places and sizes for each exchange */
    int64_t         *begin;  /* [FGTI_PIECES_MAX]: for each piece of this rank, its first row in the next
                              * message */
    int64_t         *count;  /* [ranks]: number of rows that each rank sums */
    int64_t         *bytes;  /* [ranks]: size of each message */
    fgti_row_source *source; /* [pieces of all ranks] */
    int32_t         *list;   /* [rows]: numbers of rows, for a short time */
    unsigned char   *send, *receive; /* messages */
    void            *request[FGTI_ROW_PARTS];
} fgti_row_exchange;

typedef struct fgti_reduction {
    fgt_model        *model;
    fgti_ranks       *ranks;
    fgti_slabs        slabs;
    fgti_segments     segments;
    int64_t           shards, first, end; /* shards: number of all shards; this rank has first .. end-1; the
                                           * next field is its next shard */
    int64_t           next;
    int32_t           pieces; /* number of this rank's pieces */
    int64_t           all_pieces;
    int64_t          *before; /* [ranks+1]: number of pieces of all ranks before each rank */
    int64_t          *shard;  /* [all_pieces]: the first shard of each piece */
    fgti_term        *term;   /* [all_pieces] */
    fgti_partial      partial[FGTI_PIECES_MAX];
    int32_t           partials, held; /* partials: partial sums that have memory; held: partial sums in use */
    int32_t           merges;         /* number of partial sums in use to which the gradients of the last
                                       * shard are added */
    fgti_bucket      *bucket;
    int64_t           buckets, begun;
    fgti_row_exchange rows;
    fgt_status        status; /* status of the first exchange that failed in this step */
} fgti_reduction;

#endif
