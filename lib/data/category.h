/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CATEGORY_H
#define FGTI_CATEGORY_H

/* Columns of text that become columns of 0 and 1, one for each value, named "column=value". */

#include <stdbool.h>

#include "data/strings/list.h"
#include "data/strings/words.h"
#include "data/table.h"

enum { FGTI_CATEGORY_MAX = 64 }; /* values of a column; with more it is hardly a category */

typedef struct fgti_category {
    int64_t      source; /* number of the column in the input */
    bool         given;  /* `values` were named by the caller: there are no others */
    fgti_strings values;
    int64_t      named;  /* `values` that were named as they are; others occur */
    fgti_strings parts;  /* named, of a long file: "value[series]", or values that have brackets themselves */
    int8_t      *code;   /* [rows]: number of the value, or one of the codes below */
    int64_t      rows, capacity;
    int64_t      unseen; /* cells with another value than those that were given */
    int64_t      first;  /* the row of the first of them, and its value */
    char         first_value[FGTI_SHOW];
} fgti_category;

enum { FGTI_CODE_MISSING = -1, FGTI_CODE_UNSEEN = -2 };

typedef struct fgti_categories {
    fgt_context      *ctx;
    const char       *what;   /* for sentences: the file */
    const fgti_lines *lines;  /* of its rows; NULL: it has none */
    const fgti_words *series; /* of a long file: values may be named with one; NULL: a wide file */
    int64_t           count, capacity;
    fgti_category    *list;
    int32_t          *place; /* [sources]: number + 1 of the category of a column; 0: it has none */
    int64_t           sources;
} fgti_categories;

/* Adds a column of the input, with a value that it may have; NULL: with all that occur. */
fgt_status fgti_categories_add(fgti_categories *c, int64_t source, const char *value);
/* That of a column of the input; NULL: there is none. */
fgti_category *fgti_categories_find(const fgti_categories *c, int64_t source);
/* Adds the next row; text NULL: missing. `name` of the column is for the sentence. */
fgt_status fgti_category_put(const fgti_categories *c, fgti_category *k, const char *name, const char *text);
/* Adds rows of missing cells until there are `rows`. */
fgt_status fgti_category_skip(const fgti_categories *c, fgti_category *k, int64_t rows);
/* Takes the columns with drop[] off the table, whose names and values are complete, and adds those of each
 * category; name[i] is that of category i, NULL: it is left out. */
fgt_status fgti_categories_finish(fgti_categories *c, fgt_table *t, const bool *drop,
                                  const char *const *name);
void       fgti_categories_done(fgti_categories *c);
/* Gives each of some tables that has columns of a category those that others have of it, with 0.
 * category_align.c */
fgt_status fgti_categories_align(fgt_context *ctx, fgt_table **tables, int64_t count,
                                 const char *const *names, int64_t name_count);

/* The column that an entry means, "column" or "column=value"; -1: there is none. *value is NULL without one.
 * find() has the number of a column by its name; -1: there is none. */
typedef int64_t (*fgti_find_fn)(const void *user, const char *name, int64_t size);
int64_t fgti_category_source(const char *entry, fgti_find_fn find, const void *user, const char **value);

#endif
