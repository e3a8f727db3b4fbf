/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_TABLE_H
#define FIGHTER_TABLE_H

/** @file table.h
 *  Tables of numbers, and their split in time order: the first step from a file to batches.
 *
 *      fgt_table_load(ctx, "ETTh1.csv", NULL, &table);
 *      fgt_view values = fgt_table_get_values(table);
 *      fgt_split_compute(ctx, rows, &FGT_OPTS(fgt_split_opts, .kind = FGT_SPLIT_KIND_ETTH), &split);
 *
 *  scaler.h then standardises the values, and windows.h cuts samples from them.
 *
 *  Rows are time steps, columns are series. A missing value is NaN.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ---------------------------------------------------------------------------------- */

/** Rows of numbers with a name for each column and, if the file has them, a label for each row. */
typedef struct fgt_table fgt_table;

/** Treatment of a missing value. */
typedef enum fgt_table_missing {
    FGT_TABLE_MISSING_REFUSE       = 0, /**< FGT_E_DATA, with file, line and column */
    FGT_TABLE_MISSING_MASK         = 1, /**< becomes NaN, which losses and metrics skip */
    FGT_TABLE_MISSING_FORWARD_FILL = 2, /**< becomes the last value before it in the column, also from an
                                             earlier file; FGT_E_DATA if there is no such value */
    FGT_TABLE_MISSING_ZERO         = 3  /**< becomes 0, as for sales on closed days. In a long file only
                                             between the first and the last value of a series */
} fgt_table_missing;

/** How row labels are read. */
typedef enum fgt_table_date {
    FGT_TABLE_DATE_AUTO   = 0, /**< as times, if the labels are time stamps. They must rise by equal steps */
    FGT_TABLE_DATE_NONE   = 1, /**< there are no labels: all columns are values */
    FGT_TABLE_DATE_LABELS = 2  /**< as texts. By default the labels are the first column or, if this holds
                                    numbers, the first column of time stamps in words. Rows keep their
                                    order */
} fgt_table_date;

/** Repairs of rows whose times do not rise by equal steps; can be summed. */
typedef enum fgt_table_repair {
    FGT_TABLE_REPAIR_NONE    = 0, /**< no repair: such a table is refused */
    FGT_TABLE_REPAIR_ORDER   = 1, /**< sort rows by time, for example if a file has its newest row first */
    FGT_TABLE_REPAIR_REPEATS = 2, /**< keep the last of several rows with the same time. The table is refused
                                       if more than 5 % of the rows repeat a time with other values, because
                                       then another column tells such rows apart */
    FGT_TABLE_REPAIR_GAPS    = 4, /**< add missing rows, with missing values */
    FGT_TABLE_REPAIR_ALL     = 7  /**< the sum of the three repairs */
} fgt_table_repair;

/** How the rows of a file are arranged. */
typedef enum fgt_table_form {
    FGT_TABLE_FORM_AUTO = 0, /**< long if the header, or `id` of fgt_csv_opts, says so; otherwise wide */
    FGT_TABLE_FORM_WIDE = 1, /**< a row for each time, with a column for each series */
    FGT_TABLE_FORM_LONG = 2  /**< a row for each time of each series, with the name of the series, the time
                                  and the value */
} fgt_table_form;

