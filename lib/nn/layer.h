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

/* Shape of one sample. A tensor of a batch is [batch][nodes][time][width], row-major. */
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
    FGTI_INIT_VALUE, /* all elements are `scale` */
    FGTI_INIT_CLASS  /* the class's init() sets the elements */
} fgti_init;

#define FGTI_PARAM_RANK 4
#define FGTI_NAME_MAX   128

/* One parameter tensor. The model has two slabs, the arrays of all weights and of all gradients; offset is
 * the place in both, in elements. */
typedef struct fgti_param {
    char      full_name[FGTI_NAME_MAX]; /* the layer's name, then the parameter's name */
    int32_t   rank;
    int64_t   shape[FGTI_PARAM_RANK];
    int64_t   count, offset;
    fgti_init init;
    double    scale;    /* half width of the uniform distribution, or standard deviation of the normal one */
    int64_t   zero_row; /* a row that starts as zero; -1: none */
    bool      frozen;   /* no step changes it */
    bool      sparse;   /* its gradient has few rows that are not zero; backward reports these rows by
                         * fgti_touch() */
    /* An active adapter sets these (model/adapter/adapter.h): the matrix that passes read instead of the slab
     * (NULL: they read the slab), and the place of the gradient (NULL: the gradient is not computed). */
    const fgti_real *effective;
    fgti_real       *gradient;
} fgti_param;

/* The rows of a sparse gradient that were touched since the last update; all other rows are zero. Only the
 * first parameter of a model can be sparse, so these rows begin the slabs. */
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

/* A past: numbers that a layer keeps of the earlier tokens of a stream. For each node and each of these
 * tokens there are `parts` rows of `width` numbers, such as the rows of its heads. A past grows with the
 * stream, a state does not. */
#define FGTI_MAX_PASTS 3
typedef struct fgti_past {
    const char *name;
    int64_t     parts, width;
} fgti_past;

/* Numbers that must be readable after each past, because kernels load whole registers. */
#define FGTI_PAST_AHEAD 16

typedef struct fgti_class fgti_class;
typedef struct fgti_layer fgti_layer;

/* An input of a layer: the output of an earlier layer, or the model's own input. Masks are not inputs in this
 * sense. */
#define FGTI_INPUTS_MAX  16
#define FGTI_MODEL_INPUT (-1)
typedef struct fgti_edge {
    int64_t    from;  /* number of the earlier layer, or FGTI_MODEL_INPUT */
    fgti_shape shape; /* the planned shape */
} fgti_edge;

/* A check of each parameter against the file, while a model is loaded. It is done before any memory is
 * allocated for the parameter. */
typedef struct fgti_admit {
    fgt_status (*param)(void *user, const fgti_param *p);
    void *user;
} fgti_admit;

/* A layer in a model. It is constant after fgt_model_add(), except for some members of its parameters, which
 * adapters set. */
