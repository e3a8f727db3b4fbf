/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_REPORT_H
#define FIGHTER_EXPERIMENTAL_REPORT_H

/** @file report.h
 *  A page that shows which tokens a model reads: attention as matrices and graphs by layer, head, hop and
 *  epoch, together with forecasts or texts, and curves. The page is one HTML file that needs no other file,
 *  for browsers of 2021 or later. Without JavaScript the page shows the numbers as tables.
 *
 *      fgt_report_create(ctx, &FGT_OPTS(fgt_report_opts, .title = "ETTh1"), &report);
 *      fgt_report_add_forecast(report, forecaster, table, row, NULL);
 *      fgt_report_save(report, FGT_TO_FILE("etth1.html"));
 *      fgt_report_destroy(&report);
 *
 *  fgt_report_add_forecast() adds everything for a forecaster, and fgt_report_add_text() for a classifier. If
 *  the progress callback of a training calls one of them with the epoch, the page has a slider over epochs. A
 *  host with a model of its own calls fgt_report_add_model() after a pass, or fgt_report_add_matrix(), and
 *  adds windows and words itself.
 *
 *  Names and texts may have any characters: invalid UTF-8 is shown as U+FFFD, control characters as the
 *  pictures of U+2400. At most 120 characters of a name or text are shown, and 2000 of a paragraph.
 *
 *  A page may have matrices for several subjects. A subject is, for example, one of the series, or a text.
 *  Matrices, windows and words of the same subject are shown together.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/classify.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/forecast.h>
#include <fighter/model.h>
#include <fighter/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_report fgt_report;

typedef struct fgt_report_opts {
    size_t      size;
    const char *title; /**< NULL: "Model report" */
    const char *about; /**< a paragraph below the title; NULL: no paragraph */
    int64_t     hops;  /**< highest power of A that is shown, at most 8; 0: 3 */
} fgt_report_opts;

/** Creates an empty page.
 *  Owner    everything is copied; *report is the caller's, the context must outlive it
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_NOMEM; *report is NULL on error */
FGT_API FGT_MUST fgt_status fgt_report_create(fgt_context *ctx, const fgt_report_opts *opts,
                                              fgt_report **report);

/** Destroys a page and sets *report to NULL.
 *  Owner    takes *report */
FGT_API void fgt_report_destroy(fgt_report **report);

/** Adds a line to the table at the top of the page: "model", "fighter, 2 layers".
 *  Owner    both texts are copied
 *  Errors   FGT_E_ARG NULL; FGT_E_NOMEM. On error the page is as before */
FGT_API FGT_MUST fgt_status fgt_report_add_fact(fgt_report *report, const char *name, const char *value);

/** A point of a curve. The first point that names a chart or a curve creates it. */
typedef struct fgt_report_point {
    size_t      size;
    const char *chart; /**< heading of the chart: "Loss" */
    const char *axis;  /**< unit of x: "epoch" */
    const char *curve; /**< "training" */
    const char *about; /**< a sentence below the chart; only the first point of a chart sets it. NULL: no
                            sentence */
    double      x, y;  /**< the point. It is left out if y is not finite, or beyond 1e100 */
    int32_t     first; /**< 1, for the first point of a chart: the chart is at the top of the page, above
                            windows and attention */
    int32_t     reserved;
} fgt_report_point;

/** Adds a point to a curve.
 *  Shapes   at most 24 charts of 8 curves
 *  Owner    everything is copied
 *  Errors   FGT_E_ARG NULL, x is not finite or beyond 1e100; FGT_E_SIZE too many charts or curves;
 *           FGT_E_VERSION; FGT_E_NOMEM. On error the page is as before */
FGT_API FGT_MUST fgt_status fgt_report_add_point(fgt_report *report, const fgt_report_point *point);

