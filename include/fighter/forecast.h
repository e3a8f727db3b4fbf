/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_FORECAST_H
#define FIGHTER_FORECAST_H

/** @file forecast.h A forecaster: a model with the scaler and the names of its series. It maps raw rows to
 *  forecasts in the units of the rows.
 *
 *      fgt_table_load(ctx, "ETTh1.csv", NULL, &table);
 *      fgt_split_init(ctx, NULL, fgt_table_count_rows(table), &split);
 *      fgt_forecaster_create(ctx, &FGT_OPTS(fgt_forecaster_opts, .revin = 1), table, &split, &forecaster);
 *      fgt_forecaster_fit(forecaster, table, &split, NULL, NULL);
 *      fgt_forecaster_evaluate(forecaster, table, split.test_begin, split.test_end, &metric);
 *      fgt_forecaster_create_refit(forecaster, table, &split, NULL, NULL, &all);
 *      fgt_forecaster_save(all, "etth1.safetensors");
 *      ...
 *      fgt_forecaster_load(ctx, "etth1.safetensors", NULL, &forecaster);
 *      fgt_forecaster_predict(forecaster, rows, forecast);
 *
 *  Letters: C series, L rows of input (input_len), H rows of forecast (pred_len).
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/base.h>
#include <fighter/blocks.h>
#include <fighter/data.h>
#include <fighter/days.h>
#include <fighter/model.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_forecaster fgt_forecaster;

/** Kinds of tokens. */
typedef enum fgt_tokens {
    FGT_TOKENS_PATCH   = 0, /**< a piece of one series; the series share the weights and do not mix */
    FGT_TOKENS_TIME    = 1, /**< one time step of all series, as in the Fighter paper */
    FGT_TOKENS_VARIATE = 2  /**< one whole series: A is a graph between series */
} fgt_tokens;

/** How patches and time steps are told their places in the window. */
typedef enum fgt_places {
    FGT_PLACES_AUTO       = 0, /**< learned for patches, sinusoidal for time steps; nothing for blocks that
                                    read their tokens in order */
    FGT_PLACES_NONE       = 1, /**< not at all */
    FGT_PLACES_LEARNED    = 2, /**< FGT_POSITION_LEARNED (nn.h) */
    FGT_PLACES_SINUSOIDAL = 3, /**< FGT_POSITION_SINUSOIDAL */
    FGT_PLACES_TAPE       = 4  /**< FGT_POSITION_TAPE */
} fgt_places;

/** Where series read each other, along the edges of a graph between them. */
typedef enum fgt_space {
    FGT_SPACE_NONE = 0, /**< nowhere, if tokens are patches; variates read each other in the block */
    FGT_SPACE_AND  = 1, /**< time and space: behind each layer of the block */
    FGT_SPACE_THEN = 2  /**< time, then space: behind all layers of the block, one for each */
} fgt_space;

/** Features of the time of a row, besides the columns. */
typedef enum fgt_calendar {
    FGT_CALENDAR_AUTO  = 0, /**< of day, week and year those that the training rows go through twice, and that
                                 show in them; nothing without times */
    FGT_CALENDAR_NONE  = 1, /**< nothing */
    FGT_CALENDAR_DAY   = 2, /**< the time of the day; this and the following may be added up */
    FGT_CALENDAR_WEEK  = 4, /**< the day of the week */
    FGT_CALENDAR_MONTH = 8, /**< the day of the month */
    FGT_CALENDAR_YEAR  = 16 /**< the day of the year */
} fgt_calendar;

/** Columns have roles. Targets are forecast, from all columns. Past columns are looked at, but not forecast.
 *  Known columns are those whose values are known in advance: prices, promotions, holidays; a forecast needs
 *  their values of its H rows, too. The name of a covariate that a long file has for each series, as price of
 *  price[shop 1], stands for all these columns that have a value in the training rows. */
typedef struct fgt_forecaster_opts {
    size_t             size;
    const char *const *columns;      /**< names of the targets; NULL: all columns without another role, of a
                                          long file all series */
    int64_t            column_count; /**< C, 0 with columns NULL */
    const char *const *past;         /**< names of the past columns; NULL: none */
    int64_t            past_count;   /**< 0 with past NULL */
    const char *const *known;        /**< names of the known columns; NULL: none */
    int64_t            known_count;  /**< 0 with known NULL */
    const fgt_graph   *graph;        /**< gcn, fighter, transformer, attention: over the tokens, with `space`
                                          between the series, as in fgt_block_opts; copied. NULL: of a gcn
                                          correlations of the training rows between variates, otherwise as in
                                          fgt_block_opts; with `learned` none */
    const int64_t     *hops;         /**< fighter, gcn: kappa of each layer, or one number for all; NULL: 3 */
    int64_t            hop_count;    /**< 0 with hops NULL */
    int64_t            input_len;    /**< L; 0: 30 of the periods of fgt_table_info.step (a day of hours, a
                                          week of days, a year of months), at least 96 and at most 720, or
                                          96 without a period; with known columns, or without a linear map,
                                          14 periods and at most 336. Of a short table less: at most a
                                          twelfth of its rows, or a sixth where that is below 96 */
    int64_t            pred_len;     /**< H; 0: 96 */
    int64_t            batch;        /**< largest number of windows in a pass; 0: 32 */
    int64_t            dim;          /**< width of a token; 0: 32 */
    int64_t            heads;        /**< must divide dim; 0: 4, or 1 if 4 does not */
    int64_t            layers;       /**< 0: hop_count, at least 1 */
    int64_t            patch;        /**< steps in a patch; 0: a quarter of layer_len, or the lesser of it
                                          and 24 where that is more */
    int64_t            stride;       /**< steps between patches; 0: half a patch */
    uint64_t           seed;         /**< of the initial weights and of dropout */
    int32_t            block;        /**< an fgt_block (blocks.h), between the tokens and the forecast */
    int32_t            tokens;       /**< an fgt_tokens */
    int32_t            revin;        /**< 1: reversible instance normalisation around the model */
    float              dropout;      /**< 0: 0.2; negative: none */
    int64_t            ff;           /**< transformer: width of the feed-forward block; 0: 4 dim */
    int32_t            calendar;     /**< an fgt_calendar; needs a table with times */
    int32_t            non_negative; /**< 1: no forecast is below 0; for targets that cannot be. Forecasts of
                                          the map and the layers beside it are raised to 0; with no_linear
                                          the layers themselves give what is above 0 */
    const double      *quantiles;    /**< rising, between 0 and 1: an output for each of them. NULL: one, the
                                          forecast */
    int64_t            quantile_count; /**< Q, at most FGT_QUANTILES_MAX; 0 with quantiles NULL */
    const fgt_days    *holidays;     /**< days that are not like others; copied, and saved with the model.
                                          Needs a table with times. NULL: none */
    int32_t            mask;         /**< 1: an input more, 1 where a value was missing and filled, else 0 */
    int32_t            no_linear;    /**< 1: without the linear map in closed form */
    const fgt_table   *features;     /**< static features: a row for each target, which its label names, and a
                                          column for each feature. For patches and variates without past
                                          columns. Copied, and saved with the model. NULL: none */
    int32_t            no_profile;   /**< 1: without the profile of a series in its tokens */
    int32_t            diag_mask;    /**< this, diag_penalty and diag_dropout as in fgt_block_opts */
    int64_t            layer_len;    /**< rows at the end of the window that the layers read, beside a linear
                                          map that reads all; without such a map they read all. 0: 336, or L
                                          where that is less */
    float              diag_penalty;
    float              diag_dropout;
    int64_t            decoder;      /**< layers of a decoder, for a transformer, informer or autoformer whose
                                          tokens are time steps; not with quantiles. 0: none */
    int32_t            space;        /**< an fgt_space; for patches and variates */
    int32_t            space_block;  /**< the fgt_block between series, one with FGT_BLOCK_HAS_AXIS: fighter
                                          (0), gcn, transformer or attention */
    int64_t            space_hops;   /**< kappa of it; 0: 2 */
    int64_t            learned;      /**< gcn: a graph is learned, from 2 times so many numbers a token or,
                                          with `space`, series; in place of `graph` or beside it; 0: none */
    int32_t            diffusion;    /**< gcn, 1: random walks in both directions, as in fgt_gcn_opts */
    int32_t            identity;     /**< 1: each series has a vector of its own, and so has each time of the
                                          day and each day of the week; for patches and variates */
    int32_t            shared_scale; /**< 1: one mean and one standard deviation for all targets, so that the
                                          errors of all count alike */
    int32_t            blind;        /**< 1: a target without a value in the window is forecast all the same,
                                          trained on and compared */
    int32_t            no_residual;  /**< attention, 1: without the path around the layer */
    int32_t            places;       /**< an fgt_places; not for variates, which have no order */
    int32_t            act;          /**< as in fgt_block_opts, also of layers between series */
    int32_t            post_norm;    /**< as in fgt_block_opts, also of layers between series */
    int32_t            known_channel; /**< patches, 1: a linear map adds k of its rows to each; no g */
    int32_t            reserved;
} fgt_forecaster_opts;

