/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_H
#define FGTI_TABLE_H

#include <fighter/table.h>
#include <fighter/time.h>

#include <math.h>

#include "core/strings/words.h"
#include "core/tensor.h"
#include "data/store/store.h"
#include "data/time/lines.h"
#include "data/time/time_axis.h"
#include "data/time/time_form.h"
#include "data/time/zone.h"

/* The clock of the rows. */
typedef struct fgti_clock {
    fgti_zone zone;     /* offset NULL: not known */
    int32_t     *offset;   /* [rows]: minutes east of UTC; NULL: the times are local clock times */
    bool         by_clock; /* the times are local clock times, even if there are offsets */
} fgti_clock;

/* Missing values of a column that were filled. */
typedef struct fgti_fills {
    int64_t count, first; /* first: the row of the first one */
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
    fgti_strings   dates;    /* [rows], or none */
    fgti_lines     lines;    /* of the rows in their file; empty: they are from no file, or from several */
    int64_t       *times;    /* [rows], or NULL */
    fgti_clock     clock;
    fgti_time_form written;  /* form of labels that are times */
    fgti_strings   ignored;  /* names of columns that were left out */
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
/* The time n steps after a row of a table in memory, or before it with n < 0. */
int64_t fgti_table_time_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n);

/* Clock time of a row, and n steps after it. table_zone.c */
int64_t fgti_table_clock(const fgt_table *t, int64_t row);
int64_t fgti_table_clock_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n);
/* The row to use in place of `row` in a window begin .. end-1, so that rows before a change of the clock are
 * as many steps before the end as the clock says: otherwise daily habits would come an hour off. */
int64_t fgti_table_row_by_clock(const fgt_table *t, int64_t begin, int64_t end, int64_t row);
/* Reads the zone of this name, or the file at this path, which begins with / or . */
fgt_status fgti_table_zone_load(fgt_context *ctx, const char *name, fgti_zone *zone);
/* Finds the offsets of labels that were read as times, which become UTC or, if the rows are days apart, clock
 * times. of: the series of each row, NULL: one series. */
fgt_status fgti_clock_read(fgt_context *ctx, fgti_clock *c, const fgti_row_labels *labels,
                           const fgti_time_form *f, const int32_t *of, int64_t series,
                           const fgt_time_step *known, int64_t *time);
/* The offset at a time after a row with the offset `last`. */
int32_t fgti_clock_offset(const fgti_clock *c, int64_t time, int32_t last);
/* Writes a time in this form, with the offset at this time if the form has one. */
int64_t fgti_clock_write(const fgti_clock *c, const fgti_time_form *form, int64_t time, int32_t offset,
                         char *text, int64_t capacity);
/* Puts the offsets of rows in the order of an axis. */
fgt_status fgti_clock_place(fgt_context *ctx, fgti_clock *c, const fgti_axis *a);
fgt_status fgti_clock_copy(fgt_context *ctx, const fgti_clock *from, int64_t rows, fgti_clock *to);
void       fgti_clock_done(fgt_context *ctx, fgti_clock *c);

/* Gives the rows their times, which it takes over, and repairs them; `what` is for sentences. On error the
 * table is as before. */
fgt_status fgti_table_take_times(fgt_table *t, const char *what, int64_t *times, int32_t repair,
                                  const fgt_time_step *known);
/* Whether so many rows with the time of another one cannot be mistakes: something else tells them apart. */
bool fgti_repeats_many(int64_t repeats, int64_t rows);
/* Counts a row that is dropped for another one of its time, if it has other values [columns]. */
void fgti_conflict_add(fgt_table_info *info, int64_t row, int64_t time, const double *kept,
                       const double *dropped, int64_t columns);
/* Drops rows with the time of a later one, as far as `repair` allows, and counts them. table_repeats.c */
fgt_status fgti_table_settle_repeats(const fgt_table *t, fgti_axis *a, int32_t repair, fgt_table_info *info);
/* Fills missing values by an fgt_table_missing, when the rows are in order. */
fgt_status fgti_table_fill(fgt_table *t, int32_t missing, const char *what);
/* Fills a cell that has no value from the row before it, and counts it. */
fgt_status fgti_table_fill_cell(fgt_table *t, int32_t missing, int64_t row, int64_t column);
/* Counts filled values of a column. */
fgt_status fgti_table_add_fills(fgt_table *t, int64_t column, fgti_fills more);
/* Replacement of a missing value; `before`: the value of the row before it. */
static inline double fgti_missing_value(int32_t missing, double before)
{
    return missing == FGT_TABLE_MISSING_ZERO ? 0 : missing == FGT_TABLE_MISSING_FORWARD_FILL ? before : NAN;
}
/* "line 7 (2016-07-01)", or "row 5": a row with its label or its time. t NULL: not in a table. */
const char *fgti_table_row(const fgt_table *t, int64_t row, char buf[FGTI_ROW_TEXT]);
/* FGT_E_DATA: the first row has no value in a column whose missing values must be filled. */
fgt_status fgti_table_refuse_first(fgti_error *err, const char *what, int64_t line, const char *column);
/* Copies the times of a table to another with the same rows. */
fgt_status fgti_table_copy_times(const fgt_table *from, fgt_table *to);
/* fgt_table_format_time() with the number of characters; below 1: an error. */
int64_t fgti_table_write_time(const fgt_table *table, int64_t time, char *text, int64_t capacity);
/* The label of a row of this time, in the form of the table's labels. */
void fgti_table_write_label(const fgt_table *t, int64_t time, int32_t offset, char text[FGTI_FORM_TEXT]);
/* The labels of an axis's rows: the table's, or the time if the axis has an additional row. */
fgt_status fgti_table_place_labels(const fgt_table *t, const fgti_axis *a, fgti_strings *dates);

/* True if a column belongs to one series of this covariate: price[shop 1] for price. */
bool fgti_table_is_part(const char *column, const char *covariate);
/* fgti_table_find(), which also finds price, a column for all series, for price[shop 1]. */
fgt_status fgti_table_find_part(fgti_error *err, const fgt_table *t, const char *name, int64_t *column);

/* The first row in which a column has a value, and the row after the last one; both 0 without a value. */
void fgti_table_span(const fgt_table *t, int64_t column, int64_t *begin, int64_t *end);
/* FGT_E_SIZE: a large table of this size would be mostly missing, as the files have only `values` values. */
fgt_status fgti_table_check_size(fgti_error *err, const char *what, int64_t rows, int64_t columns,
                                 int64_t values);

/* fgt_table_get_column() with its sentence in *err, for threads that share a table. */
fgt_status fgti_table_find(fgti_error *err, const fgt_table *table, const char *name, int64_t *column);

/* fgti_view_check_number() for values [R,C], R, C >= 1, and rows begin .. end-1 of them, at least one. */
fgt_status fgti_view_check_rows(fgti_error *err, const char *what, const fgt_view *v, int64_t begin,
                                int64_t end);

#endif
