/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_RUN_H
#define PROGRAMS_FORECAST_RUN_H

/* The state of a run: its settings, data, model and results. A function of the program that returns bool
 * prints a message on an error, and returns false. */

#include <fighter/experimental/report.h>

#include "results.h"

typedef struct run {
    const options       *o;
    fgt_context         *ctx;
    fgt_build_info       build;
    fgt_table           *table;
    fgt_table           *tail;     /* the last rows of a table on disk; NULL: the table is in memory */
    fgt_days            *holidays; /* holidays of --holidays; NULL: not given */
    fgt_table           *features; /* features of --static; NULL: not given */
    fgt_table_info       rows;     /* of the table */
    int64_t              absent;   /* series of the model that the files lack; they are the table's last
                                 * columns */
    fgt_split            split;
    fgt_attent          *selector;
    double               reference_loss; /* the mean, with --excess */
    fgt_forecaster      *forecaster;     /* the model that is measured; NULL without training */
    fgt_forecaster      *whole; /* the model fitted again to all rows, for --predict and --save; NULL:
                                * not made */
    const char *const   *names; /* [info.columns]: names of the series if there is no forecaster */
    fgt_forecaster_info  info;
    fgt_fit_report       report, masked, refit; /* masked: of --pretrain-masked; refit: of `whole` */
    fgt_report          *page;                  /* page of --report; NULL: not made yet */
    tried               *trials;                /* trials of --auto; NULL: not given */
    int64_t              trial_count;
    fgt_search_report    search;
    char                 dataset[128];
    int64_t              train_windows, val_windows, test_windows;
    int64_t              season;    /* season of the seasonal-naive baseline; 0: no such baseline */
    int64_t              seen_rows; /* test rows that the model of --load was trained on */
    errors               val, test, linear, naive, seasonal;
    curve                curve; /* of the last training of the model */
    scores               scores, naive_scores, seasonal_scores, linear_scores; /* on the test windows */
    origin              *origins;     /* origins of --backtest, test_windows of them; NULL: not given */
    int64_t              origins_fit; /* without training: the largest number of origins for --backtest */
    fgt_interval_metric  intervals[MAX_INTERVALS]; /* on the test windows */
    double              *coverage;                 /* [intervals,H]: by step; NULL: not measured */
    fgt_quantile_metric *quantiles;                /* [Q,H]; NULL: not measured */
    double               train_cpu;                /* seconds of all processors; 0: not measured */
    double               predict_us;               /* time for a single window; NaN: not measured */
    double              *blend;   /* [planes,H,C]: the forecast of --predict; NULL: the model makes it */
    double              *weights; /* [C,FGT_LOCAL_MEMBERS]: weights of its members */
    int64_t             *shifted, *stuck; /* [C]: as in fgt_local_opts */
    blend_quality        judged;          /* of blend */
} run;

/* Returns the table, or of one on disk the last rows, as many as a forecast and its intervals may need. */
fgt_table *run_recent(const run *r);
/* Prints the library's last error, with the path before it unless the error begins with one; returns
 * false. */
bool run_failed(const run *r, const char *path);
/* run_failed() with a further part of the sentence at its end. */
bool run_failed_with(const run *r, const char *path, const char *end);
/* Determines training, validation and test rows of the table. */
bool run_split(run *r);
/* Warns of test rows that the model of --load was trained on, and counts them: they do not show how accurate
 * it is. */
void run_warn_of_seen_rows(run *r);
/* The columns of the table for the forecaster's series, [info.columns], which the caller frees; NULL after a
 * message. */
int64_t *run_columns(const run *r);
/* The name of a forecast series, and the name of its model, such as "fighter". */
const char *run_name(const run *r, int64_t series);
const char *run_model_name(const run *r);
/* Whether the values of a table stay on disk. */
bool table_is_stored(const fgt_table *table);

#endif
