/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_IMPL_H
#define FGTI_MODEL_IMPL_H

#include "model/files/safetensors.h"
#include "nn/layer.h"

struct fgt_model {
    fgt_context   *ctx;
    fgt_model_opts opts;
    fgti_layer   **layer;
    int64_t        layers, capacity;
    int64_t        size;                /* elements in all parameters */
    fgti_real     *weights, *gradients; /* slabs of `size`; gradients appear with the first use */
    uint64_t       version;             /* whoever writes to the weights counts it up */
    fgti_touched   touched;             /* of the first parameter, if its gradient is sparse */
    bool           sealed;              /* a pass or an optimiser has seen the parameters' places */
    fgt_workspace *own;                 /* for fgt_forward and fgt_predict */
    /* While the model is loaded, else NULL: layers that are added get places for their parameters, but the
     * slab is allocated once, for all, by fgti_params_allocate(), and nothing is drawn. */
    const fgti_admit *loading;
};

/* Where one layer's memory lies in a workspace, and what passed it last. */
typedef struct fgti_slot {
    int64_t    x, y, cache, keep; /* offsets; the x of a layer is the y of the one before */
    int64_t    state[FGTI_MAX_STATES], state_end[FGTI_MAX_STATES], dstate[FGTI_MAX_STATES];
    fgti_shape in, out;
} fgti_slot;

/* What a workspace is for. LEAN: predictions, layers share memory. KEEP: predictions, every cache stays, so
 * that A can be read. TRAIN: KEEP and gradients of activations. */
typedef enum fgti_purpose { FGTI_LEAN, FGTI_KEEP, FGTI_TRAIN } fgti_purpose;

/* Offsets of a workspace's parts, in elements. */
typedef struct fgti_plan {
    fgti_purpose purpose;
    int64_t      batch, total, zeroed; /* what starts as zero comes first */
    int64_t      scratch, arena, arena_stride, gradient[2];
} fgti_plan;

struct fgt_workspace {
    fgt_model  *model;
    fgti_error *error; /* the context's, or own_error */
    fgti_error  own_error;
    fgti_exec  *exec; /* the context's, or own_exec */
    fgti_exec   own_exec;
    fgti_plan   plan;
    fgti_slot  *slot; /* one a layer */
    fgti_real  *memory;
    int32_t    *ids;
    int32_t    *padding; /* [B,T], made from the ids; NULL: none is */
    fgt_view    padding_view;
    fgt_view    input[FGT_INPUT_COUNT], input_gradient[FGT_INPUT_COUNT];
    bool        has_input[FGT_INPUT_COUNT], has_gradient[FGT_INPUT_COUNT];
    bool        carry;          /* passes start from the states in which the last one ended */
    bool        given;          /* the next pass does, because somebody set one */
    int64_t     state_batch;    /* samples that the states belong to; 0: they are zero */
    fgti_run    last;           /* of the last pass */
    bool        passed;         /* there was one */
    bool        differentiable; /* it was fgt_forward, and fgt_backward has not used it */
    uint64_t    step;           /* training passes so far: the dropout stream */
    fgti_real  *matrices;       /* attention matrices that somebody asked for */
    int64_t     matrices_room;
};

extern const fgti_opt fgti_model_opts[]; /* model.c; all but the seed */

/* ---- params.c ---- */

/* Makes room for a layer's parameters in the slab and draws their first values. */
fgt_status fgti_params_extend(fgt_model *model, fgti_layer *layer);
/* Ends model->loading: makes the slab, with any contents. */
fgt_status fgti_params_allocate(fgt_model *model);
/* The i-th parameter of all. */
const fgti_param *fgti_param_at(const fgt_model *model, int64_t i, const fgti_layer **layer);
bool              fgti_all_finite(int64_t n, const fgti_real *x);

/* ---- gradients.c ---- */

/* Makes the gradients, all zero, unless they are there. */
fgt_status fgti_gradients_need(fgt_model *model);
/* Zeroes them; where they are sparse only what was touched. */
void fgti_gradients_clear(fgt_model *model);
/* Finds out which rows of a sparse gradient, set as a whole, are not zero. */
void fgti_gradients_touch(fgt_model *model);
/* Elements at the start of the slabs that are sparse: rows of model->touched. All others are dense. */
static inline int64_t fgti_gradients_sparse(const fgt_model *model)
{
    return model->touched.rows * model->touched.width;
}

/* ---- workspace.c ---- */

/* Plans without allocating; slot may be NULL. FGT_E_SIZE. */
fgt_status fgti_workspace_plan(const fgt_model *model, fgti_purpose purpose, int64_t batch, int32_t workers,
                               fgti_slot *slot, fgti_plan *plan);
/* The model's own workspace, at least good for `purpose`. */
fgt_status fgti_workspace_own(fgt_model *model, fgti_purpose purpose);

/* ---- state.c ---- */

/* Puts the states in place for a pass of `batch` samples. FGT_E_STATE they are of another batch. */
fgt_status fgti_state_start(fgt_workspace *ws, int64_t batch);
/* After the pass: its end states count if it went well, else those of before. */
void fgti_state_end(fgt_workspace *ws, int64_t batch, bool ok);
/* Everything about states from a workspace to another of the same model. */
void fgti_state_move(const fgt_workspace *from, fgt_workspace *to);

/* ---- pass.c ---- */

fgt_status fgti_pass_forward(fgt_workspace *ws, bool training, const fgt_view *x, const fgt_view *y);
fgti_io    fgti_pass_io(const fgt_workspace *ws, int64_t layer);

/* ---- model_file.c ---- */

/* Tensors and pairs besides the model's own, for whoever keeps more in the same file. */
typedef struct fgti_extra {
    int64_t               tensors, pairs;
    const fgti_st_tensor *tensor;
    const fgti_st_pair   *pair;
} fgti_extra;
fgt_status fgti_model_save_with(fgt_model *model, fgti_output *out, const fgti_extra *extra);
fgt_status fgti_model_load_from(fgt_context *ctx, const fgti_st *st, const fgt_model_opts *opts,
                                fgt_model **model);
/* Whether a file holds a model of the same layers, options and seed, and weights that can be read. */
fgt_status fgti_model_check_file(fgt_model *model, const fgti_st *st);
/* Whether two models have the same layers and options, whatever their seeds and weights. FGT_E_ARG. */
fgt_status fgti_model_check_same(const fgt_model *model, const fgt_model *other);
/* Whether a file has all weights of the model, finite; with `alone`, nothing else. */
fgt_status fgti_model_check_weights(const fgt_model *model, const fgti_st *st, bool alone);
/* Copies the weights of such a file. If it is held in memory (fgti_st_hold), nothing can fail any more. */
fgt_status fgti_model_read_weights(fgt_model *model, const fgti_st *st);

#endif
