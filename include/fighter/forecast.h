/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FORECAST_H
#define FIGHTER_FORECAST_H

/** @file forecast.h A forecaster: a model, with the scaler and the names of its series. It reads rows and
 *  forecasts the next rows, in the units of the rows.
 *
 *      fgt_table_load(ctx, "ETTh1.csv", NULL, &table);
 *      fgt_split_compute(ctx, fgt_table_count_rows(table), NULL, &split);
 *      fgt_forecaster_create(ctx, table, &split, &FGT_OPTS(fgt_forecaster_opts, .pred_len = 24), &f);
 *      fgt_forecaster_fit(f, table, &split, NULL, NULL);
 *      fgt_forecaster_evaluate(f, table, split.test_begin, split.test_end, &metric);
 *      fgt_forecaster_create_refit(f, table, &split, NULL, NULL, &all);
 *      fgt_forecaster_save(all, FGT_TO_FILE("etth1.safetensors"));
 *      ...
 *      fgt_forecaster_load(ctx, FGT_FROM_FILE("etth1.safetensors"), NULL, &f);
 *      fgt_forecaster_workspace *own = fgt_forecaster_get_workspace(f);
 *      fgt_forecaster_workspace_predict_rows(own, &FGT_OPTS(fgt_forecast_rows, .rows = rows), forecast);
 *
 *  Letters: C series, L rows of input (input_len), H rows of forecast (pred_len).
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/forecast_options.h>
#include <fighter/model.h>
#include <fighter/scaler.h>
#include <fighter/table.h>
#include <fighter/time.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_forecaster fgt_forecaster;

/** Makes a forecaster with initial weights for the series of a table. A forecast is the sum of three parts: a
 *  linear part, the output of the layers, and the effect of the values that are known in advance.
 *  docs/forecaster.md has the equations.
 *
 *  The linear part is an affine map from the L rows of a series to the next H rows. This map is the weighted
 *  mean of several ridge regressions and other simple maps, each fitted to the training rows in closed form.
 *  The weight of each map depends on its errors on the validation rows. The mean is then blended with the
 *  last value of the series. There is no linear part if no_linear is set, if L + H is above 2048, or if the
 *  training rows have no window without gaps. A forecaster with FGT_BLOCK_LINEAR and without quantiles and
 *  mask has only the linear part.
 *
 *  The layers forecast what the linear part leaves. They read the last layer_len rows:
 *    patch    [revin] - patches - linear(dim) - position - block - flatten - dropout - linear(H) - [back]
 *    time     [revin] - linear(dim) - position - block - linear(C) - linear(H) along time - [back]
 *    time, with a decoder: [revin] - conv(dim) - position - block, which is the memory - decoder - [back]
 *    variate  [revin] - swap - linear(dim) - block - linear(H) - swap - [back]
 *    FGT_BLOCK_LINEAR, which has no tokens: [revin] - linear(H) along time - [back]
 *  If there is a linear part, the last map of the layers is 0 at first, so that a new forecaster forecasts by
 *  the linear part only. Training changes only the layers. fgt_block_add() says what each block consists of.
 *
 *  The effect of the known values (columns, calendar, holidays) is subtracted from the input and added to the
 *  forecast. One part of the effect is linear and is fitted with the linear part; a small network learns the
 *  rest. The linear effect is also called the profile of a series: its usual values at these times. The
 *  profile is added to the tokens of the series.
 *
 *  With past columns a last linear map makes the targets from all columns. With quantiles the layers output Q
 *  numbers, which fgt_quantiles() sorts; the forecast is the quantile that is nearest to 0.5. A missing value
 *  in the input is replaced by the value a season earlier, or else by the last value before it. The scaler is
 *  fitted to the training rows.
 *  Source   identity: Shao et al. 2022 (STID); series that read each other (fgt_forecast_space): Marisca et
 *           al. 2025; patch: Nie et al. 2023; variate: Liu et al. 2024; linear: Zeng et al. 2023; decoders:
 *           Vaswani et al. 2017, Zhou et al. 2021 and Wu et al. 2021, with the authors' code on github,
 *           zhouhaoyi/Informer2020 and thuml/Autoformer;
 *           ridge regression: Hoerl and Kennard 1970; exponential weights: Dalalyan and Tsybakov 2008
 *  Shapes   table [R,columns]
 *  Units    as in the table
 *  Cost     for the linear part, with M = L + H, time grows with C M^3. During the call there is memory for
 *           two matrices [M,M] of double, and five more for each thread. On one thread, 7 series take 0.5 s
 *           with M = 432 and 2 s with M = 816; 21 series take 4 s and 11 s
 *  Owner    everything is copied; *forecaster is the caller's, the context must outlive it
 *  Errors   FGT_E_ARG, also a split beyond the table, variates for a block that reads its tokens in order, a
 *           decoder or space that does not fit the tokens or the block, a graph that no layer reads;
 *           FGT_E_NAME no such column, or a name that is not UTF-8; FGT_E_DATA a series without a value in
 *           the training rows, or a negative value with non_negative (row, column); FGT_E_SHAPE a graph of
 *           another size, patches longer than L; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error *forecaster
 *           is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_create(fgt_context *ctx, const fgt_table *table,
                                                  const fgt_split *split, const fgt_forecaster_opts *opts,
                                                  fgt_forecaster **forecaster);

/** Destroys a forecaster and sets *forecaster to NULL.
 *  Owner    takes *forecaster */
