/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_H
#define FGTI_FORECASTER_H

/* Letters: C targets, D = C + past columns, which are the model's input; K known values of each row: known
 * columns, then calendar, then holidays; L and H as in forecast.h. */

#include <fighter/forecast.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/strings/list.h"
#include "core/tensor.h"
#include "data/store/store_cache.h"
#include "model/predictor/passes.h"

enum { FGTI_TOKENS_COUNT = 3 }; /* number of enumerators of fgt_tokens; recipe.c asserts it */

struct fgt_forecaster {
    fgt_context        *ctx;
    fgt_model          *model;
    fgt_scaler         *scaler; /* of the columns in `names` */
    fgti_strings        names;  /* targets, past columns, known columns */
    fgti_strings        form;   /* of a long file: names of its columns of series, times and, if there,
                                   values; empty: the rows came from no such file */
    fgt_days           *holidays; /* NULL: none */
    fgti_real          *statics;  /* [C,S], features of the series; NULL: none */
    int64_t            *counts;   /* [C], 1: the target has counts; NULL: no target has (counts.c) */
    fgt_forecaster_info info;
    int64_t             season; /* rows after which a missing value is likely to come again */
    int64_t             batch;
    fgt_forecaster_workspace *lent;   /* fgt_forecaster_get_workspace() */
    fgt_forecaster_workspace *own;    /* `lent` while it has memory, else NULL */
    fgti_passes             passes; /* of forecasts and errors */
    bool                    exact;  /* forecasts and errors use the model's own workspace instead */
    struct fgt_calibration *kept; /* errors that go with the file; NULL: none (kept_errors.c) */
};

static inline int64_t fgti_forecaster_inputs(const fgt_forecaster *f)
{
    return f->info.columns + f->info.past;
}

/* Numbers of the model's output for each step and target: one, or the quantiles. */
static inline int64_t fgti_forecaster_heads(const fgt_forecaster *f)
{
    return f->info.quantile_count ? f->info.quantile_count : 1;
}

/* The number of the quantile that is the forecast: the one nearest to the median. */
int64_t fgti_forecaster_middle(const fgt_forecaster *f);

/* FGT_E_ARG: the levels do not rise, or are not between 0 and 1. */
fgt_status fgti_quantiles_check(fgti_error *err, const double *quantiles, int64_t count);

/* K */
int64_t fgti_forecaster_known(const fgt_forecaster_info *info);

/* ---- forecaster.c ---- */

/* Makes a forecaster from its info and the names of its columns. The caller adds the model, the batch, the
 * seed, the season and the values of the scaler. Takes *names on success. */
fgt_status fgti_forecaster_new(fgt_context *ctx, const fgt_forecaster_info *info, fgti_strings *names,
                               fgt_forecaster **out);
/* fgt_forecaster_create() that takes closed forms from `forms`, and adds missing ones. */
struct fgti_closed_forms;
fgt_status fgti_forecaster_make(fgt_context *ctx, const fgt_forecaster_opts *opts, const fgt_table *table,
                                const fgt_split *split, struct fgti_closed_forms *forms,
                                fgt_forecaster **forecaster);
/* FGT_E_ARG: training or validation rows are not a range of the table. An empty validation range (end <=
 * begin) means no validation; it becomes 0, 0. */
fgt_status fgti_forecaster_check_split(fgt_context *ctx, const fgt_table *table, fgt_split *split);
/* For a table on disk: the last training rows and the first validation rows, three to one, in a quarter of
 * the memory that the table may take; at least eight windows of L + H rows. */
fgt_status fgti_forecaster_read_excerpt(int64_t window, const fgt_table *table, const fgt_split *split,
                                        fgt_table **excerpt, fgt_split *part);
/* Makes the workspace of the forecaster's own forecasts, if it does not exist yet. */
fgt_status fgti_forecaster_need_workspace(fgt_forecaster *f);

/* The workspace of the forecaster's own passes, made if needed; NULL: the model's own, because the forecaster
 * is exact, or masks or states are set there. */
fgt_status fgti_forecaster_get_passes(fgt_forecaster *f, fgt_workspace **passes);
/* Frees it, because training needs a larger one. */
void fgti_forecaster_drop_passes(fgt_forecaster *f);

/* ---- counts.c ---- */