typedef struct fgt_csv_opts {
    size_t             size;
    const char        *time;         /**< name of the column of row labels; NULL: the column is found as
                                          fgt_table_load() says */
    const char        *id;           /**< long form: name of the column that names the series, or up to four
                                          names with + between them: "store+product"; NULL: the column is
                                          found */
    const char        *value;        /**< long form: name of the column of values; NULL: the column is
                                          found */
    const char *const *columns;      /**< names of the columns to read, in the table's order; NULL: all
                                          columns of numbers */
    int64_t            column_count; /**< 0 with columns NULL */
    int64_t            max_rows;     /**< data rows to read; 0: all. The rest of the file is ignored */
    double             marker;       /**< with has_marker: a number that means a missing value, such as 0 or
                                          -9999 */
    int32_t            has_marker;
    int32_t delimiter;     /**< a printable ASCII character or tab; 0: comma, semicolon, tab or bar, the one
                                that is most frequent in the first line */
    int32_t decimal_comma; /**< 1: numbers are written 3,14 */
    int32_t no_header;     /**< 1: the first line holds values. Columns are named 0, 1, ... in the order of
                                the table; `time`, `id` and `value` are numbers of columns in the file */
    int32_t date;          /**< an fgt_table_date */
    int32_t time_form;     /**< an fgt_time_form (time.h) */
    int32_t repair;        /**< a sum of fgt_table_repair */
    int32_t missing;       /**< an fgt_table_missing */
    int32_t form;          /**< an fgt_table_form */
    int32_t decimal_point; /**< 1: points are decimal points, also in a file that seems to have decimal
                                commas, for a column with numbers such as 959 and 1.096; see
                                fgt_table_load() */
    const char *const *categories;     /**< names of columns that may hold texts, besides `columns`; see
                                            fgt_table_load(). NULL: no such columns */
    int64_t            category_count; /**< 0 with categories NULL */
    const char        *zone; /**< time zone of labels without an offset: a name that the system knows, such as
                                  Europe/Berlin, or the path of a zone file (TZif), which begins with / or a
                                  point; NULL: not known */
    const char        *comment;      /**< lines that begin with this text, such as "#", are left out; NULL: no
                                          lines */
    const char        *missing_text; /**< one more text that means a missing value, see fgt_table_load();
                                          NULL: no such text */
    int64_t            skip;         /**< number of lines at the start of the file that are left out */
    int32_t            spreadsheet;  /**< 1: numbers may be written as spreadsheets show them, see
                                          fgt_table_load() */
    int32_t            units;        /**< 1: the line after the header has units, and is left out */
    const fgt_time_step *step;  /**< step of the rows, for example from a forecaster, if the file has too few
                                     rows to show which days or hours are closed; NULL: the step is found */
    const char *const   *apart; /**< names such as price[shop 1]: the covariate price becomes a column for
                                     each series, even if all series have equal values. If the list also has
                                     the name price, it stays one column. NULL: no names */
    int64_t              apart_count; /**< 0 with apart NULL */
    int64_t round; /**< milliseconds, a divisor of a day: times are rounded to the nearest multiple
                                     on the clock, for clocks with jitter; 0: they are not */
} fgt_csv_opts;