FGT_API void fgt_forecaster_destroy(fgt_forecaster **forecaster);

typedef struct fgt_forecaster_fit_opts {
    size_t       size;
    fgt_training training; /**< samples are windows. batch: at most the forecaster's batch; 0: the
                                forecaster's batch / thin. patience 0: 3 thin. average 0: 0.995. selector:
                                selects among the windows whose rows are all training rows; sample i is window
                                i. checkpoint_seconds: only if thin is 1 */
    int32_t      loss;     /**< an fgt_loss_kind, except kinds for classes or logits. Kinds for counts need
                                non_negative and no_linear. A model with quantiles allows only 0 or
                                FGT_LOSS_QUANTILE, the mean pinball loss of all quantiles */
    float        quantile; /**< as in fgt_loss_opts */
    float   dispersion;    /**< a, as in fgt_loss_opts. Here counts are measured in standard deviations of the
                                training rows: a count with mean s has the variance s + a s^2 */
    float   spectral;      /**< share of the loss that compares Fourier transforms along the H rows, as in
                                fgt_loss_opts; not with quantiles */
    int64_t thin; /**< k: an epoch trains on n / k of the n windows, drawn anew for each epoch; the validation
                       loss takes at most every k-th window. This is enough because neighbouring windows share
                       most of their rows. 1: all windows. 0: the largest k up to 4 that leaves 8000 windows,
                       but 1 with `batch`, with a selector and in an update. A selector does not allow k above
                       1 */
    int64_t start_patience; /**< number of windows. The training stops after so many windows if no validation
                                 loss was below 0.995 times the loss of the linear part. Later it stops after
                                 so many windows without a better loss, unless a loss was below 0.98 times the
                                 loss of the linear part. 0: half of the windows, at least 150 batches, but no
                                 such stop if patience is given. -1: no such stop */
    int32_t apart;    /**< 1: trains the layers without the linear part, then blends both. No effect in an
                           update, or if the model has only the linear part */
    int32_t reserved; /**< 0 */
} fgt_forecaster_fit_opts;

