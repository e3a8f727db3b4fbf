/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LOADER_H
#define FGTI_TABLE_LOADER_H

/* The state of reading a table from files, which all sources of this folder share. table_opts.c checks the
 * options. table_form.c decides whether a file is long. table_columns.c finds the columns, table_cells.c
 * reads cells, and table_load.c reads rows. table_header.c tells a header from a row. table_points.c tells a
 * separator of thousands from a decimal point. table_series.c finds series that the options do not name.
 * table_hints.c writes hints for error texts. */

#include "core/context.h"
#include "core/strings/words.h"
#include "data/category.h"
#include "data/csv/csv.h"
#include "data/csv/number.h"
#include "data/csv/shown.h"
#include "data/join/long_rows.h"

/* The contents of a column of the file, as far as its cells have been read. */
typedef struct fgti_source {
    int64_t column; /* number of the column in the table; -1: the column is not read as numbers */
    int64_t number; /* number that names the column if the file gives no name; -1: not a column of the
                     * table */
    bool    wanted; /* the options name it */
    enum { FGTI_HOLDS_NOTHING, FGTI_HOLDS_NUMBERS, FGTI_HOLDS_TEXTS } holds; /* kind, by its first value */
    int64_t missing_line;                  /* line of the first missing cell before the first value; 0: no
                                            * such cell */
    bool    label;                         /* the column is part of the row labels */
    int64_t missing_text;                  /* text of this missing cell, as its number in `shown` + 1; 0: the
                                            * cell is empty */
    int64_t texts, numbers, times;         /* for a column of texts: number of texts, of numbers and of
                                            * times */
    int64_t text_line, text;               /* line of the first text, and the text's number in `shown` */
    int64_t alike, alike_line, alike_text; /* alike: texts that may be numbers; alike_line, alike_text: the
                                            * first of them */
    bool    gaps;                          /* some cell has a word for a missing value */
    bool    empty;                         /* it holds texts only because no cell has a value */
    bool    plain;                         /* some number has no unit */
    char    unit[FGTI_UNIT];               /* unit of the numbers that have one */
    bool    point, ungrouped;              /* point: some number is like 0.5; ungrouped: some number is like
                                            * 1096 (table_points.c) */
    int64_t grouped_line, grouped; /* line of the first number such as 1.096, and its number in `shown`; line
                                    * 0: no such number */
} fgti_source;

/* Counts of points and commas in the numbers of a file. */
typedef struct fgti_points {
    bool    watch, dotted;     /* watch: rows are checked; dotted: dates are written 31.1.2020 */
    bool    point;             /* some number of any column has a decimal point */
    int64_t comma_line, comma; /* line of the first number with a decimal comma, and its number in `shown`;
                                * line 0: no such number */
} fgti_points;

/* A label can be joined from parts: year, month, day, hour and minute. */
enum { FGTI_LABEL_PARTS = 5 };
/* Most columns that together name a series. */
enum { FGTI_KEYS = 4 };

typedef struct fgti_loader fgti_loader;

