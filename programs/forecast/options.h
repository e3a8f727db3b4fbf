/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OPTIONS_H
#define PROGRAMS_FORECAST_OPTIONS_H

/* The settings of a run, from the command line. */

#include <fighter/tasks.h>

#include "../common/adapter.h"
#include "../common/checkpoint.h"
#include "../common/cluster.h"
#include "../common/library.h"
#include "../common/selection.h"

#define MAX_HOPS      64
#define MAX_FILES     1024
#define MAX_INTERVALS 8
#define MEMBERS_MAX   FGT_SUM_MAX
/* When --backtest trains. */
enum { BACKTEST_REFIT, BACKTEST_KEEP, BACKTEST_UPDATE };

/* Zero means "not given"; the library then uses its default. */
typedef struct options {
    const char *data;                /* files[0] */
    const char *holidays, *features; /* files of --holidays and --static */
    const char *files[MAX_FILES];
    int64_t     file_count;
    int32_t     form; /* an fgt_table_form */
    char        form_names[512];
    const char *form_id, *form_time, *form_value; /* names of --long, in form_names */
    const char *time, *target, *past, *known, *columns, *graph;
    const char *convert;  /* a table file to write */
    int64_t     resident; /* MiB of a table file to keep in memory; 0: the library's default */
    const char *save, *load, *moments, *predict, *predict_all, *future, *plot, *plot_series, *forecasts;
    const char *report;
    int64_t     hops[MAX_HOPS], hop_count;
    int64_t     members, season;
    fgt_forecaster_opts     model; /* of the library's table of options; others are set in train.c */
    fgt_forecaster_fit_opts fit;
    bool                    given_model[LIBRARY_MOST], given_fit[LIBRARY_MOST];
    int64_t     backtest, every, mode; /* number of origins, 0: no backtest; rows; one of BACKTEST_... */
    int64_t     seed, threads, products, precision;
    int64_t     pretrain; /* epochs of --pretrain-masked */
    double      mask_share;
    double      missing_value;
    int64_t     missing, delimiter, time_form;
    int64_t     round; /* of --round, in milliseconds; 0: times are not rounded */
    const char *zone;
    int64_t     repair;   /* a sum of fgt_table_repair; -1: times are ignored */
    int64_t     calendar; /* a sum of fgt_calendar */
    bool        has_split, has_seed, has_missing_value;
    double      interval[MAX_INTERVALS]; /* shares */
    int64_t     interval_count;
    double      quantiles[FGT_QUANTILES_MAX];
    int64_t     quantile_count;
    bool        negative; /* forecasts of counts may be negative */
    int64_t     horizon;  /* of --predict; 0: the model's horizon */
    bool        has_calendar;
    bool        decimal_comma, decimal_point, spreadsheet, units, no_header; /* format of the data */
    const char *comment, *missing_text;
    int64_t     skip, max_rows; /* lines and rows of the data */
    bool        fast, keep_outliers;
    bool        automatic; /* --auto */
    double      budget;    /* seconds for --auto */
    int64_t     budget_epochs;
    bool        has_budget;
    bool        probe;
    bool        exact, no_baselines, describe, update, escape_formulas, json, help, version;
    const char *topic;    /* topic of --help */
    bool        predicts; /* --predict was given: all processes know this, and one writes */
    bool        holdout;
    bool        refits; /* the model is fitted again to all rows for --predict or --save: all processes know
                         * this */
    selection   selection;
    checkpoint  checkpoint;
    adapter     adapter;
    cluster     cluster;

    fgt_split_opts split;
} options;

#define AT(field) offsetof(options, field)

#endif
