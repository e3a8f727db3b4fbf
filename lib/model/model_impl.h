/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_IMPL_H
#define FGTI_MODEL_IMPL_H

#include <pthread.h>

#include "data/strings/words.h"
#include "model/access.h"
#include "model/adapter.h"

/* Memory of results that layers keep of the weights (nn/kept.h), for all workspaces of a model. */
typedef struct fgti_keep_part {
    int64_t    size;   /* elements */
    fgti_real *memory; /* there while there are users */
    int64_t    users;  /* workspaces */
} fgti_keep_part;

typedef struct fgti_keep {
    fgti_keep_part  all, packs; /* for every workspace; for those of predictions */
    pthread_mutex_t lock;       /* of what the memory holds: fgti_run.keeping */
} fgti_keep;

struct fgt_model {
    fgt_context   *ctx;
    fgt_model_opts opts;
    fgti_layer   **layer;
    int64_t        layers, capacity;
    int64_t        last; /* the layer that gives the model's output, which the next one reads; -1: none yet */
    fgti_words     names, param_names; /* of the layers and of their own parameters, with the same numbers */
    int64_t        size; /* elements in all parameters */
    fgti_real     *weights, *gradients; /* slabs of `size`; gradients appear with the first use */
    int64_t        room;                /* elements that fit into the slab of weights */
    uint64_t       version;             /* increased by whoever writes to the weights */
    fgti_touched   touched;             /* of the first parameter, if its gradient is sparse */
    bool           sealed;              /* a pass or an optimiser has seen the parameters' places */
    int32_t        calls;               /* of the host's functions by training, now: they may not train */
    int32_t        asking;              /* plan() or memory() of layers, now: they may not use the model */
    fgt_workspace *own;                 /* for fgt_forward and fgt_predict */
    fgti_gradient_watch watch;          /* of its backward passes */
    fgti_keep      keep;
    fgti_adapter  *adapters; /* in the order in which they were added */
    fgti_tuning    tuning;   /* of the active one */
    uint64_t       serials;  /* given to adapters so far */
    /* While the model is loaded, else NULL: layers that are added get places for their parameters, but the
     * slab is allocated once, for all, by fgti_params_allocate(), and nothing is drawn. */
    const fgti_admit *loading;
    bool              predicts, half, bf16; /* a predictor's: see fgti_layer */
    bool              folds;          /* a predictor's: it may leave something out */
    struct fgti_follower *follows;    /* a predictor's whose weights are another model's; else NULL */
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
    fgt_view   padding;               /* of the output of a layer with a stride; data NULL: no ids have any */
    fgt_view   seed;                  /* what fgt_model_add_gradient() gave; data NULL: nothing */
} fgti_slot;

/* A tensor of a pass: number 0 is the model's input, number i + 1 the output of layer i. */
typedef struct fgti_tensor {
    int64_t at;       /* offset of its value */
    int64_t gradient; /* offset of its gradient, in training */
    int64_t readers;  /* how often layers read it */
    int64_t last;     /* the last layer that does */
    bool    wanted;   /* backward: somebody asks for its gradient */
    bool    arrived;  /* backward: something stands in its gradient */
} fgti_tensor;

/* Purposes of a workspace. LEAN: predictions, layers share memory. KEEP: predictions, every cache stays,
 * so that A can be read. TRAIN: KEEP and gradients of activations. */
typedef enum fgti_purpose { FGTI_LEAN, FGTI_KEEP, FGTI_TRAIN } fgti_purpose;

/* Where the parts of a workspace begin, in elements from its start:
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
    fgti_slot   *slot;   /* one a layer; the two lists that follow stand in the same block */
    fgti_tensor *tensor; /* one more */
    int64_t     *spare;  /* one an edge: where its gradient goes when another came before; see placement.h */
    fgti_real   *memory;
    bool         keeps, packs; /* counted among the users of keep.all, keep.packs */
    int64_t     *gap, gaps; /* under AddressSanitizer, where red zones begin that stand between the parts */
    int32_t     *padding; /* [B,T], made from the ids, and that of the slots; NULL: none is */
    fgt_view     padding_view;
    int64_t      padding_from; /* number of the embedding: layers before it have none */
    fgt_view     mask[FGT_MASK_COUNT]; /* of the whole model; data NULL: not set */
    uint32_t     masks_changed;        /* since the last pass began: a bit 1 << fgt_mask for each */
    fgti_shape   in;                   /* of the model's input in the last pass */
    bool         carry;                /* passes start from the states in which the last one ended */
    bool         given;                /* the next pass does, because somebody set one */
    int64_t      state_batch;          /* samples that the states belong to; 0: they are zero */
    fgti_stream  stream;               /* room 0: each pass stands alone */
    bool         resumes;              /* fgt_workspace_set_tokens() was called; its pasts must be set, all */
    int64_t      ended;                /* samples of those that the last pass left, but for what was set
                                        * since; 0: they are gone */
    fgti_run     last;                 /* of the last pass */
    bool         passed;               /* there was one */
    bool         differentiable;       /* fgt_backward() may follow, and has not yet */
    bool         busy;                 /* a pass runs, perhaps in a layer of the host's */
    bool         returned;             /* it did, and left the gradients of the states */
    bool         aside;                /* backward is not part of a training: it computes the gradients of
                                        * frozen parameters as well, and leaves those of the host's values */
    const fgt_view *until_gradient;    /* gets the gradient at the output of layer `until`, where backward */
    int64_t      until;                /* ends; NULL: it goes all the way */
    uint64_t     step;                 /* training passes so far: the dropout stream */
    fgti_operand input[FGTI_INPUTS_MAX]; /* of the layer that fgti_pass_io() was called for */
    fgti_real   *matrices;             /* attention matrices that somebody asked for */
    int64_t      matrices_capacity;
};

