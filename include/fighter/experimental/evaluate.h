/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_EVALUATE_H
#define FIGHTER_EXPERIMENTAL_EVALUATE_H

/** @file evaluate.h Quality and certainty of forecasts: intervals, all forecasts of known rows, and errors by
 *  series and by step, in the units of the table.
 *
 *      typedef struct error_sums {
 *          fgt_context         *ctx;
 *          fgt_forecast_metric *metric;                                     // [H,C], zeros at first
 *      } error_sums;
 *
 *      static fgt_status compare(void *user, const fgt_forecast_window *w)
 *      {
 *          error_sums *e = user;
 *          return fgt_forecast_metric_add(e->ctx, &w->forecast, &w->truth, e->metric);
 *      }
 *      ...
 *      error_sums sums = {ctx, metric};
 *      fgt_forecaster_visit(forecaster, table,
 *                           &FGT_OPTS(fgt_forecast_visit_opts, .begin = split.test_begin), compare, &sums);
 *      fgt_forecast_metric_sum(sums.metric + c, H, C, &by_series);          // c: a target
 *      fgt_forecast_metric_sum(sums.metric + h * C, C, 1, &by_step);        // h: a step
 *      fgt_forecast_metric_get_measure(&by_series, FGT_FORECAST_MEASURE_MAE, NULL);
 *
 *  Letters: C targets, H rows of a forecast (pred_len), L rows of input, Q quantiles of the model.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/experimental/collective.h>
#include <fighter/forecast.h>
#include <fighter/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- intervals --------------------------------------------------------------------------------- */

/** Errors of recent forecasts, by step and target, from which intervals of the next forecasts are made. */
typedef struct fgt_calibration fgt_calibration;

/** Makes a calibration. It forecasts windows whose H rows are before `row`, compares the forecasts with the
 *  true values, and keeps the errors of the last 28 days (672 rows, if 28 days have fewer), from at most 1008
 *  windows. row -1: the row of fgt_forecaster_find_row(). Errors on training rows are too small, so windows
 *  with targets up to info.trained_last are left out. If fewer than 20 windows remain, the last 20 windows,
 *  or all, are used. If rows have no times, the training rows are not known; then pass a table that begins
 *  after them. A model with quantiles has errors of each quantile. If the forecaster keeps errors
 *  (fgt_forecaster_set_calibration()) of more windows than the table has, the kept errors are used, together
 *  with errors of newer rows. The table then needs only the L rows before `row`.
 *  Source   split conformal prediction: Vovk, Gammerman and Shafer 2005; only recent errors, because errors
 *           change in time: Barber et al. 2023; quantiles: Romano, Patterson and Candes 2019, but for each
 *           end of an interval by itself
 *  Shapes   as fgt_forecaster_evaluate()
 *  Cost     a forecast of each window; 4 H C bytes for each window, 4 Q H C with quantiles
 *  Owner    *calibration is the caller's, and does not need the forecaster any more
 *  Errors   FGT_E_ARG; FGT_E_NAME, FGT_E_DATA as fgt_forecaster_evaluate(), also no window; FGT_E_SIZE;
 *           FGT_E_NOMEM. On error *calibration is NULL */
FGT_API FGT_MUST fgt_status fgt_calibration_create(fgt_forecaster *forecaster, const fgt_table *table,
                                                   int64_t row, fgt_calibration **calibration);

/** Stores errors of a calibration in the forecaster, in place of errors stored before. For each step and
 *  target up to 199 of the sorted errors are stored, at equal distances, which is enough for intervals of up
 *  to 99 %. Files of the forecaster include the errors and grow by 800 Q H C bytes. fgt_forecaster_update()
 *  stores the errors that the model made on the new rows before it was trained on them; fgt_forecaster_fit()
 *  removes stored errors.
 *  Shapes   a calibration of the same H, C and quantiles; NULL: no stored errors
 *  Owner    copied
 *  Errors   FGT_E_ARG; FGT_E_SHAPE; FGT_E_NOMEM. On error the forecaster is as before */
