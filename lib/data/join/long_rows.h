/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LONG_ROWS_H
#define FGTI_LONG_ROWS_H

/* The rows of long files. They are kept as one table, in the order of the files. Its labels are the times.
 * Its columns are the values of the series, then the covariates. */

#include "core/strings/words.h"
#include "data/table.h"
#include "data/time/time_axis.h"

typedef struct fgti_long {
    fgt_context     *ctx;
    fgt_table       *rows;   /* NULL: no file so far was long */
    fgti_words       series; /* names of the series */
    int32_t         *of;     /* [count]: number of the series of each row */
    int64_t          count, of_room;
    int64_t         *file_begin; /* [files]: the first row of each file */
    const char     **path;       /* [files]: path of each file; borrowed */
    int64_t          files;
    const fgti_zone *zone;      /* borrowed */
    bool             has_value; /* column 0 of `rows` has the values of the series */
} fgti_long;

/* Initialises `l` for at most `files` files. Call fgti_long_done() even after an error. */
fgt_status fgti_long_init(fgt_context *ctx, fgti_long *l, int64_t files);
/* Stores the name of the series for the next row of the file that is being read. */
fgt_status fgti_long_add(fgti_long *l, const char *name, int64_t size);
/* Takes over the rows of a file, *t, and sets *t to NULL. The columns must be the same as in the earlier
 * files, in any order. Only a category may have other values. */
fgt_status fgti_long_append(fgti_long *l, const fgt_csv_opts *opts, const char *path, fgt_table **t);
/* The number of the file from which a row was read. */
int64_t fgti_long_find_file(const fgti_long *l, int64_t row);
/* Orders the rows by series: row[begin[i]] is the first row of series i. On entry begin [series+1] is all
 * zeros. */
void fgti_long_sort(const fgti_long *l, int64_t *begin, int64_t *row);
void fgti_long_done(fgti_long *l);

#endif
