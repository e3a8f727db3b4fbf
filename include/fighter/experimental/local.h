/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_LOCAL_H
#define FIGHTER_EXPERIMENTAL_LOCAL_H

/** @file local.h Forecasts of many series, or of short series, without training. Simple forecasters forecast
 *  each series; their forecasts are blended with weights that depend on their errors on the last rows of the
 *  series. Input and output are arrays.
 *
 *      double         sales[N][48], forecast[N][12];
 *      const double  *values[N];   // values[i] = sales[i]
 *      const int64_t  rows[N];     // rows[i] = 48
 *      fgt_forecast_local(ctx, values, rows, N,
 *                         &FGT_OPTS(fgt_local_opts, .horizon = 12, .season = 12, .forecast = forecast[0]));
 *
 *  examples/08_local.c is a whole program.
 *
 *  Letters: N series, H rows of a forecast, K members, Q levels.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** K, number of members of a blend. Later versions of the library may add members at the end. So a host
 *  passes this number, with which it was compiled, as member_count of fgt_local_opts. */
#define FGT_LOCAL_MEMBERS 31

/** A function of the host that is told how many of all forecasts are done, including forecasts from earlier
 *  origins. The function returns FGT_OK to go on, or another status to stop; then the call returns
 *  FGT_E_CANCELLED. The function may not use the context. */
typedef fgt_status (*fgt_local_progress_fn)(void *user, int64_t done, int64_t all);

/** A model of the host as one more member, called "trained model". The function writes a forecast of the H
 *  rows after the first `rows` rows of a series; NaN means that the model has no forecast. The function
 *  returns FGT_OK, or a status that ends the call. It is called in the thread of the call, origin by origin,
 *  and may use the context. */
typedef fgt_status (*fgt_local_model_fn)(void *user, int64_t series, int64_t rows, double *forecast);

/** A function of the host that gets the forecasts by which the host's model is judged. forecast [3,H] is for
 *  the rows after the first `rows` rows of a series: the model's forecast, the forecast of the other members,
 *  and the blend of both, with weights and share chosen by other rows. The host can compare these forecasts
 *  with the values of the rows. The function returns FGT_OK, or a status that ends the call. It is called in
 *  the thread of the call, and may use the context. */
typedef fgt_status (*fgt_local_judged_fn)(void *user, int64_t series, int64_t rows, const double *forecast);

/** Options and outputs. Arrays for outputs belong to the caller, and all but `forecast` may be NULL. */
typedef struct fgt_local_opts {
    size_t        size;
    int64_t       horizon;      /**< H, rows to forecast; no default */
    int64_t       season;       /**< number of rows of a season: 12 for months, 7 for days; 0 or 1: no
                                     season */
    int64_t       long_season;  /**< number of rows of a second, longer season: 365 for days; 0: no such
                                     season. If it is at most 336 rows, and half of the series have 2 to 12
                                     long seasons, the long season replaces season where its errors in the
                                     last rows are smaller */
    const double *levels;       /**< [Q] levels of quantiles, between 0 and 1, in rising order; NULL with
                                     level_count 0 */
    int64_t       level_count;  /**< Q, up to 1000 */
    double       *forecast;     /**< [N,H] */
    double       *quantiles;    /**< [N,H,Q] */
    double       *weights;      /**< [N,member_count]: weight of each member; over all K members they add up
                                     to 1 */
    int64_t       member_count; /**< FGT_LOCAL_MEMBERS; 0 with weights NULL. If the library is newer and has
                                     more members, the weights of the further members are left out */
    double       *hindcast;     /**< [N,H]: a forecast of the last H rows from the rows before them, with
                                     weights chosen by older rows, for comparison with the values. It is
                                     limited to a distance of 50 mean changes from the values. NaN: the series
                                     is too short, or there are many series and it is not among the evenly
                                     spaced ones whose errors are kept */
    double       *hindcast_quantiles; /**< [N,H,Q]: quantiles of the hindcast, from errors at older origins.
                                           The share of values below them shows how good quantiles are. Needs
                                           hindcast. NaN where the hindcast is NaN, and if no series has an
                                           origin before the rows of the hindcast */
    int64_t *left_out; /**< [N,FGT_LEFT_OUT]: rows whose values are probably errors and count as missing, in
                            rising order; -1: no more rows. Such a value is single, far from the values around
                            it and in other seasons, and never recurs. A shifted level counts as true from its
                            second row on. fgt_table_leave_out() has the whole rule */
    fgt_local_progress_fn progress;      /**< NULL: none; may cancel */
    void                 *user;          /**< of progress */
    int32_t               keep_outliers; /**< 1: no value is left out */
    int32_t               reserved;      /**< 0 */
    int64_t *begin; /**< [N]: the first row that counts; above 0 if a series begins with missing values, or
                         with zeros before the launch of a product */
    fgt_local_model_fn  model;       /**< see rule 7 of fgt_forecast_local(); NULL: no model */
    void               *model_user;  /**< of model */
    int64_t             model_rows;  /**< number of last rows of each series that the model has not learned
                                          from. Only forecasts of these rows judge the model */
    fgt_local_judged_fn judged;      /**< called for the origins in the newer half, see
                                          fgt_forecaster_predict_blend(); NULL: no callback */
    void               *judged_user; /**< of judged */
    int64_t *shifted; /**< [N]: the first row of a new level at the end of the series, which differs from the
                           level of all rows before; may be only the last row. -1: no new level. See rule 8 of
                           fgt_forecast_local() */
    int64_t *stuck;   /**< [N]: the first row of a run of equal values at the end of the series, if the run
                           has at least 8 rows, and four times as many as any earlier run; -1: no such run.
                           Quantiles include the value of the run */
} fgt_local_opts;

