/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_IMPL_H
#define FGTI_MODEL_IMPL_H

/* The struct of a model. Only files of lib/model know it. */

#include <pthread.h>

#include "core/status.h"
#include "core/strings/words.h"
#include "core/threads.h"
#include "model/adapter_types.h"
#include "model/gradient_watch.h"
#include "nn/layer.h"

/* Memory for results that layers compute from the weights and keep (nn/kept.h). All workspaces of a model
 * share it. */
typedef struct fgti_keep_part {
    int64_t    size;   /* size of the memory, in elements */
    fgti_real *memory; /* allocated while any workspace uses it */
    int64_t    users;  /* number of workspaces that use it */
} fgti_keep_part;

typedef struct fgti_keep {
    fgti_keep_part  all, packs; /* all: results for every workspace; packs: results only for workspaces of
                                 * predictions */
    pthread_mutex_t lock;       /* protects the contents of the memory; see fgti_run.keeping */
} fgti_keep;

/* A layer's memory in a workspace, and the layer's data of the last pass. */
typedef struct fgti_slot {
    int64_t    cache;  /* offset of the layer's cache */
    bool       undone; /* a later layer shares the cache (fgti_layer.peer) */
    int64_t    state[FGTI_MAX_STATES], state_end[FGTI_MAX_STATES], dstate[FGTI_MAX_STATES];
    int64_t    past[FGTI_MAX_PASTS];
    bool       past_set[FGTI_MAX_PASTS]; /* the host has set this past since fgt_workspace_begin_series() */
    fgti_shape out;
    fgt_view   value, value_gradient; /* for an fgt_value(): the views that the host gave; data NULL: not
                                       * set */
    fgt_view   padding;               /* for a layer with a stride: padding of its output; data NULL: ids give
                                       * no padding */
    fgt_view   seed;                  /* the gradient from fgt_model_add_gradient(); data NULL: not given */
} fgti_slot;

/* A tensor of a pass. Number 0 is the model's input; number i + 1 is the output of layer i. */
typedef struct fgti_tensor {
    int64_t at;       /* offset of its value */
    int64_t gradient; /* offset of its gradient, in training */
    int64_t readers;  /* how many times layers read it */
    int64_t last;     /* number of the last layer that reads it */
    bool    wanted;   /* in a backward pass: its gradient is needed */
    bool    arrived;  /* in a backward pass: its gradient has a value */
} fgti_tensor;

/* Purposes of a workspace. LEAN: predictions in which layers share memory. KEEP: predictions in which every
 * cache stays, so that A can be read. TRAIN: as KEEP, and gradients of activations. */
typedef enum fgti_purpose { FGTI_LEAN, FGTI_KEEP, FGTI_TRAIN } fgti_purpose;

/* The begin of each part of a workspace, in elements from its start:
 *
 *     0        zeroed                                                                      total
 *     | states | pasts | values (and caches) of the layers | scratch | arenas | gradients          |
 *       start as zero,   LEAN: buffers that values share,    of one    one a    TRAIN: buffers that
 *       stay from pass   caches in one place                 call      worker   gradients share
 *       to pass          else each its own
 *
 * Values and gradients that are not needed at the same time share a buffer (placement.h). */
typedef struct fgti_plan {
    fgti_purpose purpose;
    int64_t      batch, total, zeroed;
    int64_t      scratch, arena, arena_stride;
} fgti_plan;

