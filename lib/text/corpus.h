/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_H
#define FGTI_CORPUS_H

#include <fighter/text.h>

#include "core/strings/list.h"
#include "core/strings/words.h"
#include "text/text_store.h"

/* The rows of a corpus file that belong to a corpus. In each group of `every` rows one row, drawn at random,
 * is for validation. The last rows, if they are fewer than `every`, are for training. */
typedef struct fgti_corpus_part {
    int64_t  every; /* 0: all rows */
    uint64_t seed;
    bool     drawn; /* the corpus has the drawn rows; false: the other rows */
} fgti_corpus_part;

struct fgt_corpus {
    fgt_context *ctx;
    int64_t      rows, label_capacity;
    int32_t     *label;    /* [rows] */
    fgti_strings texts;    /* [rows] */
    fgti_words   classes;  /* names, and how many rows have each */
    fgti_strings columns;  /* names of the class column and of the text columns; empty: the file has none */
    int64_t      replaced; /* number of U+FFFD that replace invalid UTF-8 */
    bool         numbers;   /* classes are numbers, and are in the order of the numbers */
    bool         parsed;    /* classes were read as numbers: 01 is 1 */
    bool         unlabeled; /* texts have no classes; each label is -1 */

    fgti_text_store *store; /* the texts stay on disk; label and texts are empty. NULL: texts are in memory */
    fgti_corpus_part part;  /* the rows of the store that this corpus has */
};

/* A corpus without rows, with the classes and columns of another one. */
fgt_status fgti_corpus_like(fgt_context *ctx, const fgt_corpus *from, fgt_corpus **out);
/* A corpus without rows, with classes and columns from lists; columns may be empty. */
fgt_status fgti_corpus_of(fgt_context *ctx, const fgti_strings *classes, const fgti_strings *columns,
                          fgt_corpus **out);

#endif
