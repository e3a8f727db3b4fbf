/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STORE_H
#define FGTI_STORE_H

/* The file of a table that stays on disk (fighter/experimental/table_file.h): a file of rows
 * (data/store/block_index.h) with the mark "fgtable2", whose columns are floats. All blocks but the last one
 * have the same number of rows.
 *
 *     numbers   rows of a block, flags (1: rows have times), time of row 0, step in milliseconds, step in
 *               months, weekdays, rows of a day, begin of a day
 *     names     of the times (if any), then of the columns */

#include "data/store/block_read.h"
#include "data/store/block_write.h"
#include "data/time/step.h"

typedef struct fgti_store_head {
    int64_t                   rows, columns, block; /* rows: of the table; block: rows of a block, a power of
                                                     * two */
    bool                      has_times;
    int64_t                   first;   /* time of row 0 */
    fgt_time_step             step;    /* all 0 if the table has a single row */
    fgti_strings              names;   /* [has_times + columns] */
    const fgti_chunk_moments *moments; /* [blocks,columns]: the moments of the chunks in the file */
} fgti_store_head;

static inline int64_t fgti_store_blocks(const fgti_store_head *h)
{
    return (h->rows - 1) / h->block + 1;
}

/* Number of rows of the longest block. */
static inline int64_t fgti_store_longest(const fgti_store_head *h)
{
    return h->rows < h->block ? h->rows : h->block;
}

/* Number of rows of block b. */
static inline int64_t fgti_store_rows_of(const fgti_store_head *h, int64_t b)
{
    const int64_t left = h->rows - b * h->block;
    return left < h->block ? left : h->block;
}

/* ---- writing ---- */

typedef struct fgti_store_writer {
    fgti_block_writer out;
    fgti_store_head   head; /* `rows` grows with each row; the caller sets names, times and step before the
                             * end */
} fgti_store_writer;

/* Begins a file. Takes over the names of head. Call fgti_store_abandon() even after an error. */
fgt_status fgti_store_begin(fgt_context *ctx, const char *path, const fgti_store_head *head,
                            fgti_store_writer *w);
/* Adds a row [columns], with NaN for missing values. again: the row replaces the last row. FGT_E_DATA:
 * float32 cannot hold a value. */
fgt_status fgti_store_add(fgti_store_writer *w, const double *row, bool again);
/* Finishes the file, which then gets its name. */
fgt_status fgti_store_end(fgti_store_writer *w);
/* Frees the writer. If the file is not finished, an old file of this name stays unchanged. */
void fgti_store_abandon(fgti_store_writer *w);

/* ---- reading ---- */

typedef struct fgti_store fgti_store;

/* Opens a table file. resident: bytes that caches may use. FGT_E_IO; FGT_E_FORMAT: another kind of file, or
 * cut off, or damaged. */
fgt_status fgti_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_store **out);
void                   fgti_store_close(fgt_context *ctx, fgti_store **store);
const fgti_store_head *fgti_store_get_head(const fgti_store *store);
/* Number of values that are NaN. */
int64_t fgti_store_count_missing(const fgti_store_head *head);
/* The hash of the index. The index contains the hashes of all data. */
uint64_t fgti_store_get_hash(const fgti_store *store);
/* Whether the file at `path` begins like a table file. */
bool fgti_store_is(const char *path);
/* Bytes that the caller allows for rows in memory. */
int64_t fgti_store_get_resident(const fgti_store *store);
/* Reads the values of a column in a block, and compares them with the index. FGT_E_IO; FGT_E_FORMAT: the file
 * is damaged. */
fgt_status fgti_store_read(const fgti_store *store, int64_t block, int64_t column, float *out);
/* Moments of a column in rows begin .. end-1, without reading all these rows. `least` and `most` may be
 * values of other rows in the same blocks. */
fgt_status fgti_store_moments(fgti_store *store, int64_t column, int64_t begin, int64_t end,
                              fgti_chunk_moments *moments);

#endif
