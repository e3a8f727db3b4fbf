/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LOAD_H
#define FGTI_TABLE_LOAD_H

/* A table that is read from files. table_opts.c checks the options, table_form.c decides whether a file is
 * long, table_columns.c finds the columns, table_cells.c reads their cells, table_load.c the rows.
 * table_header.c tells a header from a row, table_points.c a point between thousands from a decimal point,
 * table_series.c finds series that the options do not name, table_hints.c writes error sentences,
 * table_long.c arranges the rows of long files, and table_join.c joins tables. */

#include "core/context.h"
#include "core/strings/words.h"
#include "data/category.h"
#include "data/csv/csv.h"
#include "data/csv/number.h"
#include "data/table_long.h"

/* Kind of the cells of one column of the file. */
typedef struct fgti_source {
    int64_t column; /* of the table; -1: not read as numbers */
    int64_t number; /* its name if the file has no name for it; -1: not a column of the table */
    bool    wanted; /* the options name it */
    enum { FGTI_HOLDS_NOTHING, FGTI_HOLDS_NUMBERS, FGTI_HOLDS_TEXTS } holds; /* by its first value */
    int64_t missing_line;              /* of the first missing cell before it; 0: none */
    bool    label;                     /* it is part of the row labels */
    int64_t missing_text;              /* text of that cell: number + 1 in `shown`; 0: empty */
    int64_t texts, numbers, times;     /* of a column of texts: numbers of texts, of others, of times */
    int64_t text_line, text;           /* the first text, and its number in `shown` */
    int64_t alike, alike_line, alike_text; /* texts that may be numbers, and the first of them */
    bool    gaps;                          /* some cell has a word for a missing value */
    bool    plain;                         /* some number has no unit */
    char    unit[FGTI_UNIT];               /* unit of the other numbers */
    bool    point, ungrouped;      /* some number is like 0.5, some like 1096: see table_points.c */
    int64_t grouped_line, grouped; /* the first number such as 1.096, its number in `shown`; line 0: none */
} fgti_source;

/* Counts of points and commas in the numbers of a file. */
typedef struct fgti_points {
    bool    watch, dotted; /* rows are checked; dates are written 31.1.2020 */
    bool    point;         /* some number of any column has a decimal point */
    int64_t comma_line, comma; /* the first one with a decimal comma, its number in `shown`; line 0: none */
} fgti_points;

/* Year, month, day, hour and minute. */
enum { FGTI_LABEL_PARTS = 5 };
/* Most columns that name series together. */
enum { FGTI_KEYS = 4 };

typedef struct fgti_loader fgti_loader;

struct fgti_loader {
    fgt_context    *ctx;
    fgt_csv_opts    opts;
    fgti_csv        csv;
    char            delimiter[2]; /* of opts */
    bool            special;      /* opts say how numbers or missing values are written */
    locale_t        locale;       /* "C" */
    fgti_zone       zone;         /* of the clock of labels; offset NULL: not given */
    fgt_table      *t;
    fgti_words      listed; /* columns and categories of opts, and possible columns in "column=value" */
    int64_t         cells;  /* in the first line, and so in every line; 0: no line was read yet */
    fgti_strings    header; /* [cells], or none */
    fgti_words      names;  /* of the cells; of equal names the first cell counts */
    int64_t        *named;  /* [names]: the cell with this name */
    int64_t         label;  /* the cell of the row labels; -1: none */
    int64_t         part[FGTI_LABEL_PARTS]; /* [parts]: cells that may be the times together */
    int             parts, dated;           /* `dated` of them the date */
    char            rows_delimiter;         /* if it differs from the header's; 0: it does not */
    char            letter;                 /* before the second part, 'Q' or 'W', if it has none; 0: none */
    bool            joined;                 /* the parts are the times */
    fgti_strings    labels;                 /* joined texts of the parts, until this is decided */
    fgti_strings    given;                  /* [rows]: labels that these replaced, for a while */
    int64_t         given_cell;
    int64_t         id, value; /* the cells of series and value of a long file; id -1: the file is wide */
    int64_t         key[FGTI_KEYS]; /* [keys]: cells that name the series together; the first is id */
    int             keys;
    fgti_strings    joint; /* the name of the current row's series, of several cells */
    fgti_long       rows;      /* of all long files */
    bool            several;   /* files are read */
    bool           *found;     /* [columns + categories of opts]: some file has it; NULL: not needed */
    fgti_source    *source; /* [cells] */
    fgti_categories categories;
    fgti_hash_key   hash;            /* of texts in columns that are left out: only their hashes are kept */
    fgti_strings    shown;           /* texts of cells, for sentences */
    char            unit[FGTI_UNIT]; /* of the number read last */

