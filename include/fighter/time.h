/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_TIME_H
#define FIGHTER_TIME_H

/** @file time.h
 *  Time stamps of rows: reading, writing, and the step from one row to the next; lists of special days.
 *
 *  A time stamp is a number of milliseconds since 1970-01-01 00:00:00, as int64_t. The calendar is Gregorian,
 *  from year 1 to 9999. A text with an offset (+02:00) is converted to UTC. A text without an offset is not
 *  converted, so local times stay local times. To convert them, set the time zone in fgt_csv_opts (table.h).
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a time stamp is written.
 *
 *  All forms except UNIX also read the following texts, with names in English, in capitals or not:
 *  - months: Jan 2012, January 2012, Jan-12, 2012-Jan, 2012/01, 01/2012, 2012M01. With a year of four digits,
 *    or in a column of several months, also names in German, French, Spanish, Italian, Dutch and Portuguese
 *  - quarters: 2012Q1, 2012-Q1, 2012 Q1, Q1 2012, Q1-2012, 1Q2012, T1 2012, Q1'12, 1. Quartal 2012, 1er
 *    trimestre 2012, I trimestre 2012, Quarter 1 2012, 2012 1. Quartal; ISO weeks: 2020-W53, 2020W53,
 *    2020-W53-1, W53 2020, KW 53/2020, 2020 KW 53, S53 2020, week 53 2020, semaine 53 2020. The time of a
 *    month, a quarter or a week is its first day; the first day of a week is a Monday
 *  - days: 01-Jan-2012, 1 Jan 2012, 01-Jan-12, Jan 02, 2023, 2012 Jan 05; 2023-001, the day of the year
 *  - days of the week, which must be right: Mon 2023-01-02, Mon, 02 Jan 2023, 2023-01-02 (Mon)
 *  - output of programs: Mon Jan  2 13:00:00 2023, 02/Jan/2023:13:00:00 +0100
 *
 *  A year of two digits beside the name of a month is one of 1969 to 2068. A date of only numbers with two
 *  digits for the year, such as 02/01/23, is read if the caller gives the form ISO, DMY or MDY, and refused
 *  with AUTO.
 *
 *  The time of day, if there is one, is h, h:mm, h:mm:ss or h:mm:ss.fff, also with AM or PM or a.m. or p.m.,
 *  or hhmm or hhmmss, after a blank, a T or an underscore; after a day also -hh-mm or -hh-mm-ss. Z, an
 *  offset, UTC+2, the name of a zone such as CET, [Europe/Berlin] or Europe/Berlin may follow. Names of
 *  places do not set an offset, and neither do IST, AST and SST, which have several meanings. Either all
 *  labels of a table's rows must have an offset, or no label may have one, unless `zone` of fgt_csv_opts is
 *  given. Labels without an offset must not name two different places.
 *
 *  A single number is a day if it has 8 digits. It is a time if it has 12 or 14 digits of the form
 *  YYYYMMDDhhmm or YYYYMMDDhhmmss. Otherwise it is Unix time. The labels of a table's rows are judged
 *  together: labels of 10 digits are YYYYMMDDhh if most of them can be read so (Unix times cannot). If the
 *  name of a column, or an option, says that it holds times, then 4 digits are years, 6 digits are months
 *  (YYYYMM), 01.2012 is a month, and numbers from 10000 to 109575 are days since 1899-12-30, as spreadsheets
 *  count them, with decimals for the time of day. */
typedef enum fgt_time_form {
    FGT_TIME_FORM_AUTO = 0, /**< ISO, or UNIX (from 1973 on), or DMY or MDY, if the column shows which of both
                                 it is */
    FGT_TIME_FORM_ISO  = 1, /**< year first, as in ISO 8601: 2016-07-01, 2016/7/1, 2016-07; numbers 2016,
                                 201607, 20160701, 2016070113, 201607011345, 20160701134500 */
    FGT_TIME_FORM_DMY  = 2, /**< day first: 1.7.2016, 01/07/2016, 01-07-2016, 01/07/16 */
    FGT_TIME_FORM_MDY  = 3, /**< month first: 7/1/2016, 7/1/16 */
    FGT_TIME_FORM_UNIX = 4  /**< seconds since 1970; from 10^11 on milliseconds, from 10^14 on microseconds,
                                 from 10^17 on nanoseconds */
} fgt_time_form;

/** The time from one row to the next. The struct is frozen: it will never grow. Rows may exist only on some
 *  days of the week, such as business days, or in some hours of each day; then two rows are one step apart if
 *  only days and hours without rows are between them. */
typedef struct fgt_time_step {
    int64_t milliseconds; /**< 0 if the step is in months, or not known */
    int64_t months;       /**< calendar months */
    int32_t weekdays;     /**< days of the week with rows: the sum of 1 << 0 for Monday to 1 << 6 for Sunday,
                               so 31 means business days. Only for steps of a day or less. 0: all days. With
                               months, 31 means that rows are on the last business days of months */
    int32_t day_rows;     /**< number of rows in each day, if the step is below a day and some hours or days
                               have no rows; otherwise 0 */
    int64_t day_begin;    /**< with day_rows: time of day of the first row, in milliseconds */
} fgt_time_step;