/** Makes a forecaster with initial weights for the series of a table.
 *    patch    [revin] - patches - linear(dim) - position - block - flatten - dropout - linear(H) - [back]
 *    time     [revin] - linear(dim) - position - block - linear(C) - linear(H) along time - [back]
 *    time, with a decoder: [revin] - conv(dim) - position - block, which is the memory - decoder - [back]
 *    variate  [revin] - swap - linear(dim) - block - linear(H) - swap - [back]
 *    FGT_BLOCK_LINEAR, which has no tokens: [revin] - linear(H) along time - [back]
 *  All of them begin with the last layer_len rows of the window.
 *  Beside these layers stands a linear map from the L rows of a series to the H rows after them, in closed
 *  form, the weighted mean of several that are fitted to the training rows: ridge regressions on the last L,
 *  L/2, L/4, ... rows, with and without the last value as the level, for all series and for each; maps
 *  between whole periods, likewise; the last value, and the mean. They are tested on the validation rows
 *  or, where the horizon goes less than 12 times into these, solved on two thirds of the training rows,
 *  tested on the rest and the validation rows, and solved again on all training rows. With E the squared
 *  error of one of them in the tests, E_0 the one of the best, and n the rows of the tests over H, at most
 *  75, a map of l rows counts in proportion to l exp(-(E/E_0 - 1) n/4). The mean keeps the share p beside
 *  the last value, the probability that it foretells the series better than chance (Clark and West 2007,
 *  with Schwarz's criterion). The layers are trained on what it leaves. Their last one is 0 at first: a new
 *  forecaster is the map alone, which training does not change. FGT_BLOCK_LINEAR without quantiles and mask
 *  is that map. There is none with no_linear, L + H above 2048 or no training window of some series.
 *  k_t is the vector of all that is known of row t in advance: columns, calendar, holidays. A small network g
 *  learns its effect: linear(32) - GELU - linear, which starts as 0. With m the mean of g over the input, the
 *  effect is taken off the input and added to the forecast: y_t = f(x - g(k) + m)_t + g(k_t) - m. The layers
 *  above are f. The map in closed form comes with a linear effect of k, taken off and added likewise.
 *  Where the input holds each cycle of the calendar twice and nothing else is known, only a share of that
 *  effect is taken off and added, for each series the one that the tests speak for: the map sees the cycle,
 *  too.
 *  This linear effect is the profile of a series, the course that it usually takes. Tokens that are patches
 *  or variates are told it: a linear map of the effect on the L rows and on the H rows is added to the tokens
 *  of the series, so that the layers can depend on the hour and tell series apart.
 *  With `identity` a vector of the series is added to its tokens, and one of the time of day and one of the
 *  day of the week of the window's last row, each from a table that is learned. Times of the day are as many
 *  as rows in a day, at most one a minute. Vectors of times need rows with times, and training rows that go
 *  through a day, or a week, twice. With FGT_BLOCK_MLP and variates this is the model STID.
 *  With `space` series read each other. Behind a layer of the block, or behind all, stands one of space_block
 *  whose tokens are the series: the tokens that patches have at the same place, or the variates themselves.
 *    and    layer 0 - space 0 - layer 1 - space 1 ...
 *    then   layer 0 - layer 1 ... - space 0 - space 1 ...; for patches after flatten - linear(dim)
 *  A graph says in row i whose tokens series i reads. Names of layers begin with "time.0.", "space.0." ...;
 *  with `then` only those between series have such a prefix.
 *  With past columns a last linear map leads from all columns to the targets.
 *  A linear map of the static features of a series, standardised over the series, is added to its tokens.
 *  With quantiles the layers have Q numbers in place of one, which fgt_quantiles() puts in order: they cannot
 *  cross. The forecast is then the quantile that is nearest to 0.5.
 *  If forecasts are not negative, the scaler does not shift the targets, and y = log(1 + e^x) of what the
 *  layers give, in standard deviations: far above 0 it is x.
 *  A missing value in the input is replaced by that of a season earlier, or by the last one before it. With
 *  `mask` the first linear map of x, which is embed or head, adds a second one, of the mask of such values.
 *  A decoder gives all H rows in one pass. It reads the last (layer_len + 1)/2 rows of the series, rounded
 *  down, and H rows of zeros, through a convolution like the encoder's (3 rows, circular). The known vectors
 *  of the rows join the tokens of both by linear maps. In each of its layers, self attends to the tokens,
 *  cross to the memory, feed(z) = linear(gelu(linear(z))), all with dropout:
 *    transformer  h = x + self(norm(x));        g = h + cross(norm(h));        y = g + feed(norm(g))
 *    informer     h = norm(x + self(x));        g = norm(h + cross(h));        y = norm(g + feed(g))
 *    autoformer   h = seasonal(x + self(x));    g = seasonal(h + cross(h));    y = seasonal(g + feed(g))
 *  self is causal; the Informer's is ProbSparse, its cross full; the Autoformer's are auto-correlations. Then
 *  come norm, linear(C), and the last H rows. The Autoformer's tokens are the seasonal part of the rows, the
 *  rest after a moving average of 25. It adds a trend to the result: the mean of the window, and for each
 *  layer a circular convolution to C of the sum of its three trends, x + self(x) - h and so on. Its encoder
 *  has no trends then. Beside a map in closed form, the last linear and these convolutions are 0 at first.
 *  fgt_block_add() says what each block consists of, and `places` what positions are. The scaler is fitted to
 *  the training rows.
 *  Source   identity: Shao et al. 2022 (STID); time and space, time then space: Marisca et al. 2025;
 *           patch: Nie et al. 2023; variate: Liu et al. 2024; linear: Zeng et al. 2023; decoders: Vaswani et
 *           al. 2017, Zhou et al. 2021 and Wu et al. 2021, with the authors' code on github,
 *           zhouhaoyi/Informer2020 and thuml/Autoformer;
 *           ridge regression: Hoerl and Kennard 1970; exponential weights: Dalalyan and Tsybakov 2008
 *  Shapes   table [R,columns]
 *  Units    those of the table
 *  Cost     of the linear map, with M = L + H: time grows with C M^3, and during the call there are five
 *           matrices [M,M] of double for each thread, and two more. On one thread, M = 432 takes 0.5 s for
 *           7 series and 4 s for 21, M = 816 2 s and 11 s
 *  Owner    everything is copied; *forecaster is the caller's, the context must outlive it
 *  Errors   FGT_E_ARG, also a split beyond the table, variates for a block that reads its tokens in order, a
 *           decoder or space where there can be none, a graph that nobody reads; FGT_E_NAME no such column,
 *           or a name that is not UTF-8; FGT_E_DATA a series without a value in the training rows, or a
 *           negative value where none can be (row, column); FGT_E_SHAPE a graph of another size, patches
 *           longer than L; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_create(fgt_context *ctx, const fgt_forecaster_opts *opts,
                                                  const fgt_table *table, const fgt_split *split,
                                                  fgt_forecaster **forecaster);

/** Makes a forecaster whose forecasts are the mean of those of others, its members: of the same options with
 *  other seeds, or of other layers. Their chance errors even out: y = 1/M sum_m y_m.
 *  It is like any other forecaster: one model, one file, and an update trains all members. What
 *  fgt_forecaster_get_info() says of block, tokens, revin and rows is that of the first member.
 *  Source   Breiman 1996
 *  Shapes   members [M], M in 1 .. FGT_SUM_MAX, of the same columns, L, H, calendar, identity, holidays,
 *           static features, mask, non_negative, blind and quantiles, made for the same training rows
 *  Cost     memory and time of a forecast are those of all members
 *  Owner    the members are copied and stay the caller's; *forecaster is the caller's, too; the context must
 *           outlive it
 *  Errors   FGT_E_ARG also members that differ, or are of another context; FGT_E_NAME a name is too long;
 *           FGT_E_SHAPE static features, saved before 0.1; FGT_E_NOMEM. On error *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_create_mean(fgt_context *ctx, fgt_forecaster *const *members,
                                                       int64_t count, fgt_forecaster **forecaster);

/** Fills in the defaults: *full makes the same forecaster as *opts of this table. Columns, graph and calendar
 *  are copied as they are.
 *  Owner    opts may be NULL; table may be NULL, for one without a regular step; full->size is set by the
 *           caller; arrays of *full are those of *opts, or the library's
 *  Errors   those of fgt_forecaster_create() that do not depend on the table. Then *full is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_opts_init(fgt_context *ctx, const fgt_forecaster_opts *opts,
                                                     const fgt_table *table, fgt_forecaster_opts *full);

/** Destroys a forecaster and sets *forecaster to NULL.
 *  Owner    takes *forecaster */
