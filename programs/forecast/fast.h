/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_H
#define PROGRAMS_FORECAST_FAST_H

/* Shared by the files for forecasts without training. */

#include <fighter/experimental/local.h>

#include "report.h"

/* Forecasts of all series, each from `back` rows before its end; NaN: the series is too short. */
typedef struct fast_forecast {
    int64_t back;
    double *mean;      /* [count,steps] */
    double *quantiles; /* [count,steps,levels] */
} fast_forecast;

/* Series with the same step. */
typedef struct fast_group {
    const fgt_table *axis; /* axis of its first series */
    fgt_time_step    step;
    int64_t          count, seasons[SEASONS];
} fast_group;

typedef struct fast {
    run              *r;
    int64_t           count, steps;
    const char      **name;   /* [count] */
    int64_t          *column; /* [count]: column of the table */
    const fgt_table **axis;   /* [count]: the table that has the times of its rows: the table that was read,
                               * or a separate one for a series with a longer step */
    int64_t          *end;    /* [count]: the row of the axis after its last row */
    int64_t          *rows;   /* [count] */
    int64_t          *holes;  /* [count]: missing rows among these, before the last value */
    int64_t          *late;   /* [count]: missing rows at the end */
    double          **own;    /* [count]: the memory of `values` */
    const double    **values; /* [count][rows] */
    int64_t          *of;     /* [count]: number of its group */
    fast_group       *group;  /* [groups] */
    int64_t           groups, main; /* main: the group with the most series */
    double         level[FGT_QUANTILES_MAX + 2 * MAX_INTERVALS];
    int64_t        levels;
    fast_forecast  next; /* for the rows after the data */
    fast_forecast  last; /* for the last known rows, from the rows before them */
    double        *weights;    /* [count,FGT_LOCAL_MEMBERS] */
    int64_t       *left_out;   /* [count,FGT_LEFT_OUT]: rows that are treated as missing, -1: no further
                                * row */
    int64_t       *begin;      /* [count]: the first row that is used */
    int64_t       *shifted;    /* [count]: first row of a new level at the end; -1: no new level */
    int64_t       *stuck;      /* [count]: first row of a constant end; -1: not constant */
    int64_t        measured;   /* number of series whose last rows were forecast from the rows before them */
} fast;

/* ---- own_step.c ---- */

bool own_step_same(const fgt_time_step *a, const fgt_time_step *b);
/* Counts the missing values of the table, which takes time. */
fgt_table_info own_step_info(const fgt_table *table);
/* Makes a table for a series with a longer step than its file, such as months in a file of days. Such a
 * series has no two values in neighbouring rows, and at most a fifth of its times are missing. NULL for any
 * other series. */
fgt_table *own_step_find(const run *r, int64_t series);

/* ---- fast.c ---- */

/* Finds the quantiles that the outputs need. */
void fast_find_levels(fast *f);
/* Allocates the arrays of a forecast. Call fast_free_forecast() even after an error. */
bool fast_new_forecast(const fast *f, fast_forecast *g);
void fast_free_forecast(fast_forecast *g);
/* The options for a local forecast, with progress, but without the weights. */
fgt_local_opts fast_opts(const fast *f, const int64_t *seasons, const fast_forecast *g);

/* ---- fast_series.c ---- */

/* Finds the targets that have values. Call fast_series_done() even after an error. */
bool fast_find_series(fast *f, const column_roles *c);
void fast_series_done(fast *f);
/* Warns of properties of the series that limit the forecast. On error prints a message and returns false. */
bool fast_warn(const fast *f);
/* Checks that values are not negative if --non-negative is given, except values that are left out. On error
 * prints a message and returns false. */
bool fast_check_negative(const fast *f);

/* Describes the position of row k of a series, as row_place() does. */
const char *fast_place(const fast *f, int64_t series, int64_t k, char out[PLACE_MAX]);

/* ---- value_list.c ---- */

/* At most so many values are named. */
enum { VALUE_LIST_MOST = 8 };