/** Attention matrices of one layer. */
typedef struct fgt_report_matrix {
    size_t             size;
    const char        *layer;   /**< its name */
    const char        *subject; /**< NULL: the only one */
    const fgt_view    *a;       /**< F32 or F64 [A,T,T] of A heads, or [T,T] */
    const char *const *tokens;  /**< [T] names of the tokens; NULL: 1, 2, 3 ... Only the names that come with
                                     the first matrix of a subject are used */
    int64_t            epoch;   /**< epoch after which the matrices were recorded; 0: they are from the
                                     current model, which the page shows first */
} fgt_report_matrix;

/** Adds the matrices of a layer, and draws A^1 .. A^hops for each head and their mean over the heads. A
 *  matrix of the same layer, subject and epoch is replaced.
 *  With more than 64 tokens, neighbouring tokens are joined, as few as needed. A square of the picture then
 *  shows the weight that the tokens of its row put, on average, on all tokens of its column. Equal
 *  names, such as of a word that occurs twice, get a number.
 *  Shapes   see fgt_report_matrix; all matrices of a subject have the same T
 *  Cost     2 A T^3 (hops - 1) flop; memory of about 70 bytes for each entry of a power, at most 4096 entries
 *  Owner    everything is copied
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE not square, another T than before; FGT_E_NONFINITE; FGT_E_DATA an
 *           entry is negative; FGT_E_SIZE; FGT_E_VERSION; FGT_E_NOMEM. On error the page is as before */
FGT_API FGT_MUST fgt_status fgt_report_add_matrix(fgt_report *report, const fgt_report_matrix *matrix);

/** Options of fgt_report_add_model(). */
typedef struct fgt_report_pass {
    size_t             size;
    const char        *subject; /**< NULL: the only one */
    const char *const *tokens;  /**< [count] names of the tokens; NULL: 1, 2, 3 ... */
    int64_t            count;   /**< show only the first `count` tokens, without padding; 0: all */
    int64_t            sample;  /**< 0 .. B N - 1 of fgt_model_get_adjacency() */
    int64_t            epoch;   /**< as in fgt_report_matrix */
    const char        *layer;   /**< adds only this layer, which has attention or a graph; NULL: all layers
                                     that have attention along time */
} fgt_report_pass;

/** Adds the matrices of layers, from the model's last pass. Without `layer`, three kinds of layers are left
 *  out and named on the page: cross attention; layers of a decoder ("decoder." is at the start of their names
 *  or after a dot, as in a forecaster); and layers with another number of tokens than the first layer. The
 *  tokens of a graph are its nodes, so give a layer with a graph a subject of its own.
 *  Shapes   opts NULL: sample 0. A graph is the same for all samples
 *  Cost     as fgt_model_get_adjacency() and fgt_report_add_matrix() of each layer
 *  Owner    borrowed; earlier matrices of fgt_model_get_adjacency() are no longer valid
 *  Errors   as fgt_model_get_adjacency() and fgt_report_add_matrix(); FGT_E_ARG also a sample or count
 *           out of range; FGT_E_SHAPE `layer` is cross attention. If a model has no such layers, nothing is
 *           added, and this is no error */
FGT_API FGT_MUST fgt_status fgt_report_add_model(fgt_report *report, fgt_model *model,
                                                 const fgt_report_pass *opts);

/** A window of a series with its forecast. */
typedef struct fgt_report_window {
    size_t          size;
    const char     *name;     /**< of the series */
    const char     *subject;  /**< subject whose tokens are marked; NULL: the page has only one subject */
    const fgt_view *input;    /**< F32 or F64 [L]; NaN and values beyond 1e100 are missing */
    const fgt_view *forecast; /**< [H], values as in the input */
    const fgt_view *truth;    /**< [H]; NULL: not known */
    const char     *begin;    /**< label of the first row of the input; NULL: no label */
    const char     *from;     /**< label of the first row of the forecast; NULL: no label */
    const int64_t  *first;    /**< [T] first row of each token, 0 .. L-1; NULL: tokens are not spans of
                                   rows */
    const int64_t  *last;     /**< [T] last row of each token; NULL with first NULL */
    int64_t         tokens;   /**< T; 0 with first NULL */
    int64_t         token;    /**< only with first NULL: number, from 1, of the token that stands for this
                                   series; 0: no token */
    const char     *measure;     /**< name of the following values: "sensitivity"; NULL: no values */
    const char     *about;       /**< sentences about the measure. Only the sentences of the first window with
                                      a measure are shown. NULL: no sentences */
    const fgt_view *row_value;   /**< F32 or F64 [L]: value of each row of the input, not negative */
    const fgt_view *token_value; /**< [T]: value of each token of the subject, only with `token`; NULL: no
                                      values */
    const fgt_view *low, *high;  /**< ends of an interval around the forecast, F32 or F64 [H]; NaN: not known;
                                      NULL: no interval */
    const char     *band;        /**< the interval's name, such as "80 % interval"; NULL with low NULL */
} fgt_report_window;