FGT_API void fgt_forecaster_destroy(fgt_forecaster **forecaster);

typedef struct fgt_forecaster_fit_opts {
    size_t          size;
    fgt_progress_fn progress; /**< NULL: none; may cancel */
    void           *user;
    uint64_t        seed;     /**< of the order of the windows */
    int64_t         epochs;   /**< 0: 10 */
    int64_t         batch;    /**< at most the forecaster's; 0: that, divided by thin */
    int64_t         patience; /**< epochs without a better validation loss before the end; 0: 3, times thin;
                                   -1: never */
    double          lr;       /**< 0: 1e-3 */
    int32_t         loss;     /**< an fgt_loss_kind, but not of classes or logits; of counts for forecasters
                                   that are non_negative and have no_linear. 0, and FGT_LOSS_QUANTILE, with
                                   quantiles: the mean pinball loss of all of them, the only one */
    float           quantile; /**< as in fgt_loss_opts */
    fgt_attent     *selector; /**< of the windows of the training rows, fgt_forecaster_count_windows() with
                                   `inside`, and of the forecaster's context; sample i is window i.
                                   NULL: every epoch has all */
    const char     *checkpoint; /**< file that the run is written to; NULL: none */
    const char     *resume;     /**< file to continue from, with the same data and options; NULL: none */
    int64_t         checkpoint_every; /**< epochs; 0: 1; see fgt_fit_opts */
    float           dispersion; /**< as in fgt_loss_opts, for counts in standard deviations of the training
                                     rows: a count of s deviations has the variance s + a s^2 of them */
    float           spectral;   /**< as in fgt_loss_opts: the share that the Fourier transform along the H
                                     rows has in the loss; not with quantiles */
    double          checkpoint_seconds; /**< between two writes within an epoch, if thin is 1; 0: none; see
                                             fgt_fit_opts */
    double          average; /**< of a moving average of the weights, as in fgt_fit_opts; 0: 0.995; negative:
                                  none */
    const char     *moments; /**< checkpoint of the run that gave the forecaster its weights: the optimiser
                                  goes on with its moments; NULL: a fresh one; see fgt_fit_opts */
    double          weight_decay; /**< wd: each step takes lr wd w off each weight; 0: none */
    int64_t         thin; /**< k: an epoch has n / k of the n windows, drawn anew for each, and the validation
                               loss is that of every k-th window. Neighbouring windows share nearly all their
                               rows, so smaller batches with as many steps see as much of the series. 0: as
                               much as leaves 8000 windows, at most 4, or 1 with `batch`, with a selector and
                               in an update; 1: all; above 1 not with a selector */
    const fgt_collective *collective; /**< of processes that train together, see fgt_fit_opts; NULL: alone */
    int64_t               shards;     /**< of a batch, see fgt_fit_opts; 0: alone none, else 8 or more */
    int32_t apart; /**< 1: the layers are trained without the linear map in closed form, and then mixed with
                        it; a map alone is not trained and stays as it is. Nothing in an update */
    int32_t reserved; /**< 0 */
    int64_t start_patience; /**< windows after which training ends if no validation loss was below 0.995 of
                                 the map's, and later if they bring no better one while none was below 0.98 of
                                 it; -1: never; 0: half of them, at least 150 batches, never with patience */
    double  warmup; /**< share of the steps in which the learning rate grows to lr, below 1; 0: none */
} fgt_forecaster_fit_opts;

