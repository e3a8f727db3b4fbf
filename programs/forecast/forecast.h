/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_H
#define PROGRAMS_FORECAST_H

/* Shared by the files of the forecast program, which include only public headers of fighter. */

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/report.h>
#include <fighter/experimental/search.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>

#include "../common/adapter.h"
#include "../common/blocks.h"
#include "../common/checkpoint.h"
#include "../common/cluster.h"
#include "../common/command_line.h"
#include "../common/library.h"
#include "../common/near.h"
#include "../common/output.h"
#include "../common/program.h"
#include "../common/selection.h"

#define MAX_HOPS      64
#define MAX_FILES     1024
#define MAX_INTERVALS 8
#define MEMBERS_MAX   FGT_SUM_MAX

/* ---- options.c ---- */

/* When --backtest trains. */
enum { BACKTEST_REFIT, BACKTEST_KEEP, BACKTEST_UPDATE };

/* Zero means "not given"; the library then uses its default. */
typedef struct options {
    const char *data; /* files[0] */
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
    int64_t                 members, season;
    fgt_forecaster_opts     model; /* of the library's table of options; others are set in train.c */
    fgt_forecaster_fit_opts fit;
    bool                    given_model[LIBRARY_MOST], given_fit[LIBRARY_MOST];
    int64_t     backtest, every, mode; /* number of origins, 0: no backtest; rows; one of BACKTEST_... */
    int64_t     seed, threads, products, precision;
    int64_t     pretrain; /* epochs of --pretrain-masked */
    double      mask_share;
    double      missing_value;
    int64_t     missing, delimiter, time_form;
    const char *zone;
    int64_t     repair;   /* a sum of fgt_table_repair; -1: times are ignored */
    int64_t     calendar; /* a sum of fgt_calendar */
    bool        has_split, has_seed, has_missing_value;
    double      interval[MAX_INTERVALS]; /* shares */
    int64_t     interval_count;
    double      quantiles[FGT_QUANTILES_MAX];
    int64_t     quantile_count;
    bool        negative; /* forecasts of counts may be negative */
    int64_t     horizon; /* of --predict; 0: the model's horizon */
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
    const char *topic; /* topic of --help */
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

/* Reads the command line. On error prints a message and returns false. */
bool        options_read(int argc, char **argv, options *o);
/* Checks that a model can do the options that need --horizon. On error prints a message and returns false. */
bool        options_check_horizon(const options *o);
const char *tokens_name(int64_t tokens);
/* Whether --graph is "learn", not a file. */
bool        options_learn_graph(const options *o);
const char *loss_name(int64_t kind); /* the word of an fgt_loss_kind on the command line */
/* Whether the loss is for counts, so that the model has no linear map. */
bool        options_counts(const options *o);
const char *backtest_mode(int64_t mode);
/* Write parts of a calendar, and repairs, as words with commas; "none". */
#define PARTS_MAX 64
void options_calendar(int64_t sum, char out[PARTS_MAX]);
void options_repair(int64_t sum, char out[PARTS_MAX]);

/* ---- times.c ---- */

#define TIME_MAX 64

/* fgt_time_add(), or `time` itself if there is no sum. */
int64_t time_add(int64_t time, const fgt_time_step *step, int64_t n);
/* The time of a row; false: there is no such row, or the rows have no times. */
bool time_of_row(const fgt_table *table, int64_t row, int64_t *time);
/* The time k rows after row `last` of a table that has times. */
int64_t time_of_row_after(const fgt_table *table, int64_t last, int64_t k);
/* Finds the numbers of rows in a day, a week and a year, as far as they are more than one; returns how many
 * were found. */
#define SEASONS 3
int64_t time_seasons(const fgt_table *table, int64_t out[SEASONS]);
/* Rows to forecast without --pred: a year of months, 8 weeks, 14 days, 48 hours, at most the rows of the
 * table divided by `share`; 0: the library's default. */
int64_t time_horizon(const fgt_table *table, int64_t share);
/* Describes the position of a row: "in line 7 (2016-07-01)", "at 2016-07-01" if it is not in a line of the
 * file, or "in row 5, counted from 0". */
#define PLACE_MAX 512
const char *row_place(const fgt_table *table, int64_t row, char out[PLACE_MAX]);
/* Writes "1 h" or "15 min"; false: not known. */
bool time_step(const fgt_table *table, char out[TIME_MAX]);

/* The format of times after the last row: as in the file, or plain, as fgt_time_format() writes them. */
typedef struct time_style {
    const fgt_table *table, *axis; /* axis: the table that has the rows */
    fgt_time_step    step;
    bool             plain;
} time_style;

/* A time in the format of the table's file, a day as 2012-02-01; plain if the format cannot express it. */
void time_text(const fgt_table *table, int64_t time, char out[TIME_MAX]);

time_style time_style_find(const fgt_table *table, const fgt_table *axis);
/* Whether the time k rows after row `last` (k from 1), if it is known, can be written as in the file. */
bool time_style_fits(const time_style *s, int64_t last, int64_t k);
/* Writes this time; false: it is not known. */
bool time_after(const time_style *s, int64_t last, int64_t k, char out[TIME_MAX]);

/* ---- run.c ---- */

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
    fgt_forecast_metric *cell;   /* [steps,series] */
    fgt_forecast_metric *naive;  /* [series]: of a season ago in the training rows, for MASE and RMSSE */
    double              *scale;  /* [series]: standard deviations of the training rows */
    int64_t              season; /* season of `naive` */
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

/* Names of columns. */
typedef struct name_list {
    char        *text; /* the names, one after another */
    const char **name; /* [count], NULL for no name */
    int64_t      count;
} name_list;

/* Targets, past and known columns. Without --target all columns without another role are targets. With
 * --target the other columns are past columns, unless --past names these. */
typedef struct column_roles {
    name_list chosen, target, past, known;
} column_roles;

/* A model that --auto has tried. The options are without their arrays. */
typedef struct tried {
    fgt_search_trial        trial; /* without its pointers */
    fgt_forecaster_opts     opts;
    fgt_forecaster_fit_opts fit;
} tried;

typedef struct run {
    const options      *o;
    fgt_context        *ctx;
    fgt_build_info      build;
    fgt_table          *table;
    fgt_table          *tail; /* the last rows of a table on disk; NULL: the table is in memory */
    fgt_days           *holidays; /* holidays of --holidays; NULL: not given */
    fgt_table          *features; /* features of --static; NULL: not given */
    fgt_table_info      rows; /* of the table */
    int64_t             absent; /* series of the model that the files lack; they are the table's last
                                 * columns */
    fgt_split           split;
    fgt_attent         *selector;
    double              reference_loss; /* the mean, with --excess */
    fgt_forecaster     *forecaster; /* the model that is measured; NULL without training */
    fgt_forecaster      *whole;      /* the model fitted again to all rows, for --predict and --save; NULL:
                                * not made */
    const char *const  *names; /* [info.columns]: names of the series if there is no forecaster */
    fgt_forecaster_info info;
    fgt_fit_report      report, masked, refit; /* masked: of --pretrain-masked; refit: of `whole` */
    fgt_report         *page; /* page of --report; NULL: not made yet */
    tried              *trials; /* trials of --auto; NULL: not given */
    int64_t             trial_count;
    fgt_search_report   search;
    char                dataset[128];
    int64_t             train_windows, val_windows, test_windows;
    int64_t             season; /* season of the seasonal-naive baseline; 0: no such baseline */
    int64_t             seen_rows; /* test rows that the model of --load was trained on */
    errors              val, test, linear, naive, seasonal;
    curve               curve;  /* of the last training of the model */
    scores              scores, naive_scores, seasonal_scores, linear_scores; /* on the test windows */
    origin             *origins; /* origins of --backtest, test_windows of them; NULL: not given */
    int64_t             origins_fit; /* without training: the largest number of origins for --backtest */
    fgt_interval_metric intervals[MAX_INTERVALS];     /* on the test windows */
    double              *coverage;  /* [intervals,H]: by step; NULL: not measured */
    fgt_quantile_metric *quantiles; /* [Q,H]; NULL: not measured */
    double              train_cpu; /* seconds of all processors; 0: not measured */
    double              predict_us; /* time for a single window; NaN: not measured */
    double             *blend;   /* [planes,H,C]: the forecast of --predict; NULL: the model makes it */
    double             *weights; /* [C,FGT_LOCAL_MEMBERS]: weights of its members */
    int64_t            *shifted, *stuck; /* [C]: as in fgt_local_opts */
    blend_quality       judged;  /* of blend */
} run;

/* Returns the table, or of one on disk the last rows, as many as a forecast and its intervals may need. */
fgt_table *run_recent(const run *r);
/* Prints the library's last error, with the path before it unless the error begins with one; returns
 * false. */
bool run_failed(const run *r, const char *path);
/* run_failed() with a further part of the sentence at its end. */
bool run_failed_with(const run *r, const char *path, const char *end);
/* run_failed() after a name of the command line was not found; suggests a similar column of this table. */
bool columns_failed(const run *r, const char *path, const fgt_table *table);
/* Determines training, validation and test rows of the table. */
bool run_split(run *r);
/* Warns of test rows that the model of --load was trained on, and counts them: they do not show how accurate
 * it is. */
void run_warn_of_seen_rows(run *r);
bool columns_check_plot(const run *r);
/* The columns of the table for the forecaster's series, [info.columns], which the caller frees; NULL after a
 * message. */
int64_t *run_columns(const run *r);
/* The name of a forecast series, and the name of its model, such as "fighter". */
const char *run_name(const run *r, int64_t series);
const char *run_model_name(const run *r);

/* ---- train.c ---- */

/* Options from the command line, without columns and graph; linear: for the linear baseline. */
fgt_forecaster_opts     train_opts(const run *r, bool linear);
fgt_forecaster_fit_opts train_fit_opts(const run *r);
/* Makes a forecaster of the chosen series. linear: the baseline, always with revin (RLinear, Li et al. 2023),
 * which uses only the values of the rows. */
bool train_create(run *r, bool linear, fgt_forecaster **out);
/* Trains f on the split; `name` is shown. */
bool train_fit(run *r, fgt_forecaster *f, fgt_forecaster_fit_opts opts, const char *name,
               fgt_fit_report *report);
bool train_get_info(run *r);
void curve_done(curve *c);
bool train_count_windows(run *r);
/* Rows of the input and of the forecast, by the options. */
bool train_find_length(const run *r, int64_t *input, int64_t *pred);
/* Checks the rows of input and forecast before memory is allocated for windows that are longer than the
 * series. */
bool train_check_length(const run *r);
/* Makes r->forecaster and the data for its training on r->split, and trains it. */
bool train_prepare(run *r);
/* Makes a selector of training windows; NULL without --attent. */
bool selector_create_for(run *r, int64_t epochs, fgt_attent **selector);
bool train_run(run *r);
/* Trains the adapter of the loaded model on r->split, and writes it to --adapt. */
bool train_adapter(run *r);
/* Trains r->forecaster on windows with hidden patches, if the options ask for it and the run is not
 * resumed. */
bool pretrain_run(run *r);
/* Trains all models of --members, each after its pre-training; r->forecaster becomes their mean. */
bool members_run(run *r);
/* Makes r->whole, and prints a message. It stays NULL after an interruption, and if the model has seen all
 * rows. */
bool train_whole(run *r, FILE *out);
/* Trains further with the rows of the table that are newer than the training rows, and prints their
 * number. */
bool train_update(run *r, FILE *out);

/* Adds columns, graph, holidays and features to options. Call columns_done() even after an error. */
bool train_add_data(const run *r, const fgt_graph *graph, fgt_forecaster_opts *opts, column_roles *c);
/* Loads the graph of --graph; *graph is NULL without the option. */
bool train_load_graph(run *r, fgt_graph **graph);
/* The options of the model; with --auto, the chosen options. */
fgt_forecaster_opts     train_final_opts(const run *r);
fgt_forecaster_fit_opts train_final_fit_opts(const run *r);

bool selector_create(run *r);
/* Loads the model of --load. Checks that options that are stored in the file are the same if they are
 * given. */
bool load_model(run *r);

/* ---- auto.c ---- */

/* Searches for r->forecaster, and prints a table of the trials. */
bool auto_search(run *r);

/* ---- insight.c ---- */

/* insight_start: makes the page of --report, before training. Without the option all three functions do
 * nothing. */
bool insight_start(run *r);
/* insight_record: records the part of an epoch that the page shows. */
bool insight_record(run *r, const fgt_progress *p);
bool insight_write(run *r);
/* Adds the accuracy of the forecasts to r->page. */
bool insight_add_quality(const run *r);

/* ---- scores.c ---- */

/* Allocates sums for the series of r->info, all of them 0, and scales of 1. Call scores_done() even after an
 * error. */
bool scores_allocate(scores *s, const run *r, int64_t season);
/* scores_allocate() for the series of r->forecaster, with the scales of its columns. `same` has the naive
 * errors of this season in the training rows; NULL: they are measured. */
bool scores_init(scores *s, const run *r, int64_t season, const scores *same);
void scores_done(scores *s);
/* Forecasts windows and adds their errors; out: file for each forecast, NULL: not written. */
bool scores_take(scores *s, const run *r, fgt_forecaster *f, fgt_forecast_visit_opts o, FILE *out);
/* First rows of forecasts that begin in different rows. */
typedef struct series_rows {
    const fgt_table *const *axis; /* [series]: the tables that have these rows */
    const int64_t          *row;  /* [series]; -1: no forecast */
} series_rows;

/* Adds the errors of one forecast; rows NULL: it begins in window->row of the table. */
bool scores_add(scores *s, const run *r, const fgt_forecast_window *window, const series_rows *rows,
                FILE *out);
/* Adds the errors of `one` by step and series. */
void scores_sum(scores *s, const scores *one);
/* scores_errors: errors of steps first .. first+steps-1 of all series. scores_of_series: an
 * fgt_forecast_measure of one series. */
errors scores_errors(const scores *s, int64_t first, int64_t steps);
double scores_of_series(const scores *s, int64_t series, int64_t first, int64_t steps, int32_t measure);
/* Writes the first line of a file of forecasts, with a column for each quantile of the model. */
void forecasts_head(const run *r, FILE *out);
/* The time of a row as in the table; without times its number, from 1, written to `text`. */
const char *row_label(const fgt_table *table, int64_t row, char text[TIME_MAX]);
/* row_label() for a row of `axis`, in the format of `table`. */
const char *row_label_of(const fgt_table *table, const fgt_table *axis, int64_t row, char text[TIME_MAX]);

/* ---- measure.c ---- */

/* Measures errors on validation and test windows, for the model and the baselines. */
bool measure_all(run *r);
/* Chooses the season of the baseline: a day, a week or a year, with the least error on the validation rows,
 * or on the test rows if there are no validation rows. */
bool measure_season(run *r);

/* ---- certainty.c ---- */

/* Measures intervals and quantiles on the test windows. */
bool certainty_measure(run *r);
/* Computes r->intervals and r->coverage from the sums of intervals in s. */
bool certainty_conclude(run *r, const scores *s);
/* The number of errors that an interval of this level needs. */
int64_t certainty_needs(double level);
void certainty_done(run *r);

/* ---- backtest.c ---- */

/* Trains and measures from the origins of --backtest. r->forecaster must exist, for names and lengths;
 * afterwards it is the last model that was trained. */
bool backtest_all(run *r);
/* The number of origins that fit into `rows` rows; each needs `window` rows and is `every` rows after the
 * previous one. */
int64_t backtest_count(int64_t every, int64_t window, int64_t rows);
/* Whether `rows` rows hold all origins, which need `window` rows each and are `every` rows apart. On error
 * prints a message and returns false. */
bool backtest_fits(const run *r, int64_t every, int64_t window, int64_t rows);

/* ---- input.c ---- */

/* Reads the files of --data. */
bool input_load(run *r);
/* The columns that --long named in the training, in its notation; false: the model was not trained on a long
 * file. */
#define KEPT_TEXT 512
bool input_kept_form(const run *r, char text[KEPT_TEXT]);
/* Whether the values of a table stay on disk. */
bool table_is_stored(const fgt_table *table);
/* Reads only one file of --data. On error prints a message and returns the status. */
fgt_status input_load_one(const run *r, const char *path, fgt_table **table);
/* Writes the files of --data as the table file of --convert. */
bool input_convert(run *r);
/* Reads the columns known in advance, from --future; NULL without it. input_load_future() also prints what it
 * filled. */
bool input_read_future(const run *r, fgt_table **future);
bool input_load_future(const run *r, fgt_table **future);
/* The static features of --static. */
bool input_load_features(run *r);
/* Reads the days of --holidays. A model of --load uses them if it was trained with holidays. */
bool input_load_holidays(run *r);
/* Warns if the forecast of `rows` rows after row `last` reaches beyond the last listed day. */
void input_warn_of_holidays(const run *r, int64_t last, int64_t rows);

/* ---- markers.c ---- */

/* Sets has [columns]: columns with a number such as -9999, if one column has it in more rows than can be left
 * out. On error prints a message and returns false. */
bool markers_find(const run *r, const char *path, const fgt_table *table, bool *has);
/* Warns if a column has numbers such as -9999 far from its other values; for a table on disk only in rows
 * from `first` on. said [columns]: columns to skip, NULL: no columns. On error prints a message and returns
 * false. */
bool markers_warn(const run *r, const char *path, const fgt_table *table, int64_t first, const bool *said);

/* ---- outliers.c ---- */

/* Makes single values of targets and past columns missing if they are probably wrong, and names them, unless
 * an option keeps them. table: of this file. r->forecaster, if there is one, has the columns. On error prints
 * a message and returns false. */
bool outliers_leave_out(const run *r, const char *path, fgt_table *table);

/* ---- ranges.c ---- */

/* Warns if a column lies far outside of the range that the loaded model has seen. On error prints a message
 * and returns false. */
bool ranges_warn(const run *r, const char *path, const fgt_table *table);

/* ---- columns.c ---- */

/* Columns that are read as categories: from --past and --known, or from the model of --load. */
typedef struct categories {
    name_list    past, known;
    const char **all, **apart;
} categories;

/* Adds the categories to csv; future: only the known ones. Call categories_done() after the file was read,
 * even after an error. */
bool categories_find(const run *r, bool future, categories *c, fgt_csv_opts *csv);
void categories_done(categories *c);

/* The targets of --plot-series, or up to three of all targets, which the caller frees. NULL after a
 * message. */
int64_t *columns_to_plot(const run *r, int64_t *count);
/* Writes "; did you mean price?" for a name of the command line that the table does not have, or nothing. */
const char *columns_meant(const run *r, const fgt_table *table, char text[NEAR_TEXT]);
/* Call columns_done() even after an error. */
bool columns_find(const run *r, column_roles *c);
/* Refuses columns without a value in the training rows. */
bool columns_check_late(const run *r, const name_list *l);
/* Adds the series of the model that a table lacks to the table, without values, and names them. */
bool columns_add_absent(const run *r, const char *path, fgt_table *table, int64_t *count);
bool columns_is_absent(const run *r, int64_t target);
/* Names the series that are left out, and columns that are not used; path: of the file, NULL: there is only
 * one. */
void columns_warn(const run *r, const char *path);
void columns_done(column_roles *c);

/* ---- groups.c ---- */

/* The group of each training window, which the caller frees, and the number of groups: calm, medium and
 * lively, or with --by-group the series. NULL after a message. */
int64_t *groups_of_windows(const run *r, int64_t *groups);

/* ---- reference.c ---- */

/* The loss of the linear map in closed form for each training window, which the caller frees. NULL after a
 * message. */
float *reference_of_windows(run *r);

/* ---- report.c ---- */

void report_start(const run *r, FILE *out);
/* Prints the rows that were removed, and the first one with other values; table NULL: a column has no
 * name. */
void report_repeats(const fgt_table *table, const fgt_table_info *t, FILE *out);
/* Prints how many missing values were filled in which columns; path: of the file, NULL: there is only one. */
void report_filled(const fgt_table *table, const char *path, FILE *out);
/* {"ot": 11, "load": 1} */
json_t *report_pack_fills(const run *r);
json_t *report_list_ignored(const run *r);
void report_errors(const run *r, FILE *out);
/* Prints the origins of --backtest, `every` rows apart. */
void report_backtest_start(const run *r, int64_t every, FILE *out);
/* Prints one JSON object. */
bool report_json(run *r, FILE *out);

/* ---- fast.c ---- */

/* Checks that the options can be combined with --fast. On error prints a message and returns false. */
bool fast_check(const options *o);
/* Whether an option has an effect without training. */
bool fast_takes(const char *option);
/* The first option that needs a model, without --; NULL: not given. */
const char *fast_blocked_by(void);
/* Whether the only options that need a model are additional columns; then the model is blended with local
 * forecasters. */
bool fast_beside(void);
/* Whether no option needs a model. */
bool fast_may(const options *o);
/* Whether nothing is trained: with --fast, or for a long file or a short table without options that need a
 * model. */
bool fast_wanted(const run *r);
/* Names the output for which a model is trained instead: without it the forecasts would differ. */
void fast_say_why_not(const run *r, FILE *out);
/* Forecasts the series of the table, and prints the results. */
bool fast_run(run *r);

/* ---- own_step.c ---- */

/* Refuses series with a longer step than the file, because a model has one step. On error prints a message
 * and returns false. */
bool own_step_check(const run *r);

/* ---- blend.c ---- */

/* Makes r->blend, unless the options ask for only a model, and prints a message. */
bool blend_find(run *r, FILE *out);

/* ---- blend_report.c ---- */

/* Prints the members of the blend, and the errors of blend and model. */
void blend_print(const run *r, FILE *out);
/* Adds members and errors of the blend to the page, with its forecasts; without a blend does nothing. */
bool blend_page(const run *r);

/* ---- predict_file.c ---- */

/* Forecasts of the rows after the rows of a table. */
typedef struct predict_file {
    const fgt_table   *table;
    int64_t            series, steps;
    const char *const *name;     /* [series] */
    const double      *quantile; /* [quantile_count] */
    int64_t            quantile_count;
    const double      *interval; /* [interval_count]: shares */
    int64_t            interval_count;
    const double      *values; /* [planes,steps,series]: the forecast, its quantiles, the ends of intervals */
    const int64_t     *row;    /* [series]: number of the first row that is forecast; -1: no forecast */
    const fgt_table *const *axis; /* [series]: the tables that have these rows; NULL: the table of the file */
} predict_file;

/* Writes the forecasts as CSV, in long form if the table was long. */
bool predict_file_write(const predict_file *f, const char *path);

/* ---- predict.c ---- */

/* Number of planes [H,C] of a forecast: the forecast, the model's quantiles, both ends of each interval. */
int64_t predict_planes(const run *r);
/* Forecasts the rows after the data, [planes,H,C]; rows [C]: the first row of each target's forecast, -1: no
 * forecast. */
bool predict_values(run *r, double *values, int64_t *rows);
/* predict_values() from known rows of the table, which are equal for all targets. Intervals are NaN if there
 * are too few errors for them. */
bool predict_known(run *r, double *values, const int64_t *rows);
/* Refuses a target whose last value is in row `last` (-1: it has no value), and which has no value in the
 * `rows` rows before the forecast; over [info.columns]: all such targets. */
bool predict_refuse_over(const run *r, const bool *over, int64_t target, int64_t last, int64_t rows);
/* Columns that end before the last row, and the last row of the first such column. */
typedef struct predict_late {
    int64_t     count;
    const char *name;
    int64_t     row;
} predict_late;
/* Prints a warning; what: the treatment of the later rows. */
void predict_warn_late(const run *r, const predict_late *late, const char *what);
/* The row of `future` that is h rows after row first - 1 of the table, or -1 if it lacks this time. */
int64_t predict_find_future(const fgt_table *table, const fgt_table *future, int64_t first, int64_t h);
/* Before the training: checks that outputs that need test windows have them, prints which columns of a wide
 * table ended too long ago to be forecast, and what --future lacks. */
bool predict_check(const run *r);
/* Forecasts the rows after the last row with a target, and writes a CSV file, in long form if the data was
 * long. */
bool predict_next(run *r, const char *path);

/* ---- counts.c ---- */

/* Counts have no negative forecasts without --allow-negative. Finds the counts among the targets of a new
 * forecaster, if at least half of its targets are counts. On error prints a message and returns false. */
bool counts_find(const run *r, fgt_forecaster *f);
/* Prints that forecasts of counts below 0 become 0. */
void counts_report(const fgt_forecaster_info *i, FILE *out);

/* ---- predict_all.c ---- */

/* Forecasts from rows of all files of --data into the file of --predict-all. */
bool predict_all(run *r);

/* ---- plot.c, or no_plot.c without cairo ---- */

/* Checks that a plot can be written to this path. On error prints a message and returns false. */
bool plot_check(const char *path);
/* Draws the windows of a model. */
bool plot_write(run *r, const char *path);

/* Windows of H = info.pred_len rows and of the history before them, for C = info.columns series. */
typedef struct plot_data {
    int64_t                 history, windows, planes;
    double                 *values;   /* [windows,history+H,C], as in the file; NaN: not known */
    double                 *forecast; /* [windows,planes,H,C], planes as in predict_planes() */
    int64_t                *row;      /* [windows,C]: first row of the forecast; -1: no forecast */
    const fgt_table *const *axis;     /* [C]: the tables that have these rows; NULL: the table of the run */
} plot_data;

/* Draws the series of --plot-series. */
bool plot_draw(run *r, const char *path, const plot_data *data);

#endif
