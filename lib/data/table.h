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
    int64_t count, first; /* count: number of filled values; first: the first row with one */
} fgti_fills;

struct fgt_table {
    fgt_context   *ctx;
    int64_t        rows, columns;
    int64_t        capacity; /* elements in `values` */
    int64_t        room;     /* rows for which fgt_table_append() has made room in all arrays; 0: it was not
                              * called */
    double        *values;   /* [rows,columns]; NULL: the values are only in `store` */
    fgti_store    *store;    /* NULL: the table is in memory */
    int32_t        labels;   /* 1: rows have labels, and names[0] is the name of their column; 0: rows have no
                              * labels */
    fgti_strings   names;    /* [labels + columns] */
    fgti_words     column;   /* the names of the columns, as a set; made when the table is complete */
    fgti_strings   dates;    /* [rows]: the labels; empty: the rows have no labels */
    fgti_lines     lines;    /* line of each row in its file; empty: the rows come from no file or from
                              * several */
    int64_t       *times;    /* [rows]; NULL: the rows have no times */
    fgti_clock     clock;
    fgti_time_form written;  /* how the labels are written, if they are times */
    fgti_strings   ignored;  /* names of columns that were left out */
    fgti_strings   empty;    /* names of left out columns without any value, if the rows come from one file */
    fgti_fills    *fills;    /* [columns]: filled values; NULL: nothing was filled */
    int64_t        unseen;   /* number of cells with a category that has no column */
    fgti_strings   form;     /* of a long file: names of the columns of series and, if there, values */
    int64_t        absent;   /* number of last columns without values, which are only for a forecaster */
    bool           ragged;   /* a column may begin later and end earlier than the rows */
    fgt_table_info info;     /* of the times and files; the rest is computed when it is asked for */
};

/* Makes the set of the columns' names, which serves to find columns. This is the last step of making a
 * table. */
fgt_status fgti_table_hash_names(fgt_table *t);

/* Adds columns without values to a table in memory. They count as `absent`. On error the table is as
 * before. */
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

/* Describes a row by its number and its label or time: "line 7 (2016-07-01)" or "row 5". t NULL: the row is
 * in no table. */
const char *fgti_table_row(const fgt_table *t, int64_t row, char buf[FGTI_ROW_TEXT]);

/* Whether a column belongs to one series of this covariate, as price[shop 1] does for price. */
bool fgti_table_is_part(const char *column, const char *covariate);
/* Like fgti_table_find(). For a name such as price[shop 1] it also finds the column `price`, which serves all
 * series. */
fgt_status fgti_table_find_part(fgti_error *err, const fgt_table *t, const char *name, int64_t *column);

/* The first row in which a column has a value, and the row after the last such row. Both are 0 if the column
 * has no value. */
void fgti_table_span(const fgt_table *t, int64_t column, int64_t *begin, int64_t *end);
/* FGT_E_SIZE: a table of this size would be large and mostly missing, because the files have only `values`
 * values. */
fgt_status fgti_table_check_size(fgti_error *err, const char *what, int64_t rows, int64_t columns,
                                 int64_t values);

/* fgt_table_get_column() for threads that share a table. The error text goes to *err. */
fgt_status fgti_table_find(fgti_error *err, const fgt_table *table, const char *name, int64_t *column);

/* Checks `values` [R,C] by fgti_view_check_number(), with R, C >= 1. Also checks that begin .. end-1 is at
 * least one row and that these rows exist. */
fgt_status fgti_view_check_rows(fgti_error *err, const char *what, const fgt_view *v, int64_t begin,
                                int64_t end);

#endif