/* Values or series of one kind; the text has the first ones, as `"a" is 99999 in line 7`. */
typedef struct value_list {
    int64_t count;
    char    text[VALUE_LIST_MOST * (PLACE_MAX + PLAIN_TEXT)];
} value_list;

void value_list_add(value_list *l, const char *name, double value, const char *place);
/* what: the sentence between the name of the series and the place. */
void value_list_add_series(value_list *l, const char *name, const char *what, const char *place);
/* " and 3 more", the number of those that are not named. */
const char *value_list_rest(const value_list *l, char text[40]);
/* Warns of values far from the rows around them. one, several: the end of the sentence for a single value,
 * and for several. */
void value_list_warn(const char *path, const value_list *l, const char *where, const char *one,
                     const char *several);
/* Warns of values that count as missing. */
void value_list_warn_left_out(const char *path, const value_list *l);

/* ---- fast_outliers.c ---- */

/* Call it after the forecast, before errors are measured: names the values that the library left out, and
 * also removes them from the series. */
void fast_leave_out(const fast *f);
/* Names series whose zeros at the beginning are not used. */
void fast_warn_of_zeros(const fast *f);
/* Number of rows of a series from `row` on, with `row` as in shifted and stuck. */
int64_t fast_count_rows(const fast *f, int64_t series, int64_t row);
/* Describes the series for which from[i] is not -1, and the number of rows from there on. */
json_t *fast_describe_rows(const fast *f, const int64_t *from);
/* Names series whose last rows have a new level, or are constant. */
void fast_warn_of_last_rows(const fast *f);
/* Warns if other columns have numbers such as -9999. */
bool fast_warn_of_markers(const fast *f);
/* Names values that lie far from the rows around them, and that the library did not leave out. On error
 * prints a message and returns false. */
bool fast_warn_of_outliers(const fast *f);

/* ---- fast_measure.c ---- */

/* Makes an array [planes,steps,series], which the caller frees. Its planes are the forecast, its quantiles,
 * and the lower and upper end of each interval (with `apart` all lower ends before all upper ends). On error
 * prints a message and returns NULL. */
double *fast_planes(const fast *f, const fast_forecast *g, bool apart);
/* Allocates the sums of errors of the run, in units of the rows before the last `steps` rows of each
 * series. */
bool fast_measure_begin(fast *f);
/* Adds the errors of forecasts and of the baselines. Writes them with the true values to `out`, if it is not
 * NULL; *one: the errors of these forecasts. */
bool fast_measure_add(fast *f, const fast_forecast *g, FILE *out, origin *one);
/* Copies the errors of all forecasts to the run. */
bool fast_measure_end(fast *f);

/* Index of a quantile that is among the levels. */
int64_t fast_find_level(const fast *f, double level);

/* ---- fast_plot.c ---- */

/* Rows of history for the pictures, at most as many as the longest series has. */
int64_t fast_find_history(const fast *f);

/* The picture of --plot: the last rows and the forecast. */
bool fast_plot(const fast *f);

/* ---- fast_page.c ---- */

/* The page of --report. */
bool fast_page(const fast *f);

/* ---- fast_report.c ---- */

/* Mean weights of the members [FGT_LOCAL_MEMBERS], and their order. Returns the number of members with a
 * weight in any series; other members are for longer series, or for values of another kind. */
int fast_find_members(const fast *f, double *mean, int *order);
/* Writes the first `most` members and their weights: "theta 40 %, level 20 % and 3 more". */
#define MEMBERS_TEXT 600
const char *fast_members_text(const fast *f, int most, char text[MEMBERS_TEXT]);

/* All members as a JSON object; NULL: no memory. */
json_t *fast_describe_members(const fast *f);

/* Print before the forecast, and after it. */
void fast_print_start(const fast *f, FILE *out);
void fast_print(const fast *f, FILE *out);
bool fast_print_json(const fast *f);
/* The file of --predict. */
bool fast_write(const fast *f);

#endif
