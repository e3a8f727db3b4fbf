/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_LOCAL_H
#define FIGHTER_LOCAL_H

/** @file local.h Forecasts of many series, or of short ones, without training: simple forecasters of each
 *  series, blended by the errors that they made on its last rows. Arrays go in; forecasts and quantiles come
 *  out.
 *
 *      double         sales[N][48], forecast[N][12];
 *      const double  *values[N];   // values[i] = sales[i]
 *      const int64_t  rows[N];     // rows[i] = 48
 *      fgt_forecast_local(ctx,
 *                         &FGT_OPTS(fgt_local_opts, .horizon = 12, .season = 12, .forecast = forecast[0]),
 *                         values, rows, N);
 *
 *  examples/local.c is a whole program.
 *
 *  Letters: N series, H rows of a forecast, K members, Q levels.
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** K: the members of a blend. The number grows with new ones, which go to the end. */
#define FGT_LOCAL_MEMBERS 31

/** The library tells this function how many of all forecasts are done, forecasts from earlier origins
 *  included. It returns 0 to go on, anything else to stop, and may not use the context. */
typedef int (*fgt_local_progress_fn)(void *user, int64_t done, int64_t all);

/** A model of the host as one more member, "trained model": it forecasts the H rows after the first `rows`
 *  rows of a series; NaN: it has no forecast from there. The function returns FGT_OK, or a status that ends
 *  the call. The thread of the call runs it, origin by origin, and it may use the context. */
typedef fgt_status (*fgt_local_model_fn)(void *user, int64_t series, int64_t rows, double *forecast);

/** Tells the host of forecasts by which its model was judged, [3,H] of the rows that follow the first `rows`
 *  rows of a series: the forecast of the model, the one of the other members, and the blend of both, whose
 *  weights and share other rows chose. The values of these rows, which the host has, then say how good the
 *  three are. The thread of the call runs it. */
typedef void (*fgt_local_judged_fn)(void *user, int64_t series, int64_t rows, const double *forecast);

/** Outputs are arrays of the host. All but the forecast may be NULL. */
typedef struct fgt_local_opts {
    size_t        size;
    int64_t       horizon;     /**< H, rows to forecast; must be given */
    int64_t       season;      /**< rows of a season: 12 of months, 7 of days; 0 or 1: none */
    int64_t       long_season; /**< rows of a second, longer season: 365 of days; 0: none. Where half of the
                                    series have 2 to 12 of it, and it is not above 336, it takes the place
                                    of season, if that made smaller errors in the last rows */
    const double *levels;      /**< [Q] of quantiles, rising, between 0 and 1; NULL with level_count 0 */
    int64_t       level_count; /**< Q, up to 1000 */
    double       *forecast;    /**< [N,H] */
    double       *quantiles;   /**< [N,H,Q] */
    double       *weights;     /**< [N,K]: how much each member counts; they add up to 1 */
    double       *hindcast;    /**< [N,H]: a forecast of the last H rows from the rows before them, with
                                    weights that older rows chose, to be compared with the values; at most 50
                                    mean changes from them. NaN: the series is too short, or it is not among
                                    the evenly spaced series whose errors are kept in a large panel */
    double       *hindcast_quantiles; /**< [N,H,Q]: quantiles of the hindcast, from the errors of older
                                    origins: the share of values below them says how good quantiles are.
                                    NaN as in the hindcast, which must be given too, and where no series
                                    has an origin before the rows of the hindcast */
    int64_t *left_out; /**< [N,FGT_LEFT_OUT]: rows whose values count as missing, because they are taken for
                            wrong, rising: single values far from the rows around them and from other
                            seasons, which never recur; -1: none. A level that shifts is believed, from
                            its second row on at the latest. fgt_table_leave_out() has the whole rule */
    fgt_local_progress_fn progress; /**< NULL: none; may cancel */
    void                 *user;     /**< of progress */
    int32_t               keep_outliers; /**< 1: no value is left out */
    int32_t               reserved;      /**< 0 */
    int64_t *begin; /**< [N]: the first row that counts: above 0 after missing values, and after zeros before
                         a launch */
    fgt_local_model_fn model;      /**< see 7 below; NULL: none */
    void              *model_user; /**< of model */
    int64_t            model_rows; /**< the model has not learned from so many last rows of each series: only
                                        forecasts of these rows tell how good it is */
    fgt_local_judged_fn judged;      /**< told of the origins in the newer half, see
                                          fgt_forecaster_predict_blend(); NULL: nobody is told */
    void               *judged_user; /**< of judged */
    int64_t *shifted; /**< [N]: the first of the last rows where these are at another level than all rows
                           before, or the last row where it stands alone; -1: they are not. See 8 below */
    int64_t *stuck;   /**< [N]: the first of the last rows that are all equal, where they are 8 or more, and
                           four times as many as any rows before; -1: they are not. Quantiles hold their
                           value */
} fgt_local_opts;