/** Trains on all windows of the training rows (AdamW, cosine schedule, gradients clipped to norm 1). The
 *  training stops early by the loss on validation windows, whose targets are validation rows, and keeps the
 *  weights of the best epoch. Validation windows are H / 16 rows apart or a few rows more, but closer if
 *  fewer than 256 windows would be left. Without validation rows the training keeps the last weights. With a
 *  linear part it also stops early if the layers gain little (start_patience). The scaler does not change.
 *  With a selector the learning rate follows the steps that the selector plans. With thin = 4 an epoch takes
 *  a quarter of the time and has as many steps (docs/results/attent.md).
 *
 *  With a linear part, and without quantiles, the layers are scaled at the end by a factor from 0 to 1 that
 *  the validation rows choose (docs/forecaster.md). best_loss of the report is the loss with this factor. If
 *  best_loss is not below the loss before the training, the weights from before the training are restored,
 *  and best_epoch is 0.
 *
 *  With a linear part and quantiles, the quantiles of a new forecaster are equal. Before the training they
 *  become the quantiles of the linear part's errors on the validation rows or, with fewer than 20 windows
 *  there, on the training rows.
 *
 *  With apart = 1 the last value of a series replaces the linear part while the layers are trained; then the
 *  result is blended with the linear part. In this case the weights of revin, the network of the known values
 *  and the map from columns to targets are not trained. After an error the weights from before the training
 *  are restored.
 *  Shapes   the table has the forecaster's series, found by their names
 *  Units    losses in standard deviations of the training rows; MSE in their squares
 *  Owner    everything is borrowed for the call; report (its size set) may be NULL
 *  Errors   as fgt_model_fit(); FGT_E_ARG also a loss that does not fit the forecaster, apart = 1 without
 *           validation rows, without a linear part or with quantiles; FGT_E_NAME a series is missing;
 *           FGT_E_DATA too few training or validation rows for a window, or a negative target with
 *           non_negative (row, column) */
FGT_API FGT_MUST fgt_status fgt_forecaster_fit(fgt_forecaster *forecaster, const fgt_table *table,
                                               const fgt_split *split, const fgt_forecaster_fit_opts *opts,
                                               fgt_fit_report *report);

/** Makes a second forecaster that has learned from all rows. First train and measure a forecaster as usual:
 *  validation rows choose its parts, and test rows tell its errors. But validation and test rows are the
 *  newest rows, and a forecaster that has learned from them, too, forecasts the next rows better. The first
 *  forecaster, with its measured errors, does not change.
 *
 *  All rows are the rows from split->train_begin to the last row with a target value (of a table on disk: the
 *  last row). The scaler is fitted to all rows. The linear part is the same weighted mean as in the first
 *  forecaster, with each map fitted to all rows (of a table on disk: to as many of the last rows as a quarter
 *  of the table's memory holds). The effect of the known values is fitted to the same rows. The layers begin
 *  with the weights of the first forecaster and are trained further on all windows. If the layers add nothing
 *  to the linear part, they are not trained.
 *
 *  info.seen_rows, info.seen_last and info.trained_last count all rows, so no rows are left to measure
 *  errors. For intervals (fgt_forecaster_set_calibration() of evaluate.h) the second forecaster keeps the
 *  errors of the first one on rows that the first one was not trained on, unless these errors are too few.
 *  opts: as for fgt_forecaster_fit(), with the loss of the training. Defaults: 3 epochs, lr 2e-4. There is
 *  no validation, and apart has no effect.
 *  Shapes   the table and the split of the training
 *  Units    losses in squares of standard deviations
 *  Cost     about twice the time that fgt_forecaster_create() takes for the linear part, plus the time of the
 *           epochs
 *  Owner    everything is borrowed for the call; opts and report (its size set) may be NULL; *all is the
 *           caller's, the context must outlive it
 *  Errors   as fgt_forecaster_fit(); FGT_E_ARG also training or validation rows beyond the last value;
 *           FGT_E_STATE an adapter is active. On error *all is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_create_refit(fgt_forecaster *forecaster, const fgt_table *table,
                                                        const fgt_split *split,
                                                        const fgt_forecaster_fit_opts *opts,
                                                        fgt_fit_report *report, fgt_forecaster **all);

/** Trains a forecaster further with new rows, so that a nightly job takes seconds. It trains on the windows
 *  whose targets are new rows or rows of the last 28 days (672 rows, if 28 days have fewer). The optimiser
 *  starts with moments of zero, or with the moments of an earlier run (`moments` of opts). On artificial
 *  hourly series that were updated every week, moments of an earlier run gave errors that were 0.3 to 1.3 %
 *  higher. The scaler does not change. Afterwards info.seen_rows, info.seen_last and info.trained_last count
 *  the new rows, too. Before the training the forecaster forecasts the new rows. The errors of these
 *  forecasts are kept for intervals (fgt_forecaster_set_calibration() of evaluate.h).
 *  opts: as for fgt_forecaster_fit(), with the loss of the training. Defaults: 3 epochs, lr 2e-4. There is
 *  no validation; the last weights stay.
 *  Shapes   the table has the forecaster's columns, and should have L rows before the new rows, because the
 *           first L rows are only input. row is the first new row; -1: the first row whose time is after the
 *           last row seen. The last new row is the last row with a target value
 *  Units    losses in squares of standard deviations
 *  Owner    everything is borrowed for the call; opts and report (its size set) may be NULL
 *  Errors   as fgt_forecaster_fit(); FGT_E_ARG also a row beyond the table, row -1 if rows have no times;
 *           FGT_E_DATA also rows that are not newer than the rows seen; FGT_E_STATE the forecaster has only a
 *           linear part and nothing to train: make a new one from all rows, which takes seconds */