struct fgti_loader {
    fgt_context    *ctx;
    fgt_csv_opts    opts;
    fgti_csv        csv;
    char            delimiter[2]; /* delimiter of opts */
    bool            special;      /* opts say how numbers or missing values are written */
    locale_t        locale;       /* "C" */
    fgti_zone       zone;         /* time zone of the clock in labels; its offset NULL: not given */
    fgt_table      *t;
    fgti_words      listed; /* columns and categories that opts name, and the columns that "column=value" may
                             * mean */
    int64_t         cells;  /* cells in the first line, and so in every line; 0: no line has been read */
    fgti_strings    header; /* [cells]; empty: no header */
    fgti_words      names;  /* names of the cells; if names are equal, the first cell counts */
    int64_t        *named;  /* [names]: the cell with this name */
    int64_t         label;  /* the cell of the row labels; -1: none */
    int64_t         part[FGTI_LABEL_PARTS]; /* [parts]: cells that may form a time together, such as date and
                                             * hour */
    int             parts, dated;           /* parts: number of parts; dated: the first `dated` parts are the
                                             * date */
    char            rows_delimiter;         /* delimiter of the rows, if it differs from the header's; 0: it
                                             * does not differ */
    char            letter;                 /* 'Q' or 'W' to put before the second part; 0: no letter */
    bool            joined;                 /* the parts are the times */
    fgti_strings    labels;                 /* texts joined from the parts, until it is decided whether they
                                             * are times */
    fgti_strings    given;                  /* [rows]: the labels that `labels` has replaced, until they are
                                             * dropped */
    int64_t         given_cell;
    int64_t         id, value;      /* cells of the series and of the value in a long file; id -1: the file is
                                     * wide */
    int64_t         key[FGTI_KEYS]; /* [keys]: cells that name the series together; key[0] is id */
    int             keys;
    fgti_strings    joint;   /* name of the current row's series, joined from several cells */
    fgti_long       rows;    /* the rows of all long files */
    bool            several; /* several files are read */
    bool            trial;   /* only to see whether rows are read: errors need no hints */
    bool           *found;   /* [columns + categories of opts]: some file has this column; NULL: not needed */
    fgti_source    *source;  /* [cells] */
    fgti_categories categories;
    fgti_hash_key   hash;            /* key for hashes of texts; a column that is left out keeps only
                                      * hashes */
    fgti_strings    shown;           /* texts of cells that error texts show */
    char            unit[FGTI_UNIT]; /* unit of the number that was read last */

    fgti_points points;

    /* The next fields are for error texts about lines that are not rows. */
    char    other;                /* another delimiter, which the first lines seem to have; 0: no other */
    int64_t header_line;          /* line of the header, or the line that was taken for the header */
    int64_t repeats, repeat_line; /* number of lines that repeat the header, and the first of these lines */
    int64_t titles;               /* number of lines that seem to be above the header */
    int64_t first_line;           /* the first line of the rows */
    bool    no_numbers;           /* the first line after the header has only texts, as a line of units has */
    char    mark;                 /* first character of the first line */

    int64_t empty_line, empty_rows; /* first line and number of rows without any value, which may end the
                                     * file */
    int64_t ended_line, ended_rows; /* first line and number of rows that end in one more delimiter than the
                                     * header */

    /* With take() the rows leave the table in pieces, before the whole file is read. */
    fgt_status (*take)(fgti_loader *l, void *user); /* is called for each `piece` rows; NULL: all rows stay */
    void   *user;
    int64_t piece, taken; /* piece: rows in a piece; taken: rows that were taken out so far */
};

#define FGTI_HINT 240 /* bytes of a hint */

/* Reads a cell of the current line as a number. */
fgti_number fgti_loader_number(fgti_loader *l, int64_t cell, double *value);
/* Name of a cell in the header; "": the cell has no name. */
const char *fgti_loader_header_name(const fgti_loader *l, int64_t cell);
/* Whether opts name this column among the columns or the categories. */
bool fgti_loader_is_listed(const fgti_loader *l, const char *name);
/* The name of a column of the file. A column without a name is named by a number, which is written to buf.
 * This is the column's number in the table. Before the columns are chosen, while times, series and values are
 * searched, it is the column's number in the file. */
const char *fgti_loader_name(const fgti_loader *l, int64_t cell, char buf[24]);
/* The cell of the column whose name has these `size` bytes; -1: there is no such column. This is an
 * fgti_find_fn. */
int64_t fgti_loader_find_cell(const void *loader, const char *name, int64_t size);
/* The cell of the column with this name. */
fgt_status fgti_loader_find(const fgti_loader *l, const char *name, int64_t *cell);
/* Whether a cell names the series, on its own or together with others. */
bool fgti_loader_is_key(const fgti_loader *l, int64_t cell);

#endif
