/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FORECAST_OPTIONS_H
#define FIGHTER_FORECAST_OPTIONS_H

/** @file forecast_options.h
 *  Options of a forecaster, which forecast.h makes. They are grouped in structs by subject:
 *
 *      &FGT_OPTS(fgt_forecaster_opts, .pred_len = 24, .block = {.kind = FGT_BLOCK_GRU, .layers = 2},
 *                .output.non_negative = 1)
 *
 *  Letters: C series, L rows of input (input_len), H rows of forecast (pred_len). */

#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/table.h>
#include <fighter/time.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of tokens. */
typedef enum fgt_tokens {
    FGT_TOKENS_PATCH   = 0, /**< a piece of one series; all series share the weights, and no series reads
                                 another one */
    FGT_TOKENS_TIME    = 1, /**< one time step of all series, as in the Fighter paper */
    FGT_TOKENS_VARIATE = 2  /**< one whole series: A is a graph between series */
} fgt_tokens;

/** How the model knows the place of a patch or time step in the window. */
typedef enum fgt_forecast_positions {
    FGT_FORECAST_POSITIONS_AUTO       = 0, /**< learned for patches, sinusoidal for time steps, no positions
                                                for blocks that read their tokens in order */
    FGT_FORECAST_POSITIONS_NONE       = 1, /**< no positions */
    FGT_FORECAST_POSITIONS_LEARNED    = 2, /**< FGT_POSITION_LEARNED (nn.h) */
    FGT_FORECAST_POSITIONS_SINUSOIDAL = 3, /**< FGT_POSITION_SINUSOIDAL */
    FGT_FORECAST_POSITIONS_TAPE       = 4  /**< FGT_POSITION_TAPE */
} fgt_forecast_positions;

/** Where series read each other, along the edges of a graph between them. */
typedef enum fgt_forecast_space {
    FGT_FORECAST_SPACE_NONE = 0, /**< no layers between series. Series that are variates read each other in
                                      the block, patches do not */
    FGT_FORECAST_SPACE_AND  = 1, /**< time and space: a layer between series after each layer of the block */
    FGT_FORECAST_SPACE_THEN = 2  /**< time, then space: after all layers of the block as many layers between
                                      series */
} fgt_forecast_space;

/** Features of the time of a row, besides the columns. */
typedef enum fgt_calendar {
    FGT_CALENDAR_AUTO  = 0, /**< day, week and year, each if the training rows cover it twice and the targets
                                 depend on it; nothing if rows have no times */
    FGT_CALENDAR_NONE  = 1, /**< nothing */
    FGT_CALENDAR_DAY   = 2, /**< the time of the day; this and the following constants can be summed */
    FGT_CALENDAR_WEEK  = 4, /**< the day of the week */
    FGT_CALENDAR_MONTH = 8, /**< the day of the month */
    FGT_CALENDAR_YEAR  = 16 /**< the day of the year */
} fgt_calendar;

/** The series that a forecaster reads. Each column has one of three roles. Targets are forecast, from all
 *  columns. Past columns are read, but not forecast. Known columns have values that are known in advance,
 *  such as prices and holidays; a forecast also needs their values in its H rows. In a long file a covariate
 *  may have one column for each series, such as price[shop 1]. The name without the series (price) means all
 *  such columns that have a value in the training rows. */
typedef struct fgt_forecaster_inputs {
    const char *const *targets;      /**< names of the targets; NULL: all columns without another role, or all
                                          series of a long file */
    int64_t            target_count; /**< C; 0 with targets NULL */
    const char *const *past;         /**< names of the past columns; NULL: none */
    int64_t            past_count;   /**< 0 with past NULL */
    const char *const *known;        /**< names of the known columns; NULL: none */
    int64_t            known_count;  /**< 0 with known NULL */
    const fgt_table   *features;     /**< static features: a row for each target, with the target's name as
                                          label, and a column for each feature. Only for patches and variates,
                                          and without past columns. Copied, and saved with the model. NULL: no
                                          features */
    const fgt_days    *holidays;     /**< special days; copied, and saved with the model. Needs a table with
                                          times. NULL: none */
    int32_t            calendar;     /**< an fgt_calendar; needs a table with times */
    int32_t            shared_scale; /**< 1: all targets have the same mean and standard deviation in the
                                          scaler, so that their errors count alike */
    int32_t            blind;        /**< 1: targets without a value in the window are forecast, trained on
                                          and compared, too */
    int32_t            mask;         /**< 1: the layers get one more input, which is 1 where a value was
                                          missing and filled, else 0 */
    int64_t            reserved[4];  /**< 0 */
} fgt_forecaster_inputs;

