/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CATEGORY_H
#define FGTI_CATEGORY_H

/* Columns of text. Each value of such a column becomes a column of 0 and 1, named "column=value". */

#include <stdbool.h>

#include "core/strings/list.h"
#include "core/strings/words.h"
#include "data/table.h"

enum { FGTI_CATEGORY_MAX = 64 }; /* most values of a column; a column with more values is hardly a category */

typedef struct fgti_category {
    int64_t      source; /* number of the column in the input */
    bool         given;  /* the caller named `values`, and the column must have no others */
    fgti_strings values;
    int64_t      named;  /* number of values that were named without a series; they are the first of
                          * `values` */
    fgti_strings parts;  /* names of values in a long file: "value[series]", or values that contain
                          * brackets */
    int8_t      *code;   /* [rows]: number of the value, or one of the codes below */
    int64_t      rows, capacity;
    int64_t      unseen; /* number of cells with a value that was not given */
    int64_t      first;  /* row and value of the first such cell */
    char         first_value[FGTI_SHOW];
} fgti_category;

enum { FGTI_CODE_MISSING = -1, FGTI_CODE_UNSEEN = -2 };

typedef struct fgti_categories {
    fgt_context      *ctx;
    const char       *what;   /* name of the file, for error texts */
    const fgti_lines *lines;  /* line numbers of the file's rows; NULL: the rows have no line numbers */
    const fgti_words *series; /* of a long file, where names of values may contain a series; NULL: a wide
                               * file */
    int64_t           count, capacity;
    fgti_category    *list;
    int32_t          *place; /* [sources]: number of the column's category + 1; 0: the column is not a
                              * category */
    int64_t           sources;
} fgti_categories;

/* Adds a column of the input as a category, with a value that it may have. value NULL: all values that
 * occur. */
fgt_status fgti_categories_add(fgti_categories *c, int64_t source, const char *value);
/* The category of a column of the input; NULL: the column is not a category. */
fgti_category *fgti_categories_find(const fgti_categories *c, int64_t source);
/* Adds the next row's value; text NULL: missing. `name` is the column's name, for the error text. */
fgt_status fgti_category_put(const fgti_categories *c, fgti_category *k, const char *name, const char *text);
/* Adds missing cells until the category has `rows` rows. */
fgt_status fgti_category_skip(const fgti_categories *c, fgti_category *k, int64_t rows);
/* Removes the columns with drop[] from the table and adds the columns of each category. The names and values
 * of the table must be complete. name[i] is the name of category i; NULL: category i is left out. */
fgt_status fgti_categories_finish(fgti_categories *c, fgt_table *t, const bool *drop,
                                  const char *const *name);
void       fgti_categories_done(fgti_categories *c);

/* Finds the column of an entry "column" or "column=value"; -1: no such column. *value is the entry's value,
 * or NULL for "column". find() returns the number of the column with a name; -1: no such column. */
typedef int64_t (*fgti_find_fn)(const void *user, const char *name, int64_t size);
int64_t fgti_category_source(const char *entry, fgti_find_fn find, const void *user, const char **value);

#endif
