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
    fgti_real *value; /* layout of the slabs; a sparse gradient has only the rows in `row` */
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
    fgti_real        *send;    /* this rank's pieces, one after another; NULL: a single piece is sent from its
                                * place */
    fgti_real        *receive; /* the other ranks' pieces of this rank's segment */
} fgti_bucket;

/* The rest of a piece of rows: reduction_rows.c. */
typedef struct fgti_row_source {
    const int32_t *number, *end;
    fgti_real     *value; /* values of the next row; own pieces have the layout of the slabs */
    bool           own;
} fgti_row_source;

/* Number of parts in which the weights of a rank's touched rows are sent, each while the next is updated. */
#define FGTI_ROW_PARTS 2

typedef struct fgti_row_exchange {
    int64_t         *table;  /* [FGTI_ROW_PARTS,4,ranks] */
    int64_t         *begin;  /* [FGTI_PIECES_MAX]: beginning of the next message in each piece of this rank */
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
    int64_t           shards, first, end; /* all shards; this rank has first .. end-1; next: its next shard */
    int64_t           next;
    int32_t           pieces; /* number of this rank's pieces */
    int64_t           all_pieces;
    int64_t          *before; /* [ranks+1]: number of pieces of the ranks before */
    int64_t          *shard;  /* [all_pieces]: first shard of each piece */
    fgti_term        *term;   /* [all_pieces] */
    fgti_partial      partial[FGTI_PIECES_MAX];
    int32_t           partials, held; /* number of partial sums with memory; number in use */
    int32_t           merges;         /* number in use that the last shard's gradients are added to */
    fgti_bucket      *bucket;
    int64_t           buckets, begun;
    fgti_row_exchange rows;
    fgt_status        status; /* the first failure of an exchange in this step */
} fgti_reduction;

#endif
