/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_CORPUS_FILE_H
#define FIGHTER_CORPUS_FILE_H

/** @file corpus_file.h
 *  Texts that are larger than memory. A corpus file holds texts and their classes in blocks, each with a
 *  checksum. It is made once from files of texts, row by row:
 *
 *      fgt_corpus_convert(ctx, paths, count, NULL, "mails.fgc", NULL);
 *      fgt_corpus_open(ctx, "mails.fgc", NULL, &all);
 *      fgt_corpus_split(all, 20, 1, &train, &validation);
 *      fgt_classifier_create(ctx, NULL, train, &classifier);
 *      fgt_classifier_fit(classifier, train, validation, NULL, NULL);
 *
 *  An open corpus keeps some blocks in memory and reads the others when they are needed. Everything that
 *  takes a corpus takes such a one: vocabularies, encodings, subsets, classifiers and their evaluation.
 *
 *  Differences from a corpus in memory:
 *  - fgt_corpus_get_text() gives NULL and fgt_corpus_get_class() -1. fgt_corpus_create_subset() copies the
 *    texts that are needed into memory.
 *  - An encoding encodes a text when it is asked for, so vocabulary and corpus must outlive it.
 *  - fgt_classifier_fit() shuffles by chunks, see fgt_model_fit(): up to 64 chunks of neighbours are in
 *    memory and are mixed. It refuses a selector with FGT_E_UNSUPPORTED, which would read texts all over the
 *    file.
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/table_file.h>
#include <fighter/text.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_corpus_convert_opts {
    size_t                 size;
    const fgt_corpus_opts *corpus;   /**< how to read the files; NULL: the defaults. max_rows is of all files
                                          together */
    fgt_convert_fn         progress; /**< NULL: none */
    void                  *user;
} fgt_corpus_convert_opts;

/** Makes a corpus file from files of texts, which are read as fgt_corpus_load() reads them, one after the
 *  other. All have the same form and, with cells, the same columns. Whether classes are numbers is decided by
 *  all rows of all files.
 *  Shapes   paths [count]
 *  Cost     one pass over the files; memory for a block of texts, less than a MiB or a few times the longest
 *           text, and 24 bytes for each block
 *  Owner    rows may be NULL; it gets the number of texts
 *  Errors   as fgt_corpus_load(); FGT_E_NAME a file has other columns than the first; FGT_E_IO cannot
 *           write; FGT_E_CANCELLED. After an error, and if the process is killed, the name `to` stands for
 *           what it stood for before */
FGT_API FGT_MUST fgt_status fgt_corpus_convert(fgt_context *ctx, const char *const *paths, int64_t count,
                                               const fgt_corpus_convert_opts *opts, const char *to,
                                               int64_t *rows);

/** Writes a corpus, in memory or on disk, as a corpus file.
 *  Errors   FGT_E_ARG NULL; FGT_E_IO; FGT_E_FORMAT the texts stay on disk and are damaged; FGT_E_NOMEM. On
 *           error the old file stays, unless the sentence says that the new one was written */
FGT_API FGT_MUST fgt_status fgt_corpus_save(const fgt_corpus *corpus, const char *path);

typedef struct fgt_corpus_open_opts {
    size_t  size;
    int64_t resident; /**< bytes of texts, and of their numbers in training, that are in memory at the most,
                           though at least two blocks; at least 2^20; 0: 128 MiB. Texts for
                           validation, and rows that are read in their order, take two blocks besides, half
                           a MiB if no text is longer */
} fgt_corpus_open_opts;

/** Opens a corpus file. Its index is read and checked; blocks are checked when they are read.
 *  Cost     memory for `resident`, when it is used, for the names of the classes, and for the index, 24 bytes
 *           for each block, a quarter of a MiB of texts
 *  Owner    *corpus is the caller's, which keeps the file open. Whoever changes a corpus writes a new file
 *           under its name; a file that is written into while it is open gives FGT_E_FORMAT
 *  Errors   FGT_E_ARG; FGT_E_IO; FGT_E_FORMAT no corpus file, cut off, damaged; FGT_E_NOMEM. On error *corpus
 *           is NULL. Functions that read blocks give FGT_E_IO and FGT_E_FORMAT with file and rows */
FGT_API FGT_MUST fgt_status fgt_corpus_open(fgt_context *ctx, const char *path,
                                            const fgt_corpus_open_opts *opts, fgt_corpus **corpus);

/** Whether there is a corpus file at this path, by its first bytes.
 *  Errors   none; 0 for what cannot be read, and NULL
 *  Threads  any */
FGT_API int32_t fgt_corpus_is_file(const char *path);

/** Whether the texts of a corpus stay on disk.
 *  Errors   none; NULL: 0
 *  Threads  any */
FGT_API int32_t fgt_corpus_is_stored(const fgt_corpus *corpus);

/** Cuts a corpus into two: of each `every` texts in a row one, drawn at random, is for validation, and the
 *  others are for training; so is what is left at the end, fewer than `every` texts. Of a corpus on disk no
 *  texts are copied: both parts share the open file, and know their rows without a list.
 *  Shapes   rows R -> R - floor(R / every), floor(R / every)
 *  Cost     in memory a copy of the texts; on disk one pass over the file, to count the classes
 *  Owner    *train and *validation are the caller's; the corpus may be destroyed
 *  Errors   FGT_E_ARG NULL, not 2 <= every <= rows, a part of a corpus on disk; FGT_E_IO, FGT_E_FORMAT;
 *           FGT_E_NOMEM. On error both are NULL */
FGT_API FGT_MUST fgt_status fgt_corpus_split(const fgt_corpus *corpus, int64_t every, uint64_t seed,
                                             fgt_corpus **train, fgt_corpus **validation);

/** Is told of some texts of a file, of which row 0 is row `first`; they are the library's and end with the
 *  call. A value other than 0 cancels. */
typedef int (*fgt_corpus_rows_fn)(void *user, const fgt_corpus *texts, int64_t first);

/** Reads a file of texts as fgt_corpus_load() does, but keeps at most `count` of them, which a function gets
 *  one lot after the other: to classify more texts than fit into memory.
 *  Cost     one pass over the file; memory for `count` texts
 *  Errors   as fgt_corpus_load(); FGT_E_ARG count < 1, or neither like nor classes nor no_classes, as
 *           the classes must be known beforehand; FGT_E_CANCELLED */
FGT_API FGT_MUST fgt_status fgt_corpus_visit(fgt_context *ctx, const char *path, const fgt_corpus_opts *opts,
                                             int64_t count, fgt_corpus_rows_fn take, void *user);

/** How the samples of an encoding are best read in training: `chunk` and `pool` of an fgt_source.
 *  Units    chunk: samples; pool: chunks; both 0 where all texts are in memory
 *  Errors   none; NULL: 0
 *  Threads  any */
FGT_API void fgt_encoding_get_chunk(const fgt_encoding *encoding, int64_t *chunk, int64_t *pool);

#ifdef __cplusplus
}
#endif

#endif
