/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_RESULTS_H
#define PROGRAMS_FORECAST_RESULTS_H

/* The results of a run. */

#include <math.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/search.h>

#include "options.h"

/* Errors on some windows; NaN: not measured, or the divisor is 0. */
typedef struct errors {
    double mse, mae;                 /* standardised, mean of all values */
    double mase, rmsse, wape, smape; /* as in evaluate.h, mean of the series */
} errors;

#define NO_ERRORS ((errors){NAN, NAN, NAN, NAN, NAN, NAN})

/* Errors of a blend of the model and local forecasters, and of each of the two without the other. */
typedef struct blend_quality {
    int64_t origins; /* most origins of a series whose forecasts are compared */
    errors  blend, model, local;
    int64_t values[MAX_INTERVALS], inside[MAX_INTERVALS]; /* values compared with intervals of the blend;
                                                           * values inside */
} blend_quality;

/* Sums of errors, in units of the file. */
typedef struct scores {
    int64_t              steps, series;
    fgt_forecast_metric *cell;     /* [steps,series] */
    fgt_forecast_metric *naive;    /* [series]: of a season ago in the training rows, for MASE and RMSSE */
    double              *scale;    /* [series]: standard deviations of the training rows */
    int64_t              season;   /* season of `naive` */
    fgt_interval_metric *interval; /* [levels,steps]: intervals of the windows, standardised */
} scores;

/* Losses by epoch. */
typedef struct curve {
    double *loss, *validation; /* [epochs] */
    int64_t epochs;
    bool    has_validation;
} curve;

/* One forecast of --backtest. */
typedef struct origin {
    int64_t row;        /* the first row that is forecast */
    int64_t train_rows; /* rows right before it that the model was trained on; 0: the model of an earlier
                         * origin is used */
    double  seconds;    /* duration of this training */
    int64_t series;     /* series that were forecast; counted only without training */
    errors  model, naive, seasonal;
} origin;

/* A model that --auto has tried. The options are without their arrays. */
typedef struct tried {
    fgt_search_trial        trial; /* without its pointers */
    fgt_forecaster_opts     opts;
    fgt_forecaster_fit_opts fit;
} tried;

#endif