/** Trains on all windows of the training rows (AdamW, cosine schedule, gradients clipped to norm 1), stops
 *  early by the loss on all windows whose targets are validation rows, and keeps the weights of the best
 *  epoch. Beside a linear map in closed form training ends soon where layers do not win (start_patience).
 *  Without validation rows it keeps the last weights. The scaler is not changed. With a selector the learning
 *  rate follows the steps that the selector has planned.
 *  Beside a linear map in closed form, without quantiles, the layers are scaled at the end by the share p s.
 *  With f_0 the forecasts of the validation rows without the layers and f_0 + d with them,
 *    s = sum (y - f_0) d / sum d^2, within 0 .. 1,
 *  and p is the probability that d gains more than chance. best_loss of the report is the loss with p s. If
 *  it is not below the loss before the training, all is as it was then, and best_epoch is 0.
 *  With apart = 1 the last value stands in for the map M while the layers g are trained, and then
 *    y = p s (x_L + g(x)) + (1 - p s) M x,
 *  in the same model: x_L goes into M, and p s into the last map of the layers.
 *  Layers that are trained apart err in other ways than M. Affine numbers of revin, the network of what is
 *  known in advance and the map from columns to targets are not trained then. After an error M is left alone;
 *  a call that is refused before the first step changes nothing.
 *  With thin = 4 an epoch takes a quarter of the time, and has as many steps (docs/results/attent.md).
 *  Shapes   the table has the forecaster's series, found by their names
 *  Units    losses in standard deviations, those of MSE in squares of them
 *  Owner    everything is borrowed for the call; report (its size set) may be NULL
 *  Errors   those of fgt_model_fit(); FGT_E_ARG also a loss that the forecaster cannot have, apart without
 *           validation rows or a map, or with quantiles; FGT_E_NAME a series is missing; FGT_E_DATA the
 *           training or validation rows are too few for a window, or a target that cannot be negative is
 *           (row, column) */
FGT_API FGT_MUST fgt_status fgt_forecaster_fit(fgt_forecaster *forecaster, const fgt_table *table,
                                               const fgt_split *split, const fgt_forecaster_fit_opts *opts,
                                               fgt_fit_report *report);

typedef struct fgt_forecaster_masked_opts {
    size_t                         size;
    const fgt_forecaster_fit_opts *fit;   /**< how it is trained, without loss, quantile, dispersion, spectral
                                               and moments; seed is that of the masks, too. NULL: defaults */
    double                         share; /**< of the patches that are hidden; at least one is hidden, and one
                                               visible. 0: 0.4 */
} fgt_forecaster_masked_opts;

/** Pre-training, before fgt_forecaster_fit(): the layers learn to make out hidden patches of the windows of
 *  the training rows, which needs no rows to forecast. A learned token stands in the place of each hidden
 *  patch, in all series of a window at the same places, so that blocks that read their tokens in order have
 *  as many of them as in a forecast. An affine map of what the block makes of such a token is compared with
 *  the patch as the model sees it (MSE, with `revin` of the normalised patch). Which patches are hidden is a
 *  function of the seed, the window's number and the epoch. Where patches overlap, hidden ones stand in runs,
 *  and steps that a visible patch shows are not compared, nor are missing values.
 *  It trains what stands between the patches and the flatten layer, keeps the weights with the lowest loss on
 *  the windows of the validation rows, and gives them to the forecaster at the end. The last map, the closed
 *  form, the scaler and revin stay as they are. The forecaster has no better forecasts before it is trained.
 *  Source   Nie et al. 2023, section 3.2; mask token: Devlin et al. 2019; runs: ours
 *  Shapes   the table has the forecaster's series, found by their names; tokens are patches
 *  Units    losses in squares of what the layers see, standard deviations of training rows or of windows
 *  Owner    everything is borrowed for the call; opts and report (its size set) may be NULL
 *  Errors   those of fgt_forecaster_fit(); FGT_E_STATE the tokens are not patches, or one patch alone, or an
 *           informer joins them; several members; an active adapter. On error the forecaster is as before */
FGT_API FGT_MUST fgt_status fgt_forecaster_fit_masked(fgt_forecaster *forecaster, const fgt_table *table,
                                                      const fgt_split *split,
                                                      const fgt_forecaster_masked_opts *opts,
                                                      fgt_fit_report *report);

/** Says what fgt_forecaster_fit() trains. frozen 1: the last map alone, which shows how good the other layers
 *  are as they are: a linear probe. 0: all layers again. The map in closed form is never trained. Files keep
 *  it.
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE a mean of several, or a map alone. Then nothing is changed */
FGT_API FGT_MUST fgt_status fgt_forecaster_freeze(fgt_forecaster *forecaster, int32_t frozen);

