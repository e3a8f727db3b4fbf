/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_SERIES_H
#define FIGHTER_EXPERIMENTAL_SERIES_H

/** @file series.h
 *  The series of a table, each with its own beginning, end and step: the rows of a season, the rows to
 *  forecast, the times after the last row, and forecasts of each series by itself.
 *
 *  Symbols in shapes: N series, H rows of a forecast.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/experimental/local.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the step of the rows ---------------------------------------------------------------------- */

/** Most seasons that the step of rows shows. */
#define FGT_SEASONS 3

/** Finds the seasons that the step of the rows shows: the rows in a day, in a week, and in 52 weeks, or the
 *  months in a year, as far as they are more than one row. Days and hours without rows do not count.
 *  Shapes   seasons [FGT_SEASONS], rising; 0 after the last season
 *  Errors   none; returns the number of seasons, 0 also for NULL or if the step is not known */
FGT_API int64_t fgt_table_find_seasons(const fgt_table *table, int64_t *seasons);

/** Finds a usual number of rows to forecast: a year of months, 8 weeks, 14 days, or 48 hours, at least 4
 *  rows, and at most the rows of the table divided by `share`.
 *  Shapes   share at least 1
 *  Errors   none; 0: the step is not known or below an hour, table is NULL, or share < 1 */
FGT_API int64_t fgt_table_find_horizon(const fgt_table *table, int64_t share);

/** Computes the time `steps` steps after a row. Times of days of months keep the day of the other rows: after
 *  2024-01-31 and 2024-02-29 comes 2024-03-31.
 *  Shapes   row in 0 .. R-1
 *  Units    *time: milliseconds since 1970
 *  Errors   FGT_E_ARG NULL, row; FGT_E_STATE the rows have no times, or their step is not known; FGT_E_DATA
 *           the time is not in the years 1 to 9999; FGT_E_UNSUPPORTED a table on disk. On error *time is
 *           untouched */
FGT_API FGT_MUST fgt_status fgt_table_compute_time(const fgt_table *table, int64_t row, int64_t steps,
                                                   int64_t *time);

/* ---- columns that are no series ---------------------------------------------------------------- */

/** Whether a column of a wide table only names the source of the rows: it has one whole number in all rows
 *  with a value, at least two, and the last word of its name is "id", "store", "item" or the like, as in
 *  store_nbr. A program that is told no names can leave such columns out.
 *  Errors   none; 0 also for NULL, a table on disk, and a column that does not exist */
FGT_API int32_t fgt_table_is_key(const fgt_table *table, int64_t column);

/* ---- series by themselves ---------------------------------------------------------------------- */

/** Series of a table. They are copies and do not follow later changes of the table. */
typedef struct fgt_series fgt_series;

/** Makes a table of the rows in which a column has a value, if these rows have a longer step of their own,
 *  such as months among days: no two of them are neighbours, there are at least 4, and at most a fifth of
 *  the rows of the longer step is missing.
 *  Shapes   column in 0 .. C-1; *own has 1 column
 *  Owner    *own is the caller's; NULL: the column has no step of its own
 *  Errors   FGT_E_ARG; FGT_E_UNSUPPORTED a table on disk; FGT_E_NOMEM. On error *own is NULL */
FGT_API FGT_MUST fgt_status fgt_table_create_own_step(const fgt_table *table, int64_t column,
                                                      fgt_table **own);

/** Takes the series of some columns. In long form (see `id` of fgt_csv_opts) each series ends with its own
 *  last value, and has its own step if fgt_table_create_own_step() finds one. In wide form all series end in
 *  the last row with a value in one of the columns. Columns without any value are left out.
 *  Shapes   columns [count] in 0 .. C-1
 *  Owner    *series is the caller's; the table must outlive it
 *  Errors   FGT_E_ARG NULL, count < 1, a column; FGT_E_DATA no column has a value, or a value beyond 1e150
 *           (series, row); FGT_E_UNSUPPORTED a table on disk; FGT_E_NOMEM. On error *series is NULL */
FGT_API FGT_MUST fgt_status fgt_series_create(const fgt_table *table, const int64_t *columns, int64_t count,
                                              fgt_series **series);

/** Destroys the series and sets *series to NULL.
 *  Owner    takes *series */
FGT_API void fgt_series_destroy(fgt_series **series);

/** N, number of series.
 *  Errors   none; 0 for NULL */
FGT_API int64_t fgt_series_count(const fgt_series *series);

/** Properties of a series. */
typedef struct fgt_series_info {
    size_t           size;
    const char      *name;   /**< of the column; the table's */
    int64_t          column; /**< of the table */
    const fgt_table *axis;   /**< the table with the times of the rows: the table of fgt_series_create(), or
                                  another one, which belongs to the series, if the step is its own */
    int64_t          end;    /**< the row of the axis after the last row of the series */
    int64_t          rows;   /**< number of rows, from the first value to the end */
    int64_t          holes;  /**< missing values before the last value */
    int64_t          late;   /**< missing values after it */
    int64_t          group;  /**< number of the group of series with the same step */
    double          *values; /**< [rows]; the host may change them, for example to NaN */
} fgt_series_info;

/** Fills *info, whose size field the caller has set.
 *  Shapes   index in 0 .. N-1
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_series_get_info(const fgt_series *series, int64_t index,
                                                fgt_series_info *info);

/** Series that have the same step. */
typedef struct fgt_series_group {
    size_t           size;
    const fgt_table *axis;                 /**< of the first series of the group */
    int64_t          index;                /**< number of the group, 0 .. groups-1 */
    int64_t          count;                /**< number of series */
    int64_t          seasons[FGT_SEASONS]; /**< as fgt_table_find_seasons() of the axis */
} fgt_series_group;

/** Number of groups.
 *  Errors   none; 0 for NULL */
FGT_API int64_t fgt_series_count_groups(const fgt_series *series);

/** Fills *group, whose size field the caller has set.
 *  Shapes   index in 0 .. groups-1; -1: the group with the most series
 *  Errors   FGT_E_ARG; FGT_E_VERSION group->size is not set */
FGT_API FGT_MUST fgt_status fgt_series_get_group(const fgt_series *series, int64_t index,
                                                 fgt_series_group *group);

/** Forecasts the H rows after each series by fgt_forecast_local(), the series of one group together.
 *  Shapes   as fgt_forecast_local(). back: the number of last rows of each series that the forecast does not
 *           know and that are forecast first; 0: none. A series with fewer than 4 rows before them (or 1
 *           with back 0) has NaN
 *  Units    as in the table
 *  Owner    the arrays in opts that receive results belong to the caller; after an error do not use them.
 *           opts->season 0: seasons are found from the step, and long_season must be 0; 1: no season.
 *           opts->progress counts the forecasts of each group by itself
 *  Errors   as fgt_forecast_local(); FGT_E_ARG also back < 0; FGT_E_UNSUPPORTED opts->model or
 *           opts->judged */
FGT_API FGT_MUST fgt_status fgt_series_forecast(const fgt_series *series, int64_t back,
                                                const fgt_local_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
