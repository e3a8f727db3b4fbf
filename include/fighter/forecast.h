/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FORECAST_H
#define FIGHTER_FORECAST_H

/** @file forecast.h
 *  A forecaster: a model with everything around it that turns raw rows into a forecast in raw units.
 *
 *      fgt_table_load(ctx, "ETTh1.csv", NULL, &table);
 *      fgt_split_init(ctx, NULL, fgt_table_count_rows(table), &split);
 *      fgt_forecaster_create(ctx, &FGT_OPTS(fgt_forecaster_opts, .revin = 1), table, &split, &forecaster);
 *      fgt_forecaster_fit(forecaster, table, &split, NULL, NULL);
 *      fgt_forecaster_apply(forecaster, table, split.test_begin, split.test_end, &metric);
 *      fgt_forecaster_save(forecaster, "etth1.safetensors");
 *      ...
 *      fgt_forecaster_load(ctx, "etth1.safetensors", &forecaster);
 *      fgt_forecaster_predict(forecaster, rows, forecast);
 *
 *  Letters: C series, L rows looked at (input_len), H rows forecast (pred_len).
 *
 *  Unless a function says otherwise: it has no shapes and no units, it owns and keeps nothing, it cannot
 *  fail unless it returns an fgt_status, a context and what was made from it serve one thread at a time,
 *  and it is there since 0.1. */

#include <fighter/base.h>
#include <fighter/data.h>
#include <fighter/model.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_forecaster fgt_forecaster;

/** What stands between the tokens and the forecast. */
typedef enum fgt_forecast_kind {
    FGT_FORECAST_FIGHTER     = 0, /**< Fighter layers: a graph between the tokens, found by attention */
    FGT_FORECAST_GCN         = 1, /**< graph convolutions on a fixed graph between the tokens */
    FGT_FORECAST_LINEAR      = 2, /**< one affine map along time, shared by the series; no tokens */
    FGT_FORECAST_TRANSFORMER = 3, /**< Transformer encoder layers, pre-norm, gelu */
    FGT_FORECAST_RNN         = 4, /**< recurrent layers; these and the rest read patches or time steps */
    FGT_FORECAST_GRU         = 5,
    FGT_FORECAST_LSTM        = 6,
    FGT_FORECAST_S4          = 7, /**< state-space blocks, DPLR from HiPPO-LegS */
    FGT_FORECAST_S4D         = 8  /**< the same, diagonal */
} fgt_forecast_kind;

/** What a token is. */
typedef enum fgt_tokens {
    FGT_TOKENS_PATCH   = 0, /**< a piece of one series; the series share the weights and do not mix */
    FGT_TOKENS_TIME    = 1, /**< one time step of all series, as in the Fighter paper */
    FGT_TOKENS_VARIATE = 2  /**< one series: A is a graph between series */
} fgt_tokens;

typedef struct fgt_forecaster_opts {
    size_t             size;
    const char *const *columns;      /**< names of the series; NULL: all of the table, in its order */
    int64_t            column_count; /**< 0 with columns NULL */
    const fgt_graph   *graph;        /**< gcn: over the tokens; copied. NULL: of the training rows'
                                          correlations between variates, else each token hears itself and
                                          its two neighbours */
    const int64_t     *hops;         /**< fighter, gcn: kappa of each layer, or of all; NULL: 3 */
    int64_t            hop_count;    /**< 0 with hops NULL */
    int64_t            input_len;    /**< L; 0: 96 */
    int64_t            pred_len;     /**< H; 0: 96 */
    int64_t            batch;        /**< most windows in a pass; 0: 32 */
    int64_t            dim;          /**< width of a token; 0: 32 */
    int64_t            heads;        /**< fighter, transformer: 0: 4; must divide dim */
    int64_t            layers;       /**< 0: as many as hops has numbers, at least 1 */
    int64_t            patch;        /**< steps in a patch; 0: 24, or L where that is less */
    int64_t            stride;       /**< steps between patches; 0: half a patch */
    uint64_t           seed;         /**< of the first weights and of dropout */
    int32_t            kind;         /**< an fgt_forecast_kind */
    int32_t            tokens;       /**< an fgt_tokens */
    int32_t            revin;        /**< 1: reversible instance normalisation around it all */
    float              dropout;      /**< 0: 0.2; negative: none */
    int64_t            ff;           /**< transformer: width of the feed-forward block; 0: 4 dim */
} fgt_forecaster_opts;