FGT_API FGT_MUST fgt_status fgt_forecaster_set_calibration(fgt_forecaster        *forecaster,
                                                           const fgt_calibration *calibration);

/** The errors stored in a forecaster, for fgt_calibration_compute_quantile(), without a table.
 *  Owner    the forecaster's; valid until the forecaster is destroyed or trained, or stores other errors
 *  Errors   NULL: no stored errors
 *  Threads  any */
FGT_API const fgt_calibration *fgt_forecaster_get_calibration(const fgt_forecaster *forecaster);

/** Destroys a calibration and sets *calibration to NULL.
 *  Owner    takes *calibration */
FGT_API void fgt_calibration_destroy(fgt_calibration **calibration);

/** Number of windows whose errors a calibration has.
 *  Units    windows
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_calibration_count_windows(const fgt_calibration *calibration);

/** Number of windows of a calibration on whose rows the model was trained, as far as is known. Such windows
 *  are used if there are fewer than 20 other windows; their errors are smaller than the errors of future
 *  forecasts. Files of forecasters do not have this number.
 *  Units    windows
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_calibration_count_trained_windows(const fgt_calibration *calibration);

/** Computes the q-quantile of the true values: the forecast plus the q-quantile of past errors of the same
 *  step and target. The quantiles (1 - p) / 2 and (1 + p) / 2 are an interval that contains a share p of the
 *  values, if errors stay as they were. This needs 2 / (1 - p) - 1 errors, and at least 20. If there are
 *  fewer, errors of all steps and targets are used, each divided by a spread: the root mean square of the
 *  errors of its target, scaled by how much larger or smaller errors of its step are. Such quantiles never
 *  cross. If the model has quantiles, the result is the model's quantile nearest to q, plus the q-quantile of
 *  past errors of this quantile. So intervals are wider where the model is less certain. The model should
 *  have quantiles near the ends of the intervals. Results from different quantiles of the model may cross. If
 *  forecasts cannot be negative, results cannot be negative either.
 *  Shapes   forecast [H,C] of F32 or F64, or [Q,H,C] as fgt_forecaster_workspace_predict_quantiles() makes
 *           it; out [H,C], which may be forecast
 *  Units    as in the table
 *  Errors   FGT_E_ARG q is not between 0 and 1; FGT_E_SHAPE; FGT_E_NOMEM. out is NaN for a target without
 *           known errors */
FGT_API FGT_MUST fgt_status fgt_calibration_compute_quantile(const fgt_calibration *calibration,
                                                             const fgt_view *forecast, double q,
                                                             const fgt_view *out);

/** Quality of intervals of one level. The struct is frozen: it will never grow. */
typedef struct fgt_interval_metric {
    int64_t count;  /**< values */
    int64_t inside; /**< number of values inside their intervals: inside / count is the coverage */
    double  width;  /**< sum of the widths */
    double  score;  /**< sum of interval scores. A score is the width, plus 2 / (1 - level) times the distance
                         of the value from the interval */
} fgt_interval_metric;

/** The intervals that fgt_forecaster_evaluate_intervals() makes. */
typedef struct fgt_forecast_interval_opts {
    size_t        size;
    int64_t       begin;       /**< first row that may be forecast */
    int64_t       end;         /**< row after the last one; 0: the number of rows of the table */
    const double *levels;      /**< shares of values inside the intervals, each between 0 and 1; no default */
    int64_t       level_count; /**< at least 1 */
} fgt_forecast_interval_opts;