/* ---- model.c ---- */

extern const fgti_opt fgti_model_opts[]; /* all but the seed */
/* Of a call that makes a model: sets *model to NULL. FGT_E_ARG unless there are a context and the pointer. */
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
/* Gives a layer that is planned its place. */
void fgti_keep_add(fgt_model *m, fgti_layer *l);
/* A workspace that begins to serve a purpose, or is destroyed. The first one allocates, the last one
 * frees. Without the lock: only the one thread calls them that may use the context, passes in other threads
 * read no more than the address, which stays as long as there is a user, and in a child of fork() a thread
 * that is gone may hold the lock. */
fgt_status fgti_keep_hold(fgt_workspace *ws, fgti_purpose purpose);
void       fgti_keep_release(fgt_workspace *ws);
/* Elements of what a workspace of this purpose uses. */
int64_t fgti_keep_size(const fgt_model *m, fgti_purpose purpose);

/* ---- names.c ---- */

/* The layer of that name, or NULL. */
fgti_layer *fgti_model_find(const fgt_model *model, const char *name);
fgt_status fgti_model_need(const fgt_model *model, fgti_error *err, const char *name,
                           const fgti_layer **layer);
/* Adds to the sentence of an error the names of the layers that would have fitted, all with fits NULL.
 * Returns s. */
fgt_status fgti_model_list(const fgt_model *model, fgti_error *err, fgt_status s,
                           bool (*fits)(const fgti_layer *l));
/* Whether a parameter of this name is meant: stars stand for any bytes, and a pattern that ends in a dot
 * means every name that begins so. */
bool fgti_name_matches(const char *pattern, const char *name);
/* A list of names, a JSON array: adds one, of fewer than FGTI_NAME_MAX bytes; ends it, unless it has none. */
fgt_status fgti_names_put(fgti_text *list, const char *name);
fgt_status fgti_names_end(fgti_text *list);
/* Calls `take` for each name of such a text. False: it is no list, or `take` has returned false. */
bool fgti_names_read(const char *list, bool (*take)(void *user, const char *name), void *user);

/* ---- values.c ---- */

/* An fgt_adjacency_kind. */
int32_t fgti_layer_adjacency(const fgti_layer *l);
/* The layer of that name, and in *v the shape of its matrices in the last pass. FGT_E_NAME, FGT_E_UNSUPPORTED
 * it has none, FGT_E_STATE. */
fgt_status fgti_adjacency_find(fgt_model *model, const char *name, const fgti_layer **layer, fgt_view *v);

/* ---- nodes.c ---- */

/* The mask (an fgt_mask) that a value of this kind is; -1: it holds numbers or ids. */
int fgti_mask_of(int32_t kind);

/* FGT_E_STATE while plan() or memory() of a layer of the host's is called: the model is being changed. */
fgt_status fgti_model_check_asking(const fgt_model *model);
/* Adds a layer with inputs given by their numbers; count -1: what stands last. shares: see fgti_layer. */
fgt_status fgti_model_add_edges(fgt_model *model, fgt_layer desc, int32_t count, const int64_t *from,
                                const fgti_layer *shares);
/* Whether a layer reads the values of its input k, and not just the cache of the layer behind it. */
static inline bool fgti_layer_reads(const fgti_layer *l, int32_t k)
{
    return !k || !l->peer;
}
/* Whether the layer reads what fgt_model_add() would have it read. */
bool fgti_layer_is_chained(const fgt_model *model, const fgti_layer *l);
void fgti_layer_destroy(fgt_context *ctx, fgti_layer *l);

/* ---- params.c ---- */

/* Makes room for a layer's parameters in the slab and draws their first values. */
fgt_status fgti_params_extend(fgt_model *model, fgti_layer *layer);
/* Ends model->loading: makes the slab, with any contents. */
fgt_status fgti_params_allocate(fgt_model *model);
/* The layers' parameter of that name, or NULL. */
const fgti_param *fgti_param_find(const fgt_model *model, const char *name);
/* The i-th parameter of all. */
const fgti_param *fgti_param_at(const fgt_model *model, int64_t i, const fgti_layer **layer);

