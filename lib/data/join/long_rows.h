/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LONG_ROWS_H
#define FGTI_LONG_ROWS_H

/* Rows of long files. They are kept as a table in the order of the files: its labels are the times, its
 * columns the values of the series and then the covariates. */

#include "core/strings/words.h"
#include "data/table.h"
#include "data/time/time_axis.h"

typedef struct fgti_long {
    fgt_context     *ctx;
    fgt_table       *rows;   /* NULL: no file was long */
    fgti_words       series; /* their names */
    int32_t         *of;     /* [count]: the series of a row */
    int64_t          count, of_room;
    int64_t         *file_begin; /* [files]: the first row of a file */
    const char     **path;       /* [files]: borrowed names */
    int64_t          files;
    const fgti_zone *zone;      /* borrowed */
    bool             has_value; /* column 0 has the values of the series */
} fgti_long;

/* Makes `l` for at most `files` files. Call fgti_long_done() even after an error. */
fgt_status fgti_long_init(fgt_context *ctx, fgti_long *l, int64_t files);
/* Stores the series of the next row of a file that is being read. */
fgt_status fgti_long_add(fgti_long *l, const char *name, int64_t size);
/* Takes over the rows of a file that was read, *t, which becomes NULL. Its columns must be the same as in the
 * files before it, in any order; only a category may have other values. */
fgt_status fgti_long_append(fgti_long *l, const fgt_csv_opts *opts, const char *path, fgt_table **t);
/* The file of a row. */
int64_t fgti_long_find_file(const fgti_long *l, int64_t row);
/* Lists the rows of each series one after another: row[begin[i]] ...; begin [series+1] of zeros. */
void fgti_long_sort(const fgti_long *l, int64_t *begin, int64_t *row);
void fgti_long_done(fgti_long *l);

#endif