/** Makes intervals for all windows that fgt_forecaster_evaluate() compares, and compares the intervals with
 *  the true values. Each interval is computed from the errors that were known when the forecast was made. The
 *  known errors are updated once a day, or at each row if a row is a day or longer. If too few errors of a
 *  step and target were known for a level, the value is left out.
 *  Source   interval score: Gneiting and Raftery 2007
 *  Shapes   metrics [level_count]; by_step [level_count,H] of F32 or F64: coverage by step, NaN if no value
 *           was compared; NULL: not needed
 *  Units    standard deviations of the training rows
 *  Cost     two forecasts of each window, and sorting of 1008 errors of each step and target
 *  Owner    metrics are overwritten
 *  Errors   FGT_E_ARG; FGT_E_SHAPE; errors of fgt_forecaster_evaluate(); FGT_E_DATA also fewer than 20
 *           forecasts before each window; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_evaluate_intervals(fgt_forecaster                   *forecaster,
                                                              const fgt_table                  *table,
                                                              const fgt_forecast_interval_opts *opts,
                                                              fgt_interval_metric              *metrics,
                                                              const fgt_view                   *by_step);

/* ---- forecasts of known rows -------------------------------------------------------------------- */

/** One forecast and the true values, for a visitor. */
typedef struct fgt_forecast_window {
    size_t   size;
    int64_t  window;   /**< number of the window, from 0 */
    int64_t  row;      /**< first row of the table that is forecast */
    fgt_view forecast; /**< [H,C] of F64, in units of the table; this and the following views are valid during
                            the call */
    fgt_view truth;    /**< [H,C] of F64; NaN if the table has no value */
    fgt_view quantiles; /**< [Q,H,C] of F64; data is NULL if the model has no quantiles, or the forecast is
                             naive */
    fgt_view low, high; /**< [levels,H,C] of F64: ends of the intervals; NaN if too few errors were known for
                             the level; data is NULL without levels */
} fgt_forecast_window;

/** A function of the host that gets a window. It returns FGT_OK to go on, or a status that ends the call,
 *  such as FGT_E_CANCELLED. The function must not call the forecaster. */
typedef fgt_status (*fgt_forecast_visit_fn)(void *user, const fgt_forecast_window *window);

typedef struct fgt_forecast_visit_opts {
    size_t        size;
    int64_t       begin;       /**< first row that may be forecast */
    int64_t       end;         /**< row after the last one; 0: the number of rows of the table */
    int64_t       stride;      /**< rows from one window to the next; 0: 1 */
    int64_t       season;      /**< 0: forecasts of the model; otherwise naive forecasts, as in
                                    fgt_forecaster_evaluate_naive() */
    const double *levels;      /**< levels of intervals, each between 0 and 1; not with a season; NULL: no
                                    intervals */
    int64_t       level_count; /**< 0 with levels NULL */
} fgt_forecast_visit_opts;

/** Forecasts all windows whose H rows are in rows begin .. end-1, and passes each forecast to `visit` with
 *  the true values. The first window begins with row `begin`, or with the first row that has enough rows
 *  before it. `visit` is called in the order of the windows, in the thread of the call. Intervals are
 *  computed from the errors that were known when a forecast was made, as in
 *  fgt_forecaster_evaluate_intervals().
 *  Shapes   the table has the forecaster's columns, found by their names
 *  Units    as in the table
 *  Cost     as fgt_forecaster_evaluate(), with levels as fgt_forecaster_evaluate_intervals(); without levels
 *           the memory does not depend on the number of windows
 *  Owner    borrowed; opts may be NULL: all windows of the table
 *  Errors   as fgt_forecaster_evaluate() and fgt_forecaster_evaluate_naive(); FGT_E_ARG also a level
 *           that is not between 0 and 1, or levels with a season; FGT_E_SIZE; FGT_E_VERSION;
 *           any status that `visit` returns */
FGT_API FGT_MUST fgt_status fgt_forecaster_visit(fgt_forecaster *forecaster, const fgt_table *table,
                                                 const fgt_forecast_visit_opts *opts,
                                                 fgt_forecast_visit_fn visit, void *user);