struct fgti_layer {
    const fgti_class *cls;
    void             *opts; /* cls->opts_size bytes, defaults filled in */
    char             *name; /* "" if the model has only this layer */
    uint64_t          id;   /* number in the model; selects the layer's random streams */
    int32_t           inputs;
    fgti_edge         input[FGTI_INPUTS_MAX];
    const char       *reads[FGTI_INPUTS_MAX + FGT_MASK_COUNT]; /* names of the inputs and masks, for
                                                                * fgt_layer_info.inputs */
    int64_t           mask[FGT_MASK_COUNT]; /* number of the fgt_value() layer that is this layer's mask, or
                                             * -1 */
    int32_t           axis;                 /* an fgt_axis; nn/axis.h says how it changes shapes */
    fgti_shape        in;                   /* input[0].shape. Shapes in `input` are in the order of axes that
                                             * the class reads */
    fgti_shape        out;                  /* shape of the output, set by plan, in the order of axes that the
                                             * model reads */
    int32_t           kind;                 /* an fgt_value_kind, which says what the output holds */
    const fgti_layer *shares;               /* the layer whose parameters and graph this layer uses, or
                                             * NULL */
    int32_t           params, params_capacity;
    int64_t           first_param; /* number of its first parameter in the model */
    fgti_param       *param; /* allocated for params_capacity */
    int32_t           states;
    fgti_state        state[FGTI_MAX_STATES];
    int32_t           pasts;
    fgti_past         past[FGTI_MAX_PASTS];
    bool              both_ways; /* reads time in both directions, so its states cannot be carried over */
    fgti_real        *table;     /* constants that the class computes when the layer is planned, or NULL */
    fgt_graph        *graph;     /* copy of the graph in opts, or NULL */
    const fgti_blas  *blas;      /* the context's backend; the sizes of some caches depend on its tiles */
    fgti_route        route;     /* chosen by plan; 0 if the class has one algorithm */
    const fgti_layer *peer;      /* revin_inverse: the layer that this layer undoes, which is its second
                                  * input */
    int64_t           keep, packs; /* where io->keep and io->packs of this layer begin in the model's
                                    * memory */
    const fgti_layer *thinned;     /* the last layer with a stride among this layer and the layers before it;
                                    * NULL: there is no such layer */
    bool              masks;       /* reads ids, where tokens with the id mask_id are padding for the layers
                                  * after this one */
    int64_t           mask_id;
    const fgti_admit *admit;                    /* set during plan while a model is loaded, otherwise NULL */
    const fgti_layer *fold_map, *fold_position; /* only in a predictor: the layers that nn/fold.h folds into
                                                 * this one, or NULL */
    int64_t           wanted;   /* only in a predictor: 1 + number of the only token that is read; -1: only
                                 * the last one; 0: all tokens */
    bool              half;     /* only in a predictor: large weights are stored in bf16 (core/half.h) */
    bool              bf16;     /* only in a predictor: products of large weights are in bf16 (blas/bf16.h) */
    bool              predicts; /* this layer is in a predictor: its weights never change, and `prepare` says
                                 * which of them are removed */
};

/* The memory that a layer needs for a pass, in elements of fgti_real:
 *     cache     valid from forward to backward
 *     scratch   valid within one call
 *     backward  scratch of a backward pass, if this is larger than `scratch`; a workspace for predictions
 *               does not have it
 *     arena     valid within one task; one block for each worker
 *     keep      valid from pass to pass, for results computed from the weights; all 0 before the first pass;
 *               the size is the same for every batch
 *     packs     valid from pass to pass, as `keep`, but only for predictions
 *     prepare   scratch of fgti_class.prepare */
typedef struct fgti_need {
    int64_t cache, scratch, backward, arena, keep, packs, prepare;
} fgti_need;

/* One tensor that a layer reads in a pass. Backward overwrites dx; dx is NULL if this gradient is not
 * needed. */
typedef struct fgti_operand {
    fgti_shape       shape;
    const fgti_real *x; /* ids: see fgti_ids_of() */
    fgti_real       *dx;
} fgti_operand;

/* The tensors of one layer in a pass. Backward adds to the gradients of the weights. It may overwrite dy,
 * which no layer reads after this one. */
typedef struct fgti_io {
    fgti_shape          in, out;   /* in: shape of x */
    const fgti_operand *input;     /* [l->inputs] */
    const fgti_real  *x;         /* input[0].x */
    const int32_t      *ids;       /* the ids, instead of x, for classes whose input 0 holds ids */
    fgti_real          *y;         /* the output; backward finds it as forward left it */
    fgti_real        *dx, *dy;   /* dx: input[0].dx */
    const fgti_real    *weights;   /* the slabs of the model */
    fgti_real          *gradients; /* NULL if an adapter is active */
    bool                spares;    /* in backward: the gradients of frozen parameters are not needed */
    fgti_touched       *touched;   /* records the touched rows of a sparse gradient */
    fgti_real        *cache, *peer_cache, *keep;
    fgti_real          *packs; /* NULL in a pass of training, and before the first fgt_predict() */
    /* States at the start and at the end of the pass. Backward overwrites the gradient of the states at the
     * start */
    const fgti_real *state[FGTI_MAX_STATES];
    fgti_real       *state_end[FGTI_MAX_STATES], *dstate[FGTI_MAX_STATES];
    fgti_real       *past[FGTI_MAX_PASTS]; /* pasts of a stream: see fgti_stream */
    fgti_real       *scratch;
    fgti_real       *arena;
    int64_t          arena_stride;
} fgti_io;

