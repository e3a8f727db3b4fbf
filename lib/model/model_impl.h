/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_IMPL_H
#define FGTI_MODEL_IMPL_H

#include <pthread.h>

#include "core/strings/words.h"
#include "model/access.h"
#include "model/adapter.h"

/* Memory of results that layers compute from the weights and keep (nn/kept.h), for all workspaces of a
 * model. */
typedef struct fgti_keep_part {
    int64_t    size;   /* elements */
    fgti_real *memory; /* allocated while there are users */
    int64_t    users;  /* workspaces */
} fgti_keep_part;

typedef struct fgti_keep {
    fgti_keep_part  all, packs; /* for every workspace; for workspaces of predictions */
    pthread_mutex_t lock;       /* for the contents of the memory: fgti_run.keeping */
} fgti_keep;

struct fgt_model {
    fgt_context   *ctx;
    fgt_model_opts opts;
    fgti_layer   **layer;
    int64_t        layers, capacity;
    int64_t        last; /* the layer that gives the model's output and the next one's input; -1: none yet */
    fgti_words     names, param_names; /* of the layers and of their own parameters, with the same numbers */
    int64_t        size; /* elements in all parameters */
    fgti_real     *weights, *gradients; /* slabs of `size`; gradients are made at their first use */
    int64_t        room;                /* elements that fit into the slab of weights */
    uint64_t       version;             /* increased by every change of the weights */
    fgti_touched   touched;             /* of the first parameter, if its gradient is sparse */
    bool           sealed;              /* a pass or an optimiser relies on the parameters' places */
    int32_t        calls;               /* running functions of the host that training called: no training */
    int32_t        asking;              /* running plan() or memory() of layers: they may not use the model */
    fgt_workspace *own;                 /* for fgt_forward and fgt_predict */
    fgti_gradient_watch watch;          /* of its backward passes */
    fgti_keep      keep;
    fgti_adapter  *adapters; /* in the order in which they were added */
    fgti_tuning    tuning;   /* of the active one */
    uint64_t       serials;  /* number of adapters so far */
    /* While the model is loaded, else NULL: layers that are added get places for their parameters, but
     * fgti_params_allocate() allocates the slab once, for all, and nothing is drawn. */
    const fgti_admit *loading;
    bool              predicts, half, bf16; /* a predictor's: see fgti_layer */
    bool              folds;          /* a predictor's: it may skip computations */
    struct fgti_follower *follows;    /* of a predictor with another model's weights; else NULL */
    const char       *prefix; /* of the names of layers that are added; NULL: none */
};