/* The least forecast of a target, standardised; -INFINITY: no limit. */
double fgti_forecaster_least(const fgt_forecaster *f, int64_t target);
/* Raises forecasts below 0 to 0: of targets that cannot be negative, and of counts if their window has no
 * value below 0. x [windows,L,D], y [windows,H,C,Q]. */
void fgti_forecast_raise(const fgt_forecaster *f, const float *x, float *y, int64_t windows);
/* Copies which targets of another forecaster are counts. */
fgt_status fgti_counts_share(const fgt_forecaster *from, fgt_forecaster *to);

/* ---- scale.c ---- */

/* Whether targets have mean 0, which layers with positive output need. */
bool fgti_forecaster_keeps_0(const fgt_forecaster *f);

typedef struct fgti_scaling {
    bool shared;  /* all targets have one mean and deviation */
    bool keeps_0; /* targets have the mean 0 */
} fgti_scaling;

/* Sets the scaler from the training rows. index: the forecaster's columns in a table on disk; a table in
 * memory has only these, in order. */
fgt_status fgti_forecaster_fit_scaler(fgt_forecaster *f, fgti_scaling scaling, const fgt_table *table,
                                      const fgt_split *split, const int64_t *index);

/* ---- frame.c ---- */

/* The rows of a table as the model reads them. Rows of a table on disk are read when needed. */
typedef struct fgti_frame {
    const fgt_forecaster *f;
    const fgt_table      *table;
    int64_t               rows;
    float                *series; /* [rows,D], standardised; NaN is a missing value; on disk NULL */
    float                *known;  /* [rows,K]; on disk NULL */

    /* of a table on disk */
    fgti_cache *cache, *raw_cache; /* standardised, and as the table has them; [rows,D + known columns] */
    int64_t     room; /* L + H: consecutive rows, if they are not in one block: */
    float      *raw, *window; /* [room,D + known columns] each */
    float      *beside; /* [room,K] */
    float  *blocks; /* [slots,block,K]: known values of the blocks in the file's cache */
    int64_t *block; /* [slots]: numbers of these blocks; -1: empty */
} fgti_frame;

/* FGT_E_DATA: the rows have another step than the training rows, or no times for the calendar. */
fgt_status fgti_forecaster_check_times(const fgt_forecaster *f, fgti_error *err, const fgt_table *table);
/* FGT_E_DATA: rows begin .. end-1 have a negative value of a target that cannot be negative. */
fgt_status fgti_check_sign(const fgt_forecaster *f, const fgt_table *table, int64_t begin, int64_t end);
/* Finds the columns by their names. Call fgti_frame_done() even after an error. */
fgt_status fgti_frame_init(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame);
/* Rows row .. row+count-1, of a table on disk at most L + H, as [count,D], as [count,K], and as in the table,
 * [count,D + known columns]; valid until the next call of the same function. The last one is only for tables
 * on disk. FGT_E_IO, FGT_E_FORMAT. */
fgt_status fgti_frame_get_series(const fgti_frame *frame, int64_t row, int64_t count, const float **series);
fgt_status fgti_frame_get_known(const fgti_frame *frame, int64_t row, int64_t count, const float **known);
fgt_status fgti_frame_get_raw(const fgti_frame *frame, int64_t row, int64_t count, const float **raw);
/* A hash of rows begin .. end-1. */
uint64_t fgti_frame_hash(const fgti_frame *frame, int64_t begin, int64_t end);
/* Whether target c has a value in the rows [rows,D] before a forecast, or needs none: otherwise its forecast
 * has no basis, and it is neither trained on nor compared. */
bool fgti_frame_has_value(const fgt_forecaster *f, const float *before, int64_t rows, int64_t c);
void fgti_frame_done(const fgt_forecaster *f, fgti_frame *frame);

/* (v - mean) / scale of the forecaster's column c; FGT_E_DATA: too far away for a measurement. `what` and the
 * row are for the sentence; table NULL: not from a table; row -1: not known. */
fgt_status fgti_standardise(const fgt_forecaster *f, fgti_error *err, const char *what,
                            const fgt_table *table, int64_t row, int64_t c, double v, float *out);
/* Replaces the missing values of a window [rows,columns]. */
void fgti_fill(float *window, int64_t rows, int64_t columns, int64_t season);
/* Writes 1 for each missing value of a window, 0 for the others, before the window is filled. */
void fgti_mark_missing(const float *window, int64_t count, float *missing);

/* ---- fit.c ---- */