/** Reads one time stamp. With FGT_TIME_FORM_AUTO a text such as 03/04/2016 or 03/04/16 is refused, because it
 *  could be in March or in April.
 *  Source   ISO 8601, RFC 3339
 *  Units    *time: milliseconds since 1970
 *  Errors   FGT_E_ARG NULL, an unknown form; FGT_E_DATA not a time stamp of this form, no day of the
 *           calendar. On error *time is untouched */
FGT_API FGT_MUST fgt_status fgt_time_parse(fgt_context *ctx, const char *text, int32_t form, int64_t *time);

/** Writes a time stamp as 2016-07-01 13:00:00, followed by .250 if there are milliseconds.
 *  Units    time: milliseconds since 1970
 *  Owner    text is the caller's; 24 bytes are enough for every time
 *  Errors   FGT_E_ARG text is NULL, or capacity is too small; FGT_E_DATA the time is not in the years 1 to
 *           9999. On error text is untouched
 *  Threads  any */
FGT_API FGT_MUST fgt_status fgt_time_format(int64_t time, char *text, int64_t capacity);

/** Computes the time that is `steps` steps after `time`, or before it if steps is negative. Steps of months
 *  keep the day of the month, or take the last day of a shorter month; from the last day of a month they lead
 *  to the last days of other months, and with `weekdays` to their last business days. A step of `weekdays` or
 *  `day_rows` without months takes a time without a row for the last row before it.
 *  Units    milliseconds since 1970
 *  Errors   FGT_E_ARG NULL, an impossible step; FGT_E_DATA int64_t cannot hold the sum or, with months,
 *           weekdays or day_rows, a time is not in the years 1 to 9999. On error *sum is untouched
 *  Threads  any */
FGT_API FGT_MUST fgt_status fgt_time_add(int64_t time, const fgt_time_step *step, int64_t steps,
                                         int64_t *sum);

/* ---- special days ---------------------------------------------------------------------------- */

/** A list of special days, with or without names: holidays, sales, fairs. A forecaster with such a list knows
 *  for each row whether the day of the row, the day before or the day after is a special day.
 *
 *      fgt_days_load(ctx, "holidays.csv", FGT_TIME_FORM_AUTO, &days);
 *      fgt_forecaster_create(ctx, table, &split, &FGT_OPTS(fgt_forecaster_opts, .inputs.holidays = days),
 *                            &forecaster); */
typedef struct fgt_days fgt_days;

/** Makes a list of days. A day may occur several times, with different names.
 *  Shapes   times, names [count]; a name that is NULL or empty: no name; names NULL: no names
 *  Units    times: milliseconds since 1970, at any time of the day
 *  Owner    everything is copied; *days is the caller's
 *  Errors   FGT_E_ARG NULL, count < 1; FGT_E_DATA a time outside of the years 1 to 9999; FGT_E_SIZE;
 *           FGT_E_NOMEM. On error *days is NULL */
FGT_API FGT_MUST fgt_status fgt_days_create(fgt_context *ctx, const int64_t *times, const char *const *names,
                                            int64_t count, fgt_days **days);

/** Reads a CSV file, which may be gzip-compressed, with a day in each line. The days are in the first column
 *  whose first cell is a time stamp. The names are in the first other column whose first value is a text, if
 *  there is one. But a text column has remarks, and is skipped, if it is still empty when another column has
 *  already shown two different texts. Cells may be empty. A first line without a time stamp is a header. The
 *  delimiter is found automatically.
 *  Units    form: an fgt_time_form
 *  Owner    *days is the caller's
 *  Errors   FGT_E_IO no such file, unreadable; FGT_E_FORMAT empty, a line with fewer or more cells than the
 *           first, damaged; FGT_E_DATA no column of days, a cell that is not a day (row); FGT_E_ARG form;
 *           FGT_E_UNSUPPORTED gzip, built without zlib; FGT_E_SIZE; FGT_E_NOMEM. On error *days is NULL */
FGT_API FGT_MUST fgt_status fgt_days_load(fgt_context *ctx, const char *path, int32_t form, fgt_days **days);

/** Destroys a list of days and sets *days to NULL.
 *  Owner    takes *days */
FGT_API void fgt_days_destroy(fgt_days **days);

/** Number of entries of a list. A day with several names has an entry for each name.
 *  Units    entries
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_days_count_entries(const fgt_days *days);

/** Gets entry i, in the order of time.
 *  Shapes   i in 0 .. fgt_days_count_entries()-1; *time: midnight of the day; *name becomes NULL if the day
 *           has no name; both pointers may be NULL
 *  Units    *time: milliseconds since 1970
 *  Owner    *name is the list's
 *  Errors   FGT_E_ARG NULL, no such entry. On error *time and *name are untouched */
FGT_API FGT_MUST fgt_status fgt_days_get_entry(const fgt_days *days, int64_t i, int64_t *time,
                                               const char **name);

#ifdef __cplusplus
}
#endif
#endif