/** Makes a forecaster of all rows from one that was chosen and measured without the last of them.
 *  Validation rows choose the map and the layers, test rows say how good forecasts are; both are the newest
 *  rows, and what follows is foretold better by a forecaster that has learned from them. The forecaster
 *  itself stays as it is, and with it the errors that were measured.
 *  All rows are those from split->train_begin to the last one in which a target has a value, of a table on
 *  disk to the last one. The scaler is fitted to them; the map in closed form is the same mean of
 *  regressions, each solved on all rows (of a table on disk, on as many of the last rows as a quarter of
 *  its memory holds), and so is the effect of what is known in advance. Layers go on from the weights that
 *  were chosen, on all windows; layers that add nothing to the map stay so.
 *  info.seen_rows, info.seen_last and info.trained_last count all rows. So none is left to tell how far
 *  forecasts are off: the errors of the forecaster before, on rows that it was not trained on, are kept
 *  (fgt_forecaster_keep_calibration() of evaluate.h), unless these are too few.
 *  opts: as for fgt_forecaster_fit(), with the loss of training, but epochs 0: 3, and lr 0: 2e-4. There is
 *  no validation; apart means nothing.
 *  Shapes   table and split are those of the training
 *  Units    losses in squares of standard deviations
 *  Cost     about twice that of the map in fgt_forecaster_create(), and the epochs
 *  Owner    everything is borrowed for the call; opts and report (its size set) may be NULL; *all is the
 *           caller's, the context must outlive it
 *  Errors   those of fgt_forecaster_fit(); FGT_E_ARG also training or validation rows beyond the last value;
 *           FGT_E_STATE an adapter is active. On error *all is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_create_refit(fgt_forecaster *forecaster, const fgt_table *table,
                                                        const fgt_split *split,
                                                        const fgt_forecaster_fit_opts *opts,
                                                        fgt_fit_report *report, fgt_forecaster **all);

/** Goes on training with rows that are newer than those of training, so that a nightly job takes seconds: on
 *  the windows whose targets lie in the new rows or in the last 28 days (672 rows where that is more). The
 *  optimiser is a fresh one, or goes on from an earlier run (`moments` of opts). On made hourly series that
 *  were updated every week, the latter gave errors 0.3 to 1.3 % higher. The scaler stays. Afterwards
 *  info.seen_rows, info.seen_last and info.trained_last count the new rows, too. Its forecasts of them,
 *  made before, say how far forecasts are off (fgt_forecaster_keep_calibration() of evaluate.h).
 *  opts: as for fgt_forecaster_fit(), with the loss of training, but epochs 0: 3, and lr 0: 2e-4. There is no
 *  validation; the last weights stay.
 *  Shapes   the table has the forecaster's columns. It should have L rows before the new ones: its first L
 *           rows are input alone. row: the first new row; -1: the one after the time of the last that was
 *           seen. New rows end with the last one in which a target has a value
 *  Units    losses in squares of standard deviations
 *  Owner    everything is borrowed for the call; opts and report (its size set) may be NULL
 *  Errors   those of fgt_forecaster_fit(); FGT_E_ARG also a row beyond the table, -1 without times;
 *           FGT_E_DATA also rows that are not newer; FGT_E_STATE the model is a linear map in closed form,
 *           which has nothing to train: a new one of all rows is made in seconds */
FGT_API FGT_MUST fgt_status fgt_forecaster_update(fgt_forecaster *forecaster, const fgt_table *table,
                                                  int64_t row, const fgt_forecaster_fit_opts *opts,
                                                  fgt_fit_report *report);

/** Fills in the defaults: *full trains as *opts does. windows: those of the training rows,
 *  fgt_forecaster_count_windows() with `inside`, of which `thin` depends.
 *  Owner    opts may be NULL; full->size is set by the caller; pointers of *opts are copied
 *  Errors   FGT_E_ARG, FGT_E_VERSION. Then *full is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_fit_opts_init(const fgt_forecaster *forecaster,
                                                         const fgt_forecaster_fit_opts *opts,
                                                         int64_t windows, fgt_forecaster_fit_opts *full);

/** Compares forecast and truth on all windows whose H targets lie in rows begin .. end-1; their inputs may
 *  start earlier. The last batch may be smaller, so that no window is left out. Unless info.blind, a target
 *  without any value in the L rows of a window is not compared there, nor trained on.
 *  Shapes   the table has the forecaster's series, found by their names
 *  Units    standard deviations of the training rows
 *  Owner    borrowed; metric is added to
 *  Errors   FGT_E_ARG, FGT_E_NAME; FGT_E_DATA no window fits, or a value as for fgt_forecaster_predict();
 *           FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_evaluate(fgt_forecaster *forecaster, const fgt_table *table,
                                                    int64_t begin, int64_t end, fgt_metric *metric);

/** The same for a naive forecast: the latest value in the table that is a whole number of seasons earlier
 *  than the one to forecast and stands before the first row of the forecast. Season 1 repeats the last value.
 *  If it is missing, the one a season earlier is taken; if there is none, the mean, or 0 if the forecaster
 *  is non_negative and has no_linear.
 *  Shapes   the table has the forecaster's columns; 1 <= season <= begin
 *  Units    standard deviations of the training rows
 *  Owner    borrowed; metric is added to
 *  Errors   FGT_E_ARG also a season out of range; FGT_E_NAME; FGT_E_DATA no window fits; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_evaluate_naive(fgt_forecaster *forecaster, const fgt_table *table,
                                                          int64_t begin, int64_t end, int64_t season,
                                                          fgt_metric *metric);

/** Number of windows in rows begin .. end-1: those that fgt_forecaster_evaluate() uses, or with `inside` only
 *  those whose inputs lie there, too, which fgt_forecaster_fit() uses for training.
 *  Units    windows
 *  Errors   none; 0 where none fits
 *  Threads  any */
FGT_API int64_t fgt_forecaster_count_windows(const fgt_forecaster *forecaster, int64_t begin, int64_t end,
                                             int32_t inside);

/* A forecast has h rows, as many as its view. With h below H they are the first h rows of a forecast of H.
 * With h above H the forecast is recursive: forecasts become the model's input, and it goes on from there.
 * Errors add up, and a model that was trained for h rows is usually better. The calendar goes on, and known
 * columns are needed up to the last row. Past columns have no values then: FGT_E_UNSUPPORTED. */