/* Returns input k, [batch,time], of a class whose input k holds ids. */
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
    bool            is_value;    /* a value: the layer reads nothing, and the host sets its output */
    int32_t         more_inputs; /* most inputs after x */
    bool            joins;       /* each input has the tokens of x, or fewer tokens, which are repeated */
    bool            strided;     /* layers along the nodes read their rows in place: see nn/axis.h */
    bool            skips;       /* backward skips gradients that are not needed: fgti_dw() may be NULL. Only
                                    fgti_affine_grad() makes gradients of matrices */
    bool            folds;       /* plan decides about l->fold_map: see nn/fold.h */
    bool            one_row;     /* a prediction may compute only the row that l->wanted names */
    bool            streams;     /* a forward pass over only the new tokens of a stream, which begins with the
                                  * states after the earlier tokens, gives the rows that a pass over all
                                  * tokens gives */
    uint32_t        masks;       /* masks that the class supports: a bit 1 << fgt_mask for each */
    const void     *detail;      /* for classes that share their functions: the data in which they differ */

    /* Called once when the layer is added. Checks l->opts against l->in, sets l->out, declares parameters
     * with fgti_param_add(), and may compute l->table. Its allocations are freed with the layer. NULL:
     * `shape` sets l->out, and nothing else is needed. */
    fgt_status (*plan)(fgt_context *ctx, fgti_layer *l);
    /* Sets *out to the output shape for an input that is no larger than planned. NULL: *out = in. */
    fgt_status (*shape)(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out);
    /* Returns the stride: the distance, in tokens of x, of two neighbouring tokens of y. Token s of y is
     * padding if token s stride of x is padding. NULL, or 0: y has the tokens of x. */
    int64_t (*stride)(const fgti_layer *l);
    /* Sets the first values of parameter i, which has FGTI_INIT_CLASS. NULL: the class has no such
     * parameter. */
    void (*init)(const fgti_layer *l, int32_t i, fgti_rng rng, fgti_real *w);
    /* Returns the flops of the products of matrices in a forward pass; -1: the number is not known. NULL: the
     * class has no such products. */
    double (*flops)(const fgti_layer *l, int64_t batch, fgti_shape in);
    /* Sets the memory for a pass, which grows with batch and in.time. NULL: no memory is needed. */
    void (*size)(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need);

    fgt_status (*forward)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    fgt_status (*backward)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    /* Called instead of forward for the new tokens of a stream: reads the pasts, and adds the new tokens to
     * them. NULL: see `streams`. */
    fgt_status (*step)(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
    /* Adds the memory of a step to the result of `size`. The stream has up to `room` tokens, and `in` is the
     * shape that `size` got. NULL: a step needs no more memory than a pass. */
    void (*step_size)(const fgti_layer *l, int64_t batch, fgti_shape in, int64_t room, fgti_need *need);
    /* Returns why a layer with these options cannot be part of a stream of up to `room` tokens, in words that
     * follow "the layer"; NULL: it can. If the function itself is NULL, all layers of a class that has a step
     * or `streams` can. */
    const char *(*step_misfit)(const fgti_layer *l, int64_t room);
    /* Called before the first pass of a predictor. Computes, from only the shapes and weights of io, the
     * results that all predictions share, and stores them in io->keep and io->packs. Sets unread[i] if
     * predictions no longer read parameter i. The predictor removes such parameters. NULL: nothing is kept.
     * */
    void (*prepare)(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread);
    /* Writes the matrices A of the last pass, [groups,heads,rows,columns], to a. If a is NULL, only sets
     * `shape`. The cache and the workers' arenas are as that pass left them. NULL: the layer has no A. */
    fgt_status (*adjacency)(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t shape[4],
                            fgti_real *a);
    /* For classes whose A is a graph that is the same for all samples: sets *a to A of a head, by its edges.
     * The arrays belong to the layer. Returns false if A is dense. NULL: A is attention, or the layer has no
     * A. */
    bool (*edges)(const fgti_layer *l, int64_t head, fgti_csr *a);
    /* The class that this class undoes. The second input of a layer is a layer of that class (l->peer), by
     * default the nearest one before it. The two layers share a cache. NULL: the class undoes nothing. */
    const fgti_class *peer;
};