/* Parameters of the layers; those of adapters are others. */
int64_t fgti_params_count(const fgt_model *model);
/* The i-th of what is trained: of the active adapter, or of the layers. */
fgti_param *fgti_trained_at(const fgt_model *model, int64_t i);

/* Parameters that are trained: of the layers, or of the active adapter. */
typedef struct fgti_trained {
    int64_t       size;
    fgti_real    *weights;
    fgti_real   **gradients; /* where the slab is remembered */
    fgti_touched *touched;
    uint64_t      serial; /* 0: of the layers */
} fgti_trained;
fgti_trained fgti_model_trained(fgt_model *model);

/* ---- gradients.c ---- */

/* Bytes of all gradients, made or not. */
int64_t fgti_gradients_bytes(const fgt_model *model);

/* ---- workspace.c ---- */

/* FGT_E_STATE in a pass: a layer of the host's may not begin another one in the same memory. */
fgt_status fgti_workspace_check_busy(const fgt_workspace *ws);
/* The model's own workspace, good for `purpose`; FGT_E_STATE if that is another one and a pass runs. Layers
 * can still be added, which destroys it, until something that lasts happens in it: */
fgt_status fgti_workspace_own(fgt_model *model, fgti_purpose purpose);
/* One for predictions with the context's threads and its sentence. */
fgt_status fgti_workspace_create_shared(fgt_model *model, int64_t batch, fgt_workspace **ws);
/* Seals the model if s is FGT_OK. Returns s. */
fgt_status fgti_model_seal(fgt_model *model, fgt_status s);
/* Bytes that a workspace takes, for training with the gradients, without making it; -1 on error. */
fgt_status fgti_workspace_bytes(const fgt_model *model, fgti_purpose purpose, const fgt_workspace_opts *o,
                                int64_t *bytes);

/* ---- plan.c ---- */

/* Elements that a pass of the planned size takes for a layer. */
fgti_need fgti_workspace_need(const fgti_layer *l, int64_t batch);
/* Makes the lists of a workspace and says where everything lies; the memory itself comes later. FGT_E_SIZE.
 * */
fgt_status fgti_workspace_plan(fgt_workspace *ws, fgti_purpose purpose, int64_t batch, int32_t workers);
size_t     fgti_workspace_lists(const fgt_model *m);
/* All that layers read, counted. */
int64_t fgti_model_edges(const fgt_model *m);

/* ---- state.c ---- */

/* Puts the states in place for a pass of `batch` samples. FGT_E_STATE they are of another batch. */
fgt_status fgti_state_start(fgt_workspace *ws, int64_t batch);
/* After the pass: its end states count if it went well, else those that it started from. */
void fgti_state_end(fgt_workspace *ws, int64_t batch, bool ok);
/* Everything about states from a workspace to another of the same model. */
void fgti_state_move(const fgt_workspace *from, fgt_workspace *to);

/* Before a state of `batch` samples is set, of all the same ones: those that are not set become zero.
 * FGT_E_SHAPE, FGT_E_STATE the others are of another number. */
fgt_status fgti_state_begin(fgt_workspace *ws, const char *name, int64_t batch);

/* ---- stream.c ---- */

/* FGT_E_UNSUPPORTED: a layer cannot be part of a stream of up to `room` tokens. */
fgt_status fgti_stream_check(const fgt_model *model, int64_t room);
/* FGT_E_SIZE: there is no room for the tokens of this pass; FGT_E_STATE: a past is missing. */
fgt_status fgti_stream_start(const fgt_workspace *ws);
/* The past of that name. */
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
/* Checks x and all values of the pass, finds out its batch and every layer's shapes. */
fgt_status fgti_inputs_check(fgt_workspace *ws, const fgt_view *x, int64_t *batch);
/* Copies x and the values to their tensors, makes the padding mask that ids imply. */
void fgti_inputs_copy(fgt_workspace *ws, const fgt_view *x);

/* ---- pass.c ---- */

/* dropout: as in training; differentiable: fgt_backward() may follow. */
fgt_status fgti_pass_forward(fgt_workspace *ws, bool dropout, bool differentiable, const fgt_view *x,
                             const fgt_view *y);
/* The backward pass of the model's own workspace. */
fgt_status fgti_pass_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx);
/* The padding that ids imply for the tokens that a layer looks at, those of its last input. */
const fgt_view *fgti_pass_padding(const fgt_workspace *ws, const fgti_layer *l);
fgti_io fgti_pass_io(fgt_workspace *ws, int64_t layer);
/* The run as a layer sees it: with its masks. */
fgti_run fgti_pass_run(const fgt_workspace *ws, int64_t layer);

#endif