/** Makes a forecaster with first weights for the series of a table.
 *    patch    [revin] - patches - linear(dim) - position - blocks - flatten - dropout - linear(H) - [back]
 *    time     [revin] - linear(dim) - position - blocks - linear(C) - linear(H) along time - [back]
 *    variate  [revin] - swap - linear(dim) - blocks - linear(H) - swap - [back]
 *    linear   [revin] - linear(H) along time - [back]
 *  A block is a Fighter layer with LayerNorm and residual, or a graph convolution with residual; gelu
 *  after each but the last; or a Transformer encoder layer, with a LayerNorm after the last; or a recurrent
 *  layer of width dim; or a LayerNorm and an S4 block. Positions are learned for patches, sinusoidal for time
 *  steps; recurrent and S4 layers get none. The scaler is fitted to the training rows alone.
 *  Source   patch: Nie et al. 2023; variate: Liu et al. 2024; linear: Zeng et al. 2023
 *  Shapes   table [R,columns]
 *  Units    those of the table
 *  Owner    everything is copied; *forecaster is the caller's, the context must outlive it
 *  Errors   FGT_E_ARG, also variates for a kind that reads its tokens in order; FGT_E_NAME no such column;
 *           FGT_E_DATA a series without a value in the training rows; FGT_E_SHAPE a graph of another size,
 *           patches longer than L; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_create(fgt_context *ctx, const fgt_forecaster_opts *opts,
                                                  const fgt_table *table, const fgt_split *split,
                                                  fgt_forecaster **forecaster);

/** Destroys a forecaster and sets *forecaster to NULL.
 *  Owner    takes *forecaster */
FGT_API void fgt_forecaster_destroy(fgt_forecaster **forecaster);

typedef struct fgt_forecaster_fit_opts {
    size_t          size;
    fgt_progress_fn progress; /**< NULL: none; may cancel */
    void           *user;
    uint64_t        seed;     /**< of the order of the windows */
    int64_t         epochs;   /**< 0: 10 */
    int64_t         batch;    /**< 0: the forecaster's, and at most that */
    int64_t         patience; /**< epochs without a better validation loss before the end; 0: 3; -1: never */
    double          lr;       /**< 0: 1e-3 */
    int32_t         loss;     /**< an fgt_loss_kind: mse, l1, smooth-l1 or huber */
    int32_t         reserved;
    fgt_attent     *selector; /**< of the windows of the training rows, fgt_forecaster_count_windows() with
                                   `inside`, and of the forecaster's context; sample i is window i.
                                   NULL: every epoch has all */
    const char     *checkpoint; /**< file that the run is written to; NULL: none */
    const char     *resume;     /**< such a file, to go on from, with the same data and options; NULL: none */
    int64_t         checkpoint_every; /**< epochs; 0: 1; see fgt_fit_opts */
} fgt_forecaster_fit_opts;

/** Trains on all windows of the training rows (AdamW, cosine schedule, gradients clipped to norm 1), stops
 *  early by the loss on all windows whose targets are validation rows, and keeps the weights of the best
 *  epoch. Without validation rows the last weights stay. The scaler is not touched. With a selector the
 *  schedule spans the steps that it has planned.
 *  Shapes   the table has the forecaster's series, found by their names
 *  Units    losses in squares of standard deviations
 *  Owner    everything is borrowed for the call; report (its size set) may be NULL
 *  Errors   those of fgt_model_fit(); FGT_E_NAME a series is missing; FGT_E_DATA the training or validation
 *           rows have no room for a window */
FGT_API FGT_MUST fgt_status fgt_forecaster_fit(fgt_forecaster *forecaster, const fgt_table *table,
                                               const fgt_split *split, const fgt_forecaster_fit_opts *opts,
                                               fgt_fit_report *report);

