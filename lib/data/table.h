/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_H
#define FGTI_TABLE_H

#include <fighter/table.h>
#include <fighter/time.h>

#include "core/strings/words.h"
#include "core/tensor.h"
#include "data/store/store.h"
#include "data/time/lines.h"
#include "data/time/row_clock.h"

/* Missing values of a column that were filled. */
typedef struct fgti_fills {
    int64_t count, first; /* count: number of filled values; first: row of the first one */
} fgti_fills;

struct fgt_table {
    fgt_context   *ctx;
    int64_t        rows, columns;
    int64_t        capacity; /* elements in `values` */
    int64_t        room;     /* rows that fit into all arrays, by fgt_table_append(); 0: not called */
    double        *values;   /* [rows,columns]; NULL: they stay in `store` */
    fgti_store    *store;    /* NULL: the table is in memory */
    int32_t        labels;   /* 1: rows have labels, and names[0] is the name of their column */
    fgti_strings   names;    /* [labels + columns] */
    fgti_words     column;   /* the columns' names, once the table is complete */
    fgti_strings   dates;    /* [rows]; empty: no labels */
    fgti_lines     lines;    /* of the rows in their file; empty: they are from no file, or from several */
    int64_t       *times;    /* [rows], or NULL */
    fgti_clock     clock;
    fgti_time_form written;  /* form of labels that are times */
    fgti_strings   ignored;  /* names of columns that were left out */
    fgti_strings   empty;    /* names of such columns without any value, if the rows come from one file */
    fgti_fills    *fills;    /* [columns]; NULL: nothing was filled */
    int64_t        unseen;   /* cells with a category that has no column */
    fgti_strings   form;     /* of a long file: names of the columns of series and, if there, values */
    int64_t        absent;   /* number of last columns without values, which are only for a forecaster */
    bool           ragged;   /* columns may begin later and end earlier than the rows */
    fgt_table_info info;     /* of the times and files; the rest is computed when it is asked for */
};

/* Makes the set of the columns' names, by which they are found: the last step of making a table. */
fgt_status fgti_table_hash_names(fgt_table *t);

/* Adds columns without values, which count as `absent`, to a table in memory. On error it is as before. */
fgt_status fgti_table_add_absent(fgt_table *t, const fgti_strings *names);
static inline bool fgti_table_is_absent(const fgt_table *t, int64_t column)
{
    return column >= t->columns - t->absent;
}

/* FGT_E_UNSUPPORTED: the values are on disk, but the caller needs them in memory. */
fgt_status fgti_table_check_loaded(fgti_error *err, const char *what, const fgt_table *table);

static inline bool fgti_table_has_times(const fgt_table *t)
{
    return t->store ? fgti_store_get_head(t->store)->has_times : t->times != NULL;
}

/* The time of a row of a table with times. */
int64_t fgti_table_time(const fgt_table *t, int64_t row);

/* "line 7 (2016-07-01)", or "row 5": a row with its label or its time. t NULL: not in a table. */
const char *fgti_table_row(const fgt_table *t, int64_t row, char buf[FGTI_ROW_TEXT]);

/* True if a column belongs to one series of this covariate: price[shop 1] for price. */
bool fgti_table_is_part(const char *column, const char *covariate);
/* fgti_table_find(), which also finds price, a column for all series, for price[shop 1]. */
fgt_status fgti_table_find_part(fgti_error *err, const fgt_table *t, const char *name, int64_t *column);

/* The first row in which a column has a value, and the row after the last one; both 0 without a value. */
void fgti_table_span(const fgt_table *t, int64_t column, int64_t *begin, int64_t *end);
/* FGT_E_SIZE: a large table of this size would be mostly missing, as the files have only `values` values. */
fgt_status fgti_table_check_size(fgti_error *err, const char *what, int64_t rows, int64_t columns,
                                 int64_t values);

/* fgt_table_get_column() for threads that share a table: the error text goes to *err. */
fgt_status fgti_table_find(fgti_error *err, const fgt_table *table, const char *name, int64_t *column);

/* Checks values [R,C], R, C >= 1, by fgti_view_check_number(), and that rows begin .. end-1, at least one,
 * are in them. */
fgt_status fgti_view_check_rows(fgti_error *err, const char *what, const fgt_view *v, int64_t begin,
                                int64_t end);

#endif