/** Forecasts the H rows after the last row of each series. The forecast is made from the last rows of the
 *  series: 2,000, or 4 seasons, or 2 long seasons, whichever is more; maps of long series learn from up to
 *  100,000 rows. Each series has its own beginning, end and scale: multiplying a series by a power of 2
 *  multiplies its forecasts, and changes nothing else. docs/forecasting.md has the rules in full.
 *    1. Members are K simple forecasters, see fgt_local_get_member_name(): last and seasonal values and their
 *       means; exponential smoothing with several kinds of trend, on the values without their season and on
 *       their logarithms; linear functions of the past of one series, and of windows of all series together;
 *       and, for series of 400 rows or more, ridge regressions on windows of up to 672 rows.
 *    2. Each member forecasts known rows at the end of each series from up to 6 origins; the forecast from an
 *       origin reads only the rows before it. Origins are H / 3 to 2 H rows apart. There are up to 12 origins
 *       if there are at most 3 series, and up to 24 if half of the series have 500 rows or more.
 *    3. A member has a high weight in a series if it improves the blend in series of this kind (level, trend,
 *       season, length), and if its errors in this series are small. A series that is too short for an origin
 *       gets the weights that the other series choose. A simple forecast (last value, seasonal value, last
 *       value with drift, or mean) gets half of the weight or all, if the blend is better by less than 3 %,
 *       or by less than two standard errors, and at least 25 forecasts judge. If the rows before the origins
 *       are too few to show a season that the whole series shows, the seasonal value gets weight: the more,
 *       the closer rows are to the rows a season before. In the same way long phase means get more weight, if
 *       the series has 2 to 3 long seasons of up to 7 seasons each. A series of fewer than two seasons and 2
 *       rows takes the season that longer series share, with rows counted from the end, as far as its own
 *       rows follow this season.
 *    4. The forecast is the weighted mean of the members. Quantiles are the forecast plus quantiles of the
 *       errors of the blend at earlier origins. These errors come from all series, each in units of the error
 *       of its own series; the units grow with the level of a series if its changes did so. Quantiles rise
 *       with their levels. If a series is never below 0, forecasts and quantiles are not below 0. They are
 *       not beyond its largest or smallest value if the series came back to this value at least three times,
 *       in both its halves, and in 2 % of its rows, such as percentages that reach 100. There are no other
 *       bounds. Without any earlier origin all weights are equal, and quantiles come from a random walk with
 *       changes as large as the changes of the series. A series of one row has no changes: its quantiles are
 *       NaN if no series has 5 rows. If a series has 5 rows or more, and all are equal, forecast and
 *       quantiles equal these rows, to the last bit.
 *    5. Rare counts are series that are never below 0 and have 0 in more than two fifths of the last rows, at
 *       no particular phase of the season. Their forecast is their rate, the mean of the values with weights
 *       .96^age, so the sum of a forecast is the amount needed. Quantiles are quantiles of the values with
 *       the same weights, so the median may be 0. For all other series the median is the forecast.
 *    6. A run of zeros at the beginning of a series does not count if it is more than twice as long as any
 *       later run of zeros and the rows after it have few zeros: the product was not sold yet.
 *    7. A model of the host is one more member. Its share of the blend depends on errors, see
 *       fgt_forecaster_predict_blend(). If no row can judge the model, it gets all weight. It gets no weight
 *       if its forecast is NaN, and in series of rule 5. With a model, series of 500 rows have up to 96
 *       origins, and need 8 H bytes more for each series and origin.
 *    8. A shift is a new level in the last rows, at most 24 rows and a fifth of the series. Then the rows
 *       before count as if they were at the new level. With k rows at the new level, quantiles of levels
 *       within 1 / (k + 1) of 0 or 1 also include the old level. A single row at a new level may be an error:
 *       the forecast stays at the old level, and the outer quantiles reach to the row. If the shift has two
 *       rows or more, the model of rule 7 gets no weight if it did not forecast half of the shift; if it did,
 *       the series does not count as shifted. Filled rows make no level. If at least a tenth of the series
 *       shifted, quantiles leave out errors on rows of the new level.
 *  The bits do not depend on the number of threads.
 *  Source   weights by features: Montero-Manso, Athanasopoulos, Hyndman and Talagala 2020, "FFORMA";
 *           combinations: Bates and Granger 1969; members: the headers of lib/forecast/local
 *  Shapes   values [N], where values[i] has rows[i] numbers. NaN is a missing value, which is replaced by a
 *           straight line between its neighbours; see also left_out
 *  Units    as each series
 *  Cost     linear in N; about a millisecond for a series of a hundred rows. Memory: the size of the values;
 *           700 bytes for each series and origin; 250 bytes for each row of a forecast and thread, up to 256
 *           MiB; and up to 20 MiB for each thread if series have maps
 *  Owner    the arrays in opts that receive results belong to the caller. After an error do not use them
 *  Errors   FGT_E_ARG also no series, a horizon below 1, a season below 0; FGT_E_DATA a series without a
 *           value, or with one that is infinite or beyond 1e150; FGT_E_SIZE; FGT_E_NOMEM; FGT_E_VERSION;
 *           FGT_E_CANCELLED */