/* Memory of a layer in a workspace, and its side of the last pass. */
typedef struct fgti_slot {
    int64_t    cache;       /* offset */
    bool       undone;      /* a later layer shares the cache: fgti_layer.peer */
    int64_t    state[FGTI_MAX_STATES], state_end[FGTI_MAX_STATES], dstate[FGTI_MAX_STATES];
    int64_t    past[FGTI_MAX_PASTS];
    bool       past_set[FGTI_MAX_PASTS]; /* since fgt_workspace_set_tokens() */
    fgti_shape out;
    fgt_view   value, value_gradient; /* of an fgt_value(), as the host gave them; data NULL: not set */
    fgt_view   padding;               /* of the output of a layer with a stride; data NULL: no padding by
                                         ids */
    fgt_view   seed;                  /* from fgt_model_add_gradient(); data NULL: not given */
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
    fgti_tensor *tensor; /* one more than layers */
    int64_t     *spare;  /* one for each edge: place of its gradient if another came before; see
                            placement.h */
    fgti_real   *memory;
    bool         keeps, packs; /* counted among the users of keep.all, keep.packs */
    int64_t     *gap, gaps; /* under AddressSanitizer: beginnings of the red zones between the parts */
    int32_t     *padding; /* [B,T], made from the ids, and the slots' padding; NULL: no padding */
    fgt_view     padding_view;
    int64_t      padding_from; /* number of the embedding: layers before it have no padding */
    fgt_view     mask[FGT_MASK_COUNT]; /* of the whole model; data NULL: not set */
    uint32_t     masks_changed;        /* since the last pass began: a bit 1 << fgt_mask for each */
    fgti_shape   in;                   /* of the model's input in the last pass */
    bool         carry;                /* passes start from the states in which the last one ended */
    bool         given;                /* the next pass starts from states, because one was set */
    int64_t      state_batch;          /* samples that the states belong to; 0: they are zero */
    fgti_stream  stream;               /* room 0: no stream */
    bool         resumes;              /* fgt_workspace_set_tokens() was called: all pasts must be set */
    int64_t      ended;                /* samples of the end states of the last pass, except states that were
                                        * set since; 0: they are gone */
    fgti_run     last;                 /* of the last pass */
    bool         passed;               /* there was a pass */
    bool         differentiable;       /* fgt_backward() may follow, and has not yet */
    bool         busy;                 /* a pass runs, perhaps in a layer of the host's */
    bool         returned;             /* fgt_backward() ran, and left the gradients of the states */
    bool         aside;                /* backward outside of a training: it also computes the gradients
                                          of frozen parameters, and does not write gradients of the host's
                                          values */
    const fgt_view *until_gradient;    /* gets the gradient at the output of layer `until`, where backward */
    int64_t      until;                /* ends; NULL: it goes to the input */
    uint64_t     step;                 /* training passes so far: the dropout stream */
    fgti_operand input[FGTI_INPUTS_MAX]; /* of the layer that fgti_pass_io() was called for */
    fgti_real   *matrices;             /* attention matrices for the host */
    int64_t      matrices_capacity;
};

/* ---- model.c ---- */

extern const fgti_opt fgti_model_opts[]; /* all but the seed */
/* For calls that make a model: sets *model to NULL. FGT_E_ARG without a context or a place for the model. */
fgt_status fgti_model_check_place(fgt_context *ctx, fgt_model **model);

/* The option of a class that takes a graph, or NULL. */
static inline const fgti_opt *fgti_class_graph(const fgti_class *cls)
{
    const fgti_opt *o = cls->opts;
    while (o->name && o->kind != FGTI_OPT_GRAPH) o++;
    return o->name ? o : NULL;
}

/* ---- keep.c ---- */

fgt_status fgti_keep_init(fgt_model *m);
void       fgti_keep_done(fgt_model *m);
/* Gives a planned layer its place. */
void fgti_keep_add(fgt_model *m, fgti_layer *l);
/* Called when a workspace begins to serve a purpose, or is destroyed. The first user allocates, the last one
 * frees. No lock: only the thread that may use the context calls them; passes in other threads only read the
 * address, which stays while there is a user; and in a child of fork() a thread that is gone may hold the
 * lock. */
fgt_status fgti_keep_hold(fgt_workspace *ws, fgti_purpose purpose);
void       fgti_keep_release(fgt_workspace *ws);
/* Elements that a workspace of this purpose uses. */
int64_t fgti_keep_size(const fgt_model *m, fgti_purpose purpose);

/* ---- names.c ---- */

/* The layer with this name, or NULL. */
fgti_layer *fgti_model_find(const fgt_model *model, const char *name);
fgt_status fgti_model_need(const fgt_model *model, fgti_error *err, const char *name,
                           const fgti_layer **layer);
/* Adds to the sentence of an error the names of the layers that would fit; fits NULL: of all layers. Returns
 * s. */
fgt_status fgti_model_list(const fgt_model *model, fgti_error *err, fgt_status s,
                           bool (*fits)(const fgti_layer *l));
/* Whether a pattern means this name: stars match any bytes, and a pattern that ends in a dot matches every
 * name that begins with it. */