    fgti_points points;

    /* for sentences about lines that are not rows */
    char    other;                /* a delimiter that the first lines seem to have instead; 0: none */
    int64_t header_line;          /* of the header, or the line taken for it */
    int64_t repeats, repeat_line; /* lines that repeat the header, and the first of them */
    int64_t titles;     /* lines that seem to be above the header */
    int64_t first_line; /* of the rows */
    bool    no_numbers; /* it has only texts, like a line of units */
    char    mark;       /* first character of the first line */

    int64_t empty_line, empty_rows; /* rows without any value, perhaps at the end */
    int64_t ended_line, ended_rows; /* rows with one more delimiter at the end than the header */

    /* rows that are taken out of the table before the whole file is read */
    fgt_status (*take)(fgti_loader *l, void *user); /* gets every `piece` of rows; NULL: all stay */
    void   *user;
    int64_t piece, taken; /* rows */
};

/* Copies and checks the options. Call fgti_loader_done() even after an error. */
fgt_status fgti_loader_init(fgt_context *ctx, const fgt_csv_opts *opts, fgti_loader *l);
void       fgti_loader_done(fgti_loader *l);
/* Reads the rows of a file into a new table, l->t; with l->take the rows that it has left. Call
 * fgti_loader_close() even after an error; then l->t is destroyed. */
fgt_status fgti_loader_open(fgti_loader *l, const char *path);
void       fgti_loader_close(fgti_loader *l);
/* After the last row: if missing values are refused, a column without a value is left out, unless the options
 * name it. */
fgt_status fgti_loader_judge_empty(fgti_loader *l, int64_t cell);
/* Leaves out columns without a name that number the rows, before the column of times. */
void fgti_loader_leave_index(fgti_loader *l);
/* FGT_E_DATA: a column that is left out, because it begins with a text, has numbers in other rows. */
fgt_status fgti_loader_check_ignored(const fgti_loader *l, const fgti_source *source);

/* Row labels (table_labels.c): the cell that has them, by the first line of data; -1: none. */
int64_t fgti_loader_find_label(fgti_loader *l);
/* The cell of a column called year, with a year in the first line of data; -1: none. */
int64_t fgti_loader_find_year(const fgti_loader *l);
/* Whether a text is a usual name of a column of times. */
bool fgti_loader_is_time_name(const char *text, size_t n);
/* Whether a cell has a month such as 01.2012, which may be the row's label. */
bool fgti_loader_is_point_month(const fgti_loader *l, int64_t cell);
/* Finds the cells that may be the times together, Year and Month, Date and Time, or months such as 201201,
 * which are not times by themselves. */
void fgti_loader_find_parts(fgti_loader *l);
/* Adds the label of the current line, or an empty one. */
fgt_status fgti_loader_add_label(fgti_loader *l, bool empty);
/* After the last row, or some thousands: decides whether the parts are the times, and then not columns of
 * numbers. */
fgt_status fgti_loader_settle_labels(fgti_loader *l);
/* Series in a file that does not say so (table_series.c). Whether rows whose parts give the same time belong
 * to several series, which a column names. */
fgt_status fgti_loader_find_panel(fgti_loader *l, bool *panel);
/* After the last row, or some thousands. FGT_E_DATA: other columns tell apart rows of one time, in a long
 * file of one series and time. */
fgt_status fgti_loader_check_series(fgti_loader *l);
/* Kind of the row labels, by the options and their name. */
fgti_labels fgti_loader_label_kind(const fgti_loader *l);
/* Name of a cell in the header; "": none. */
const char *fgti_loader_header_name(const fgti_loader *l, int64_t cell);
/* Whether opts name this column, among the columns or the categories. */
bool fgti_loader_is_listed(const fgti_loader *l, const char *name);
/* Points between thousands (table_points.c): checks each line from the first line of data on, and judges
 * after the last one. FGT_E_DATA: a column seems to have such points. */
void       fgti_points_begin(fgti_loader *l);
fgt_status fgti_points_look(fgti_loader *l);
fgt_status fgti_points_judge(fgti_loader *l);
/* Headers (table_header.c). FGT_E_DATA: the line taken for the header, or for units, is a row like the
 * current line, or is the current line. */
