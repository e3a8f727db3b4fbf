/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REDUCTION_IMPL_H
#define FGTI_REDUCTION_IMPL_H

/* The sums of the gradients in one training, which reduction.c and reduction_rows.c compute. */

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
    fgti_real     *value; /* of the next row; for my own pieces as the slabs */
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

#endif