bool fgti_name_matches(const char *pattern, const char *name);
/* A list of names, a JSON array: adds a name of fewer than FGTI_NAME_MAX bytes; ends the list, if not
 * empty. */
fgt_status fgti_names_put(fgti_text *list, const char *name);
fgt_status fgti_names_end(fgti_text *list);
/* Calls `take` for each name of such a text. False: not a list, or `take` returned false. */
bool fgti_names_read(const char *list, bool (*take)(void *user, const char *name), void *user);

/* ---- values.c ---- */

/* An fgt_adjacency_kind. */
int32_t fgti_layer_adjacency(const fgti_layer *l);
/* The layer with this name, and in *v the shape of its matrices in the last pass. FGT_E_NAME;
 * FGT_E_UNSUPPORTED it has no matrices; FGT_E_STATE. */
fgt_status fgti_adjacency_find(fgt_model *model, const char *name, const fgti_layer **layer, fgt_view *v);

/* ---- nodes.c ---- */

/* The fgt_mask of a value of this kind; -1: it has numbers or ids. */
int fgti_mask_of(int32_t kind);

/* FGT_E_STATE while plan() or memory() of a layer of the host's runs: the model is being changed. */
fgt_status fgti_model_check_asking(const fgt_model *model);
/* Adds a layer with inputs given by their numbers; count -1: the last layer. shares: see fgti_layer. */
fgt_status fgti_model_add_edges(fgt_model *model, fgt_layer desc, int32_t count, const int64_t *from,
                                const fgti_layer *shares);
/* Whether a layer reads the values of its input k, and not only the cache of the layer after it. */
static inline bool fgti_layer_reads(const fgti_layer *l, int32_t k)
{
    return !k || !l->peer;
}
/* Whether the layer reads the inputs that fgt_model_add() would give it. */
bool fgti_layer_is_chained(const fgt_model *model, const fgti_layer *l);
void fgti_layer_destroy(fgt_context *ctx, fgti_layer *l);

/* ---- params.c ---- */

/* Makes room for a layer's parameters in the slab and draws their first values. */
fgt_status fgti_params_extend(fgt_model *model, fgti_layer *layer);
/* Ends model->loading: makes the slab, with any contents. */
fgt_status fgti_params_allocate(fgt_model *model);
/* The layers' parameter with this name, or NULL. */
const fgti_param *fgti_param_find(const fgt_model *model, const char *name);
/* Parameter i of the layers. */
const fgti_param *fgti_param_at(const fgt_model *model, int64_t i, const fgti_layer **layer);

/* Number of the layers' parameters, adapters not included. */
int64_t fgti_params_count(const fgt_model *model);
/* Trained parameter i: of the active adapter, or of the layers. */
fgti_param *fgti_trained_at(const fgt_model *model, int64_t i);

/* The trained parameters: of the layers, or of the active adapter. */
typedef struct fgti_trained {
    int64_t       size;
    fgti_real    *weights;
    fgti_real   **gradients; /* where the address of the slab is stored */
    fgti_touched *touched;
    uint64_t      serial; /* 0: of the layers */
} fgti_trained;
fgti_trained fgti_model_trained(fgt_model *model);

/* ---- gradients.c ---- */

/* Bytes of all gradients, allocated or not. */
int64_t fgti_gradients_bytes(const fgt_model *model);

/* ---- workspace.c ---- */

/* FGT_E_STATE in a pass: a layer of the host's must not begin another pass in the same memory. */
fgt_status fgti_workspace_check_busy(const fgt_workspace *ws);
/* The model's own workspace, made for `purpose`; FGT_E_STATE if it has another purpose and a pass runs.
 * Layers can still be added, which destroys it, until fgti_model_seal(). */