/** Reads a CSV file in wide or long form; fgt_table_load_files() describes both. It may be gzip-compressed.
 *
 *  Lines and cells. Cells may be in double quotes, with inner quotes doubled. Lines end with LF, CRLF or CR.
 *  The text is UTF-8, or UTF-16 with a byte order mark. Blank lines at the end are skipped; lines whose cells
 *  are all empty are skipped with a warning. A first line such as sep=; names the delimiter. If the header
 *  and the rows have different delimiters, each is read with its own, with a warning. A file with one cell in
 *  each line is refused if another `delimiter` would cut it.
 *
 *  Header. A repeated header, as in joined files, is left out with a warning. If rows end with a delimiter
 *  and the header does not, their empty last cell is left out with a warning. A first line that looks like
 *  the second one, with a time in the same place, is not a header: the file is refused. A first line of
 *  numbers is a header, with a warning unless the numbers count the columns. A line of `units` that has
 *  values is refused.
 *
 *  Missing values. A value is missing if the cell is empty, if it has NaN, NA, N/A or null in capitals or
 *  not, the marker, or `missing_text`. In a column of numbers the following also mean a missing value: None,
 *  nil, <NA>, NaT, n.a., missing, \N, ?, one to three dashes or points, #N/A, #NV, #DIV/0! and other formula
 *  errors of spreadsheets.
 *
 *  Numbers have a decimal point in every locale. With `spreadsheet` they may also have groups of three
 *  digits, separated by a comma (with decimal_comma a point), a blank or an apostrophe; a percent or currency
 *  sign before or after; and parentheses or a minus at the end for negative ones: 1,200.5, 12 %, $5, (5).
 *  Percent is not divided by 100. A column has only one sign. A number such as 1.096 may mean 1096 if cells
 *  are separated by semicolons, dates are written 31.1.2020, or the file has a decimal comma. Such a file is
 *  refused if every number with a point in the column looks like this (one to three digits, point, three
 *  digits), and no number of the file has another point. If the column also has numbers such as 1096, the
 *  numbers with a point are read as fractions, with a warning. With decimal_comma and spreadsheet 1.096 means
 *  1096; with decimal_point it means 1.096.
 *
 *  Row labels, if `time` is NULL, are the first column whose first cell is a time stamp in words. Otherwise
 *  the labels are the first column, if this column has one of these properties: its first cell is not a
 *  number, or looks like Unix time; it counts from 0 or 1 and has no name or the name index, row or id; it is
 *  called date, time, timestamp, datetime or ds. Several columns are read as one column of labels if together
 *  they are times that rise or fall: a day, and a time of day beside it or called time or hour; columns
 *  called year, month, day, hour and minute; or year and quarter or week. If no other column has times,
 *  columns of numbers may be labels, too: a first column of months such as 201201, a column of rising months
 *  with a point such as 01.2012, and a column whose name says that it holds times. All cells of the column
 *  decide: a column of years that many rows share is a column of numbers.
 *
 *  Times. Labels are times if the first label, or most labels, are time stamps; then all labels must be time
 *  stamps. Otherwise the table has no times, and `unread` of fgt_table_info is 1. The step is the most common
 *  difference of times. If all labels have the same day of the month (or the last day of shorter months), the
 *  step is whole months. Days of the week and hours of the day without any row count as closed, so that no
 *  row is missing there. Such a day or hour must be absent at least twice, and so often that the probability
 *  of chance is below 1/1000. Rows that go back in time, repeat the time before or leave out a step are
 *  refused, or repaired (`repair`). Added rows get labels in the same form. A file seems to have long form if
 *  over 5 % of the rows share their time with others (or a column that may be years repeats) and other
 *  columns tell these rows apart. Such a file is refused, and the error text names the columns;
 *  FGT_TABLE_FORM_WIDE reads the file anyway.
 *
 *  Columns. A column whose first value is a text is left out. It is refused if most of its other values are
 *  numbers, or if the texts may be numbers. A column without any value is left out if missing values are
 *  refused, unless `columns` names it. Columns of whole numbers before the column of times are left out as
 *  row numbers of pandas or R, if they rise or fall from row to row and have no name or the name "Unnamed:
 *  0". FGT_TABLE_NAME_IGNORED names the columns that were left out.
 *
 *  Categories. A column of texts in `categories` becomes one column of 0 and 1 for each of its values, at
 *  most 64. These columns are called "name=value", and come at the end of the table in the order of their
 *  bytes. A column of numbers stays as it is. An entry "name=value" of `categories` asks for the column of
 *  only this value. To read new rows for a forecaster, put its column names that have a = into `categories`
 *  (fgt_forecaster_get_name()); for a long file also names such as "name=value[series]" and names of series.
 *  A value without a column is 0 in all columns; fgt_table_get_info() counts such values. If the text of a
 *  cell is missing, the values in all its columns are missing.
 *  Source   RFC 4180
 *  Shapes   file with R data lines of C cells -> values [R,C], or [R,C-1] and row labels
 *  Units    as in the file
 *  Owner    *table is the caller's
 *  Errors   FGT_E_IO no such file, a directory, unreadable; FGT_E_FORMAT empty, a line with more or fewer
 *           cells than the first (line, found, expected), a quote that is not closed, two columns of one
 *           name, a damaged gzip stream, damaged UTF-16, a line over 64 MiB, a zero byte, a workbook, HTML,
 *           JSON or another kind of file; FGT_E_DATA text or infinity instead of a number, a missing value
 *           that opts do not allow (line, column), no row, no column of numbers, more than 64 values of a
 *           category, labels that are not times, or times that do not rise by equal steps (row); FGT_E_NAME
 *           no column of a name in opts; FGT_E_UNSUPPORTED gzip, built without zlib; FGT_E_ARG, FGT_E_VERSION
 *           opts; FGT_E_SIZE; FGT_E_NOMEM. On error *table is NULL */
FGT_API FGT_MUST fgt_status fgt_table_load(fgt_context *ctx, const char *path, const fgt_csv_opts *opts,
                                           fgt_table **table);

