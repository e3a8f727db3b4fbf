/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LOADER_H
#define FGTI_TABLE_LOADER_H

/* The state of reading a table from files, which all sources of this folder share. table_opts.c checks the
 * options, table_form.c decides whether a file is long, table_columns.c finds the columns, table_cells.c
 * reads cells, table_load.c rows. table_header.c tells a header from a row, table_points.c a point between
 * thousands from a decimal point, table_series.c finds series that the options do not name, and
 * table_hints.c writes error texts. */

#include "core/context.h"
#include "core/strings/words.h"
#include "data/category.h"
#include "data/csv/csv.h"
#include "data/csv/number.h"
#include "data/csv/shown.h"
#include "data/join/long_rows.h"

/* Kind of the cells of one column of the file. */
typedef struct fgti_source {
    int64_t column; /* column of the table; -1: not read as numbers */
    int64_t number; /* names the column if the file does not; -1: not a column of the table */
    bool    wanted; /* the options name it */
    enum { FGTI_HOLDS_NOTHING, FGTI_HOLDS_NUMBERS, FGTI_HOLDS_TEXTS } holds; /* by its first value */
    int64_t missing_line;                  /* of the first missing cell before that value; 0: no such cell */
    bool    label;                         /* it is part of the row labels */
    int64_t missing_text;                  /* text of this missing cell: number + 1 in `shown`; 0: empty */
    int64_t texts, numbers, times;         /* of a column of texts: how many texts, numbers and times */
    int64_t text_line, text;               /* the first text, and its number in `shown` */
    int64_t alike, alike_line, alike_text; /* texts that may be numbers, and the first of them */
    bool    gaps;                          /* some cell has a word for a missing value */
    bool    empty;                         /* it holds texts only because no cell has a value */
    bool    plain;                         /* some number has no unit */
    char    unit[FGTI_UNIT];               /* unit of the other numbers */
    bool    point, ungrouped;              /* some number is like 0.5, some like 1096: see table_points.c */
    int64_t grouped_line, grouped; /* the first number such as 1.096, its number in `shown`; line 0: none */
} fgti_source;

/* Counts of points and commas in the numbers of a file. */
typedef struct fgti_points {
    bool    watch, dotted;     /* rows are checked; dates are written 31.1.2020 */
    bool    point;             /* some number of any column has a decimal point */
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
    fgti_strings    header; /* [cells]; empty: no header */
    fgti_words      names;  /* of the cells; of equal names the first cell counts */
    int64_t        *named;  /* [names]: the cell with this name */
    int64_t         label;  /* the cell of the row labels; -1: none */
    int64_t         part[FGTI_LABEL_PARTS]; /* [parts]: cells that together may form a time, such as date and
                                               hour */
    int             parts, dated;           /* number of parts; the first `dated` of them are the date */
    char            rows_delimiter;         /* if it differs from the header's; 0: it does not */
    char            letter;                 /* 'Q' or 'W' to put before the second part; 0: no letter */
    bool            joined;                 /* the parts are the times */
    fgti_strings    labels;                 /* joined texts of the parts, until this is decided */
    fgti_strings    given;                  /* [rows]: the labels that `labels` replaced, for a while */
    int64_t         given_cell;
    int64_t         id, value; /* the cells of series and value of a long file; id -1: the file is wide */
    int64_t         key[FGTI_KEYS]; /* [keys]: cells that name the series together; the first is id */
    int             keys;
    fgti_strings    joint;   /* the name of the current row's series, of several cells */
    fgti_long       rows;    /* of all long files */
    bool            several; /* several files are read */
    bool            trial;   /* only to see whether rows are read: errors need no hints */
    bool           *found;   /* [columns + categories of opts]: some file has it; NULL: not needed */
    fgti_source    *source;  /* [cells] */
    fgti_categories categories;
    fgti_hash_key   hash;            /* of texts in columns that are left out: only their hashes are kept */
    fgti_strings    shown;           /* texts of cells, for error texts */
    char            unit[FGTI_UNIT]; /* unit of the number read last */

    fgti_points points;

    /* for error texts about lines that are not rows */
    char    other;                /* another delimiter that the first lines seem to have; 0: no other */
    int64_t header_line;          /* of the header, or the line taken for it */
    int64_t repeats, repeat_line; /* lines that repeat the header, and the first of them */
    int64_t titles;               /* lines that seem to be above the header */
    int64_t first_line;           /* of the rows */
    bool    no_numbers;           /* the first line of rows has only texts, like a line of units */
    char    mark;                 /* first character of the first line */

    int64_t empty_line, empty_rows; /* rows without any value, perhaps at the end */
    int64_t ended_line, ended_rows; /* rows with one more delimiter at the end than the header */

    /* rows that are taken out of the table before the whole file is read */
    fgt_status (*take)(fgti_loader *l, void *user); /* gets every `piece` of rows; NULL: all stay */
    void   *user;
    int64_t piece, taken; /* rows */
};

#define FGTI_HINT 240 /* bytes of a hint */

/* The number in a cell of the current line. */
fgti_number fgti_loader_number(fgti_loader *l, int64_t cell, double *value);
/* Name of a cell in the header; "": none. */
const char *fgti_loader_header_name(const fgti_loader *l, int64_t cell);
/* Whether opts name this column, among the columns or the categories. */
bool fgti_loader_is_listed(const fgti_loader *l, const char *name);
/* The name of a column of the file. The name of a column without one is a number, written to buf: its number
 * in the table or, before columns are chosen, to find times, series and values, its number in the file. */
const char *fgti_loader_name(const fgti_loader *l, int64_t cell, char buf[24]);
/* The cell of the column with this name of `size` bytes; -1: there is no such column. An fgti_find_fn. */
int64_t fgti_loader_find_cell(const void *loader, const char *name, int64_t size);
/* The cell of the column with this name. */
fgt_status fgti_loader_find(const fgti_loader *l, const char *name, int64_t *cell);
/* Whether a cell names the series, by itself or with others. */
bool fgti_loader_is_key(const fgti_loader *l, int64_t cell);

#endif
