/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_TEXTS_H
#define PROGRAMS_CLASSIFY_TEXTS_H

/* The texts that the program reads. */

#include <fighter/experimental/corpus_file.h>

#include "run.h"

/* Reads texts with their classes. If `like` is not NULL, the texts must have the classes of `like`. */
bool texts_load(const run *r, const char *path, const fgt_corpus *like, fgt_corpus **corpus);
/* Reads the texts of a file to classify, without classes. */
bool texts_load_unlabeled(const run *r, const char *path, fgt_corpus **corpus);
/* Copies texts first .. first+count-1 into memory; fewer texts if the corpus ends before. On error prints a
 * message. */
fgt_status texts_copy(const run *r, const fgt_corpus *corpus, int64_t first, int64_t count,
                      fgt_corpus **copy);
/* Writes the files of --data as the corpus file of --convert. */
bool texts_convert(const run *r);
/* Calls a function with the texts of a file to classify, n texts at a time. FGT_E_CANCELLED: the function has
 * stopped. On any other error prints a message. */
fgt_status texts_visit(const run *r, const char *path, int64_t n, fgt_corpus_rows_fn take, void *user);

#endif