/** Forecasts h rows of a table from `row` on, from the L rows before it; row -1: those after the last row in
 *  which a target has a value. Columns are found by their names, whatever their order, and the rows must be
 *  as far apart as the rows of training. Known columns need values in the h rows of the forecast, and in at
 *  least H rows where layers read the course of all rows. The values come from `future`, by their times.
 *  Where `future` has none, or is NULL, they come from rows of the table after the last value of a target.
 *  Without times `future` has them in their order.
 *  Shapes   the table has the forecaster's columns and L rows, future the known columns; forecast [h,C] of
 *           F32 or F64
 *  Units    those of the table
 *  Cost     h / H passes, rounded up; after the first one nothing is allocated
 *  Owner    borrowed; future may be NULL. A missing value is replaced as fgt_forecaster_create() says
 *  Errors   FGT_E_ARG, also a row beyond the table; FGT_E_SHAPE; FGT_E_NAME a column is missing; FGT_E_DATA
 *           fewer than L rows before it, no value of a target in them, unless info.blind, rows at another
 *           step, no times where the model knows the calendar, a known column without a value for a row of
 *           the forecast, a value more than 1e15 deviations from the mean (row, column); a forecast that is
 *           not finite (series, row), after which a part may be written; FGT_E_UNSUPPORTED past columns and
 *           h > H; FGT_E_NOMEM (first pass). On other errors forecast is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_table(fgt_forecaster *forecaster, const fgt_table *table,
                                                         int64_t row, const fgt_table *future,
                                                         const fgt_view *forecast);

/** fgt_forecaster_predict_table() from many rows of a table, as many windows in a pass as the forecaster's
 *  batch. Without times, `future` has the rows that follow each of them.
 *  Shapes   rows [n], each L or more; forecast [n,h,C] of F32 or F64
 *  Units    those of the table
 *  Cost     h / H passes for each batch; after the first one nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   those of fgt_forecaster_predict_table(); FGT_E_ARG also n < 1. On error forecast is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_windows(fgt_forecaster *forecaster,
                                                           const fgt_table *table, const int64_t *rows,
                                                           int64_t n, const fgt_table *future,
                                                           const fgt_view *forecast);

/** Adds the targets that a table lacks to it, as columns without values at its end: shops that are closed, or
 *  of which nothing is known yet. Their forecasts are NaN. Errors leave them out, and nothing is learned from
 *  them. In windows they have the mean of training, 0. The call is therefore refused where forecasts of the
 *  other targets depend on them: with tokens that are time steps or variates (except FGT_BLOCK_MLP, which
 *  keeps variates apart), with past columns, and with `space`. Two forecasts from windows that differ only in
 *  these series decide.
 *  Shapes   *count: how many; 0: the table stays as it is
 *  Cost     two passes, once the first one has allocated
 *  Owner    the table is changed; views of its values end
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME the table has no target, or lies on disk and lacks some, or the
 *           forecasts of those that it has depend on others; FGT_E_NOMEM. On error the table is as before */
FGT_API FGT_MUST fgt_status fgt_forecaster_add_absent(fgt_forecaster *forecaster, fgt_table *table,
                                                      int64_t *count);

/** Forecasts each target from the L rows up to its own last value, as series of a long file need that do not
 *  end together. Targets that end together are forecast together. Known values come from `future`, which
 *  without times begins with row fgt_forecaster_find_row(), and where that has none, from the table. A target
 *  without a value, or with fewer than L rows up to its last one, is left out.
 *  Shapes   as fgt_forecaster_predict_table(); rows I64 [C]: the first row that each target's forecast is of,
 *           -1: left out, its forecast is NaN
 *  Units    those of the table; rows
 *  Cost     a pass for each row in which targets end; after the first one nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   those of fgt_forecaster_predict_table(); FGT_E_DATA also all targets are left out. On error
 *           forecast is untouched, rows may be overwritten */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_each(fgt_forecaster *forecaster, const fgt_table *table,
                                                        const fgt_table *future, const fgt_view *forecast,
                                                        const fgt_view *rows);

/** Forecasts all quantiles of the H rows from `row` on, as fgt_forecaster_predict_table() forecasts one of
 *  them, in the order of info.quantiles: they rise. Unless info.blind, a target without a value in the L rows
 *  before is left out, NaN. Where a target ends right before `row`, the table has what `future` lacks.
 *  Shapes   table and future as there; quantiles [Q,H,C] of F32 or F64
 *  Units    those of the table
 *  Cost     one pass; after the first one nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   those of fgt_forecaster_predict_table(), but FGT_E_DATA only if no target has a value;
 *           FGT_E_STATE the model has no quantiles. On error quantiles are untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_quantiles(fgt_forecaster *forecaster,
                                                             const fgt_table *table, int64_t row,
                                                             const fgt_table *future,
                                                             const fgt_view *quantiles);

/** The row that follows the last one in which a target has a value, of a table on disk the row after its last
 *  one: the first row of a forecast of what is not known yet.
 *  Units    rows; the number of rows of the table, if it ends with such a row
 *  Errors   -1: NULL, or a target is not in the table */
FGT_API int64_t fgt_forecaster_find_row(const fgt_forecaster *forecaster, const fgt_table *table);

/** Rows of which only the host knows what they are: one window, or n of them in one call. */
typedef struct fgt_forecast_rows {
    size_t          size;
    const fgt_view *rows;  /**< [R,C + past] of F32 or F64, R >= L, of which the last L are looked at; or
                                [n,R,C + past] */
    const fgt_view *known; /**< [R + H,known]: the known columns of these rows and of those that follow, h of
                                them if h > H; or [n,R + H,known]. NULL if the model has none */
    const int64_t  *time;  /**< [1] or [n]: of the last row of rows, milliseconds since 1970, if the model
                                knows calendar, holidays or cycles; NULL: not given */
} fgt_forecast_rows;

/** Forecasts the rows that follow the last of some raw rows. Nothing here can check that the columns are in
 *  the order of fgt_forecaster_get_name(), or the rows one step apart: where they are not, the forecast is
 *  wrong. fgt_forecaster_predict_table() checks both.
 *  Shapes   see fgt_forecast_rows; forecast [h,C], or [n,h,C], of F32 or F64
 *  Units    those of the table
 *  Cost     h / H passes for each batch; after the first one nothing is allocated
 *  Owner    borrowed. NaN is a missing value and is replaced as fgt_forecaster_create() says
 *  Errors   FGT_E_ARG, also no time where one is needed; FGT_E_SHAPE; FGT_E_VERSION; FGT_E_DATA fewer than L
 *           rows, no value of a target in them, a known column without a value for a row of the forecast, or
 *           a value more than 1e15 deviations from the mean (row, column); FGT_E_UNSUPPORTED past columns
 *           and h > H; FGT_E_NOMEM (first pass). On error forecast is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict_rows(fgt_forecaster *forecaster,
                                                        const fgt_forecast_rows *rows,
                                                        const fgt_view *forecast);

/** fgt_forecaster_predict_rows() for a model that knows no columns and no times.
 *  Shapes   rows [R,C + past] or [n,R,C + past] of F32 or F64, R >= L; forecast [h,C] or [n,h,C]
 *  Units    those of the table
 *  Owner    borrowed
 *  Errors   those of fgt_forecaster_predict_rows(); FGT_E_STATE the model needs more than rows */