/** Compares forecast and truth on every window whose H targets lie in rows begin .. end-1; inputs may
 *  start earlier. None is left out: the last batch is smaller.
 *  Shapes   the table has the forecaster's series, found by their names
 *  Units    standard deviations of the training rows
 *  Owner    borrowed; metric is added to
 *  Errors   FGT_E_ARG, FGT_E_NAME; FGT_E_DATA no window fits; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_apply(fgt_forecaster *forecaster, const fgt_table *table,
                                                 int64_t begin, int64_t end, fgt_metric *metric);

/** The same for the forecast that needs no training: the value a whole number of seasons ago, the latest
 *  that the window's input holds. Season 1 repeats the last value. A missing value is looked for one
 *  season earlier; where there is none, the mean is forecast.
 *  Shapes   the table has the forecaster's series; 1 <= season <= L
 *  Units    standard deviations of the training rows
 *  Owner    borrowed; metric is added to
 *  Errors   FGT_E_ARG also a season out of range; FGT_E_NAME; FGT_E_DATA no window fits; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_apply_naive(fgt_forecaster *forecaster, const fgt_table *table,
                                                       int64_t begin, int64_t end, int64_t season,
                                                       fgt_metric *metric);

/** Number of windows in rows begin .. end-1: as fgt_forecaster_apply() counts them, or with `inside` those
 *  whose inputs lie there too, as fgt_forecaster_fit() takes for training.
 *  Units    windows
 *  Errors   none; 0 where none fits
 *  Threads  any */
FGT_API int64_t fgt_forecaster_count_windows(const fgt_forecaster *forecaster, int64_t begin, int64_t end,
                                             int32_t inside);

/** Forecasts the H rows that follow the last of some raw rows.
 *  Shapes   rows [n,C] of F32 or F64, n >= L, of which the last L are looked at, columns in the order of
 *           fgt_forecaster_get_name(); forecast [H,C] of F32 or F64
 *  Units    those of the table
 *  Cost     one pass; after the first one nothing is allocated
 *  Owner    borrowed; NaN in rows is a missing value, taken as its series' mean
 *  Errors   FGT_E_ARG, FGT_E_SHAPE; FGT_E_DATA fewer than L rows, or an infinite value (row, column);
 *           FGT_E_NOMEM (first pass). On error forecast is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict(fgt_forecaster *forecaster, const fgt_view *rows,
                                                   const fgt_view *forecast);

/** Writes weights, configuration, scaler, windows and names of the series to one safetensors file; as
 *  fgt_model_save().
 *  Errors   FGT_E_IO (the old file stays); FGT_E_ARG a name is not UTF-8; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_save(fgt_forecaster *forecaster, const char *path);

/** Makes the forecaster that a file of fgt_forecaster_save() holds.
 *  Owner    *forecaster is the caller's
 *  Errors   those of fgt_model_load(); FGT_E_FORMAT also a model that is no forecaster. On error *forecaster
 *           is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_load(fgt_context *ctx, const char *path,
                                                fgt_forecaster **forecaster);

/** What a forecaster is. */
typedef struct fgt_forecaster_info {
    size_t   size;
    int64_t  columns;   /**< C */
    int64_t  input_len; /**< L */
    int64_t  pred_len;  /**< H */
    uint64_t seed;      /**< of the first weights */
    int32_t  kind;      /**< an fgt_forecast_kind */
    int32_t  tokens;    /**< an fgt_tokens */
    int32_t  revin;
    int32_t  reserved;
} fgt_forecaster_info;

/** Fills *info, whose size field the caller has set.
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_forecaster_get_info(const fgt_forecaster *forecaster,
                                                    fgt_forecaster_info *info);

/** Name of a series.
 *  Shapes   column in 0 .. C-1
 *  Owner    the forecaster's
 *  Errors   none; NULL if there is no such series
 *  Threads  any */
FGT_API const char *fgt_forecaster_get_name(const fgt_forecaster *forecaster, int64_t column);

/** The model, for its parameters, hash and adjacency; it works on standardised values.
 *  Shapes   x [B,L,C] -> y [B,H,C]
 *  Units    standard deviations
 *  Owner    the forecaster's
 *  Errors   none; NULL for NULL */
FGT_API fgt_model *fgt_forecaster_get_model(fgt_forecaster *forecaster);

/** The scaler of the series.
 *  Shapes   C columns
 *  Units    those of the table
 *  Owner    the forecaster's
 *  Errors   none; NULL for NULL */
FGT_API const fgt_scaler *fgt_forecaster_get_scaler(const fgt_forecaster *forecaster);

#ifdef __cplusplus
}
#endif
#endif