struct fgt_workspace {
    fgt_model   *model;
    fgti_error     *error; /* error of the context, or own_error */
    fgti_error   own_error;
    fgti_exec      *exec; /* exec of the context, or own_exec */
    fgti_exec    own_exec;
    fgti_plan    plan;
    fgti_slot      *slot;   /* [layers]; the next two arrays are in the same block */
    fgti_tensor    *tensor; /* [1 + layers]: the model's input and the output of each layer */
    int64_t        *spare;  /* one for each edge: place of the edge's gradient if another gradient came before
                             * it; see plan_gradients() */
    fgti_real   *memory;
    bool            keeps, packs; /* the workspace counts as a user of keep.all; of keep.packs */
    int64_t        *gap, gaps; /* only under AddressSanitizer: where the red zones between the parts begin */
    int32_t        *padding;   /* [B,T]: padding made from the ids, followed by the padding of slots; NULL: no
                                * padding */
    fgt_view     padding_view;
    int64_t         padding_from; /* number of the embedding that makes the padding; layers before it have no
                                   * padding */
    fgt_view        mask[FGT_MASK_COUNT]; /* masks that hold for the whole model; data NULL: not set */
    uint32_t        masks_changed;  /* masks that were set since the last pass began, as bits 1 << fgt_mask */
    fgti_shape      in;             /* shape of the model's input in the last pass */
    bool            carry;          /* a pass starts from the states in which the last pass ended */
    bool            given;          /* a state was set, so the next pass starts from the states */
    int64_t         state_batch;    /* number of samples in the states; 0: the states are zero */
    fgti_stream     stream;         /* the stream; its room 0: no stream */
    bool            resumes;        /* fgt_workspace_begin_series() gave tokens, so all pasts must be set */
    int64_t         ended;          /* number of samples in the end states of the last pass, except states
                                     * that were set since; 0: the end states are gone */
    fgti_run        last;           /* settings of the last pass */
    bool            passed;         /* there was a pass in this workspace */
    bool            differentiable; /* fgt_backward() may follow; it has not been called since the last
                                     * pass */
    bool            busy;           /* a pass is running, perhaps inside a layer of the host */
    bool            returned;       /* fgt_backward() has run, and the gradients of the states are still
                                     * there */
    bool            aside;          /* fgt_backward() runs outside of a training: it also computes gradients
                                     * of frozen parameters, but writes no gradients of fgt_value() layers */
    const fgt_view *until_gradient; /* gets the gradient at the output of layer `until`, where the backward
                                     * pass ends */
    int64_t         until;          /* not used if until_gradient is NULL: the backward pass then goes to the
                                     * input */
    uint64_t        step;           /* number of training passes so far; it selects the random numbers of
                                     * dropout */
    fgti_operand    input[FGTI_INPUTS_MAX]; /* inputs of the layer for which fgti_pass_io() was called last */
    fgti_real   *matrices;             /* attention matrices for the host */
    int64_t      matrices_capacity;
};

struct fgt_model {
    fgt_context   *ctx;
    fgt_model_opts opts;
    fgti_layer   **layer;
    int64_t        layers, capacity;
    int64_t        last; /* number of the layer that gives the model's output and is read by the next layer;
                          * -1: no layer */
    fgti_words     names, param_names;  /* names of the layers; names of their own parameters; both in the
                                         * order of the numbers */
    int64_t        size;                /* number of elements in all parameters */
    fgti_real     *weights, *gradients; /* slabs of `size` elements; gradients are allocated at their first
                                         * use */
    int64_t        room;                /* elements that fit into the slab of weights */
    uint64_t       version;             /* changes with every change of the weights, and only rises */
    fgti_touched   touched;             /* touched rows of the first parameter, if the gradient of this
                                         * parameter is sparse */
    bool           final;               /* no layers can be added, because others rely on the places of the
                                         * parameters */
    int32_t        calls;               /* number of functions of the host that a training has called and that
                                         * still run; they may not train */
    int32_t        asking;              /* number of plan() and memory() of layers that are running; they may
                                         * not use the model */
    fgt_workspace  lent;                /* fgt_model_get_workspace(), which fgt_forward() and fgt_predict()
                                         * use */
    fgt_workspace *own;                 /* `lent` while that workspace has memory, otherwise NULL */
    fgti_gradient_watch watch;          /* called in backward passes of the model */
    fgti_keep           keep;
    fgti_adapter       *adapters; /* all adapters, in the order in which they were added */
    fgti_tuning         tuning;   /* memory of the active adapter */
    uint64_t            serials;  /* number of adapters that were ever added */
    /* Not NULL while the model is loaded from a file. Then a layer that is added gets places for its
     * parameters, but nothing is drawn. fgti_params_allocate() later allocates the slab once for all
     * layers. */
    const fgti_admit     *loading;
    bool                  predicts, half, bf16; /* only in a predictor; see fgti_layer */
    bool                  folds;                /* only in a predictor: computations that have no effect may
                                                 * be skipped */
    struct fgti_follower *follows;              /* in a predictor that uses another model's weights; otherwise
                                                 * NULL */
    const char           *prefix;               /* prefix for the names of layers that are added; NULL: no
                                                 * prefix */
};

#endif