fgt_status fgti_workspace_own(fgt_model *model, fgti_purpose purpose);
/* A workspace for predictions with the context's threads and its sentence. */
fgt_status fgti_workspace_create_shared(fgt_model *model, int64_t batch, fgt_workspace **ws);
/* Seals the model if s is FGT_OK. Returns s. */
fgt_status fgti_model_seal(fgt_model *model, fgt_status s);
/* Bytes of a workspace, for training with the gradients, without making it; -1 on error. */
fgt_status fgti_workspace_bytes(const fgt_model *model, fgti_purpose purpose, const fgt_workspace_opts *o,
                                int64_t *bytes);

/* ---- plan.c ---- */

/* Elements for a layer in a pass of the planned size. */
fgti_need fgti_workspace_need(const fgti_layer *l, int64_t batch);
/* Makes the lists of a workspace and places all parts; the memory is allocated later. FGT_E_SIZE. */
fgt_status fgti_workspace_plan(fgt_workspace *ws, fgti_purpose purpose, int64_t batch, int32_t workers);
size_t     fgti_workspace_lists(const fgt_model *m);
/* Number of all inputs of layers. */
int64_t fgti_model_edges(const fgt_model *m);

/* ---- state.c ---- */

/* Puts the states in place for a pass of `batch` samples. FGT_E_STATE they have another batch. */
fgt_status fgti_state_start(fgt_workspace *ws, int64_t batch);
/* After the pass: if it went well, its end states count, otherwise the states from its start. */
void fgti_state_end(fgt_workspace *ws, int64_t batch, bool ok);
/* Moves all data of states from a workspace to another of the same model. */
void fgti_state_move(const fgt_workspace *from, fgt_workspace *to);

/* Before a state of `batch` samples is set: states that are not set become zero. FGT_E_SHAPE, FGT_E_STATE the
 * others have another number of samples. */
fgt_status fgti_state_begin(fgt_workspace *ws, const char *name, int64_t batch);

/* ---- stream.c ---- */

/* FGT_E_UNSUPPORTED: a layer cannot be part of a stream of up to `room` tokens. */
fgt_status fgti_stream_check(const fgt_model *model, int64_t room);
/* FGT_E_SIZE: there is no room for the tokens of this pass; FGT_E_STATE: a past is missing. */
fgt_status fgti_stream_start(const fgt_workspace *ws);
/* Finds the past with this name. */
bool fgti_stream_find(const fgt_workspace *ws, const char *name, int64_t *layer, int32_t *k);
fgt_status fgti_stream_get(const fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                           fgt_view *value);
fgt_status fgti_stream_set(fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                           const fgt_view *value);

/* ---- inputs.c ---- */

/* Whether v is a tensor [batch,s]; axes N and T of length 1 may be left out. */
fgt_status fgti_view_expect(fgti_error *err, const char *what, const fgt_view *v, int64_t batch,
                            fgti_shape s);
/* The view of a tensor, without axes N and T of length 1. */
fgt_view fgti_view_of(fgti_real *data, int64_t batch, fgti_shape s);
/* Checks x and all values of the pass, finds its batch and every layer's shapes. */
fgt_status fgti_inputs_check(fgt_workspace *ws, const fgt_view *x, int64_t *batch);
/* Copies x and the values to their tensors, and makes the padding mask from the ids. */
void fgti_inputs_copy(fgt_workspace *ws, const fgt_view *x);

/* ---- pass.c ---- */

/* dropout: as in training; differentiable: fgt_backward() may follow. */
fgt_status fgti_pass_forward(fgt_workspace *ws, bool dropout, bool differentiable, const fgt_view *x,
                             const fgt_view *y);
/* The backward pass of the model's own workspace. */
fgt_status fgti_pass_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx);
/* The padding by ids for the tokens of a layer's last input. */
const fgt_view *fgti_pass_padding(const fgt_workspace *ws, const fgti_layer *l);
fgti_io fgti_pass_io(fgt_workspace *ws, int64_t layer);
/* The run for a layer, with its masks. */
fgti_run fgti_pass_run(const fgt_workspace *ws, int64_t layer);

#endif