/** Forecasts the H rows after the last row of each series, from its last rows: 2,000, or 4 seasons or 2 long
 *  seasons where these are more; maps of long series are learned from up to 100,000 rows. Each series has its
 *  own beginning and end, and its own scale: multiplying a series by a power of 2 multiplies its forecasts,
 *  and changes nothing else.
 *    1. Members are K simple forecasters, see fgt_local_get_member_name(): last and seasonal values and their
 *       means; exponential smoothing with several kinds of trend, on the values without their season and on
 *       their logarithms; linear functions of the past of one series, and of windows of all series together;
 *       and, of a series of 400 rows and more, ridge regressions on windows of up to 672 rows.
 *    2. Each member forecasts rows at the end of each series from the rows before them, from up to 6 origins,
 *       H / 3 to 2 H rows apart (12 where there are at most 3 series; 24 where half of the series have 500
 *       rows and more).
 *    3. A member has a high weight in a series where it adds to the others in series of this kind (level,
 *       trend, season, length), and where its errors in this very series are small. A series that is too
 *       short for an origin has the weights that the others choose. Where the blend gains less than 3 %, or
 *       less than two standard errors, over the last value, the seasonal value, the last value with drift or
 *       the mean, half of the weight or all goes to this one, if there are 25 forecasts to judge by. A series
 *       that holds a season which no origin has seen gives weight to the seasonal value by how near its rows
 *       are to the ones a season before; one that holds 2 to 3 long seasons, of up to 7 seasons each, gives
 *       it in this way to long phase means. A series of fewer than two seasons and 2 rows takes the season
 *       that longer ones share, rows counted from the end, as far as its own rows follow it.
 *    4. The forecast is the weighted mean. Quantiles are the forecast and the errors of the blend at earlier
 *       origins, of all series, in units of each series' own error, which grow with its level where its
 *       changes did. They rise with the level. Forecasts and quantiles are not below 0 where no value of the
 *       series is, and not beyond its most or least value where the series came back to this at least three
 *       times, in both its halves, and in 2 % of its rows: percentages that reach 100. Nothing else is taken
 *       for a bound, not even 100. Without any earlier origin all weights are equal, and the quantiles are
 *       those of a random walk whose changes are as large as the changes of the series. A series of one row
 *       has no changes: its quantiles are NaN where no series has 5 rows. Where 5 rows or more are all equal,
 *       forecast and quantiles are equal to them, to the last bit.
 *    5. A series that is never below 0, and of which more than two fifths of the last rows are 0, at no
 *       phase of the season in particular, has its rate as forecast, the mean of its values with weights
 *       .96^age: the sum of a forecast is what will be needed. Its quantiles are those of its values with
 *       the same weights, so the median may be 0. Of all others the median is the forecast.
 *    6. A run of zeros at the beginning that is more than twice as long as any later one does not count
 *       where the rows after it last, with few zeros: the product was not sold yet.
 *    7. A model of the host is one more member. Its share follows from errors as
 *       fgt_forecaster_predict_blend() says; where no row can judge it, it has all weight. It has none where
 *       its forecast is NaN, and in the series of 5. Of series of 500 rows there are then up to 96 origins,
 *       and 8 H bytes more for a series and an origin.
 *    8. Where the last rows are at a level of their own, up to 24 rows and a fifth of the series, rows before
 *       them count as if they were at this level. Quantiles of levels below 1 / (k + 1) from either end hold
 *       the old level, too, after k rows. Of a single row it is not known whether it stands alone: the
 *       forecast stays, and these quantiles reach as far as the row. A model of 7 that did not foresee half
 *       of a shift of two rows or more has no part; if it did, there is no shift. Rows without a value, which
 *       were filled, make no level. Where a tenth of the series shifted or more, quantiles leave out errors
 *       on rows of the new level.
 *  The bits do not depend on the number of threads.
 *  Source   weights by features: Montero-Manso, Athanasopoulos, Hyndman and Talagala 2020, "FFORMA";
 *           combinations: Bates and Granger 1969; members: the headers of lib/forecast/local
 *  Shapes   values [N], of which values[i] has rows[i] numbers; NaN: missing, which becomes a straight line
 *           between its neighbours; see also left_out
 *  Units    those of each series
 *  Cost     linear in N; about a millisecond for a series of a hundred rows. Memory: the size of the
 *           values, 700 bytes for a series and an origin, 250 bytes for a row of a forecast and a thread, up
 *           to 256 MiB, and up to 20 MiB for a thread where series have maps
 *  Owner    the outputs in opts are the host's. After an error they hold nothing of use
 *  Errors   FGT_E_ARG also no series, a horizon below 1, a season below 0; FGT_E_DATA a series has no
 *           value, or one that is infinite or beyond 1e150; FGT_E_SIZE; FGT_E_NOMEM; FGT_E_VERSION;
 *           FGT_E_CANCELLED */
