/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_H
#define FGTI_CORPUS_H

#include <fighter/text.h>

#include "core/strings/list.h"
#include "core/strings/words.h"
#include "text/text_store.h"

/* The rows of a corpus file that belong to a corpus. In each group of `every` rows one row is drawn at random
 * for validation. If the last group has fewer than `every` rows, all of its rows are for training. */
typedef struct fgti_corpus_part {
    int64_t  every; /* number of rows in a group; 0: the corpus has all rows */
    uint64_t seed;
    bool     drawn; /* the corpus has the drawn rows; false: it has the other rows */
} fgti_corpus_part;

struct fgt_corpus {
    fgt_context *ctx;
    int64_t      rows, label_capacity;
    int32_t     *label;    /* [rows] */
    fgti_strings texts;    /* [rows] */
    fgti_words   classes;  /* names of the classes, and the number of rows of each */
    fgti_strings columns;  /* names of the class column and the text columns; empty: the file has no names */
    int64_t      replaced; /* number of U+FFFD characters that replaced invalid UTF-8 */
    bool         numbers;  /* all classes are numbers, and are in numeric order */
    bool         parsed;   /* classes were read as numbers, so 01 is the same as 1 */
    bool         unlabeled; /* texts have no classes; each label is -1 */

    fgti_text_store *store; /* texts on disk; then label and texts are empty. NULL: the texts are in memory */
    fgti_corpus_part part;  /* the rows of the store that this corpus has */
};

/* Makes a corpus without rows that has the classes and columns of another one. */
fgt_status fgti_corpus_like(fgt_context *ctx, const fgt_corpus *from, fgt_corpus **out);
/* Makes a corpus without rows that has classes and columns from lists; columns may be empty. */
fgt_status fgti_corpus_of(fgt_context *ctx, const fgti_strings *classes, const fgti_strings *columns,
                          fgt_corpus **out);

#endif
