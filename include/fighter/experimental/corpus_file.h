/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_CORPUS_FILE_H
#define FIGHTER_EXPERIMENTAL_CORPUS_FILE_H

/** @file corpus_file.h
 *  Texts that are larger than memory. A corpus file has texts and their classes in blocks, each with a
 *  checksum. A corpus file is made once from files of texts, row by row:
 *
 *      fgt_corpus_convert(ctx, paths, count, NULL, "mails.fgc", NULL);
 *      fgt_corpus_open(ctx, "mails.fgc", NULL, &all);
 *      fgt_corpus_create_split(all, &FGT_OPTS(fgt_corpus_split_opts, .every = 20), &train, &validation);
 *      fgt_classifier_create(ctx, FGT_TEXTS(train), NULL, &classifier);
 *      fgt_classifier_fit(classifier, FGT_TEXTS(train), FGT_TEXTS(validation), NULL, NULL);
 *
 *  An open corpus keeps some blocks in memory and reads the others when they are needed. All functions that
 *  take a corpus accept an open corpus: vocabularies, encodings, subsets, classifiers and their evaluation.
 *
 *  Differences from a corpus in memory:
 *  - fgt_corpus_get_text() gives NULL, and row_classes of fgt_corpus_info is NULL.
 *    fgt_corpus_create_subset() copies the texts that are needed into memory.
 *  - An encoding encodes a text when it is asked for, so vocabulary and corpus must outlive it.
 *  - fgt_classifier_fit() shuffles by chunks, see fgt_model_fit(): up to 64 chunks of neighbours are in
 *    memory and are mixed. A selector is FGT_E_UNSUPPORTED, because it would read texts all over the file.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/experimental/table_file.h>
#include <fighter/text.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_corpus_convert_opts {
    size_t                 size;
    const fgt_corpus_opts *corpus; /**< options to read the files; NULL: the defaults. max_rows is for all
                                        files together */
    void                  *user;
    fgt_convert_fn         progress; /**< NULL: none */
} fgt_corpus_convert_opts;

/** Makes a corpus file from files of texts, which are read as by fgt_corpus_load(), one after the other. All
 *  files have the same form and, if they have cells, the same columns. Classes are numbers only if they are
 *  numbers in all rows of all files.
 *  Shapes   paths [count]
 *  Cost     one pass over the files; memory for a block of texts (less than a MiB, or a few times the longest
 *           text), and 24 bytes for each block
 *  Owner    *rows becomes the number of texts; rows may be NULL
 *  Errors   as fgt_corpus_load(); FGT_E_NAME a file has other columns than the first; FGT_E_IO cannot
 *           write; FGT_E_CANCELLED. On error, or if the process is killed, an existing file `to` is left
 *           unchanged */
FGT_API FGT_MUST fgt_status fgt_corpus_convert(fgt_context *ctx, const char *const *paths, int64_t count,
                                               const fgt_corpus_convert_opts *opts, const char *to,
                                               int64_t *rows);

/** Writes a corpus, in memory or on disk, as a corpus file.
 *  Errors   FGT_E_ARG NULL; FGT_E_IO; FGT_E_FORMAT damaged texts on disk; FGT_E_NOMEM. On error the old file
 *           stays, unless the error text says that the new one was written */
FGT_API FGT_MUST fgt_status fgt_corpus_save(const fgt_corpus *corpus, const char *path);

typedef struct fgt_corpus_open_opts {
    size_t  size;
    int64_t resident; /**< most bytes in memory, for texts and, in training, for the numbers of texts; at
                           least 2^20; 0: 128 MiB. Two blocks are always in memory. Validation, and reading
                           rows in order, need two more blocks, which take half a MiB if no text is longer */
} fgt_corpus_open_opts;

/** Opens a corpus file. Its index is read and checked; blocks are checked when they are read.
 *  Cost     memory up to `resident`, when texts are read; memory for the names of the classes; and for the
 *           index 24 bytes for each block of a quarter of a MiB of texts
 *  Owner    *corpus is the caller's, and keeps the file open. To change a corpus, write a new file under its
 *           name; writing into an open file gives FGT_E_FORMAT
 *  Errors   FGT_E_ARG; FGT_E_IO; FGT_E_FORMAT not a corpus file, cut off, damaged; FGT_E_NOMEM. On error
 *           *corpus is NULL. Functions that read blocks give FGT_E_IO and FGT_E_FORMAT with file and rows */
FGT_API FGT_MUST fgt_status fgt_corpus_open(fgt_context *ctx, const char *path,
                                            const fgt_corpus_open_opts *opts, fgt_corpus **corpus);

/** A function of the host that gets some texts of a file. Row 0 of the texts is row `first` of the file. The
 *  texts are the library's, valid during the call. Return FGT_OK to go on, another status to cancel. */
typedef fgt_status (*fgt_corpus_rows_fn)(void *user, const fgt_corpus *texts, int64_t first);

/** Reads a file of texts as fgt_corpus_load() does, but passes at most `count` texts at a time to a function.
 *  Use this to classify more texts than fit into memory.
 *  Cost     one pass over the file; memory for `count` texts
 *  Errors   as fgt_corpus_load(); FGT_E_ARG count < 1, or opts has neither like nor classes nor no_classes
 *           (the classes must be known before); FGT_E_CANCELLED */
FGT_API FGT_MUST fgt_status fgt_corpus_visit(fgt_context *ctx, const char *path, const fgt_corpus_opts *opts,
                                             int64_t count, fgt_corpus_rows_fn take, void *user);

#ifdef __cplusplus
}
#endif

#endif