FGT_API FGT_MUST fgt_status fgt_forecaster_update(fgt_forecaster *forecaster, const fgt_table *table,
                                                  int64_t row, const fgt_forecaster_fit_opts *opts,
                                                  fgt_fit_report *report);

/** Compares forecasts with the true values on all windows whose H target rows lie in begin .. end-1; their
 *  input rows may be earlier. Every window counts, also in a last batch that is not full. Unless info.blind
 *  is 1, a target without any value in the L rows of a window is neither compared nor trained on in this
 *  window.
 *  Shapes   the table has the forecaster's series, found by their names
 *  Units    standard deviations of the training rows
 *  Owner    borrowed; the results are added to metric
 *  Errors   FGT_E_ARG, FGT_E_NAME; FGT_E_DATA no window fits, or a value that
 *           fgt_forecaster_workspace_predict_rows() refuses; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_evaluate(fgt_forecaster *forecaster, const fgt_table *table,
                                                    int64_t begin, int64_t end, fgt_metric *metric);

/* The number h of rows of a forecast is the number of rows of the view that it is written to. If h < H, these
 * are the first h rows of a forecast of H rows. If h > H, the forecast is recursive: the model forecasts H
 * rows, takes them as input, and forecasts the next H rows. Errors grow with each turn, so a model that was
 * trained for h rows is usually better. Known columns are needed up to the last row. Past columns have no
 * values in the rows of a forecast, so h > H is FGT_E_UNSUPPORTED with past columns. */

/** Forecasts h rows of a table, rows `row` .. `row` + h - 1, from the L rows before them. row -1: the first
 *  row after the last row with a target value. Columns are found by their names, in any order. The rows must
 *  have the same step as the training rows. Known columns need values in the h rows of the forecast, and in
 *  all H rows if the layers read the known values of all H rows. These values come from the rows of `future`
 *  with the same times. If `future` is NULL or lacks a time, they come from rows of the table after the last
 *  target value. If rows have no times, row i of `future` belongs to row i of the forecast.
 *  Shapes   the table has the forecaster's columns and L rows, future the known columns; forecast [h,C] of
 *           F32 or F64
 *  Units    as in the table
 *  Cost     h / H passes, rounded up; after the first one nothing is allocated
 *  Owner    borrowed; future may be NULL. A missing value is replaced as fgt_forecaster_create() says
 *  Errors   FGT_E_ARG, also a row beyond the table; FGT_E_SHAPE; FGT_E_NAME a column is missing; FGT_E_DATA
 *           fewer than L rows before `row`, no target value in these L rows (unless info.blind is 1), rows
 *           with another step, no times if the model reads the calendar, a known column without a value for a
 *           row of the forecast, a value more than 1e15 deviations from the mean (row, column), a forecast
 *           that is not finite (series, row); FGT_E_UNSUPPORTED past columns and h > H; FGT_E_NOMEM (first
 *           pass). On error forecast is untouched, except after a forecast that is not finite */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_table(fgt_forecaster *forecaster, const fgt_table *table,
                                                         int64_t row, const fgt_table *future,
                                                         const fgt_view *forecast);