fgt_status fgti_header_check(const fgti_loader *l);
fgt_status fgti_header_check_units(const fgti_loader *l);
/* By the first line of data. FGT_E_DATA: names of columns are times, and the rows have no times. Warns of
 * months and hours. */
fgt_status fgti_header_check_across(const fgti_loader *l);
/* Whether the current line repeats the header, as in files that were joined; and the warning. */
bool fgti_header_repeats(const fgti_loader *l);
/* Whether all of its cells are names of columns, in another order. */
bool fgti_header_is_other(const fgti_loader *l);
void fgti_header_warn(const fgti_loader *l);
/* Sentences (table_hints.c). FGT_E_FORMAT: the current line has more or fewer cells than the first. */
fgt_status fgti_loader_refuse_cells(fgti_loader *l);
/* FGT_E_FORMAT: a line is blank, and the current one follows it. */
fgt_status fgti_loader_refuse_blank(fgti_loader *l, int64_t line);
/* FGT_E_FORMAT: the delimiter does not cut the first line, but another one would. */
fgt_status fgti_loader_check_delimiter(const fgti_loader *l);
/* Rows have another delimiter than the header: reads on with it, and warns. */
void fgti_loader_change_delimiter(fgti_loader *l);
/* FGT_E_DATA: no column has numbers. */
fgt_status fgti_loader_refuse_all(const fgti_loader *l);
/* Options that leave out a line that is not a row; "" if none is known. */
#define FGTI_HINT 240
const char *fgti_loader_hint_line(const fgti_loader *l, int64_t line, const char *text, char buf[FGTI_HINT]);
/* Options that leave out a footer if the table ends before the current line, after which the file is read on;
 * "" if rows follow. */
const char *fgti_loader_hint_end(fgti_loader *l, char buf[FGTI_HINT]);
/* Options that read a text as a number in another notation; "" if none does. */
const char *fgti_loader_hint_notation(const fgti_loader *l, const char *text, char buf[FGTI_HINT]);
/* The option for a text that may mean a missing value; "" if it has digits. */
const char *fgti_loader_hint_missing(const char *text, char buf[FGTI_HINT]);

/* Keeps all cells of the header. */
fgt_status fgti_loader_header(fgti_loader *l);
/* Makes the set of the cells' names from fgti_loader_name(). */
fgt_status fgti_loader_hash_names(fgti_loader *l);
/* Decides whether the file is long: sets label, id, value and keys; id -1 and no keys if it is wide. */
fgt_status fgti_loader_form(fgti_loader *l);
/* Whether a cell names the series, by itself or with others. */
bool fgti_loader_is_key(const fgti_loader *l, int64_t cell);
/* FGT_E_DATA: the cell has no name of a series. */
fgt_status fgti_loader_refuse_nameless(const fgti_loader *l, int64_t cell, int64_t line);
/* Stores the series of the current row. */
fgt_status fgti_loader_add_series(fgti_loader *l);
/* The cell of the column with this name. */
fgt_status fgti_loader_find(const fgti_loader *l, const char *name, int64_t *cell);
/* Decides what the columns are, from the header and the first line of data, and names them. */
fgt_status fgti_loader_columns(fgti_loader *l);
/* Refuses two columns of one name. */
fgt_status fgti_loader_check_names(const fgti_loader *l);
/* The name of a column of the file. The name of a column without one is a number, written to buf: its number
 * in the table or, before columns are chosen, to find times, series and values, its number in the file. */
const char *fgti_loader_name(const fgti_loader *l, int64_t cell, char buf[24]);
/* The number in a cell of the current line. */
fgti_number fgti_loader_number(fgti_loader *l, int64_t cell, double *value);
/* Reads the cells of the current line, row t->rows of the table. */
fgt_status fgti_loader_cells(fgti_loader *l, double *row);
/* Makes *value a missing one, or says that it is not allowed; `text` is the cell's. */
fgt_status fgti_loader_missing(fgti_loader *l, int64_t cell, int64_t line, const char *text, double *value);
/* After the last row: columns of texts become categories, or are left out. */
fgt_status fgti_loader_finish(fgti_loader *l);

/* Joins tables of files, in the order of their times or side by side; table 0 becomes the result. paths
 * [count] are for sentences. */
fgt_status fgti_table_combine(fgt_context *ctx, fgt_table **tables, const char *const *paths, int64_t count,
                              const fgt_csv_opts *opts);

#endif