/** Reads several CSV files into one table.
 *
 *  A file in wide form has a row for each time, and a column for each series. A file in long form has a row
 *  for each time of each series. Its columns are called unique_id or item_id (the series), ds, timestamp,
 *  date, time or datetime (the time), and y or target (the value). A file is also long if `id` holds text and
 *  there is a column y, target or value.
 *
 *  From a long file the table gets one column for each series, in the order of the file, over one axis of
 *  times. Rows may have any order. A series has a missing value at each time without a row. Missing values
 *  before a series begins or after it ends are accepted; a missing value in between is a gap, which is
 *  refused unless `repair` or `missing` allows it. If several columns name a series, its name joins them,
 *  "S1+A" for "store+product"; only the last part may contain a +.
 *
 *  All other columns of a long file are covariates. `columns` of opts chooses them. If a covariate has the
 *  same value for all series at each time, it is one column, unless `apart` says otherwise. Any other
 *  covariate becomes a column for each series, such as price[shop 1]. To read known values for a forecaster,
 *  give the names of the forecaster's columns in `apart`, so that no series gets the values of another
 *  series. If the file has no column of values, all columns are covariates.
 *
 *  Several long files are read as one. Wide files with the same columns are put one after the other, in the
 *  order of their times. Wide files with different columns are put side by side, matched by their times. Rows
 *  must be equal steps apart. Missing rows between files with the same columns are gaps, too, if other files
 *  have these rows. Files may have different values of a category. A name in `columns` or `categories` of
 *  opts must be a column of some file, or in `categories` a series.
 *  Shapes   paths [count]; N series over R times, with their covariates -> values [R,columns]
 *  Units    as in the files
 *  Cost     memory for each cell of the result, even if most values are missing
 *  Owner    *table is the caller's
 *  Errors   as fgt_table_load(), with the name of the file; FGT_E_ARG count < 1; FGT_E_DATA two rows of one
 *           series and time (row), a row without the name of its series (line), a gap in a series or between
 *           files with the same columns, files with the same columns that overlap in time (row), files
 *           without times that would have to be joined by time, files with different steps, or rows that lie
 *           between the rows of another file; FGT_E_NAME some columns of a file are also in another file,
 *           some are not; FGT_E_FORMAT two columns of one name; FGT_E_SIZE the table would have over 2^20
 *           cells, and over 64 times as many cells as the files have values, because series hardly overlap in
 *           time. On error *table is NULL */
FGT_API FGT_MUST fgt_status fgt_table_load_files(fgt_context *ctx, const char *const *paths, int64_t count,
                                                 const fgt_csv_opts *opts, fgt_table **table);

/** Makes a table from memory. fgt_table_set_times() can add the times of its rows.
 *  Shapes   values [R,C] of F32 or F64; names: C strings, NULL: columns are named 0, 1, ...
 *  Units    any; NaN is a missing value
 *  Owner    everything is copied; *table is the caller's
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE not [R,C] with R, C >= 1; FGT_E_FORMAT a name given twice;
 *           FGT_E_DATA infinity; FGT_E_SIZE; FGT_E_NOMEM. On error *table is NULL */
FGT_API FGT_MUST fgt_status fgt_table_create(fgt_context *ctx, const char *const *names,
                                             const fgt_view *values, fgt_table **table);

/** Makes a table from some columns of another table, in the given order, with the same row labels. If the
 *  given order has the series of a long file before its covariates, they stay series; otherwise the subset is
 *  a wide table.
 *  Shapes   columns: count indices -> values [R,count]
 *  Units    as in the table
 *  Owner    everything is copied; *subset is the caller's
 *  Errors   FGT_E_ARG NULL, count < 1, an index out of range or given twice; FGT_E_NOMEM.
 *           On error *subset is NULL */
FGT_API FGT_MUST fgt_status fgt_table_create_subset(const fgt_table *table, const int64_t *columns,
                                                    int64_t count, fgt_table **subset);

/** Destroys a table and sets *table to NULL.
 *  Owner    takes *table */
FGT_API void fgt_table_destroy(fgt_table **table);