/** First row of a forecast of the future: the row after the last row with a target value. For a table on disk
 *  it is the row after the last row.
 *  Units    index of a row. It is the number of rows of the table, if the last row has a target value
 *  Errors   -1: NULL, or a target is not in the table */
FGT_API int64_t fgt_forecaster_find_row(const fgt_forecaster *forecaster, const fgt_table *table);

/** Input windows that the host passes as arrays instead of a table: one window, or n in one call. */
typedef struct fgt_forecast_rows {
    size_t          size;
    const fgt_view *rows;  /**< [R,C + past], or [n,R,C + past] for n windows, of F32 or F64, R >= L; only the
                                last L rows are read */
    const fgt_view *known; /**< [R + H,known], or [n,R + H,known]: the known columns of the R rows and of the
                                next H rows (of h rows if h > H). NULL if the model has no known columns */
    const int64_t  *time;  /**< [1] or [n]: time of the last row of each window in milliseconds since 1970.
                                Needed if the model reads calendar, holidays or cycles; NULL: no times */
} fgt_forecast_rows;

/* ---- workspaces -------------------------------------------------------------------------------- */

/** Memory that forecasts write to. Each thread has a workspace of its own, and all share the forecaster. */
typedef struct fgt_forecaster_workspace fgt_forecaster_workspace;

/** The forecaster's own workspace, which fgt_forecaster_predict_table() uses. Its memory is allocated by the
 *  first forecast.
 *  Owner    the forecaster's, for as long as the forecaster exists; fgt_forecaster_workspace_destroy() leaves
 *           it as it is
 *  Errors   none; NULL for NULL */
FGT_API fgt_forecaster_workspace *fgt_forecaster_get_workspace(fgt_forecaster *forecaster);

/** Creates a workspace of a forecaster; see fgt_model_create_workspace().
 *  Shapes   batch of opts: windows in a pass, 0: 1
 *  Owner    *ws is the caller's; the forecaster must outlive it
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM; *ws is NULL on error. The context has the
 *           error text */
FGT_API FGT_MUST fgt_status fgt_forecaster_create_workspace(const fgt_forecaster      *forecaster,
                                                            const fgt_workspace_opts  *opts,
                                                            fgt_forecaster_workspace **ws);

/** Destroys a workspace and sets *ws to NULL. The forecaster's own workspace stays.
 *  Owner    takes *ws */
FGT_API void fgt_forecaster_workspace_destroy(fgt_forecaster_workspace **ws);

/** The last error of this workspace in words.
 *  Owner    the workspace's
 *  Threads  one at a time per workspace */
FGT_API const char *fgt_forecaster_workspace_get_error(const fgt_forecaster_workspace *ws);

/** Makes the forecasts of fgt_forecaster_predict_table() for one or many values of `row`, with the threads
 *  and the memory of a workspace. A pass takes as many windows as the workspace's batch. If rows have no
 *  times, row 0 of `future` belongs to the first row of each forecast.
 *  Shapes   rows [count], each at least L; with count 1 also -1; forecast [count,h,C] of F32 or F64
 *  Units    as in the table
 *  Cost     h / H passes for each batch; nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   as fgt_forecaster_predict_table(), FGT_E_NOMEM only in the forecaster's own workspace; FGT_E_ARG
 *           also count < 1; fgt_forecaster_workspace_get_error() has the error text. On error forecast is
 *           untouched
 *  Threads  one thread for each workspace, all at the same time, while no thread changes the forecaster and
 *           the tables */
FGT_API FGT_MUST fgt_status fgt_forecaster_workspace_predict_windows(fgt_forecaster_workspace *ws,
                                                                     const fgt_table          *table,
                                                                     const int64_t *rows, int64_t count,
                                                                     const fgt_table *future,
                                                                     const fgt_view  *forecast);

/** Forecasts all quantiles of the H rows from `row` on, in the rising order of info.quantiles. The arguments
 *  are as in fgt_forecaster_predict_table(). Unless info.blind is 1, a target without a value in the L rows
 *  before `row` has NaN in the result. If the last value of a target is in the row before `row`, known values
 *  that `future` lacks come from the table.
 *  Shapes   table and future as in fgt_forecaster_predict_table(); quantiles [Q,H,C] of F32 or F64
 *  Units    as in the table
 *  Cost     one pass; after the first one nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   as fgt_forecaster_predict_table(), but FGT_E_DATA only if no target has a value; FGT_E_STATE the
 *           model has no quantiles. On error quantiles are untouched
 *  Threads  as fgt_forecaster_workspace_predict_windows() */