FGT_API FGT_MUST fgt_status fgt_forecaster_predict(fgt_forecaster *forecaster, const fgt_view *rows,
                                                   const fgt_view *forecast);

/* ---- forecasts from several threads ------------------------------------------------------------ */

/** All that a forecast changes: each thread brings one of its own, and they share the forecaster. */
typedef struct fgt_forecast_workspace fgt_forecast_workspace;

/** Creates a workspace of a forecaster; see fgt_workspace_create().
 *  Shapes   batch of opts: windows in a pass, 0: 1
 *  Owner    *ws is the caller's; the forecaster must outlive it
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM; *ws is NULL on error. The sentence is the
 *           context's */
FGT_API FGT_MUST fgt_status fgt_forecast_workspace_create(const fgt_forecaster *forecaster,
                                                          const fgt_workspace_opts *opts,
                                                          fgt_forecast_workspace **ws);

/** Destroys a workspace and sets *ws to NULL.
 *  Owner    takes *ws */
FGT_API void fgt_forecast_workspace_destroy(fgt_forecast_workspace **ws);

/** The last error of this workspace in words.
 *  Owner    the workspace's
 *  Threads  one at a time per workspace */
FGT_API const char *fgt_forecast_workspace_error(const fgt_forecast_workspace *ws);

/** fgt_forecaster_predict_table() with the workspace's threads and memory.
 *  Shapes   as there
 *  Units    those of the table
 *  Cost     h / H passes; nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   as there but FGT_E_NOMEM; the sentence is fgt_forecast_workspace_error()
 *  Threads  as many at once as there are workspaces, while nobody changes the forecaster and the tables */
FGT_API FGT_MUST fgt_status fgt_forecast_workspace_predict_table(fgt_forecast_workspace *ws,
                                                                 const fgt_table *table, int64_t row,
                                                                 const fgt_table *future,
                                                                 const fgt_view *forecast);

/** fgt_forecaster_predict_each() with the workspace's threads and memory.
 *  Shapes   as there
 *  Units    those of the table; rows
 *  Cost     h / H passes for each row in which targets end; nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   as there but FGT_E_NOMEM; the sentence is fgt_forecast_workspace_error()
 *  Threads  as many at once as there are workspaces, while nobody changes the forecaster and the tables */
FGT_API FGT_MUST fgt_status fgt_forecast_workspace_predict_each(fgt_forecast_workspace *ws,
                                                                const fgt_table *table,
                                                                const fgt_table *future,
                                                                const fgt_view *forecast,
                                                                const fgt_view *rows);

/** fgt_forecaster_predict_quantiles() with the workspace's threads and memory.
 *  Shapes   as there
 *  Units    those of the table
 *  Cost     one pass; nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   as there but FGT_E_NOMEM; the sentence is fgt_forecast_workspace_error()
 *  Threads  as many at once as there are workspaces, while nobody changes the forecaster and the tables */
FGT_API FGT_MUST fgt_status fgt_forecast_workspace_predict_quantiles(fgt_forecast_workspace *ws,
                                                                     const fgt_table *table, int64_t row,
                                                                     const fgt_table *future,
                                                                     const fgt_view *quantiles);

/** fgt_forecaster_predict_windows() with the workspace's threads, in batches of its size.
 *  Shapes   as there
 *  Units    those of the table
 *  Cost     h / H passes for each batch; nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   as there but FGT_E_NOMEM; the sentence is fgt_forecast_workspace_error()
 *  Threads  as many at once as there are workspaces, while nobody changes the forecaster and the tables */
FGT_API FGT_MUST fgt_status fgt_forecast_workspace_predict_windows(fgt_forecast_workspace *ws,
                                                                   const fgt_table *table,
                                                                   const int64_t *rows, int64_t n,
                                                                   const fgt_table *future,
                                                                   const fgt_view *forecast);

/** fgt_forecaster_predict_rows() with the workspace's threads, in batches of its size.
 *  Shapes   as there
 *  Units    those of the table
 *  Cost     h / H passes for each batch; nothing is allocated
 *  Owner    borrowed
 *  Errors   as there but FGT_E_NOMEM; the sentence is fgt_forecast_workspace_error()
 *  Threads  as many at once as there are workspaces, while nobody changes the forecaster */
FGT_API FGT_MUST fgt_status fgt_forecast_workspace_predict_rows(fgt_forecast_workspace *ws,
                                                                const fgt_forecast_rows *rows,
                                                                const fgt_view *forecast);

/* ---- files ------------------------------------------------------------------------------------- */

/** Writes weights, configuration, scaler, windows and names to one safetensors file; as fgt_model_save().
 *  Errors   FGT_E_IO (the old file stays, unless the sentence says the new one was written); FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_forecaster_save(const fgt_forecaster *forecaster, const char *path);

/** Writes the file of fgt_forecaster_save() into memory; as fgt_model_save_memory().
 *  Units    capacity, *bytes: bytes
 *  Owner    buffer is the caller's
 *  Errors   those of fgt_forecaster_save() but FGT_E_IO; FGT_E_SIZE the buffer is too small */
FGT_API FGT_MUST fgt_status fgt_forecaster_save_memory(const fgt_forecaster *forecaster, void *buffer,
                                                       int64_t capacity, int64_t *bytes);

/** Hands the file of fgt_forecaster_save() to the host's function; as fgt_model_save_to().
 *  Owner    the writer is borrowed for the call
 *  Errors   those of fgt_forecaster_save(); FGT_E_IO the function failed */
FGT_API FGT_MUST fgt_status fgt_forecaster_save_to(const fgt_forecaster *forecaster,
                                                   const fgt_writer *writer);