/** The tokens that a block reads. */
typedef struct fgt_forecaster_tokens {
    int64_t dim;           /**< width of a token; 0: 32 */
    int64_t patch;         /**< steps in a patch; 0: a quarter of layer_len, but at least 24 (or layer_len, if
                                that is less) */
    int64_t stride;        /**< steps between patches; 0: half a patch */
    int64_t layer_len;     /**< number of rows at the end of the window that the layers read; 0: 336, at most
                                L. Without a linear part it is always L */
    int32_t kind;          /**< an fgt_tokens */
    int32_t positions;     /**< an fgt_forecast_positions; not for variates, which have no order */
    int32_t revin;         /**< 1: reversible instance normalisation around the model */
    int32_t no_profile;    /**< 1: tokens do not get the profile of their series */
    int32_t known_channel; /**< patches, 1: a linear map adds the known values of a patch's rows to its token,
                                instead of the small network (fgt_forecaster_create()) */
    int32_t identity;      /**< 1: each series, each time of the day and each day of the week has a learned
                                vector; only for patches and variates */
    int64_t reserved[4];   /**< 0 */
} fgt_forecaster_tokens;

/** The graph, and the layers in which series read each other. */
typedef struct fgt_forecaster_space {
    const fgt_graph *graph;     /**< for gcn, fighter, transformer, attention: graph over the tokens, or over
                                     the series if `kind` is set, as in fgt_block_opts; copied. NULL: no graph
                                     if `learned` is set; for a gcn on variates the correlations of the
                                     training rows; otherwise as in fgt_block_opts */
    int64_t          learned;   /**< r: a gcn learns a graph from 2 r numbers for each token (for each series
                                     if `kind` is set), instead of `graph` or in addition to it; 0: no learned
                                     graph */
    int64_t          hops;      /**< kappa of the layers between series; 0: 2 */
    int32_t          kind;      /**< an fgt_forecast_space; for patches and variates */
    int32_t          block;     /**< the fgt_block of the layers between series, one with
                                     FGT_BLOCK_TRAIT_AXIS: fighter (0), gcn, transformer or attention */
    int32_t          diffusion; /**< gcn, 1: random walks in both directions, as in fgt_gcn_opts */
    int32_t          reserved_32; /**< 0 */
    int64_t          reserved[4]; /**< 0 */
} fgt_forecaster_space;

/** The forecast. */
typedef struct fgt_forecaster_output {
    const double *quantiles;      /**< levels between 0 and 1, in rising order; the model has an output for
                                       each level. NULL: one output, the forecast */
    int64_t       quantile_count; /**< Q, at most FGT_QUANTILES_MAX; 0 with quantiles NULL */
    int64_t       decoder;        /**< layers of a decoder, for a transformer, informer or autoformer with
                                       tokens that are time steps; not with quantiles. 0: no decoder */
    int32_t       non_negative;   /**< 1: no forecast is below 0; for targets that are never below 0. With a
                                       linear part forecasts below 0 become 0; with no_linear the output of
                                       the layers is positive */
    int32_t       no_linear;      /**< 1: without the linear part */
    int64_t       reserved[4];    /**< 0 */
} fgt_forecaster_output;

/** Options of a forecaster, grouped by subject. New options take the place of `reserved`. */
typedef struct fgt_forecaster_opts {
    size_t                size;
    int64_t               input_len; /**< L, rows; 0: 30 periods, between 96 and 720 rows. With known columns,
                                          or no_linear: 14 periods, between 96 and 336 rows. The period
                                          follows from fgt_table_info.step: a day for hours, a week for days,
                                          a year for months; without a period L is 96. L is at most 1/12 of
                                          the table's rows, or 1/6 if 1/12 is below 96 */
    int64_t               pred_len;  /**< H; 0: 96 */
    int64_t               batch;     /**< largest number of windows in a pass; 0: 32 */
    uint64_t              seed;      /**< of the initial weights and of dropout */
    fgt_forecaster_inputs inputs;
    fgt_forecaster_tokens tokens;
    fgt_block_layers      block; /**< the layers between the tokens and the forecast; act and post_norm also
                                      apply to the layers between series. heads must divide the tokens' dim.
                                      dropout 0: 0.2; negative: no dropout */
    fgt_forecaster_space  space;
    fgt_forecaster_output output;
} fgt_forecaster_opts;

#ifdef __cplusplus
}
#endif
#endif
