/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_TEXTS_H
#define PROGRAMS_CLASSIFY_TEXTS_H

/* The texts that the program reads. */

#include <fighter/experimental/corpus_file.h>

#include "run.h"

/* Reads texts with their classes; `like`: texts whose classes must be used, or NULL. */
bool texts_load(const run *r, const char *path, const fgt_corpus *like, fgt_corpus **corpus);
/* Reads texts to classify. */
bool texts_load_unlabeled(const run *r, const char *path, fgt_corpus **corpus);
/* Copies `count` texts from row `first` on into memory, fewer at the end. On error prints a message. */
fgt_status texts_copy(const run *r, const fgt_corpus *corpus, int64_t first, int64_t count,
                      fgt_corpus **copy);
/* Writes the files of --data as the corpus file of --convert. */
bool texts_convert(const run *r);
/* Passes the texts of a file to classify to a function, n at a time. FGT_E_CANCELLED: the function stopped.
 * On another error prints a message. */
fgt_status texts_visit(const run *r, const char *path, int64_t n, fgt_corpus_rows_fn take, void *user);

#endif