/** Makes the forecaster that a file of fgt_forecaster_save() holds. The rules for files in model.h hold here.
 *  Owner    opts may be NULL; *forecaster is the caller's
 *  Errors   those of fgt_model_load(); FGT_E_ARG batch < 0; FGT_E_FORMAT also a file of another kind. On
 *           error *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_load(fgt_context *ctx, const char *path,
                                                const fgt_load_opts *opts,
                                                fgt_forecaster **forecaster);

/** fgt_forecaster_load() of a file in memory, which may lie at any address.
 *  Units    bytes: bytes
 *  Owner    data is borrowed for the call, in which it must not change; *forecaster is the caller's
 *  Errors   those of fgt_forecaster_load(); FGT_E_ARG bytes is negative, or data is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_load_memory(fgt_context *ctx, const void *data, int64_t bytes,
                                                       const fgt_load_opts *opts,
                                                       fgt_forecaster **forecaster);

/** fgt_forecaster_load() of a file that the host reads.
 *  Owner    the reader is borrowed for the call; *forecaster is the caller's
 *  Errors   those of fgt_forecaster_load(); FGT_E_IO the function failed */
FGT_API FGT_MUST fgt_status fgt_forecaster_load_from(fgt_context *ctx, const fgt_reader *reader,
                                                     const fgt_load_opts *opts,
                                                     fgt_forecaster **forecaster);

/** Properties of a forecaster. */
typedef struct fgt_forecaster_info {
    size_t   size;
    int64_t  columns;   /**< C, the targets */
    int64_t  input_len; /**< L */
    int64_t  pred_len;  /**< H */
    uint64_t seed;      /**< of the initial weights */
    int32_t  block;     /**< an fgt_block */
    int32_t  tokens;    /**< an fgt_tokens */
    int32_t  revin;
    int32_t  calendar;  /**< the parts of fgt_calendar that it knows; 0: none */
    int64_t  past;      /**< past columns */
    int64_t  known;     /**< known columns */
    fgt_time_step step; /**< from one row to the next; 0, 0: not known */
    int64_t  seen_rows; /**< rows of training and validation in the last fit; 0: none */
    int64_t  seen_first, seen_last; /**< times of the first and the last of them, milliseconds since 1970;
                                         both 0 where the rows had no times */
    int64_t  trained_last; /**< time of the last row of training, before those of validation, or of the last
                                update; 0 likewise */
    int64_t  holidays;  /**< numbers that it knows of the holidays of a row; 0: none. Otherwise how many of
                             its days are holidays, whether the next and the last day are some, and for each
                             of up to 16 names of the training rows, if there are two, whether it has that */
    int64_t  statics;   /**< S, static features of a series; 0: none */
    int32_t  non_negative; /**< 1: no forecast is below 0 */
    int32_t  mask;         /**< 1: it is told which values of its input were missing */
    int32_t  linear;       /**< 1: it has a linear map in closed form */
    int32_t  cycles;       /**< FGT_CALENDAR_DAY and FGT_CALENDAR_WEEK, if their times have vectors */
    int32_t  identity;     /**< 1: each series has a vector */
    int32_t  blind;        /**< 1: targets without a value in the window are forecast and compared, too */
    int64_t  quantile_count; /**< Q; 0: the model has no quantiles */
    double   quantiles[FGT_QUANTILES_MAX];
    int64_t  counts;    /**< targets that are counts, see fgt_forecaster_set_counts() */
} fgt_forecaster_info;

/** Fills *info, whose size field the caller has set.
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set */
FGT_API FGT_MUST fgt_status fgt_forecaster_get_info(const fgt_forecaster *forecaster,
                                                    fgt_forecaster_info *info);

/** Name of a column: the targets come first, then the past columns, then the known ones.
 *  Shapes   column in 0 .. C-1, or 0 .. C + past + known - 1
 *  Owner    the forecaster's
 *  Errors   none; NULL if there is no such series
 *  Threads  any */
FGT_API const char *fgt_forecaster_get_name(const fgt_forecaster *forecaster, int64_t column);

/** Names of columns of the long file that the forecaster was made from, which files with more rows are likely
 *  to have, too: 0 the series, of several columns as in `id` of fgt_csv_opts, 1 the times, 2 the values.
 *  Owner    the forecaster's
 *  Errors   none; NULL if the rows were of no long file, or it had no such column
 *  Threads  any */
FGT_API const char *fgt_forecaster_get_form(const fgt_forecaster *forecaster, int64_t i);

/** The holidays that it knows, with the names that it tells apart.
 *  Owner    the forecaster's; fgt_forecaster_set_holidays() ends it
 *  Errors   none; NULL if it knows none
 *  Threads  any */
FGT_API const fgt_days *fgt_forecaster_get_holidays(const fgt_forecaster *forecaster);

/** Replaces the holidays by a list that reaches further. Names that the model does not tell apart count as
 *  holidays without a name.
 *  Owner    copied
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the model was made without holidays; FGT_E_NOMEM. On error they stay
 *           as they were
 *  Threads  none may forecast meanwhile */
FGT_API FGT_MUST fgt_status fgt_forecaster_set_holidays(fgt_forecaster *forecaster, const fgt_days *days);

/** Says which targets are counts: those whose values in this table are all whole and not negative. No
 *  forecast of them, no quantile and no end of an interval is below 0: what the model has below it is 0, in
 *  forecasts and in their errors, unless the L rows before the forecast have a value below 0. Training does
 *  not change.
 *  Files and means of several (of the first member) keep it.
 *  Shapes   the table has the targets, found by their names; NULL: none is a count
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME; FGT_E_UNSUPPORTED a table on disk; FGT_E_NOMEM. On error they stay
 *           as they were
 *  Threads  none may forecast meanwhile */
FGT_API FGT_MUST fgt_status fgt_forecaster_set_counts(fgt_forecaster *forecaster, const fgt_table *table);

/** The model, for its parameters, hash and adjacency (fgt_forecaster_set_exact()), on standardised values.
 *  Shapes   x [B,L,C + past] -> y [B,H,C], or [B,H,C,Q] with quantiles
 *  Units    standard deviations
 *  Owner    the forecaster's
 *  Errors   none; NULL for NULL */
FGT_API fgt_model *fgt_forecaster_get_model(fgt_forecaster *forecaster);

/** The scaler of all columns, in the order of fgt_forecaster_get_name().
 *  Shapes   C + past + known columns
 *  Units    those of the table
 *  Owner    the forecaster's
 *  Errors   none; NULL for NULL */
FGT_API const fgt_scaler *fgt_forecaster_get_scaler(const fgt_forecaster *forecaster);

#ifdef __cplusplus
}
#endif
#endif