/** Adds a window. The tokens of its subject are marked by their weights. These are the weights in the row of
 *  `token`, or the means over all rows. Below the tokens bars show the measure of the rows of the input.
 *  Shapes   at most 16 windows, whose L and H are at most 100000
 *  Owner    everything is copied
 *  Errors   FGT_E_ARG NULL, spans that are not 0 <= first <= last < L, a measure without row_value,
 *           token_value without `token` or a matrix, only one or two of low, high and band;
 *           FGT_E_SHAPE; FGT_E_NONFINITE, FGT_E_DATA a value is NaN, infinite, negative or beyond 1e100;
 *           FGT_E_SIZE; FGT_E_VERSION; FGT_E_NOMEM. On error the page is as before */
FGT_API FGT_MUST fgt_status fgt_report_add_window(fgt_report *report, const fgt_report_window *window);

/** One number for each token of a text, besides the attention. */
typedef struct fgt_report_words {
    size_t          size;
    const char     *name;    /**< heading of the text; NULL: no heading */
    const char     *subject; /**< subject whose tokens are the words; NULL: the only one */
    int64_t         count;   /**< number of tokens, from the first on, that are the words of the text. The
                                  other tokens, such as pairs of words, are shown below the text */
    const char     *measure; /**< name of the values in `value`: "sensitivity"; NULL: words are coloured only
                                  by attention */
    const fgt_view *value;   /**< F32 or F64 [T], not negative; NULL with measure NULL */
} fgt_report_words;

/** Adds a text. The words of the text are the tokens of a subject, and are coloured by the weights of the
 *  tokens. If there are more than 64 tokens, they are coloured by the weights of the joined tokens
 *  (fgt_report_add_matrix()). A table has the numbers.
 *  Shapes   see fgt_report_words; at most 16 texts
 *  Owner    everything is copied
 *  Errors   FGT_E_ARG NULL, no such subject, count out of range; FGT_E_SHAPE; FGT_E_NONFINITE; FGT_E_DATA;
 *           FGT_E_SIZE; FGT_E_VERSION; FGT_E_NOMEM. On error the page is as before */
FGT_API FGT_MUST fgt_status fgt_report_add_words(fgt_report *report, const fgt_report_words *words);

/** The parts of a forecaster that are shown. */
typedef struct fgt_report_forecast {
    size_t             size;
    const fgt_table   *future; /**< known values, as in fgt_forecaster_predict_table(); NULL: no such table */
    const char *const *series; /**< names of the targets whose windows are shown; NULL: the first targets */
    int64_t            count;  /**< number of these targets; 0: at most 4 */
    int64_t            epoch;  /**< as in fgt_report_matrix; above 0 only matrices are added */
    const fgt_calibration *calibration; /**< errors before `row`, for intervals; NULL: no intervals */
    double                 level;       /**< share of values inside the intervals, between 0 and 1; 0: 0.8 */
} fgt_report_forecast;

