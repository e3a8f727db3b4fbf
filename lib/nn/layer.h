/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAYER_H
#define FGTI_LAYER_H

/* The class that every layer fills, and the arguments of its functions. */

#include <fighter/model.h>
#include <fighter/nn.h>

#include "core/opts.h"
#include "core/size.h"
#include "core/sparse.h"
#include "nn/affine.h"
#include "nn/layer_run.h"
#include "nn/route.h"
#include "nn/rows.h"

/* Shape of one sample; a tensor is [batch][nodes][time][width], row-major. */
typedef struct fgti_shape {
    int64_t nodes, time, width;
} fgti_shape;

static inline int64_t fgti_rows(int64_t batch, fgti_shape s)
{
    return fgti_mul(fgti_mul(batch, s.nodes), s.time);
}
static inline int64_t fgti_elements(int64_t batch, fgti_shape s)
{
    return fgti_mul(fgti_rows(batch, s), s.width);
}

typedef enum fgti_init {
    FGTI_INIT_ZERO,
    FGTI_INIT_ONE,
    FGTI_INIT_UNIFORM,
    FGTI_INIT_NORMAL,
    FGTI_INIT_VALUE, /* all are `scale` */
    FGTI_INIT_CLASS /* the class's init */
} fgti_init;

#define FGTI_PARAM_RANK 4
#define FGTI_NAME_MAX   128

/* One parameter tensor; offset counts elements from the start of the model's slabs, the arrays of all weights
 * and of all gradients. */
typedef struct fgti_param {
    char      full_name[FGTI_NAME_MAX]; /* with the layer's name before it */
    int32_t   rank;
    int64_t   shape[FGTI_PARAM_RANK];
    int64_t   count, offset;
    fgti_init init;
    double    scale;    /* half width, or standard deviation */
    int64_t   zero_row; /* a row that starts as zero; -1: none */
    bool      frozen;   /* no step changes it */
    bool      sparse;   /* its gradient has few rows that are not zero; backward names them by fgti_touch() */
    /* Set by an active adapter (model/adapter/adapter.h): the matrix that passes read instead (NULL: the
     * slab), and the place of its gradient (NULL: not computed). */
    const fgti_real *effective;
    fgti_real       *gradient;
} fgti_param;

/* The rows of a sparse gradient that may be other than zero, touched since the last update. Only the first
 * parameter of a model can be sparse, so these rows begin the slabs. */
typedef struct fgti_touched {
    int64_t  rows, width; /* shape of the parameter; 0: no parameter is sparse */
    int64_t  count;
    int32_t *row;  /* [rows]: the first `count` are the touched rows, in the order of their first touch */
    uint8_t *seen; /* [rows] */
} fgti_touched;

static inline void fgti_touch(fgti_touched *t, int64_t row)
{
    if (!t->seen[row]) t->row[t->count++] = (int32_t)row;
    t->seen[row] = 1;
}

/* State that a recurrent layer carries from one pass to the next: [outer,batch,inner]. */
#define FGTI_MAX_STATES 2
typedef struct fgti_state {
    const char *name;
    int64_t     outer, inner;
} fgti_state;

/* Numbers that a layer keeps of the earlier tokens of a stream: for each node `parts` rows of `width`
 * numbers, such as the rows of its heads. A past grows with the stream, a state does not. */
#define FGTI_MAX_PASTS 3
typedef struct fgti_past {
    const char *name;
    int64_t     parts, width;
} fgti_past;

/* Numbers after each past that must be readable, because kernels load whole registers. */
#define FGTI_PAST_AHEAD 16

typedef struct fgti_class fgti_class;
typedef struct fgti_layer fgti_layer;

/* An input of a layer: the output of an earlier layer, or the model's own input. Masks are separate. */
#define FGTI_INPUTS_MAX  16
#define FGTI_MODEL_INPUT (-1)
typedef struct fgti_edge {
    int64_t    from;  /* number of that layer, or FGTI_MODEL_INPUT */
    fgti_shape shape; /* the planned shape */
} fgti_edge;

/* While a model is loaded: lets the file check each parameter, before anything is allocated for it. */
typedef struct fgti_admit {
    fgt_status (*param)(void *user, const fgti_param *p);
    void *user;
} fgti_admit;

/* A layer in a model. Constant after fgt_model_add(), except for members of its parameters that adapters
 * set. */