FGT_API FGT_MUST fgt_status fgt_forecast_local(fgt_context *ctx, const fgt_local_opts *opts,
                                               const double *const *values, const int64_t *rows,
                                               int64_t count);

/** Forecasts the rows after the last row with a target by a blend: the local forecasters of
 *  fgt_forecast_local(), and a trained forecaster as one more member. Errors at up to 96 origins in the last
 *  third of the rows decide. With f the forecasts of the forecaster, f + d the blend of the others, and y the
 *  values, the weight of the others is
 *
 *      s = p sum_b (y - f) d / E_b / (1 + sum_b d^2 / E_b), within 0 .. 1
 *
 *  in each series, with p the probability that d gains more than chance, b the origins, and E_b the squared
 *  error of f there and the median one. Origins in the newer half count, whose rows the forecaster was not
 *  trained on; the older half chooses the weights of d.
 *  Source   gain: Clark and West 2007
 *  Shapes   of opts, with N = C targets and horizon the number of rows: forecast [C,horizon]
 *  Units    as in the table
 *  Cost     fgt_forecast_local() with four times the origins, and a pass for each
 *  Owner    borrowed. all: a forecaster that knows all rows (fgt_forecaster_create_refit()) and makes the
 *           forecast itself; NULL: the same. seen: rows of the table up to which `forecaster` was trained,
 *           split.train_end. future may be NULL, see fgt_forecaster_predict_table(). opts->model is NULL;
 *           rows in opts->begin and opts->left_out are those of the table
 *  Errors   as fgt_forecast_local() and fgt_forecaster_predict_table(); FGT_E_UNSUPPORTED a table on
 *           disk. After an error the outputs hold nothing of use */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_blend(fgt_forecaster *forecaster, fgt_forecaster *all,
                                                         const fgt_table *table, int64_t seen,
                                                         const fgt_table *future,
                                                         const fgt_local_opts *opts);

/** Name of a member, 0 .. K-1: "theta", "seasonal value".
 *  Errors   NULL for another number
 *  Threads  any */
FGT_API const char *fgt_local_get_member_name(int64_t member);

#ifdef __cplusplus
}
#endif
#endif