/** Number of rows, R.
 *  Units    rows
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_table_count_rows(const fgt_table *table);

/** Number of columns, C, without the column of row labels.
 *  Units    columns
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_table_count_columns(const fgt_table *table);

/** The names in a table. */
typedef enum fgt_table_name {
    FGT_TABLE_NAME_COLUMN  = 0, /**< name of column `index` */
    FGT_TABLE_NAME_ROW     = 1, /**< label of row `index` as it is in the file: "2016-07-01 00:00:00" */
    FGT_TABLE_NAME_LABELS  = 2, /**< name of the column of row labels, such as "date"; index 0 */
    FGT_TABLE_NAME_ID      = 3, /**< long file: name of the column that names the series, such as "unique_id",
                                     or names of several columns, "store+product"; index 0 */
    FGT_TABLE_NAME_VALUE   = 4, /**< long file: name of the column with the values of the series, such as "y";
                                     index 0 */
    FGT_TABLE_NAME_IGNORED = 5  /**< name of a column that was left out; index 0 .. n - 1, where n is
                                     `ignored` of fgt_table_info */
} fgt_table_name;

/** A name of a table, of one of its columns or of a row.
 *  Shapes   kind: an fgt_table_name
 *  Owner    the table's
 *  Errors   none; NULL if the table has no such name
 *  Threads  any */
FGT_API const char *fgt_table_get_name(const fgt_table *table, int32_t kind, int64_t index);

/** Gives times to the rows of a table, and repairs the rows as fgt_table_load() does. The new times replace
 *  the old ones. The row labels become the new times, written by fgt_time_format().
 *  Shapes   times I64 [R]
 *  Units    milliseconds since 1970
 *  Owner    copied; views of the table's values and times, and labels, are no longer valid
 *  Errors   FGT_E_ARG NULL, repair; FGT_E_SHAPE; FGT_E_DATA a time outside of the years 1 to 9999, or as for
 *           fgt_table_load(); FGT_E_NOMEM. On error the table is as before */
FGT_API FGT_MUST fgt_status fgt_table_set_times(fgt_table *table, const fgt_view *times, int32_t repair);

/** Adds rows to the end of a table in memory, for example each new hour in a service. The columns do not
 *  change. If the table has times, give the times of the new rows in the form of fgt_table_get_times().
 *  Missing rows in between are added with NaN. New labels have the form of the old ones.
 *  Shapes   values [N,C] of F32 or F64, N >= 1; times I64 [N], NULL: the table has no times
 *  Units    as in the table; milliseconds since 1970
 *  Cost     proportional to the new rows, on average: the memory grows to twice its size when it is full
 *  Owner    copied; views of the table's values and times, and labels, are no longer valid
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_DATA infinity, a time that does not follow by the table's step
 *           (row); FGT_E_STATE times for a table without times, a table with times and a single row, whose
 *           step is not known, or a table with labels that are not times; FGT_E_UNSUPPORTED a table on disk;
 *           FGT_E_SIZE; FGT_E_NOMEM. On error the table is as before */
FGT_API FGT_MUST fgt_status fgt_table_append(fgt_table *table, const fgt_view *values, const fgt_view *times);

/** Marks values of a column that are probably errors as missing: they become NaN. If the last value is wrong,
 *  it becomes the value expected from the rows before it, so that forecasts still begin after this row. Make
 *  this call before a forecaster is made: otherwise scale, errors and forecasts follow the wrong values.
 *
 *  A value counts as wrong if three conditions hold: it is far from the values around it and from the same
 *  phase in other seasons; the values next to it are not far; and no similar value occurs one or two seasons
 *  away. Far means a distance of
 *    for one or two values in a series of up to 500 rows: 20 times the usual distance
 *    for one or two values in a longer series: 10 times the distance of all others
 *    for more values: 100 times the distance of all others
 *  At most FGT_LEFT_OUT values of a column, and one in 50 rows, are wrong by these rules. These rules do not
 *  apply to a column of which a fifth is 0 (rare counts), or that is shorter than a season. By another rule,
 *  values that are 100 times the median, and 100 times as far from the median as nine tenths of the rows, are
 *  wrong even if they recur. At most one row in ten is wrong by this rule, and no row at a new level at the
 *  beginning or the end. docs/wild.md has all rules.
 *  column       number of a target or a past column. Single unusual values of known columns have a reason
 *  season       number of rows of a season, such as 24 for hours; 0 or 1: no season
 *  long_season  number of rows of a second, longer season; 0: no such season
 *  rows         [FGT_LEFT_OUT] or NULL: rows of the wrong values, rising; the first `count` are set
 *  values       [FGT_LEFT_OUT] or NULL: the wrong values
 *  count        number of wrong values
 *  Errors   FGT_E_ARG NULL, no such column, a season below 0; FGT_E_UNSUPPORTED a table on disk; FGT_E_NOMEM.
 *           On error the table is as before */