struct fgti_layer {
    const fgti_class *cls;
    void             *opts; /* cls->opts_size bytes, defaults filled in */
    char             *name; /* "" for the layer of a model of one layer */
    uint64_t          id;   /* number in the model; names its random streams */
    int32_t           inputs;
    fgti_edge         input[FGTI_INPUTS_MAX];
    const char       *reads[FGTI_INPUTS_MAX + FGT_MASK_COUNT]; /* names for fgt_layer_info.inputs */
    int64_t           mask[FGT_MASK_COUNT]; /* number of the fgt_value() layer that is this layer's mask, or
                                             * -1 */
    int32_t           axis;                 /* an fgt_axis; nn/axis.h says what it means for shapes */
    fgti_shape        in;                   /* input[0].shape; as the class reads it, like all in `input` */
    fgti_shape        out;                  /* shape of the output as the model reads it, set by plan */
    int32_t           kind;                 /* an fgt_value_kind: contents of the output */
    const fgti_layer *shares;               /* the layer whose parameters and graph this layer uses, or
                                             * NULL */
    int32_t           params, params_capacity;
    int64_t           first_param; /* number of its first parameter in the model */
    fgti_param       *param; /* allocated for params_capacity */
    int32_t           states;
    fgti_state        state[FGTI_MAX_STATES];
    int32_t           pasts;
    fgti_past         past[FGTI_MAX_PASTS];
    bool              both_ways; /* reads time in both directions: its states cannot be carried over */
    fgti_real        *table;     /* constants a class computes when planned, or NULL */
    fgt_graph        *graph;     /* copy of the graph in opts, or NULL */
    const fgti_blas  *blas;      /* the context's backend: some caches depend on the sizes of its tiles */
    fgti_route        route;     /* chosen by plan; zero: the class has one algorithm */
    const fgti_layer *peer;      /* revin_inverse: the layer it undoes, which is its second input */
    int64_t           keep, packs; /* places of the layer's io->keep and io->packs in the model's memory */
    const fgti_layer *thinned;     /* the last layer with a stride, this one included; NULL: none */
    bool              masks;     /* takes ids: tokens with id mask_id are padding for the layers after it */
    int64_t           mask_id;
    const fgti_admit *admit; /* during plan, NULL unless a model is loaded */
    const fgti_layer *fold_map, *fold_position; /* only in a predictor: see nn/fold.h; NULL: none */
    int64_t           wanted;   /* only in a predictor: 1 + the only token that is read; -1: the last; 0:
                                 * all */
    bool              half;     /* only in a predictor: large weights are stored in bf16 (core/half.h) */
    bool              bf16;     /* only in a predictor: products of large weights are in bf16 (blas/bf16.h) */
    bool              predicts; /* in a predictor: weights never change; `prepare` says which are gone */
};

/* Elements of fgti_real that a layer needs for a pass:
 *     cache     valid from forward to backward
 *     scratch   valid within one call
 *     backward  scratch of a backward pass, if it is larger; a workspace for predictions does not have it
 *     arena     valid within one task; one block for each worker
 *     keep      valid from pass to pass, for results computed from the weights; 0 before the first pass; it
 *               has the same size for every batch
 *     packs     as keep, only for predictions
 *     prepare   scratch of fgti_class.prepare */
typedef struct fgti_need {
    int64_t cache, scratch, backward, arena, keep, packs, prepare;
} fgti_need;

/* One tensor that a layer reads in a pass. Backward overwrites dx; NULL: not needed. */
typedef struct fgti_operand {
    fgti_shape       shape;
    const fgti_real *x; /* ids: see fgti_ids_of() */
    fgti_real       *dx;
} fgti_operand;

/* One layer's tensors in a pass. Backward adds to the gradients of the weights and may overwrite dy, which no
 * layer reads after it. */
typedef struct fgti_io {
    fgti_shape          in, out;   /* in: shape of x */
    const fgti_operand *input;     /* [l->inputs] */
    const fgti_real  *x;         /* input[0].x */
    const int32_t    *ids;       /* instead of x for classes whose x are ids */
    fgti_real        *y;         /* backward: as forward left it */
    fgti_real        *dx, *dy;   /* dx: input[0].dx */
    const fgti_real  *weights;   /* the slabs */
    fgti_real        *gradients; /* NULL: an adapter is active */
    bool              spares;    /* backward: the gradients of frozen parameters are not needed */
    fgti_touched       *touched;   /* touched rows of a sparse gradient */
    fgti_real        *cache, *peer_cache, *keep;
    fgti_real        *packs; /* NULL: a pass of training, or before the first fgt_predict() */
    /* states at the start and the end of the pass; backward overwrites the gradient of the start */
    const fgti_real *state[FGTI_MAX_STATES];
    fgti_real       *state_end[FGTI_MAX_STATES], *dstate[FGTI_MAX_STATES];
    fgti_real       *past[FGTI_MAX_PASTS]; /* pasts of a stream: see fgti_stream */
    fgti_real       *scratch;
    fgti_real       *arena;
    int64_t          arena_stride;
} fgti_io;

