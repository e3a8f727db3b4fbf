/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_H
#define PROGRAMS_FORECAST_FAST_H

/* Forecasts without training. */

#include <fighter/experimental/series.h>

#include "run.h"
#include "times.h"

/* Forecasts of all series. The forecast of a series begins `back` rows before its end. NaN: the series is too
 * short. */
typedef struct fast_forecast {
    int64_t back;
    double *mean;      /* [count,steps] */
    double *quantiles; /* [count,steps,levels] */
} fast_forecast;

typedef struct fast {
    run              *r;
    int64_t           count, steps;
    fgt_series       *series; /* the next arrays have parts of their properties, see fgt_series_info */
    const char      **name;   /* [count] */
    const fgt_table **axis;   /* [count] */
    int64_t          *end;    /* [count] */
    int64_t          *rows;   /* [count] */
    int64_t          *holes;  /* [count] */
    int64_t          *late;   /* [count] */
    double          **values; /* [count][rows] */
    int64_t          *of;     /* [count]: number of the series' group */
    fgt_series_group *group;  /* [groups] */
    int64_t           groups;
    fgt_series_group  main; /* the group with the most series */
    double            level[FGT_QUANTILES_MAX + 2 * MAX_INTERVALS];
    int64_t           levels;
    fast_forecast     next;     /* forecast of the rows after the data */
    fast_forecast     last;     /* forecast of the last known rows, from the rows before them */
    double           *weights;  /* [count,FGT_LOCAL_MEMBERS] */
    int64_t          *left_out; /* [count,FGT_LEFT_OUT]: rows that are treated as missing; -1: no more rows */
    int64_t          *begin;    /* [count]: first row that the forecast uses */
    int64_t          *shifted;  /* [count]: row at which a new level begins near the end; -1: no new level */
    int64_t          *stuck;    /* [count]: row from which the values stay constant; -1: not constant */
    int64_t           measured; /* number of series whose last rows were forecast from the rows before them */
} fast;

/* Fills in `level` with the quantiles that the outputs need. */
void fast_find_levels(fast *f);
/* Allocates the arrays of a forecast. Call fast_free_forecast() even after an error. */
bool fast_new_forecast(const fast *f, fast_forecast *g);
void fast_free_forecast(fast_forecast *g);
/* Returns the options for fgt_forecast_local(). They show progress. The caller adds the weights. */
fgt_local_opts fast_opts(const fast *f, const int64_t *seasons, const fast_forecast *g);

#endif