FGT_API FGT_MUST fgt_status fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_workspace *ws,
                                                                       const fgt_table *table, int64_t row,
                                                                       const fgt_table *future,
                                                                       const fgt_view  *quantiles);

/** Forecasts the rows after the last of the given rows. The columns must be in the order of
 *  fgt_forecaster_get_name(), and the rows must have the right step. This call cannot check that; otherwise
 *  the forecast is wrong. fgt_forecaster_predict_table() checks both.
 *  Shapes   see fgt_forecast_rows; forecast [h,C], or [n,h,C], of F32 or F64
 *  Units    as in the table
 *  Cost     h / H passes for each batch; after the first one nothing is allocated
 *  Owner    borrowed. NaN is a missing value and is replaced as fgt_forecaster_create() says
 *  Errors   FGT_E_ARG, also no time if the model needs one; FGT_E_SHAPE; FGT_E_VERSION; FGT_E_DATA fewer than
 *           L rows, no target value in the last L rows, a known column without a value for a row of the
 *           forecast, or a value more than 1e15 deviations from the mean (row, column); FGT_E_UNSUPPORTED
 *           past columns and h > H; FGT_E_NOMEM (first pass). On error forecast is untouched
 *  Threads  as fgt_forecaster_workspace_predict_windows() */
FGT_API FGT_MUST fgt_status fgt_forecaster_workspace_predict_rows(fgt_forecaster_workspace *ws,
                                                                  const fgt_forecast_rows  *rows,
                                                                  const fgt_view           *forecast);

/* ---- files ------------------------------------------------------------------------------------- */

/** Writes weights, configuration, scaler, windows and names to one safetensors file, as fgt_model_save().
 *  Owner    to: borrowed for the call
 *  Errors   as fgt_output says; FGT_E_IO (the old file stays, unless the error text says that the new one was
 *           written); FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_save(const fgt_forecaster *forecaster, const fgt_output *to);

/** Makes the forecaster that a file of fgt_forecaster_save() holds. The rules for files in model.h hold here.
 *  Owner    from is borrowed for the call; opts may be NULL; *forecaster is the caller's
 *  Errors   as fgt_model_load(); FGT_E_ARG batch < 0; FGT_E_FORMAT also a file of another kind. On
 *           error *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_load(fgt_context *ctx, const fgt_input *from,
                                                const fgt_load_opts *opts, fgt_forecaster **forecaster);

/** Properties of a forecaster. */
typedef struct fgt_forecaster_info {
    size_t   size;
    int64_t       columns;   /**< C, number of targets */
    int64_t  input_len; /**< L */
    int64_t  pred_len;  /**< H */
    uint64_t seed;      /**< of the initial weights */
    int32_t  block;     /**< an fgt_block */
    int32_t  tokens;    /**< an fgt_tokens */
    int32_t  revin;
    int32_t       calendar;  /**< sum of the fgt_calendar parts that the model reads; 0: no calendar */
    int64_t  past;      /**< past columns */
    int64_t  known;     /**< known columns */
    fgt_time_step step;      /**< time from one row to the next; 0, 0: not known */
    int64_t  seen_rows; /**< rows of training and validation in the last fit; 0: no fit yet */
    int64_t  seen_first, seen_last; /**< times of the first and the last of these rows, milliseconds since
                                         1970; both 0 if rows have no times */
    int64_t  trained_last; /**< time of the last training row (without validation rows), or of the last row of
                                the last update; 0 if rows have no times */
    int64_t  holidays;  /**< number of holiday features of a row; 0: no holidays. The features are the number
                             of holidays among the days that the row covers; a flag for the next and for the
                             previous day; and a flag for each holiday name in the training rows, at most 16,
                             if there are at least two names */
    int64_t  statics;   /**< S, static features of a series; 0: none */
    int32_t  non_negative; /**< 1: no forecast is below 0 */
    int32_t  mask;         /**< 1: the model reads which input values were missing */
    int32_t  linear;       /**< 1: the forecaster has a linear part */
    int32_t  cycles;       /**< FGT_CALENDAR_DAY if each time of the day has a learned vector, plus
                                FGT_CALENDAR_WEEK if each day of the week has one */
    int32_t  identity;     /**< 1: each series has a learned vector */
    int32_t  blind;        /**< 1: targets without a value in the window are forecast and compared, too */
    int64_t  quantile_count; /**< Q; 0: the model has no quantiles */
    double   quantiles[FGT_QUANTILES_MAX];
    int64_t  counts;    /**< number of targets that are counts, see fgt_forecaster_set_counts() */
    /** Column names of the long file that the forecaster was made from, to read files with newer rows: the
     *  columns of series (as in `id` of fgt_csv_opts), times and values. The texts are the forecaster's;
     *  NULL: the rows did not come from a long file, or the file had no such column */
    const char *id_column, *time_column, *value_column;
} fgt_forecaster_info;