/* Input k of a class whose input k is ids: [batch,time]. */
static inline const int32_t *fgti_ids_of(const fgti_io *io, int32_t k)
{
    return (const int32_t *)io->input[k].x;
}

/* The arena of a worker. */
static inline fgti_real *fgti_worker_arena(const fgti_io *io, int32_t worker)
{
    return io->arena + worker * io->arena_stride;
}

/* Masks that a class supports. */
#define FGTI_MASKS_PADDING (1u << FGT_MASK_KEY_PADDING)
#define FGTI_MASKS_FULL    ((1u << FGT_MASK_SAMPLED_KEYS) - 1) /* all masks of attention to all keys */
#define FGTI_MASKS_ALL     ((1u << FGT_MASK_COUNT) - 1)

struct fgti_class {
    const char     *name;
    const fgti_opt *opts;
    size_t          opts_size;
    uint32_t        ids;         /* inputs that hold ids, not numbers: a bit 1 << k for each */
    bool            is_value;    /* reads nothing: the host gives its output */
    int32_t         more_inputs; /* most inputs besides x */
    bool            joins;       /* all inputs have x's tokens, or fewer that are repeated */
    bool            strided;     /* reads rows along the nodes in place: see nn/axis.h */
    bool            skips;       /* backward skips gradients that are not needed: fgti_dw() may be NULL. Only
                                    fgti_affine_grad() makes gradients of matrices */
    bool            folds;       /* plan decides about l->fold_map: see nn/fold.h */
    bool            one_row;     /* a prediction may compute only the row that l->wanted names */
    bool            streams;     /* forward with only the new tokens of a stream, and with the states after
                                    the earlier ones, gives the rows of a whole pass */
    uint32_t        masks;       /* masks that the class supports: a bit 1 << fgt_mask for each */
    const void     *detail;      /* the difference between classes that share their functions */

    /* Called once: checks l->opts against l->in, sets l->out, declares parameters with fgti_param_add(), may
     * compute l->table. Its allocations are freed with the layer. NULL: `shape` sets l->out, and nothing else
     * is needed. */
    fgt_status (*plan)(fgt_context *ctx, fgti_layer *l);
    /* Output shape for an input no larger than the planned one. NULL: *out = in. */
    fgt_status (*shape)(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out);
    /* Returns the distance, in tokens of x, of two neighbouring tokens of y: token s of y is padding if token
     * s stride of x is padding. NULL, or 0: y has the tokens of x. */
    int64_t (*stride)(const fgti_layer *l);
    /* First values of parameter i, which has FGTI_INIT_CLASS. NULL: the class has no such parameter. */
    void (*init)(const fgti_layer *l, int32_t i, fgti_rng rng, fgti_real *w);
    /* Flops of the products of matrices in a forward pass; -1: not known. NULL: no products. */
    double (*flops)(const fgti_layer *l, int64_t batch, fgti_shape in);
    /* Memory for a pass; grows with batch and in.time. NULL: none. */
    void (*size)(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need);

    fgt_status (*forward)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    fgt_status (*backward)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    /* Instead of forward, for the new tokens of a stream: reads the pasts, and adds these tokens to them.
     * NULL: see `streams`. */
    fgt_status (*step)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    /* Adds the memory of a step, in a stream of up to `room` tokens, to the result of `size` for a pass of
     * `in`. NULL: no more memory. */
    void (*step_size)(const fgti_layer *l, int64_t batch, fgti_shape in, int64_t room, fgti_need *need);
    /* Why a layer with these options cannot be part of a stream of up to `room` tokens, in words that follow
     * "the layer"; NULL: it can. If the function is NULL, all layers can if the class has a step or
     * `streams`. */
    const char *(*step_misfit)(const fgti_layer *l, int64_t room);
    /* Computes all results of the weights that predictions keep in io->keep and io->packs, from shapes and
     * weights of io only, before the first pass of a predictor. Sets unread[i] for each parameter that no
     * prediction reads any more: it will be gone. NULL: nothing is kept. */
    void (*prepare)(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread);
    /* Writes the matrices A of the last pass, [groups,heads,rows,columns], to a; a NULL: only their shape.
     * The cache and the workers' arenas are as in that pass. NULL: the layer has no A. */
    fgt_status (*adjacency)(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t shape[4],
                            fgti_real *a);
    /* For classes whose A is a graph, the same for all samples: *a gets A of a head by its edges; the arrays
     * belong to the layer. False: A is dense. NULL: A is attention, or the layer has no A. */
    bool (*edges)(const fgti_layer *l, int64_t head, fgti_csr *a);
    /* The class whose layers this class undoes. The second input of a layer is such a layer (l->peer), by
     * default the nearest one before it, and both share a cache. NULL: the class undoes nothing. */
    const fgti_class *peer;
};

