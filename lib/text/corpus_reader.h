/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_READER_H
#define FGTI_CORPUS_READER_H

#include "text/corpus.h"
#include "text/text_cache.h"

/* Returns the row of the file that is row i of the part. The file has `rows` rows. */
int64_t fgti_corpus_part_row(const fgti_corpus_part *part, int64_t rows, int64_t i);
int64_t fgti_corpus_part_count(const fgti_corpus_part *part, int64_t rows);

/* The rows of a corpus, in memory or on disk. */
typedef struct fgti_corpus_reader {
    fgt_context      *ctx; /* for error texts */
    const fgt_corpus *corpus;
    fgti_text_cache  *cache; /* NULL: the corpus is in memory */
} fgti_corpus_reader;

/* Opens a reader of a corpus, which is borrowed. bytes: the most memory for blocks; 0: a few blocks, enough
 * for rows in their order. Call fgti_corpus_reader_close() even after an error. */
fgt_status fgti_corpus_reader_open(fgt_context *ctx, const fgt_corpus *corpus, int64_t bytes,
                                   fgti_corpus_reader *r);
/* Reads a row, 0 .. corpus->rows-1. The text is valid until the next call. */
fgt_status fgti_corpus_reader_get(fgti_corpus_reader *r, int64_t row, fgti_stored_text *out);
void       fgti_corpus_reader_close(fgti_corpus_reader *r);
/* Returns the bytes of memory for blocks that the caller of fgt_corpus_open() allows; 0: the corpus is in
 * memory. */
int64_t fgti_corpus_get_resident(const fgt_corpus *corpus);
/* chunk: the number of neighbouring rows to read together. pool: the number of chunks that fit into `bytes`.
 * Both are 0 for a corpus in memory. */
void fgti_corpus_cut(const fgt_corpus *corpus, int64_t bytes, int64_t *chunk, int64_t *pool);

#endif