/* Fills in the defaults and checks the rest. windows: of the training rows. */
fgt_status fgti_fit_opts_check(const fgt_forecaster *f, int64_t windows, fgt_forecaster_fit_opts *o);
/* Lets every epoch draw its share of the windows, if the options say so. The caller destroys *selector, which
 * may be NULL, after the training. */
fgt_status fgti_fit_thin(const fgt_forecaster *f, const fgt_forecaster_fit_opts *o, const fgt_source *train,
                         fgt_fit_opts *all, fgt_attent **selector);
/* The loss of these options. */
fgt_loss_opts fgti_forecaster_loss(const fgt_forecaster *f, const fgt_forecaster_fit_opts *o);
/* Remembers, and saves, the rows of the training, because they cannot test the model. */
void fgti_forecaster_remember(fgt_forecaster *f, const fgt_table *table, const fgt_split *split);
/* Whether nothing is left to train: the model is only a linear part. */
bool fgti_forecaster_is_closed(const fgt_forecaster *f);
/* Trains on these windows, with checked options. stride: rows from one validation window to the next. */
fgt_status fgti_forecaster_train(fgt_forecaster *f, const fgt_forecaster_fit_opts *o, const fgt_source *train,
                                 const fgt_source *validation, int64_t stride, fgt_fit_report *report);

/* ---- predict.c ---- */

/* A target that was constant in the training rows and in a window stays constant: layers and maps that are
 * shared with other series do not change it. Counts are not below 0. x [windows,L,D] is the model's input, y
 * [windows,H,C,Q] its output. */
void fgti_forecast_settle(const fgt_forecaster *f, const float *x, float *y, int64_t windows);
/* FGT_E_DATA: the model's output for some windows, [windows,H,C,Q], is not finite. Its first row is row
 * `done` after the last one, counted from 0. */
fgt_status fgti_forecast_check(const fgt_forecaster *f, fgti_error *err, const float *y, int64_t windows,
                               int64_t done);
/* The forecasts among the model's outputs for some cells, [cells] of [cells,Q]; y may be points. */
void fgti_forecast_points(const fgt_forecaster *f, const float *y, int64_t cells, float *points);
/* Writes rows [rows,C] of the model's forecasts in units of the table, from row `at` of `forecast` on. */
void fgti_forecast_put(const fgt_forecaster *f, const float *y, int64_t rows, const fgt_view *forecast,
                       int64_t at);

/* Output of the model [H,C,Q] as quantiles [Q,H,C] in units of the table. */
void fgti_forecast_put_quantiles(const fgt_forecaster *f, const float *y, const fgt_view *quantiles);

/* ---- forecast_file.c ---- */

/* A further input of a forecaster's model, as it is for one window; v has no data. */
bool fgti_forecaster_find_input(const fgt_model *m, const char *name, fgt_view *v);

/* ---- recipe.c ---- */

/* Rows of input that show periods, as far as the table has rows to spare: if windows are a large part of it,
 * few are left to learn from. table may be NULL. defaults.c */
int64_t fgti_default_input(const fgt_table *table, const fgt_forecaster_opts *o);
/* layer_len, if the option is 0. */
int64_t fgti_default_layer_len(const fgt_forecaster_opts *o);
/* Whether there may be a linear part. */
bool fgti_recipe_has_linear(const fgt_forecaster_opts *o);
/* Whether the output of the layers is positive. */
bool fgti_recipe_is_positive(const fgt_forecaster_opts *o);
/* Fills in the defaults and checks all that does not depend on the columns. */
fgt_status fgti_recipe_check(fgti_error *err, const fgt_table *table, fgt_forecaster_opts *o);
/* Makes the model. graph NULL: the block's default; closed NULL: without a linear part. */
struct fgti_closed_form;
fgt_status fgti_recipe_build(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_forecaster_info *info,
                             const fgt_graph *graph, const struct fgti_closed_form *closed,
                             fgt_model **model);

/* Names of the model's further inputs with info.cycles: ids of the last row of the window. */
#define FGTI_TIME_OF_DAY "time_of_day" /* [B,1] */
#define FGTI_DAY_OF_WEEK "day_of_week" /* [B,1] */
/* Name of the model's further input with info.mask: 1 where series had no value. */
#define FGTI_MISSING "missing" /* [B,L,D] */
/* Names of its further inputs if K > 0. */
#define FGTI_KNOWN_BEFORE "known_before" /* [B,L,K] */
#define FGTI_KNOWN        "known"        /* [B,H,K] */

#endif
