/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ARROW_COLUMN_H
#define FGTI_ARROW_COLUMN_H

/* One column of an Arrow array: its type and its elements. */

#include <fighter/experimental/arrow.h>
#include <stdbool.h>

#include "core/alloc.h"

typedef struct fgti_arrow_column fgti_arrow_column;

struct fgti_arrow_column {
    const char *name;       /* name of the column, also for error texts */
    char        number[24]; /* holds the name if the file gives no name */
    enum { FGTI_ARROW_NUMBERS, FGTI_ARROW_TIMES, FGTI_ARROW_TEXTS, FGTI_ARROW_OTHER } holds;
    const struct ArrowArray *array;
    const uint8_t           *valid; /* bitmap of elements with a value; NULL: all elements have one */
    int64_t                  first; /* place of row 0 in the buffers */
    double (*value)(const fgti_arrow_column *c, int64_t place);
    int64_t (*index)(const void *buffer, int64_t place); /* reads an element of integers; NULL: the column has
                                                          * no integers */
    char                     layout;      /* layout of texts: 'u' 32-bit offsets, 'U' 64-bit offsets, 'v'
                                           * views */
    const struct ArrowArray *texts;       /* the array with the texts */
    int64_t                  ticks, days; /* of times: ticks per second, or days per tick */
    bool                     null;        /* the column's type is null: no element has a value */
};

/* Reads the type of a column. The table's rows are the column's rows first .. first + rows - 1. An
 * unsupported type gives FGTI_ARROW_OTHER. */
fgt_status fgti_arrow_column_init(fgti_error *err, const struct ArrowSchema *schema,
                                  const struct ArrowArray *array, int64_t number, int64_t first, int64_t rows,
                                  fgti_arrow_column *c);
bool       fgti_arrow_is_missing(const fgti_arrow_column *c, int64_t row);
/* The next three functions read an element that is not missing. */
double     fgti_arrow_number(const fgti_arrow_column *c, int64_t row);
fgt_status fgti_arrow_time(fgti_error *err, const fgti_arrow_column *c, int64_t row, int64_t *time);
/* *text is NULL if the dictionary marks the value as missing. The text has no NUL at its end. */
fgt_status fgti_arrow_text(fgti_error *err, const fgti_arrow_column *c, int64_t row, const char **text,
                           int64_t *size);

/* Checks the properties that arrays of all types have in common, and that the array has at least first + rows
 * elements. */
fgt_status fgti_arrow_check(fgti_error *err, const char *name, const struct ArrowArray *array,
                            int64_t buffers, int64_t first, int64_t rows);

#endif
