/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PAGE_PUT_H
#define FGTI_PAGE_PUT_H

#include "report/sheet.h"

/* A column of a table, which may be an array of the data as well. */
typedef struct fgti_column {
    const char         *head, *key; /* head NULL: no more columns; key NULL: it is only in the table */
    const fgti_strings *names;      /* NULL: numbers */
    const double       *value;      /* NULL without names: 1, 2, 3 ... */
} fgti_column;

enum { FGTI_COLUMNS = 5 };

/* Writes a format with these letters after %: s a text, escaped for HTML; r a text as it is; j a text as a
 * string of JSON that may be inside a script element; d an int64_t; g a double with three digits, for people.
 * The arguments must have exactly these types. */
void fgti_put(fgti_sheet *s, const char *format, ...);
/* Writes numbers as an array of JSON; null stands for numbers that are not finite. */
void fgti_put_numbers(fgti_sheet *s, const double *value, int64_t count);
/* Writes strings as an array of JSON. */
void fgti_put_strings(fgti_sheet *s, const fgti_strings *list, int64_t count);
/* Writes bytes in base64. */
void fgti_put_base64(fgti_sheet *s, const uint8_t *bytes, int64_t count);
/* Begins tables that the script finds by their id, KIND-NUMBER, and puts below their picture; tables of
 * matrices stay where they are. of: the heading of this picture, for readers who do not see it; "": not
 * given. */
void fgti_begin_details(fgti_sheet *s, const char *kind, int64_t number, const char *what, const char *of);
void fgti_begin_table(fgti_sheet *s, const char *const *heads); /* heads end with NULL */
void fgti_end_table(fgti_sheet *s);
/* Writes the columns as members of an object of the data, and their first `most` rows as a table. */
void fgti_put_columns(fgti_page *p, const fgti_column *column, int64_t rows, int64_t most);
/* The separator before element i of an array. */
const char *fgti_comma(int64_t i);
/* Text number i of the report; -1: "". */
const char *fgti_page_text(const fgti_page *p, int64_t i);

#endif
