/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_IMPL_H
#define FGTI_MODEL_IMPL_H

/* The struct of a model, which only the files of lib/model know. */

#include <pthread.h>

#include "core/status.h"
#include "core/strings/words.h"
#include "core/threads.h"
#include "model/adapter_types.h"
#include "model/gradient_watch.h"
#include "nn/layer.h"

/* Memory of results that layers compute from the weights and keep (nn/kept.h), for all workspaces of a
 * model. */
typedef struct fgti_keep_part {
    int64_t    size;   /* elements */
    fgti_real *memory; /* allocated while there are users */
    int64_t    users;  /* number of workspaces that use it */
} fgti_keep_part;

typedef struct fgti_keep {
    fgti_keep_part  all, packs; /* results for every workspace; results for workspaces of predictions */
    pthread_mutex_t lock;       /* protects the contents of the memory: fgti_run.keeping */
} fgti_keep;

/* Memory of a layer in a workspace, and the layer's data of the last pass. */
typedef struct fgti_slot {
    int64_t    cache;       /* offset */
    bool       undone;      /* a later layer shares the cache: fgti_layer.peer */
    int64_t    state[FGTI_MAX_STATES], state_end[FGTI_MAX_STATES], dstate[FGTI_MAX_STATES];
    int64_t    past[FGTI_MAX_PASTS];
    bool       past_set[FGTI_MAX_PASTS]; /* whether the host has set it since fgt_workspace_begin_series() */
    fgti_shape out;
    fgt_view   value, value_gradient; /* views of an fgt_value(), as the host gave them; data NULL: not set */
    fgt_view   padding;               /* padding of the output of a layer with a stride; data NULL: ids give
                                       * no padding */
    fgt_view   seed;                  /* gradient from fgt_model_add_gradient(); data NULL: not given */
} fgti_slot;

/* A tensor of a pass: number 0 is the model's input, number i + 1 the output of layer i. */
typedef struct fgti_tensor {
    int64_t at;       /* offset of its value */
    int64_t gradient; /* offset of its gradient, in training */
    int64_t readers;  /* how often layers read it */
    int64_t last;     /* the last layer that reads it */
    bool    wanted;   /* backward: its gradient is needed */
    bool    arrived;  /* backward: its gradient has a value */
} fgti_tensor;

/* Purposes of a workspace. LEAN: predictions, layers share memory. KEEP: predictions, every cache stays,
 * so that A can be read. TRAIN: KEEP and gradients of activations. */
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
    fgti_error  *error; /* the context's, or own_error */
    fgti_error   own_error;
    fgti_exec   *exec; /* the context's, or own_exec */
    fgti_exec    own_exec;
    fgti_plan    plan;
    fgti_slot   *slot;   /* one for each layer; the next two lists are in the same block */
    fgti_tensor    *tensor; /* one for the model's input and one for each layer */
    int64_t        *spare;  /* one for each edge: place of its gradient if another gradient came before; see
                          * plan_gradients() */
    fgti_real   *memory;
    bool         keeps, packs; /* counted among the users of keep.all, keep.packs */
    int64_t     *gap, gaps; /* under AddressSanitizer: beginnings of the red zones between the parts */
    int32_t     *padding; /* [B,T], made from the ids, and the slots' padding; NULL: no padding */
    fgt_view     padding_view;
    int64_t      padding_from; /* number of the embedding: layers before it have no padding */
    fgt_view        mask[FGT_MASK_COUNT]; /* masks of the whole model; data NULL: not set */
    uint32_t        masks_changed; /* masks set since the last pass began: a bit 1 << fgt_mask for each */
    fgti_shape      in;            /* shape of the model's input in the last pass */
    bool            carry;         /* passes start from the states in which the pass before ended */
    bool            given;         /* the next pass starts from states, because a state was set */
    int64_t      state_batch;          /* samples that the states belong to; 0: they are zero */
    fgti_stream  stream;               /* room 0: no stream */
    bool            resumes; /* fgt_workspace_begin_series() gave tokens: all pasts must be set */
    int64_t      ended;                /* samples of the end states of the last pass, except states that were
                                        * set since; 0: they are gone */
    fgti_run        last;                 /* settings of the last pass */
    bool         passed;               /* there was a pass */
    bool         differentiable;       /* fgt_backward() may follow, and has not yet */
    bool         busy;                 /* a pass runs, perhaps in a layer of the host's */
    bool         returned;             /* fgt_backward() ran, and left the gradients of the states */
    bool            aside;                /* fgt_backward() runs outside of a training: it also computes
                                          gradients of frozen parameters, and writes no gradients of
                                          fgt_value() layers */
    const fgt_view *until_gradient;       /* gets the gradient at the output of layer `until`, where backward
                                        * ends; */
    int64_t         until;                /* until_gradient NULL: backward goes to the input */
    uint64_t     step;                 /* training passes so far: the dropout stream */
    fgti_operand    input[FGTI_INPUTS_MAX]; /* inputs of the layer that fgti_pass_io() was called for */
    fgti_real   *matrices;             /* attention matrices for the host */
    int64_t      matrices_capacity;
};

struct fgt_model {
    fgt_context   *ctx;
    fgt_model_opts opts;
    fgti_layer   **layer;
    int64_t        layers, capacity;
    int64_t        last; /* the layer that gives the model's output and the next layer's input; -1: no layer
                          * yet */
    fgti_words     names, param_names;  /* names of the layers and of their own parameters, with the same
                                         * numbers */
    int64_t        size;                /* elements in all parameters */
    fgti_real     *weights, *gradients; /* slabs of `size`; gradients are made at their first use */
    int64_t        room;                /* elements that fit into the slab of weights */
    uint64_t       version;             /* increased by every change of the weights */
    fgti_touched   touched;             /* touched rows of the first parameter, if its gradient is sparse */
    bool           final;               /* no layers can be added: others rely on the parameters' places */
    int32_t        calls;               /* running functions of the host that training called: no training */
    int32_t        asking;              /* running plan() or memory() of layers: they may not use the model */
    fgt_workspace  lent;                /* fgt_model_get_workspace(), for fgt_forward() and fgt_predict() */
    fgt_workspace *own;                 /* `lent` while it has memory, else NULL */
    fgti_gradient_watch watch;          /* called in the model's backward passes */
    fgti_keep           keep;
    fgti_adapter       *adapters; /* in the order in which they were added */
    fgti_tuning         tuning;   /* memory of the active adapter */
    uint64_t            serials;  /* number of adapters so far */
    /* While the model is loaded, else NULL: layers that are added get places for their parameters, but
     * fgti_params_allocate() allocates the slab once, for all, and nothing is drawn. */
    const fgti_admit     *loading;
    bool                  predicts, half, bf16; /* only in a predictor: see fgti_layer */
    bool                  folds;                /* only in a predictor: it may skip computations */
    struct fgti_follower *follows;              /* a predictor with another model's weights; else NULL */
    const char           *prefix;               /* prefix of the names of layers that are added; NULL: none */
};

#endif
