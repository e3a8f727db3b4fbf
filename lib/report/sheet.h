/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHEET_H
#define FGTI_SHEET_H

/* Writes each part of a report twice, from one list of columns: as data in JSON, from which the script draws
 * the pictures, and as tables in HTML, which everybody can read. */

#include "core/strings/list.h"
#include "core/text.h"

enum {
    FGTI_SHOWN_NAME  = 120, /* most characters of a name */
    FGTI_SHOWN_ABOUT = 2000,
    FGTI_SHOWN_ROWS  = 200 /* most rows of a long table */
};

/* Number of bytes of a text with at most `most` characters, an ellipsis and a NUL. */
#define FGTI_SHOWN_BYTES(most) (4 * (most) + 4)

/* Numbers farther from 0 are left out of pictures, so that the difference of any two numbers stays finite. */
#define FGTI_SHOWN_FAR 1e100

/* A text that grows. The first error stays in status, and after it nothing is written. */
typedef struct fgti_sheet {
    fgti_text  text;
    fgt_status status;
} fgti_sheet;

typedef struct fgti_sheets {
    fgti_sheet data, tables;
} fgti_sheets;

typedef enum fgti_column_kind {
    FGTI_COLUMN_PLACES, /* 1, 2, 3 ... */
    FGTI_COLUMN_SPANS,  /* from: int64_t [2], n and k; each row has the next k of the numbers -n .. -1 */
    FGTI_COLUMN_NAME,   /* from: a text, the same in all rows */
    FGTI_COLUMN_NAMES,  /* from: fgti_strings */
    FGTI_COLUMN_NUMBERS /* from: fgt_view of F32 or F64; NULL: no value is known */
} fgti_column_kind;

typedef struct fgti_column {
    const char      *head, *key; /* title in the table, and name in the data; NULL: not in the table, or not
                                  * in the data */
    fgti_column_kind kind;
    const void      *from;
    bool             rounded; /* numbers in the data have three digits, as in the table; false: 12 digits */
} fgti_column;

/* Writes a format, in which these letters follow %: s is a name, and j a name as a string of JSON; S and J
 * are the same with up to FGTI_SHOWN_ABOUT characters; r is a text that is written unchanged; d is an
 * int64_t; g is a double with three digits, for people. The arguments must have exactly these types. Names
 * may have any bytes; NULL is an empty name. */
void fgti_put(fgti_sheet *s, const char *format, ...);
/* Writes bytes in base64. */
void fgti_put_base64(fgti_sheet *s, const uint8_t *bytes, int64_t count);
/* Writes the columns into the data and into a table. In the data each column is a member of an object, after
 * a comma. The table gets the first `most` rows. */
void fgti_put_rows(fgti_sheets *p, const fgti_column *columns, int count, int64_t rows, int64_t most);
/* Does the work of fgti_put_rows() and also begins and ends the table. */
void fgti_put_table(fgti_sheets *p, const fgti_column *columns, int count, int64_t rows, int64_t most);
void fgti_begin_table(fgti_sheet *s, const fgti_column *columns, int count);
void fgti_end_table(fgti_sheet *s);
/* Begins tables of a picture. The script finds them by their id, KIND-NUMBER, and puts them below the
 * picture; tables of matrices stay where they are. of: the heading of the picture, for readers who do not see
 * the picture; "": not given. */
void fgti_begin_details(fgti_sheet *s, const char *kind, int64_t number, const char *what, const char *of);

/* Writes the first `most` characters of a name in visible form, UTF-8 without control characters, to
 * out [FGTI_SHOWN_BYTES(most)]. */
const char *fgti_shown(const char *name, int64_t most, char *out);

void       fgti_sheets_begin(fgt_context *ctx, fgti_sheets *p);
fgt_status fgti_sheets_status(const fgti_sheets *p);
void       fgti_sheets_done(fgti_sheets *p);

#endif
