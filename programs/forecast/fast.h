/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_H
#define PROGRAMS_FORECAST_FAST_H

/* Forecasts without training. */

#include <fighter/experimental/local.h>

#include "run.h"
#include "times.h"

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
    double            level[FGT_QUANTILES_MAX + 2 * MAX_INTERVALS];
    int64_t           levels;
    fast_forecast     next;     /* for the rows after the data */
    fast_forecast     last;     /* for the last known rows, from the rows before them */
    double           *weights;  /* [count,FGT_LOCAL_MEMBERS] */
    int64_t          *left_out; /* [count,FGT_LEFT_OUT]: rows that are treated as missing, -1: no further
                                * row */
    int64_t          *begin;    /* [count]: the first row that is used */
    int64_t          *shifted;  /* [count]: first row of a new level at the end; -1: no new level */
    int64_t          *stuck;    /* [count]: first row of a constant end; -1: not constant */
    int64_t           measured; /* number of series whose last rows were forecast from the rows before them */
} fast;

/* Finds the quantiles that the outputs need. */
void fast_find_levels(fast *f);
/* Allocates the arrays of a forecast. Call fast_free_forecast() even after an error. */
bool fast_new_forecast(const fast *f, fast_forecast *g);
void fast_free_forecast(fast_forecast *g);
/* The options for a local forecast, with progress, but without the weights. */
fgt_local_opts fast_opts(const fast *f, const int64_t *seasons, const fast_forecast *g);

#endif