/** Evaluates naive forecasts as fgt_forecaster_evaluate() does for a forecaster. The naive forecast repeats
 *  the last season before the forecast: it is the latest known value that lies a whole number of seasons
 *  earlier. Season 1 repeats the last value. A missing value is replaced by the value one season earlier. If
 *  there is no such value, it is replaced by the mean, or by 0 if the forecaster is non_negative and has
 *  no_linear.
 *  Shapes   the table has the forecaster's columns; 1 <= season <= begin
 *  Units    standard deviations of the training rows
 *  Owner    borrowed; the results are added to metric
 *  Errors   FGT_E_ARG also a season out of range; FGT_E_NAME; FGT_E_DATA no window fits; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_evaluate_naive(fgt_forecaster *forecaster, const fgt_table *table,
                                                          int64_t begin, int64_t end, int64_t season,
                                                          fgt_metric *metric);

/** Number of windows that fgt_forecaster_evaluate() has in rows begin .. end-1. With `inside` only windows
 *  whose inputs also are in these rows count; these are the training windows of fgt_forecaster_fit().
 *  Units    windows
 *  Errors   none; 0 if no window fits
 *  Threads  any */
FGT_API int64_t fgt_forecaster_count_windows(const fgt_forecaster *forecaster, int64_t begin, int64_t end,
                                             int32_t inside);

/* ---- measures ----------------------------------------------------------------------------------- */

/** Sums of errors e = forecast - truth, in the units of one series; zero at first. The struct is frozen: it
 *  will never grow. */
typedef struct fgt_forecast_metric {
    int64_t count;     /**< values compared */
    double  error;     /**< sum of e */
    double  absolute;  /**< sum of |e| */
    double  square;    /**< sum of e^2 */
    double  truth;     /**< sum of |truth| */
    double  symmetric; /**< sum of 2 |e| / (|forecast| + |truth|); a pair of zeros counts as 0 */
    double  relative;  /**< sum of |e| / |truth| over values other than 0 */
    int64_t not_zero;  /**< number of values other than 0 */
} fgt_forecast_metric;

/** Measures of errors, from sums over n values. */
typedef enum fgt_forecast_measure {
    FGT_FORECAST_MEASURE_MSE   = 0, /**< sum e^2 / n */
    FGT_FORECAST_MEASURE_RMSE  = 1, /**< root of MSE */
    FGT_FORECAST_MEASURE_MAE   = 2, /**< sum |e| / n */
    FGT_FORECAST_MEASURE_BIAS  = 3, /**< sum e / n */
    FGT_FORECAST_MEASURE_WAPE  = 4, /**< sum |e| / sum |truth|, a share */
    FGT_FORECAST_MEASURE_SMAPE = 5, /**< mean of 2 |e| / (|forecast| + |truth|), 0 .. 2 */
    FGT_FORECAST_MEASURE_MASE  = 6, /**< MAE / MAE of a naive forecast on the training rows */
    FGT_FORECAST_MEASURE_RMSSE = 7, /**< RMSE / RMSE of the naive forecast of MASE */
    FGT_FORECAST_MEASURE_MAPE  = 8  /**< mean of |e| / |truth| over values other than 0 */
} fgt_forecast_measure;

/** Adds the errors of one forecast. Values with a NaN truth are left out.
 *  Shapes   forecast, truth [H,C] of F32 or F64; metrics [H,C]
 *  Units    as in the table
 *  Owner    the errors are added to metrics
 *  Errors   FGT_E_ARG; FGT_E_SHAPE. Then metrics are untouched */
FGT_API FGT_MUST fgt_status fgt_forecast_metric_add(fgt_context *ctx, const fgt_view *forecast,
                                                    const fgt_view *truth, fgt_forecast_metric *metrics);

/** Adds up `count` elements of metrics, each `stride` elements after the one before. In metrics [H,C] a
 *  series has count H and stride C, and a step has count C and stride 1. Sums over several series are useful
 *  if the series have the same unit.
 *  Owner    *sum is overwritten; it may be one of the metrics
 *  Errors   none; zero for NULL
 *  Threads  any */
FGT_API void fgt_forecast_metric_sum(const fgt_forecast_metric *metrics, int64_t count, int64_t stride,
                                     fgt_forecast_metric *sum);

