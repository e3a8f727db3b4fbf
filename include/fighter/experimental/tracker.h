/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_TRACKER_H
#define FIGHTER_EXPERIMENTAL_TRACKER_H

/** @file tracker.h
 *  A tracker records the statistics of analysis.h during a training.
 *
 *  Experimental: for research. Names, structs and results may change or disappear with any release; the
 *  functions have a version node of their own, FIGHTER_EXPERIMENTAL.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/analysis.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Records statistics of layers with attention or a graph on a fixed small batch, epoch by epoch:
 *      int progress(void *user, const fgt_progress *p) { return fgt_tracker_record(user, p) != FGT_OK; }
 *      fgt_model_fit(model, &FGT_OPTS(fgt_fit_opts, .training.progress = progress,
 *                                     .training.user = tracker, ...), NULL);
 *      fgt_tracker_save(tracker, FGT_TO_FILE("training.csv")); */
typedef struct fgt_tracker fgt_tracker;

typedef struct fgt_tracker_opts {
    size_t             size;
    const char *const *layers;      /**< layers with matrices; copied. NULL: all layers that have attention or
                                         learn a graph */
    int64_t            layer_count; /**< 0 with layers NULL */
    int64_t            powers;      /**< highest power of A: records have A^1 .. A^powers. 0: 1. For cross
                                         attention only A */
    int64_t            epochs;      /**< number of epochs between two records; 0: 1 */
    int64_t            steps;       /**< number of steps between two records within an epoch; 0: no such
                                         records */
    int32_t            ranks;       /**< 1: records also have RANK of A^i, which takes longer than all other
                                         numbers */
    int32_t            hops;        /**< 1: records also have every fgt_hop_measure of Fighter layers */
    fgt_status (*pass)(void *user); /**< makes a prediction with the model's own workspace, such as a forecast
                                         of an exact forecaster. Another status than FGT_OK is returned by the
                                         call. NULL: the tracker calls fgt_predict() with x */
    void *user;
} fgt_tracker_opts;

/** The measures that fgt_tracker_opts.hops adds to the statistics: n_i and s_i of fgt_hops_compute(). */
typedef enum fgt_hop_measure {
    FGT_HOP_MEASURE_NORM  = 100, /**< "hop_norm": n_i */
    FGT_HOP_MEASURE_SHARE = 101  /**< "hop_share": s_i */
} fgt_hop_measure;

/** Creates a tracker without records. The passes of the tracker over x use the values that are set at this
 *  call (fgt_workspace_set_value()), even if a training sets other values later. After this call, and after
 *  each pass of the tracker, fgt_backward() needs a new fgt_forward(). If masks are among the values,
 *  matrices that depend on them cannot be read (FGT_E_STATE) after a pass of the tracker, until the host's
 *  next pass.
 *  Shapes   x as fgt_predict(); NULL with `pass`
 *  Owner    *tracker is the caller's; x and the values are copied; the model must outlive it and takes no
 *           more layers
 *  Errors   FGT_E_ARG neither or both of x and pass, an option out of range; FGT_E_NAME no such layer;
 *           FGT_E_UNSUPPORTED a layer has no matrices, or no layer of the model has any; FGT_E_STATE no
 *           layers; errors of fgt_predict() about x; FGT_E_VERSION; FGT_E_NOMEM; *tracker is NULL on error */
FGT_API FGT_MUST fgt_status fgt_tracker_create(fgt_model *model, const fgt_tracker_opts *opts,
                                               const fgt_view *x, fgt_tracker **tracker);

/** Destroys a tracker and sets *tracker to NULL.
 *  Owner    takes *tracker, not the model */
FGT_API void fgt_tracker_destroy(fgt_tracker **tracker);

/** Makes a pass and a record, if a record is due: at the end of every `epochs`-th epoch, and after every
 *  `steps`-th step. Call it in the progress callback of a training. With progress NULL it makes a record of
 *  epoch 0 and step 0.
 *
 *  A record has the first six statistics and RANK_ONE of A^power for each layer, head and power, and
 *  DIRICHLET, MAD, COSINE, RANK and RANK_ONE of each layer's output. Each number is the mean over the
 *  samples; samples for which the statistic is NaN do not count. Statistics of square matrices are left out
 *  for cross attention. With `hops` it also has FGT_HOP_MEASURE_NORM and FGT_HOP_MEASURE_SHARE of every hop
 *  of each Fighter layer, without a head.
 *  Cost     a pass; about T^2 steps for each sample, head and power, with `ranks` 4 T^3; and T H steps for
 *           each sample. Memory for the new records, and for two powers of A
 *  Errors   FGT_E_STATE states are carried over or were set; FGT_E_VERSION; errors of the pass,
 *           fgt_model_get_adjacency() and fgt_statistic_compute(); FGT_E_NOMEM. On error the records are as
 *           before */
FGT_API FGT_MUST fgt_status fgt_tracker_record(fgt_tracker *tracker, const fgt_progress *progress);

/** One number of a record. */
typedef struct fgt_tracker_row {
    size_t      size;
    int64_t     epoch, step; /**< as in fgt_progress */
    const char *layer;       /**< name of the layer; valid until the tracker is destroyed */
    int64_t     head;        /**< -1: the value is of the layer's output, or of a hop */
    int64_t     power;       /**< power of A, or number of a hop; 0: the layer's output, or hop 0 */
    int32_t     statistic;   /**< an fgt_statistic, or an fgt_hop_measure */
    int32_t     reserved;
    double      value;
} fgt_tracker_row;

/** How many numbers were recorded so far.
 *  Errors   0 for NULL */
FGT_API int64_t fgt_tracker_count_rows(const fgt_tracker *tracker);

/** Gets row i, one of the recorded numbers, in the order in which they were recorded.
 *  Owner    row (its size set) is filled
 *  Errors   FGT_E_ARG NULL, or i out of range; FGT_E_VERSION */
FGT_API FGT_MUST fgt_status fgt_tracker_get_row(const fgt_tracker *tracker, int64_t i, fgt_tracker_row *row);

/** Writes all recorded numbers as CSV: epoch,step,layer,head,power,statistic,value. Cells that do not apply,
 *  and NaN, are empty.
 *  Owner    borrowed
 *  Errors   FGT_E_ARG NULL; FGT_E_NOMEM; errors of fgt_output */
FGT_API FGT_MUST fgt_status fgt_tracker_save(const fgt_tracker *tracker, const fgt_output *output);

#ifdef __cplusplus
}
#endif
#endif