static inline bool fgti_input_is_ids(const fgti_class *cls, int32_t k)
{
    return cls->ids >> k & 1;
}

/* The type of fgt_shared(); not a class. */
#define FGTI_SHARED "shared"

/* The class with this name, or NULL; the i-th class, or NULL past the end. */
const fgti_class *fgti_class_find(const char *name);
const fgti_class *fgti_class_at(int32_t i);

/* Declares a parameter of the layer, whose name is copied. shape has rank numbers. A plan declares its
 * parameters before it computes tables, so that a file without them is refused quickly. */
fgt_status fgti_param_add(fgt_context *ctx, fgti_layer *l, const char *name, int32_t rank,
                          const int64_t *shape, fgti_init init, double scale);

/* For fgti_class.shape: the input's shape, with the width that plan has set. */
fgt_status fgti_shape_width(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out);

/* Declares a state of the layer; it starts as zero. */
void fgti_state_add(fgti_layer *l, const char *name, int64_t outer, int64_t inner);
/* Declares a past of the layer. */
void fgti_past_add(fgti_layer *l, const char *name, int64_t parts, int64_t width);

static inline const fgti_real *fgti_w(const fgti_layer *l, const fgti_io *io, int i)
{
    const fgti_param *p = &l->param[i];
    return p->effective ? p->effective : io->weights + p->offset;
}
static inline fgti_real *fgti_dw(const fgti_layer *l, const fgti_io *io, int i)
{
    const fgti_param *p = &l->param[i];
    return io->gradients ? io->gradients + p->offset : p->gradient;
}
/* Whether the gradients of the layer's parameters are needed; without an active adapter only the parameters
 * that the layer owns count. */
static inline bool fgti_learns(const fgti_layer *l, const fgti_io *io)
{
    bool frozen = io->spares && io->gradients;
    for (int32_t i = 0; i < l->params; i++) frozen &= l->param[i].frozen;
    return !frozen;
}

/* Standard first range of an affine map with `fan_in` inputs: +-1/sqrt(fan_in), as PyTorch. */
double fgti_fan_in(int64_t fan_in);

/* Random streams of a layer, by purpose. */
typedef enum fgti_draw {
    FGTI_DRAW_OUTPUT,
    FGTI_DRAW_ATTENTION,
    FGTI_DRAW_DIAGONAL,
    FGTI_DRAW_ATTENDED, /* the output of attention, before the residual sum */
    FGTI_DRAW_HIDDEN,   /* inside a feed-forward block */
    FGTI_DRAWS
} fgti_draw;
/* Decides whether a sample skips a residual path: index b of the stream is sample b. */
static inline fgti_rng fgti_path_rng(const fgti_run *run, const fgti_layer *l, fgti_draw draw)
{
    return fgti_rng_of(run->seed, FGTI_STREAM_PATHS, l->id * FGTI_DRAWS + draw, run->step);
}
static inline fgti_rng fgti_layer_rng(const fgti_run *run, const fgti_layer *l, fgti_draw draw)
{
    return fgti_rng_of(run->seed, FGTI_STREAM_DROPOUT, l->id * FGTI_DRAWS + draw, run->step);
}
/* The keys that attention samples: new ones in each training pass, the same ones in all other passes. They
 * have a random stream of their own, so that the bits of dropout do not change. */
static inline fgti_rng fgti_key_rng(const fgti_run *run, const fgti_layer *l)
{
    return fgti_rng_of(run->seed, FGTI_STREAM_KEYS, l->id, run->training ? run->step + 1 : 0);
}

/* The end of a layer in a pass: act is an fgt_act other than its default, p is the dropout in the options. */
static inline fgti_tail fgti_tail_of(const fgti_run *run, const fgti_layer *l, int32_t act, double p,
                                     fgti_draw draw)
{
    return (fgti_tail){
        .act = (fgti_act)act, .dropout = run->training ? p : 0, .rng = fgti_layer_rng(run, l, draw)};
}
/* Adds stochastic depth with probability p. */
static inline void fgti_tail_skip(fgti_tail *t, const fgti_run *run, const fgti_layer *l, double p,
                                  fgti_draw draw, int64_t sample)
{
    t->skip     = run->training ? p : 0;
    t->skip_rng = fgti_path_rng(run, l, draw);
    t->sample   = sample;
}

#endif