/** Forecasts the rows of a table from `row` on. Adds the windows, with the true values if the table has them,
 *  and the attention of these forecasts. If tokens are patches, each series is a subject; if they are time
 *  steps or series, there is only one subject. With patches, layers between series (fgt_forecast_space) have
 *  the subject "all series", for up to 1024 series: graphs, given or learned, and attention between series at
 *  the last position of the window. Models without attention and graphs add only windows. If a model attends
 *  along time, all forecasts of one subject on a page start from the same row.
 *  Attention does not show the linear part that a forecaster may have (fgt_forecaster_create()). So the page
 *  also shows the sensitivity of the whole forecast: for row j and series c of the input,
 *    s_jc = root of the mean over h of (dy_h / dx_jc)^2,  y_h the forecast of the window's series
 *  The mean is over all steps h, or over 24 steps at equal distances if there are more. The sensitivity of a
 *  row is the root of the sum of s_jc^2 over all series. If a token is a series, its sensitivity is the root
 *  of the sum over all rows.
 *  For Fighter layers with two hops or more, the page also shows the importance of the tokens: |omega_j| of
 *  fgt_importance_compute(), divided by the sum over all tokens, where F is the sum of all outputs of the
 *  model. The page names layers that fgt_importance_compute() refuses. With epoch above 0 there is neither
 *  sensitivity nor importance.
 *  Shapes   as fgt_forecaster_predict_table(); row -1: the row after the last row with a value; series
 *           [count]
 *  Units    sensitivity: no unit, because input and forecast are in standard deviations of the training rows
 *  Cost     a forecast and fgt_report_add_model(); with epoch 0, for each window, up to 24 passes backward
 *           and 48 forward, and fgt_importance_compute() of each Fighter layer
 *  Owner    borrowed; opts NULL: the defaults
 *  Errors   as fgt_forecaster_predict_table() and the calls above; FGT_E_NAME no such target; FGT_E_ARG
 *           the level is not between 0 and 1, or with epoch 0 the page already has a forecast of the subject
 *           from another row. After an error a part of the forecast may have been added */
FGT_API FGT_MUST fgt_status fgt_report_add_forecast(fgt_report *report, fgt_forecaster *forecaster,
                                                    const fgt_table *table, int64_t row,
                                                    const fgt_report_forecast *opts);

/** The parts of a classifier that are shown. */
typedef struct fgt_report_text {
    size_t      size;
    const char *name;  /**< name of the text and of its subject, different for each text; NULL: the page has
                            only one text */
    const char *truth; /**< true class of the text; NULL: not known */
    int64_t     epoch; /**< as in fgt_report_matrix; above 0 only matrices are added */
} fgt_report_text;

/** Classifies a text and adds its words as the model reads them, the probabilities of the classes, and the
 *  attention. Words are coloured by attention and by sensitivity, the norm of the derivative of the logits by
 *  the embedding of the word (fgt_sensitivity_compute()). Without attention they are coloured only by
 *  sensitivity. Importance is as in fgt_report_add_forecast(), but F is the logit of the predicted class.
 *  With several members, attention, sensitivity and importance describe the first member.
 *  Cost     a prediction, fgt_report_add_model() and, with epoch 0, a pass forward and backward for each
 *           class, and fgt_importance_compute() of each Fighter layer
 *  Owner    borrowed; opts NULL: the defaults
 *  Errors   as fgt_classifier_predict() and the calls above; FGT_E_ARG NULL, or with epoch 0 the page already
 *           has a text of this name. After an error a part of the text may have been added */
FGT_API FGT_MUST fgt_status fgt_report_add_text(fgt_report *report, fgt_classifier *classifier,
                                                const char *text, const fgt_report_text *opts);

/** Writes the page as it is now. The matrices of the pictures take at most 1.1 MB, and the page usually less
 *  than 2 MB. If the matrices would take more, first only every second, fourth ... epoch is kept, and then
 *  layers are left out; the page says so. Tables show the matrix of the first layer, for the first eight
 *  subjects.
 *  Owner    to: borrowed for the call
 *  Errors   FGT_E_ARG NULL; as fgt_output says; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_report_save(const fgt_report *report, const fgt_output *to);

#ifdef __cplusplus
}
#endif
#endif