FGT_API FGT_MUST fgt_status fgt_forecast_local(fgt_context *ctx, const double *const *values,
                                               const int64_t *rows, int64_t count,
                                               const fgt_local_opts *opts);

/** Forecasts the rows after the last row with a target value by a blend of the local forecasters of
 *  fgt_forecast_local() and a trained forecaster as one more member. Errors at up to 96 origins in the last
 *  third of the rows determine the weights. Let y be the values, f the forecasts of the forecaster, and f + d
 *  the blend of the other members. Then the weight of the other members in each series is
 *
 *      s = p sum_b (y - f) d / E_b / (1 + sum_b d^2 / E_b), limited to 0 .. 1
 *
 *  where p is the probability that d gains more than by chance, and E_b is the squared error of f at origin b
 *  plus the median of these errors. The sums are over the newer half of the origins b; the forecaster was not
 *  trained on their rows. The older half determines the weights of the other members within d.
 *  Source   gain: Clark and West 2007
 *  Shapes   arrays of opts as in fgt_forecast_local(), for N = C targets: forecast [C,horizon]
 *  Units    as in the table
 *  Cost     fgt_forecast_local() with four times as many origins, and a pass of the forecaster for each
 *           origin
 *  Owner    borrowed. all: a forecaster that has learned from all rows (fgt_forecaster_create_refit()) and
 *           makes the forecast; NULL: `forecaster` makes it. seen: number of rows of the table on which
 *           `forecaster` was trained, split.train_end. future may be NULL, see
 *           fgt_forecaster_predict_table(). opts->model must be NULL; opts->begin and opts->left_out are rows
 *           of the table
 *  Errors   as fgt_forecast_local() and fgt_forecaster_predict_table(); FGT_E_UNSUPPORTED a table on disk.
 *           After an error do not use the outputs */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_blend(fgt_forecaster *forecaster, fgt_forecaster *all,
                                                         const fgt_table *table, int64_t seen,
                                                         const fgt_table *future, const fgt_local_opts *opts);

/** Name of a member, 0 .. K-1: "theta", "seasonal value".
 *  Errors   NULL for another number
 *  Threads  any */
FGT_API const char *fgt_local_get_member_name(int64_t member);

#ifdef __cplusplus
}
#endif
#endif