/** The value of a measure. naive: the sums of fgt_forecaster_compute_naive_errors() for the same series.
 *  Source   sMAPE: Makridakis, Spiliotis and Assimakopoulos 2020, as a share; MASE: Hyndman and Koehler 2006;
 *           RMSSE: Makridakis, Spiliotis and Assimakopoulos 2022; WAPE: the MAD/mean ratio of Kolassa and
 *           Schuetz 2007
 *  Shapes   one element each; naive may be NULL, for measures other than MASE and RMSSE
 *  Units    MSE: the square of the table's unit; RMSE, MAE, BIAS: the table's unit; the others: no unit
 *  Errors   NaN: NULL, no values, an unknown measure, or a denominator that is 0
 *  Threads  any */
FGT_API double fgt_forecast_metric_get_measure(const fgt_forecast_metric *metric, int32_t measure,
                                               const fgt_forecast_metric *naive);

/** Computes sums of the errors of a naive forecast one season ahead: the value of row t is the forecast of
 *  row t + season. MASE and RMSSE divide by these errors on the training rows. Pairs of rows with a missing
 *  value are left out.
 *  With a collective all processes make this call, and each process reads a part of the rows. All processes
 *  get the sums of all rows, with the same bits for any number of processes.
 *  Shapes   naive [C]; both rows of a pair lie in begin .. end-1
 *  Units    as in the table; season: rows
 *  Owner    naive is overwritten; collective is borrowed for the call, NULL: only this process computes
 *  Errors   FGT_E_ARG, also a season below 1, rows beyond the table, other rows in another process;
 *           FGT_E_NAME a target is not in the table; FGT_E_NOMEM; FGT_E_IO the exchange failed, or a table
 *           file. Then naive is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_compute_naive_errors(const fgt_forecaster *forecaster,
                                                                const fgt_table *table, int64_t begin,
                                                                int64_t end, int64_t season,
                                                                const fgt_collective *collective,
                                                                fgt_forecast_metric  *naive);

/* ---- quantiles ---------------------------------------------------------------------------------- */

/** Sums over values that were compared with one quantile; zero at first. The struct is frozen: it will never
 *  grow. */
typedef struct fgt_quantile_metric {
    int64_t count; /**< values */
    int64_t below; /**< number of values not above the quantile: below / count should be q */
    double  loss;  /**< sum of pinball losses (FGT_LOSS_QUANTILE) */
} fgt_quantile_metric;

/** Compares all quantiles of a forecaster with the truth, on the windows of fgt_forecaster_evaluate().
 *  Source   pinball loss: Koenker and Bassett 1978
 *  Shapes   metrics [Q,H]
 *  Units    standard deviations of the training rows
 *  Owner    metrics are overwritten
 *  Errors   as fgt_forecaster_evaluate(); FGT_E_STATE the model has no quantiles */
FGT_API FGT_MUST fgt_status fgt_forecaster_evaluate_quantiles(fgt_forecaster  *forecaster,
                                                              const fgt_table *table, int64_t begin,
                                                              int64_t end, fgt_quantile_metric *metrics);

/** Adds up `count` elements of metrics, each `stride` elements after the one before. In metrics [Q,H] a
 *  quantile has count H and stride 1.
 *  Owner    *sum is overwritten; it may be one of the metrics
 *  Errors   none; zero for NULL
 *  Threads  any */
FGT_API void fgt_quantile_metric_sum(const fgt_quantile_metric *metrics, int64_t count, int64_t stride,
                                     fgt_quantile_metric *sum);

/** The continuous ranked probability score of a distribution, 2 int_0^1 loss(q) dq, estimated from some
 *  quantiles: the integral becomes a sum in which each quantile stands for the levels nearest to it. With
 *  only one quantile, the median, the score is the mean absolute error.
 *  Source   Gneiting and Raftery 2007; as a mean of pinball losses: Laio and Tamea 2007
 *  Shapes   metrics, quantiles [count], of rising quantiles
 *  Units    as the losses
 *  Errors   NaN: NULL, no quantile, a quantile without values
 *  Threads  any */
FGT_API double fgt_quantile_metric_get_crps(const fgt_quantile_metric *metrics, const double *quantiles,
                                            int64_t count);

#ifdef __cplusplus
}
#endif
#endif