/** Fills *info, whose size field the caller has set.
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_forecaster_get_info(const fgt_forecaster *forecaster,
                                                    fgt_forecaster_info *info);

/** Name of a column: first the targets, then the past columns, then the known columns.
 *  Shapes   column in 0 .. C-1, or 0 .. C + past + known - 1
 *  Owner    the forecaster's
 *  Errors   none; NULL if there is no such column
 *  Threads  any */
FGT_API const char *fgt_forecaster_get_name(const fgt_forecaster *forecaster, int64_t column);

/** The list of holidays that the forecaster reads, with the holiday names that the model tells apart.
 *  Owner    the forecaster's; valid until fgt_forecaster_set_holidays()
 *  Errors   none; NULL if it reads no holidays
 *  Threads  any */
FGT_API const fgt_days *fgt_forecaster_get_holidays(const fgt_forecaster *forecaster);

/** Replaces the holidays by a list that reaches further. Names that the model does not tell apart count as
 *  holidays without a name.
 *  Owner    copied
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the model was made without holidays; FGT_E_NOMEM. On error the old
 *           holidays stay
 *  Threads  no thread may forecast at the same time */
FGT_API FGT_MUST fgt_status fgt_forecaster_set_holidays(fgt_forecaster *forecaster, const fgt_days *days);

/** Finds the targets that are counts. A target is a count if all its values in this table are whole numbers
 *  and not negative; but if these targets are fewer than half of all, none is a count. For counts,
 *  forecasts, quantiles and ends of intervals below 0 are replaced by 0, also when errors are measured,
 *  unless the L rows before the forecast have a value below 0. Training does not change. Files keep which
 *  targets are counts; a mean of several forecasters takes this from its first member.
 *  Shapes   the table has the targets, found by their names; NULL: no target is a count
 *  Errors   FGT_E_ARG forecaster is NULL; FGT_E_NAME; FGT_E_UNSUPPORTED a table on disk; FGT_E_NOMEM. On
 *           error the same targets as before are counts
 *  Threads  no thread may forecast at the same time */
FGT_API FGT_MUST fgt_status fgt_forecaster_set_counts(fgt_forecaster *forecaster, const fgt_table *table);

/** The model of a forecaster, for access to parameters, hash and adjacency (exact.h). The model reads and
 *  forecasts standardised values.
 *  Shapes   x [B,L,C + past] -> y [B,H,C], or [B,H,C,Q] with quantiles
 *  Units    standard deviations
 *  Owner    the forecaster's
 *  Errors   none; NULL for NULL */
FGT_API fgt_model *fgt_forecaster_get_model(fgt_forecaster *forecaster);

/** The scaler of all columns, in the order of fgt_forecaster_get_name().
 *  Shapes   C + past + known columns
 *  Units    as in the table
 *  Owner    the forecaster's
 *  Errors   none; NULL for NULL */
FGT_API const fgt_scaler *fgt_forecaster_get_scaler(const fgt_forecaster *forecaster);

#ifdef __cplusplus
}
#endif
#endif