FGT_API FGT_MUST fgt_status fgt_table_leave_out(fgt_table *table, int64_t column, int64_t season,
                                                int64_t long_season, int64_t *rows, double *values,
                                                int64_t *count);

/** The times of the rows, I64, one step apart. If labels have offsets, or a zone is known, times are in UTC,
 *  except times of days, months and business hours, which are local clock times. A step of a month leads to
 *  the same day of the next month, or to the last day of a shorter month, so a row of 28 February may stand
 *  for the 30th. To continue the times, give fgt_time_add() a row that is not the last day of its month, if
 *  there is one.
 *  Shapes   [R]
 *  Units    milliseconds since 1970
 *  Owner    the table's, to be read only, valid until the table is destroyed
 *  Errors   none; a view [0] if the table has no times
 *  Threads  any */
FGT_API fgt_view fgt_table_get_times(const fgt_table *table);

/** Writes a time in the form that the table's file has: "Feb 2012" for 2012-02-01 in a file with "Jan 2012",
 *  "2012Q2" for 2012-04-01 in a file with "2012Q1". If the labels do not come from a file, the form is as in
 *  fgt_time_format(). When the text is read again, it gives the same time.
 *  Units    time: milliseconds since 1970
 *  Owner    text is the caller's; 64 bytes are enough for every time
 *  Errors   FGT_E_ARG NULL, capacity is too small; FGT_E_DATA the file's form cannot express this time, such
 *           as an hour in a file of months, or it is not in the years 1 to 9999. On error text is
 *           untouched
 *  Threads  any, as long as no call fails */
FGT_API FGT_MUST fgt_status fgt_table_format_time(const fgt_table *table, int64_t time, char *text,
                                                  int64_t capacity);

/** Time and origin of a row. */
typedef struct fgt_table_row_info {
    size_t  size;
    int64_t time;     /**< milliseconds since 1970; 0 without has_time */
    int64_t line;     /**< line of the row in its file, as in error texts, from 1; 0: the row has no single
                           line, because it was added, or comes from several files, a long file or a table on
                           disk */
    int32_t has_time; /**< 1: the rows have times */
    int32_t reserved;
} fgt_table_row_info;

/** Fills *info, whose size field the caller has set. This also works for a table on disk, which has no view
 *  of times.
 *  Errors   FGT_E_ARG NULL, no such row; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_table_get_row_info(const fgt_table *table, int64_t row,
                                                   fgt_table_row_info *info);

/** The values of a column. */
typedef struct fgt_table_column_info {
    size_t  size;
    double  least, most;  /**< NaN if the column has no value */
    int64_t filled;       /**< number of missing values that were filled when the column was read (`missing`
                               of the options). 0 for a subset and a table on disk, where the number is not
                               known */
    int64_t first_filled; /**< row of the first filled value; -1: no value was filled */
} fgt_table_column_info;