static inline bool fgti_input_is_ids(const fgti_class *cls, int32_t k)
{
    return cls->ids >> k & 1;
}

/* The type of fgt_shared(), which is not a class. */
#define FGTI_SHARED "shared"

/* Return the class with this name, or NULL; and class number i, or NULL past the end. */
const fgti_class *fgti_class_find(const char *name);
const fgti_class *fgti_class_at(int32_t i);

/* Declares a parameter of the layer. The name is copied, and shape has `rank` numbers. A plan declares its
 * parameters before it computes tables, so that a file without these parameters is refused quickly. */
fgt_status fgti_param_add(fgt_context *ctx, fgti_layer *l, const char *name, int32_t rank,
                          const int64_t *shape, fgti_init init, double scale);

/* A function for fgti_class.shape: *out is the input's shape, with the width that plan has set. */
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
/* Whether the gradients of the layer's parameters are needed. Without an active adapter, only the parameters
 * that the layer owns count. */
static inline bool fgti_learns(const fgti_layer *l, const fgti_io *io)
{
    bool frozen = io->spares && io->gradients;
    for (int32_t i = 0; i < l->params; i++) frozen &= l->param[i].frozen;
    return !frozen;
}

/* Returns the usual range of the first values of an affine map with `fan_in` inputs: +-1/sqrt(fan_in), as
 * PyTorch. */
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
/* Returns the stream that decides whether a sample skips a residual path: number b of the stream is for
 * sample b. */
static inline fgti_rng fgti_path_rng(const fgti_run *run, const fgti_layer *l, fgti_draw draw)
{
    return fgti_rng_of(run->seed, FGTI_STREAM_PATHS, l->id * FGTI_DRAWS + draw, run->step);
}
static inline fgti_rng fgti_layer_rng(const fgti_run *run, const fgti_layer *l, fgti_draw draw)
{
    return fgti_rng_of(run->seed, FGTI_STREAM_DROPOUT, l->id * FGTI_DRAWS + draw, run->step);
}
/* Returns the stream for the keys that attention samples. Each training pass samples new keys; all other
 * passes sample the same keys. The stream is separate, so that the bits of dropout do not depend on whether
 * keys are sampled. */
static inline fgti_rng fgti_key_rng(const fgti_run *run, const fgti_layer *l)
{
    return fgti_rng_of(run->seed, FGTI_STREAM_KEYS, l->id, run->training ? run->step + 1 : 0);
}

/* Returns the tail, the end of a layer, for a pass. act is an fgt_act other than its default, and p is the
 * dropout in the options. */
static inline fgti_tail fgti_tail_of(const fgti_run *run, const fgti_layer *l, int32_t act, double p,
                                     fgti_draw draw)
{
    return (fgti_tail){
        .act = (fgti_act)act, .dropout = run->training ? p : 0, .rng = fgti_layer_rng(run, l, draw)};
}
/* Adds stochastic depth with probability p to a tail. */
static inline void fgti_tail_skip(fgti_tail *t, const fgti_run *run, const fgti_layer *l, double p,
                                  fgti_draw draw, int64_t sample)
{
    t->skip     = run->training ? p : 0;
    t->skip_rng = fgti_path_rng(run, l, draw);
    t->sample   = sample;
}

#endif
