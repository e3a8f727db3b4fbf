/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CATEGORY_H
#define FGTI_CATEGORY_H

/* Columns of text that become columns of 0 and 1, one for each value, named "column=value". */

#include <stdbool.h>

#include "core/strings/list.h"
#include "core/strings/words.h"
#include "data/table.h"

enum { FGTI_CATEGORY_MAX = 64 }; /* values of a column; with more it is hardly a category */

typedef struct fgti_category {
    int64_t      source; /* number of the column in the input */
    bool         given;  /* the caller named `values`: there are no others */
    fgti_strings values;
    int64_t      named;  /* number of values that were named without a series; other values occur, too */
    fgti_strings parts;  /* names in a long file: "value[series]", or values that contain brackets */
    int8_t      *code;   /* [rows]: number of the value, or one of the codes below */
    int64_t      rows, capacity;
    int64_t      unseen; /* cells with a value that was not given */
    int64_t      first;  /* the row of the first such cell, and its value */
    char         first_value[FGTI_SHOW];
} fgti_category;

enum { FGTI_CODE_MISSING = -1, FGTI_CODE_UNSEEN = -2 };

typedef struct fgti_categories {
    fgt_context      *ctx;
    const char       *what;   /* for error texts: the file */
    const fgti_lines *lines;  /* line numbers of the file's rows; NULL: rows have no lines */
    const fgti_words *series; /* of a long file: names of values may contain a series; NULL: a wide file */
    int64_t           count, capacity;
    fgti_category    *list;
    int32_t          *place; /* [sources]: number + 1 of the category of a column; 0: no category */
    int64_t           sources;
} fgti_categories;

/* Adds a column of the input, with a value that it may have; NULL: all values that occur. */
fgt_status fgti_categories_add(fgti_categories *c, int64_t source, const char *value);
/* The category of a column of the input; NULL: no category. */
fgti_category *fgti_categories_find(const fgti_categories *c, int64_t source);
/* Adds the next row; text NULL: missing. `name` of the column is for the error text. */
fgt_status fgti_category_put(const fgti_categories *c, fgti_category *k, const char *name, const char *text);
/* Adds rows of missing cells until the category has `rows`. */
fgt_status fgti_category_skip(const fgti_categories *c, fgti_category *k, int64_t rows);
/* Removes the columns with drop[] from the table, whose names and values are complete, and adds the columns
 * of each category; name[i] is the name of category i, NULL: it is left out. */
fgt_status fgti_categories_finish(fgti_categories *c, fgt_table *t, const bool *drop,
                                  const char *const *name);
void       fgti_categories_done(fgti_categories *c);

/* The column that an entry names, "column" or "column=value"; -1: no column. *value is NULL without a value.
 * find() returns the number of a column by its name; -1: no such column. */
typedef int64_t (*fgti_find_fn)(const void *user, const char *name, int64_t size);
int64_t fgti_category_source(const char *entry, fgti_find_fn find, const void *user, const char **value);

#endif