/** Fills *info, whose size field the caller has set.
 *  Units    as the column
 *  Cost     one pass over the column; for a table on disk a few operations for each block; no block is read
 *  Errors   FGT_E_ARG NULL, no such column; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_table_get_column_info(const fgt_table *table, int64_t column,
                                                      fgt_table_column_info *info);

/** Size and times of a table, and how its rows were repaired. */
typedef struct fgt_table_info {
    size_t        size;
    int64_t       rows, columns;
    int64_t       missing;   /**< number of missing values, including gaps, but without `outside` */
    int64_t       outside;   /**< number of missing values before the first or after the last value of a
                                  series of a long file, or of a file joined by time */
    int64_t       series;    /**< long file: number of series, which are the first columns; 0: the file was
                                  not long */
    int64_t       repeats;   /**< rows removed because a later row has the same time */
    int64_t       gaps;      /**< rows added */
    int64_t       appended;  /**< files that were put before or after another */
    int64_t       joined;    /**< files joined by time, adding columns */
    fgt_time_step step;      /**< 0, 0: no times, or a single row */
    int32_t       reordered; /**< 1: the rows were sorted by time */
    int32_t unread;    /**< 1: the row labels are neither times nor row numbers, so the table has no times */
    int64_t ignored;   /**< columns left out: texts, or without values */
    int64_t unseen;    /**< cells with a category that has no column */
    int64_t conflicts; /**< number of the removed rows (`repeats`) that had other values than the row that
                            stayed */
    int64_t conflict_row;     /**< first conflict: row in its file, from 0 */
    int64_t conflict_time;    /**< first conflict: time, in milliseconds since 1970 */
    int64_t conflict_column;  /**< first conflict: a column with another value; -1: the column is not in this
                                   subset of the table */
    double  conflict_kept;    /**< the value in conflict_column that stayed; NaN: it was missing */
    double  conflict_dropped; /**< the value in conflict_column that was dropped */
    int64_t filled;           /**< missing values that were filled, see fgt_table_column_info */
    int64_t conflict_line;    /**< first conflict: line of the row in its file, from 1; 0: its file has no
                                   lines */
    int32_t stored;           /**< 1: the values stay on disk (table_file.h) */
    int32_t reserved;
} fgt_table_info;

/** Fills *info, whose size field the caller has set.
 *  Cost     one pass over the values
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_table_get_info(const fgt_table *table, fgt_table_info *info);

/** The values, F64. With FGT_TABLE_MISSING_MASK missing values are NaN.
 *  Shapes   [R,C]
 *  Units    as in the file
 *  Owner    the table's, to be read only, valid until the table is destroyed
 *  Errors   none; a view [0,0] without data for NULL, and if the values stay on disk
 *  Threads  any */
FGT_API fgt_view fgt_table_get_values(const fgt_table *table);

/** Finds a column by its name.
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no such column; the error text lists the columns */
FGT_API FGT_MUST fgt_status fgt_table_get_column(const fgt_table *table, const char *name, int64_t *column);

/* ---- splits ---------------------------------------------------------------------------------- */

/** How rows are split, in time order. */
typedef enum fgt_split_kind {
    FGT_SPLIT_KIND_RATIO = 0, /**< by opts.ratio */
    FGT_SPLIT_KIND_ROWS  = 1, /**< by opts.rows */
    FGT_SPLIT_KIND_ETTH  = 2, /**< 8640, 2880, 2880 rows: 12, 4, 4 months of 30 days, hourly */
    FGT_SPLIT_KIND_ETTM  = 3  /**< 34560, 11520, 11520 rows: the same months in quarters of an hour */
} fgt_split_kind;

typedef struct fgt_split_opts {
    size_t  size;
    int64_t rows[3];  /**< numbers of rows for training, validation and test; the remaining rows are unused */
    double  ratio[3]; /**< shares of training, validation and test in all rows; all 0: 0.7, 0.1, 0.2 */
    int32_t kind;     /**< an fgt_split_kind */
    int32_t reserved;
} fgt_split_opts;

/** Ranges of rows, begin <= row < end. The struct is frozen: it will never grow. */
typedef struct fgt_split {
    int64_t train_begin, train_end;
    int64_t val_begin, val_end;
    int64_t test_begin, test_end;
} fgt_split;

/** Computes the ranges of rows 0 .. rows-1. By ratio r0, r1, r2: training has floor(r0 rows), test has
 *  floor(r2 rows), and validation has the rest; if r1 is 0, the rest belongs to the test.
 *  Source   Time-Series-Library, data_provider/data_loader.py
 *  Units    rows
 *  Errors   FGT_E_ARG NULL, an unknown kind, a negative number, ratios that do not add up to 1, rows[0] = 0;
 *           FGT_E_DATA too few rows for rows[], no training row by ratio; FGT_E_VERSION. On error *split is
 *           untouched */
FGT_API FGT_MUST fgt_status fgt_split_compute(fgt_context *ctx, int64_t rows, const fgt_split_opts *opts,
                                              fgt_split *split);

#ifdef __cplusplus
}
#endif
#endif
