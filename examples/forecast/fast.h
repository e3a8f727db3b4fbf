/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_FORECAST_FAST_H
#define EXAMPLES_FORECAST_FAST_H

/* Shared by the files of forecasts without training. */

#include "report.h"

/* Forecasts of all series, each from `back` rows before its end; NaN: the series is too short for one. */
typedef struct fast_forecast {
    int64_t back;
    double *mean;      /* [count,steps] */
    double *quantiles; /* [count,steps,levels] */
} fast_forecast;

/* Series of one step. */
typedef struct fast_group {
    const fgt_table *axis; /* of its first series */
    fgt_time_step    step;
    int64_t          count, seasons[SEASONS];
} fast_group;

typedef struct fast {
    run              *r;
    int64_t           count, steps;
    const char      **name;   /* [count] */
    int64_t          *column; /* [count] of the table */
    const fgt_table **axis;   /* [count]: has the times of its rows: the table that was read, or one of its
                                 own for a series whose rows lie further apart */
    int64_t          *end;    /* [count]: the row of the axis after its last one */
    int64_t          *rows;   /* [count] */
    int64_t          *holes;  /* [count]: rows without a value among these, before the last value */
    int64_t          *late;   /* [count]: rows without a value at the end */
    double          **own;    /* [count]: the memory of values */
    const double    **values; /* [count,rows] */
    int64_t          *of;     /* [count]: its group */
    fast_group       *group;  /* [groups] */
    int64_t           groups, main; /* main: the group with the most series */
    double         level[FGT_QUANTILES_MAX + 2 * MAX_INTERVALS];
    int64_t        levels;
    fast_forecast  next; /* of the rows after the data */
    fast_forecast  last; /* of the last rows that are known, from the rows before them */
    double        *weights;    /* [count,FGT_LOCAL_MEMBERS] */
    int64_t       *left_out;   /* [count,FGT_LEFT_OUT]: rows that count as missing, -1: none */
    int64_t       *begin;      /* [count]: the first row that counts */
    int64_t       *shifted;    /* [count]: where last rows have another level; -1: nowhere */
    int64_t       *stuck;      /* [count]: where they have one value; -1: nowhere */
    int64_t        measured;   /* series whose last rows were forecast from rows before them */
} fast;

/* ---- own_step.c ---- */

bool own_step_same(const fgt_time_step *a, const fgt_time_step *b);
/* It counts the missing values of the table, which takes time. */
fgt_table_info own_step_info(const fgt_table *table);
/* Makes a table for a series of months in a file of days. Such a series has no two values in neighbouring
 * rows, and its times are a longer step apart, at most a fifth of them missing. NULL for any other series. */
fgt_table *own_step_find(const run *r, int64_t series);

/* ---- fast.c ---- */

/* Which quantiles the outputs need. */
void fast_find_levels(fast *f);
/* Makes the arrays of a forecast; fast_free_forecast() is due even after an error. */
bool fast_new_forecast(const fast *f, fast_forecast *g);
void fast_free_forecast(fast_forecast *g);
/* What the call of a local forecast needs, with progress, but for the weights. */
fgt_local_opts fast_opts(const fast *f, const int64_t *seasons, const fast_forecast *g);

/* ---- fast_series.c ---- */

/* The targets that have values; fast_series_done() is due even after an error. */
bool fast_find_series(fast *f, const column_roles *c);
void fast_series_done(fast *f);
/* Says what a reader may not expect of the series. On error prints a message and returns false. */
bool fast_warn(const fast *f);
/* That values are as --non-negative says, except those that are left out. On error prints a message and
 * returns false. */
bool fast_check_negative(const fast *f);

/* Where row k of a series is, as row_place() says it. */
const char *fast_place(const fast *f, int64_t series, int64_t k, char out[PLACE_MAX]);

/* ---- outliers.c ---- */

/* After the forecast, before errors are measured: names values that the library left out, and leaves them out
 * of the series, too. */
void fast_leave_out(const fast *f);
/* Names series that begin with zeros which do not count. */
void fast_warn_of_zeros(const fast *f);
/* Rows of a series from `row` on, as shifted and stuck have it. */
int64_t fast_count_rows(const fast *f, int64_t series, int64_t row);
/* Series whose rows from from[i] on are of a kind, and how many these are; -1: it has none. */
json_t *fast_describe_rows(const fast *f, const int64_t *from);
/* Names series whose last rows have another level than all before, or one value. */
void fast_warn_of_last_rows(const fast *f);
/* Says so where other columns have numbers such as -9999. */
bool fast_warn_of_markers(const fast *f);
/* Names values that lie far from the rows around them, and that the library did not leave out. On error
 * prints a message and returns false. */
bool fast_warn_of_outliers(const fast *f);

/* ---- fast_measure.c ---- */

/* Planes [planes,steps,series] of forecasts, the caller's to free: the forecast, its quantiles, the ends of
 * each interval; apart: all lower ends, then all upper ends. NULL after a sentence. */
double *fast_planes(const fast *f, const fast_forecast *g, bool apart);
/* Makes the sums of errors of the run, in units of the rows before the last `steps` ones of each series. */
bool fast_measure_begin(fast *f);
/* Adds the errors of forecasts, and of the baselines, and writes them with their truth to `out`, if it is not
 * NULL; *one: the errors of these forecasts. */
bool fast_measure_add(fast *f, const fast_forecast *g, FILE *out, origin *one);
/* Takes the errors of all forecasts over into the run. */
bool fast_measure_end(fast *f);

/* The place of a quantile among the levels, which have it. */
int64_t fast_find_level(const fast *f, double level);

/* ---- fast_plot.c ---- */

/* Rows of history that pictures show, no more than the longest series has. */
int64_t fast_find_history(const fast *f);

/* The picture of --plot: the last rows and what follows them. */
bool fast_plot(const fast *f);

/* ---- fast_page.c ---- */

/* The page of --report. */
bool fast_page(const fast *f);

/* ---- fast_report.c ---- */

/* Mean weights of the members [FGT_LOCAL_MEMBERS], and their order. Returns how many have a weight in some
 * series: others are for longer series, or for values of another kind. */
int fast_find_members(const fast *f, double *mean, int *order);
/* The first `most` of them and their weights: "theta 40 %, level 20 % and 3 more". */
#define MEMBERS_TEXT 600
const char *fast_members_text(const fast *f, int most, char text[MEMBERS_TEXT]);

/* All of them, a JSON object; NULL: no memory. */
json_t *fast_describe_members(const fast *f);

/* Before the forecast, and after it. */
void fast_print_start(const fast *f, FILE *out);
void fast_print(const fast *f, FILE *out);
bool fast_print_json(const fast *f);
/* The file of --predict. */
bool fast_write(const fast *f);

#endif
