/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_MODEL_H
#define FIGHTER_MODEL_H

/** @file model.h
 *  A model: layers that read each other's outputs, their parameters, the memory for a pass. Most models are
 *  chains (fgt_model_add); fgt_model_add_from() makes branches. A layer alone is a model of one layer
 *  (fgt_layer_create), with the same calls. The headers of all layers come with this one.
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/attention.h>
#include <fighter/base.h>
#include <fighter/graph.h>
#include <fighter/nn.h>
#include <fighter/recurrent.h>
#include <fighter/vision.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_model     fgt_model;
typedef struct fgt_workspace fgt_workspace;

typedef struct fgt_model_opts {
    size_t   size;
    int64_t  batch;    /**< largest B; 0: 1 */
    int64_t  time;     /**< largest T; 0: 1 */
    int64_t  features; /**< D; 0: the input is ids for an embedding */
    int64_t  nodes;    /**< N; 0: 1 */
    uint64_t seed;     /**< of the initial weights and of dropout */
} fgt_model_opts;

/** Creates an empty model. Memory is planned for the largest batch and time; every pass may
 *  be smaller.
 *  Shapes   the model will take x [B,T,D], or [B,N,T,D] with nodes > 1, or ids [B,T]
 *  Owner    *model is the caller's; ctx must outlive it
 *  Errors   FGT_E_ARG a negative size; FGT_E_VERSION; FGT_E_NOMEM; *model is NULL on error */
FGT_API FGT_MUST fgt_status fgt_model_create(fgt_context *ctx, const fgt_model_opts *opts, fgt_model **model);

/** Destroys a model and sets *model to NULL.
 *  Owner    takes *model; its optimisers and workspaces must be gone already */
FGT_API void fgt_model_destroy(fgt_model **model);

/** Adds a layer that reads the output of the layer before it (the model's input, if it is the first), and
 *  initialises its parameters. Widths follow from what it reads. The layer added last gives the model's
 *  output.
 *  Shapes   see the layer
 *  Owner    everything the layer names is copied
 *  Errors   FGT_E_ARG, FGT_E_SHAPE, FGT_E_SIZE, FGT_E_NOMEM; FGT_E_UNSUPPORTED no such type; FGT_E_NAME
 *           the name is taken, too long or not UTF-8; FGT_E_STATE after the first pass, workspace, optimiser,
 *           adapter or call for gradients, and after what is set for passes: a mask, a value, states, carry.
 *           On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_add(fgt_model *model, fgt_layer layer);

/** Adds a layer that reads the outputs of the layers named: branches, residual paths, several inputs.
 *    fgt_model_add(m, fgt_named("a", ...));                                       // reads what came before
 *    fgt_model_add_from(m, fgt_named("b", ...), 1, (const char *[]){""});         // "": the model's input
 *    fgt_model_add_from(m, fgt_sum(NULL), 2, (const char *[]){"a", "b"});
 *  Most layers read one input; their descriptions say which read more. Masks (fgt_value()) may be anywhere in
 *  the list; for this layer they replace the whole model's mask of that kind, even if they are not set. A
 *  layer without a name is called by its number.
 *  Shapes   see the layer
 *  Owner    everything is copied
 *  Errors   as fgt_model_add(); FGT_E_NAME no such layer before; FGT_E_ARG more or fewer inputs than
 *           the layer takes, or a mask that it does not use; FGT_E_SHAPE inputs that do not fit together */
FGT_API FGT_MUST fgt_status fgt_model_add_from(fgt_model *model, fgt_layer layer, int32_t count,
                                               const char *const *from);

/** A layer alone: a model of this one layer, whose parameters have no prefix ("weight").
 *  Shapes   see the layer
 *  Owner    *model is the caller's
 *  Errors   as fgt_model_create() and fgt_model_add(); *model is NULL on error */
FGT_API FGT_MUST fgt_status fgt_layer_create(fgt_context *ctx, const fgt_model_opts *opts, fgt_layer layer,
                                             fgt_model **model);

/** Folds an encoder block without norm, residual and biases (one head) into a model of one Fighter layer that
 *  computes the same to rounding, with a single hop over the attention matrix:
 *    act(A x wv w1) = act(x W_0 + A x W_1),  A = softmax(x wq (x wk)' / sqrt(K)),  W_0 = 0,  W_1 = wv w1
 *  The layer is called "fighter" and has hops = 2. More layers may be added, such as an fgt_linear() for the
 *  block's second feed-forward weight. See examples/equivalence.c.
 *  Source   Zhang et al., "Fighter", section 4.1, equation 4
 *  Shapes   wq, wk [D,K], wv [D,V], w1 [V,H], each (in,out), not as in PyTorch; the model takes [B,N,T,D]
 *  Owner    *model is the caller's; the weights are copied. opts as in fgt_model_create(), features 0 or D;
 *           act 0: relu
 *  Errors   FGT_E_SHAPE the weights or opts do not fit together; FGT_E_NONFINITE; errors of
 *           fgt_model_create() and fgt_model_add(). *model is NULL on error */
FGT_API FGT_MUST fgt_status fgt_fighter_create_folded(fgt_context *ctx, const fgt_model_opts *opts,
                                                      const fgt_view *wq, const fgt_view *wk,
                                                      const fgt_view *wv, const fgt_view *w1, fgt_act act,
                                                      fgt_model **model);

/** The model's input as a view without data, for the largest batch and time.
 *  Shapes   *shape gets rank, shape and dtype, data NULL; [B,N,T,D], axes N and T of length 1 left out; ids
 *           I64 [B,T]
 *  Errors   FGT_E_ARG NULL */
FGT_API FGT_MUST fgt_status fgt_model_get_input(const fgt_model *model, fgt_view *shape);

/** The model's output as a view without data, for the largest batch and time.
 *  Shapes   *shape gets rank, shape and dtype, data NULL
 *  Errors   FGT_E_ARG NULL */
FGT_API FGT_MUST fgt_status fgt_model_get_output(const fgt_model *model, fgt_view *shape);

/* ---- what a model consists of ---------------------------------------------------------------- */

/** Number of layers, values included.
 *  Errors   0 for NULL */
FGT_API int64_t fgt_model_count_layers(const fgt_model *model);

/** Kinds of the matrices of fgt_model_get_adjacency(). */
typedef enum fgt_adjacency_kind {
    FGT_ADJACENCY_NONE      = 0, /**< the layer has none */
    FGT_ADJACENCY_ATTENTION = 1, /**< attention of each sample */
    FGT_ADJACENCY_GIVEN     = 2, /**< a graph that was given, or random walks on it */
    FGT_ADJACENCY_LEARNED   = 3  /**< a graph that is learned, the same for all samples */
} fgt_adjacency_kind;
#define FGT_ADJACENCY_COUNT 4

/** One layer of a model. */
typedef struct fgt_layer_info {
    size_t      size;
    const char *name;       /**< as given, or its number; the model's, like all texts here */
    const char *type;       /**< "linear", "fighter" ... */
    const char *route;      /**< its algorithm, chosen when added (docs/routes.md); "only": it has one */
    const char *shares;     /**< name of the layer whose parameters it shares; NULL: none */
    int64_t     parameters; /**< scalars in its own parameters */
    int64_t     cache;      /**< bytes kept from forward to backward, at the largest batch and time */
    double      flops;      /**< of its products of matrices in a forward pass of that size; -1: not known */
    int32_t     inputs;     /**< layers that it reads, masks included */
    int32_t     adjacency;  /**< an fgt_adjacency_kind: what matrices fgt_model_get_adjacency() gives */
    fgt_view    output;     /**< shape of its output, at the largest batch and time; data NULL. Rank 0
                                 for masks other than key padding: it depends on the layer that reads them */
    int32_t     axis;       /**< an fgt_axis: FGT_AXIS_NODES if fgt_along() has chosen it */
    int32_t     reserved;
} fgt_layer_info;

/** Tells about layer i.
 *  Owner    info (its size set) is filled; its texts are the model's, valid until it is destroyed
 *  Errors   FGT_E_ARG NULL, or there is no such layer; FGT_E_VERSION */
FGT_API FGT_MUST fgt_status fgt_model_get_layer(const fgt_model *model, int64_t i, fgt_layer_info *info);

/** Name of the k-th layer that layer i reads: inputs first, then masks. "" is the model's input.
 *  Owner    the model's; valid until it is destroyed
 *  Errors   NULL when i or k is out of range */
FGT_API const char *fgt_model_get_layer_input(const fgt_model *model, int64_t i, int32_t k);

/** Bytes that training takes besides the finished model itself: what the first fgt_forward() and
 *  fgt_backward() allocate, at the largest batch and time, with these threads. Training after that allocates
 *  nothing; the first fgt_predict() does. Large products need up to 6 MB, which a context has once, but it
 *  counts here for each model. An optimiser adds its own, with AdamW 8 bytes a parameter. The plan takes a
 *  little memory for the call.
 *  Units    bytes; each block of the allocator adds less than 100
 *  Errors   -1 NULL, no layers, passes that are too large, or no memory for the plan */
FGT_API int64_t fgt_model_size(const fgt_model *model);

/** Writes a table of all layers for a human reader: what each reads, its output, parameters, memory, cost and
 *  route; and the sum of the parameters, fgt_model_size() and fgt_workspace_size(). The programs print it
 *  with --describe. Its form may change.
 *  Units    capacity, *bytes: bytes, the NUL at the end included
 *  Owner    buffer is the caller's; NULL: only *bytes is filled in
 *  Errors   FGT_E_ARG; FGT_E_SIZE the buffer is too small; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_describe(const fgt_model *model, char *buffer, int64_t capacity,
                                               int64_t *bytes);

/* ---- passes ---------------------------------------------------------------------------------- */

/** Masks. Set for the whole model before a pass, and kept until set again, a mask applies to every layer that
 *  supports it and has none of its own (fgt_value() makes masks for single layers). Cross attention takes
 *  FGT_MASK_KEY_PADDING as [B,T'] and FGT_MASK_ATTENTION as [T,T']. */
typedef enum fgt_mask {
    FGT_MASK_KEY_PADDING  = 0, /**< I32 [B,T]: 1 = padding: not used as a key, by pools or by recurrent
                                    layers. An embedding with mask_padding makes it from the ids */
    FGT_MASK_ATTENTION    = 1, /**< I32 [T,T]: 1 = blocked; or F32 [T,T], added to the scaled scores */
    FGT_MASK_DIAG_DROP    = 2, /**< I32 [T]: 1 = this diagonal score is -inf */
    FGT_MASK_DIAG_SCALE   = 3, /**< F32 [B N,A,T]: factor on the diagonal of A after the softmax */
    FGT_MASK_SAMPLED_KEYS = 4, /**< I32 [T,U]: the keys, 0 .. T'-1, that FGT_ATTENDER_PROB tries each query
                                    on; not set: drawn. fgt_attention() says what U is */
    FGT_MASK_ROTATIONS    = 5  /**< F32 [D/A,r,L/2m]: the rotations by which FGT_ATTENDER_LSH hashes; not
                                    set: drawn. fgt_attention() says what the letters are */
} fgt_mask;
#define FGT_MASK_COUNT 6

/** Sets or (value NULL) removes a mask of the model's own passes. Shapes are checked by the pass. Between
 *  fgt_forward() and fgt_backward() it makes a new fgt_forward() necessary.
 *  Shapes   see fgt_mask
 *  Owner    value's memory is borrowed until set again
 *  Errors   FGT_E_ARG no such mask; FGT_E_STATE no layers; FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_set_mask(fgt_model *model, fgt_mask mask, const fgt_view *value);

/** Sets the value of an fgt_value() layer for the model's own passes; value NULL removes it. Between
 *  fgt_forward() and fgt_backward() it makes a new fgt_forward() necessary.
 *  Shapes   as fgt_value() says; gradient: like value, or NULL
 *  Owner    both views' memory is borrowed until set again; fgt_backward() overwrites gradient
 *  Errors   FGT_E_NAME no fgt_value() layer of that name; FGT_E_ARG a gradient of ids or of a mask;
 *           FGT_E_SHAPE gradient is not like value; FGT_E_NOMEM (first use). Shapes are checked by the pass,
 *           which is FGT_E_STATE when a value other than a mask was not set */
FGT_API FGT_MUST fgt_status fgt_model_set_value(fgt_model *model, const char *layer, const fgt_view *value,
                                                const fgt_view *gradient);

/** The output of any layer in the last pass: what other layers read, or a further output of the model. After
 *  a pass that was refused there is none.
 *  Shapes   [B,N,T,H]; axes N and T of length 1 are left out
 *  Owner    the model's, to be read only; valid until the next pass
 *  Errors   FGT_E_ARG value is NULL; FGT_E_NAME no such layer; FGT_E_UNSUPPORTED a mask or ids; FGT_E_STATE
 *           no pass yet */
FGT_API FGT_MUST fgt_status fgt_model_get_value(fgt_model *model, const char *layer, fgt_view *value);

/** Adds a gradient at the output of a layer, for the next fgt_backward(). So a model may have several outputs
 *  with a loss each:
 *    fgt_forward(m, x, y);  fgt_model_get_value(m, "price", &p);  ... losses ...
 *    fgt_model_add_gradient(m, "price", dp);  fgt_backward(m, dy, NULL);
 *  To it are added the gradients from the layers that read this output, and at the last layer dy.
 *  Shapes   as fgt_model_get_value() gives them
 *  Owner    gradient's memory is borrowed until that fgt_backward(), or the next pass
 *  Errors   FGT_E_NAME; FGT_E_SHAPE; FGT_E_UNSUPPORTED a mask or ids; FGT_E_STATE no fgt_forward() before, or
 *           this layer has been given one for this pass already */
FGT_API FGT_MUST fgt_status fgt_model_add_gradient(fgt_model *model, const char *layer,
                                                   const fgt_view *gradient);

/** Training pass: dropout is on, and what fgt_backward() needs is kept. The first one
 *  allocates the model's workspace, the first one with an adapter its gradients; later ones allocate nothing.
 *  Shapes   x [B,T,D] with B and T up to the model's -> y, the last layer's output
 *  Owner    x and y are borrowed for the call
 *  Errors   FGT_E_SHAPE, FGT_E_DATA (ids), FGT_E_STATE no layers or a value is missing, FGT_E_NOMEM
 *           (first pass, also with an adapter). On error y is untouched, and no fgt_backward() can follow */
FGT_API FGT_MUST fgt_status fgt_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);

/** Adds the gradients of the last fgt_forward() to the parameters' gradients.
 *  Shapes   dy like that pass's y, or NULL where the only losses are those of fgt_model_add_gradient(); dx
 *           like its x, overwritten, or NULL
 *  Owner    borrowed for the call
 *  Errors   FGT_E_STATE no fgt_forward() before, already used, or its weights are gone
 *           (fgt_adapter_opts.dropout); FGT_E_SHAPE; FGT_E_UNSUPPORTED dx of ids; what a layer of the host's
 *           returns: gradients are then unknown, and fgt_forward() comes first */
FGT_API FGT_MUST fgt_status fgt_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx);

/** Prediction with the model's own workspace: dropout is off. The first one allocates what it needs besides
 *  that of training: copies of large weights, packed for the products. Later ones allocate nothing.
 *  Shapes   as fgt_forward()
 *  Owner    x and y are borrowed for the call
 *  Errors   as fgt_forward() */
FGT_API FGT_MUST fgt_status fgt_predict(fgt_model *model, const fgt_view *x, const fgt_view *y);

/* ---- states ---------------------------------------------------------------------------------- */

/* Recurrent layers end a pass in states, named "<layer>.h" and so on. A pass starts from zero, unless
 * states are carried over from the last one (streaming; truncated back-propagation through time on long
 * series) or were set. */

/** With carry != 0 every pass of the model starts from the states in which the last one ended. The backward
 *  pass stops at the start of its own pass. A pass that fails leaves the states that it started from. The
 *  model takes no more layers.
 *  Errors   FGT_E_STATE no layers; FGT_E_UNSUPPORTED a layer reads time in both directions; FGT_E_NOMEM
 *           (first use) */
FGT_API FGT_MUST fgt_status fgt_model_set_carry(fgt_model *model, int32_t carry);

/** Sets all states to zero: a new series begins. Until its first pass fgt_model_get_state() still gives where
 *  the last pass ended. The model takes no more layers.
 *  Errors   FGT_E_STATE no layers; FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_init_state(fgt_model *model);

/** Copies out the state in which the last pass that was not refused ended; of states that are carried over,
 *  what was set in its place since. With value->data NULL only type, rank and shape are filled in.
 *  Shapes   value [K,B,H]; see the layer
 *  Owner    value is the caller's
 *  Errors   FGT_E_NAME no such state; FGT_E_SHAPE; FGT_E_STATE no pass yet, or since then
 *           fgt_model_set_state() has begun anew, or a pass that carried nothing over has failed */
FGT_API FGT_MUST fgt_status fgt_model_get_state(fgt_model *model, const char *name, fgt_view *value);

/** Sets the state from which the next pass starts. Those not set are carried over, or zero.
 *  Shapes   value [K,B,H], B the batch of the next pass
 *  Owner    borrowed for the call
 *  Errors   FGT_E_NAME; FGT_E_SHAPE; FGT_E_STATE the carried states are of another batch; FGT_E_NOMEM
 *           (first use) */
FGT_API FGT_MUST fgt_status fgt_model_set_state(fgt_model *model, const char *name, const fgt_view *value);

/** After fgt_backward(), copies out the gradient of the state from which the last pass started.
 *  Shapes   value [K,B,H]
 *  Owner    value is the caller's
 *  Errors   FGT_E_NAME; FGT_E_SHAPE; FGT_E_STATE no backward pass yet, or no state was set or carried over
 *           before the pass: set zeros for the gradient of a start from zero */
FGT_API FGT_MUST fgt_status fgt_model_get_state_gradient(fgt_model *model, const char *name, fgt_view *value);

/** fgt_model_set_carry() for a workspace of its own: streaming, one token after another.
 *  Errors   FGT_E_ARG NULL; FGT_E_UNSUPPORTED as there
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_carry(fgt_workspace *ws, int32_t carry);

/** fgt_model_init_state() for a workspace of its own.
 *  Errors   FGT_E_ARG NULL
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_init_state(fgt_workspace *ws);

/** fgt_model_get_state() for a workspace of its own.
 *  Shapes   value [K,B,H]; see the layer
 *  Owner    value is the caller's
 *  Errors   FGT_E_ARG NULL; as there
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_get_state(fgt_workspace *ws, const char *name, fgt_view *value);

/** fgt_model_set_state() for a workspace of its own: a stream goes on that was interrupted.
 *  Shapes   value [K,B,H], B the batch of the next pass
 *  Owner    borrowed for the call
 *  Errors   FGT_E_ARG NULL; as there
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_state(fgt_workspace *ws, const char *name,
                                                    const fgt_view *value);

/* ---- streams --------------------------------------------------------------------------------- */

/* A causal model runs token by token in a workspace that was made with `tokens`:
 *
 *     fgt_workspace_create(model, &FGT_OPTS(fgt_workspace_opts, .batch = 1, .tokens = 512), &ws);
 *     fgt_workspace_predict(ws, prompt, y);        any number of tokens at a time
 *     fgt_workspace_predict(ws, token, y);         and so on, until 512 tokens are through
 *     fgt_workspace_init_state(ws);                the next stream
 *
 * Each call takes the next tokens of `batch` streams and gives the rows of y that one pass over all tokens
 * would give, but for rounding. Recurrent layers carry their states, as with fgt_workspace_set_carry(), and a
 * token costs the same at any place. A layer with attention keeps what it needs of the earlier tokens, and a
 * token costs a sum over them. No call allocates, and one that fails leaves the streams as they were.
 *
 * All layers must be causal: attention, fgt_fighter() and fgt_transformer() with `causal` (a Fighter layer of
 * one hop reads no other token, and needs it not), without a memory and with FGT_ATTENDER_FULL; recurrent
 * layers and fgt_s4() in one direction; fgt_conv() with FGT_CONV_CAUSAL and stride 1; fgt_position() but in a
 * grid; layers that treat each token alone; all layers along the nodes that have no states. A layer that is
 * none of these, layers of the host's among them, makes fgt_workspace_create() fail with its name. The
 * weights must not change within a stream.
 *
 * Masks: FGT_MASK_KEY_PADDING and values are of the tokens of the call; FGT_MASK_ATTENTION,
 * FGT_MASK_DIAG_DROP and FGT_MASK_DIAG_SCALE have S tokens in the places of T, S being at least what the
 * stream has with this call.
 *
 * A layer with attention has states beside those of recurrent layers, which grow: "<layer>.k" the keys,
 * "<layer>.padding" 1 for tokens that are padding, "<layer>.rows" what its matrices A multiply, each of shape
 * [t,B,N H] after t tokens. A convolution of more than one token has its inputs, "<layer>.x". To go on with a
 * stream in another workspace, save t and all states; there call fgt_workspace_set_tokens(), then
 * fgt_workspace_set_state() for each of them. */

/** Tokens that the streams of a workspace have so far.
 *  Units    tokens
 *  Errors   none; 0 for NULL and for workspaces without a stream
 *  Threads  one at a time per workspace */
FGT_API int64_t fgt_workspace_get_tokens(const fgt_workspace *ws);

/** Begins streams that have `tokens` tokens already, and whose states are set next: all of layers with
 *  attention and of convolutions. A state of a recurrent layer that is not set is zero. 0 tokens: as
 *  fgt_workspace_init_state().
 *  Units    tokens
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE it is no workspace of streams; FGT_E_SIZE more than there is room
 *           for. By the next pass: FGT_E_STATE a state was not set
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_tokens(fgt_workspace *ws, int64_t tokens);

/* ---- what attention saw, and graphs ---------------------------------------------------------- */

/** The matrices A of a layer in the last pass: of its attention, or of its graph.
 *
 *  Attention has a matrix for each sample and head. Where it keeps none (FGT_ATTN_STREAM, usually
 *  FGT_ATTN_AUTO, too) they are recomputed with the masks of that pass, which must still be set, their memory
 *  valid and unchanged. FGT_MASK_DIAG_SCALE must still be as it was also where they are kept. A Fighter layer
 *  with hops = 1 does not need A: this call computes it, from the input of the last pass, normalized as then,
 *  and the weights as they are now.
 *
 *  fgt_gcn() has one graph for all samples. Its matrix is A as it was given (without the I of `plain`), or
 *  learned, of the weights as they are now. With `diffusion` there are two in the places of heads: 0 is P_f,
 *  1 is P_b.
 *  Shapes   *a becomes [B N,A,T,T], of cross attention [B,A,T,T'], of a graph [1,1,T,T], with diffusion
 *           [1,2,T,T]. For a layer along the nodes exchange N and T
 *  Units    each row of attention sums to 1, except with dropout or FGT_MASK_DIAG_SCALE after the softmax,
 *           without any allowed key (0), or with causal FGT_ATTENDER_PROB (see fgt_attention()). Weights of a
 *           graph are as they were given; rows of walks and of learned graphs sum to 1, or to 0 for a node
 *           without edges
 *  Owner    the model's: copied, or recomputed, by this call; valid until the next pass or call of this kind
 *  Errors   FGT_E_NAME no such layer; FGT_E_UNSUPPORTED it has neither attention nor a graph (the sentence
 *           names layers that have); FGT_E_STATE no pass yet, or such a mask was set or removed after it;
 *           FGT_E_SIZE a graph stored by its edges, of more than 4096 nodes: fgt_model_get_edges() reads it;
 *           FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_get_adjacency(fgt_model *model, const char *layer, fgt_view *a);

/** One edge of the graph that A is: A[to,from] is its weight, so token `to` reads token `from`. The
 *  struct is frozen: it will never grow. */
typedef struct fgt_edge {
    int64_t from;   /**< column of A */
    int64_t to;     /**< row of A */
    double  weight; /**< never 0 */
} fgt_edge;

/** Which of a layer's matrices is asked for, [B N,A,T,T] of fgt_model_get_adjacency(). */
typedef struct fgt_edges_opts {
    size_t  size;
    int64_t sample;      /**< 0 .. B N - 1 */
    int64_t head;        /**< 0 .. A - 1 */
    int32_t no_diagonal; /**< 1: without the edges from a token to itself */
    int32_t reserved;
} fgt_edges_opts;

/** The k strongest edges of a layer's matrix in the last pass, by falling weight; those of equal weight by
 *  their rows, then by their columns. Entries that are 0 are no edges.
 *  Shapes   edges [k]
 *  Units    weights are those of A; *count: edges that were found, k at most
 *  Cost     that of fgt_model_get_adjacency(), and about T^2 steps; of a graph that is stored by its edges,
 *           of any size, about E steps
 *  Owner    edges is the caller's; opts NULL: sample 0, head 0. Ends the life of an earlier matrix of
 *           fgt_model_get_adjacency()
 *  Errors   as fgt_model_get_adjacency(); FGT_E_ARG NULL, k < 1, no such sample or head; FGT_E_VERSION;
 *           FGT_E_NONFINITE the matrix has a NaN. On error edges and *count are untouched */
FGT_API FGT_MUST fgt_status fgt_model_get_edges(fgt_model *model, const char *layer,
                                                const fgt_edges_opts *opts, int64_t k, fgt_edge *edges,
                                                int64_t *count);

/** Zeroes all gradients (fgt_step() does so itself).
 *  Errors   FGT_E_STATE no gradients yet */
FGT_API FGT_MUST fgt_status fgt_model_init_gradients(fgt_model *model);

/** Memory for predictions besides the model's own, so that threads can share one model. */
typedef struct fgt_workspace_opts {
    size_t  size;
    int64_t batch;   /**< largest B; 0: the model's (of a forecaster or classifier: 1) */
    int32_t threads; /**< that share one prediction: the caller and threads of the workspace's own; 0: 1 */
    int32_t reserved;
    int64_t tokens; /**< of a stream, at most: see "streams" above; 0: each prediction stands alone */
} fgt_workspace_opts;

/** How a forecaster or a classifier is loaded. */
typedef struct fgt_load_opts {
    size_t  size;
    int64_t batch; /**< most windows or texts in a pass; 0: the file's. With 1 it takes least memory */
    int32_t no_verify; /**< 1: the hash in the file is not compared with its contents, which takes about
                            40 ms for 100 MB; 0: it is, where there is one */
    int32_t reserved;
} fgt_load_opts;

/** Creates a workspace of a finished model. Results of the weights only, such as packed
 *  copies, are computed once after every change of the weights: all workspaces of a model share them.
 *  Owner    *ws is the caller's; the model must outlive it
 *  Errors   FGT_E_ARG; FGT_E_STATE no layers; FGT_E_NOMEM; FGT_E_SIZE; with tokens FGT_E_UNSUPPORTED a layer,
 *           which is named, cannot be part of a stream; *ws is NULL on error */
FGT_API FGT_MUST fgt_status fgt_workspace_create(fgt_model *model, const fgt_workspace_opts *opts,
                                                 fgt_workspace **ws);

/** Destroys a workspace and sets *ws to NULL.
 *  Owner    takes *ws */
FGT_API void fgt_workspace_destroy(fgt_workspace **ws);

/** Bytes the first workspace takes, without making it. Further ones take less, because packed weights are
 *  shared. The plan itself takes a little memory for the call.
 *  Units    bytes
 *  Errors   -1 no layers, options that fgt_workspace_create() refuses, a workspace that is too large, or no
 *           memory for the plan */
FGT_API int64_t fgt_workspace_size(const fgt_model *model, const fgt_workspace_opts *opts);

/** fgt_model_set_mask() for this workspace's passes.
 *  Shapes   see fgt_mask
 *  Owner    borrowed until set again
 *  Errors   FGT_E_ARG
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_mask(fgt_workspace *ws, fgt_mask mask, const fgt_view *value);

/** fgt_model_set_value() for this workspace's passes.
 *  Shapes   see fgt_value()
 *  Owner    borrowed until set again
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_value(fgt_workspace *ws, const char *layer,
                                                    const fgt_view *value);

/** fgt_model_get_value() for this workspace, of layers that no other layer reads: the others share memory.
 *  Shapes   as there
 *  Owner    the workspace's; valid until its next pass
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME; FGT_E_STATE no pass yet; FGT_E_UNSUPPORTED another layer reads it
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_get_value(fgt_workspace *ws, const char *layer, fgt_view *value);

/** Prediction with the workspace's memory, on the calling thread and those of the workspace. In a workspace
 *  of streams, their next tokens.
 *  Shapes   as fgt_forward()
 *  Owner    borrowed for the call
 *  Errors   as fgt_forward(); the sentence is fgt_workspace_error(). In a stream FGT_E_SIZE there is no room
 *           for so many tokens; FGT_E_STATE x has another batch than the states
 *  Threads  as many at once as there are workspaces, while nobody changes the weights */
FGT_API FGT_MUST fgt_status fgt_workspace_predict(fgt_workspace *ws, const fgt_view *x, const fgt_view *y);

/** The last error of this workspace in words.
 *  Owner    the workspace's
 *  Threads  one at a time per workspace */
FGT_API const char *fgt_workspace_error(const fgt_workspace *ws);

/* ---- parameters ------------------------------------------------------------------------------ */

/** Number of parameter tensors.
 *  Units    tensors
 *  Errors   none; 0 for NULL */
FGT_API int64_t fgt_model_count_tensors(const fgt_model *model);

/** Number of scalars in all parameter tensors.
 *  Units    scalars
 *  Errors   none; 0 for NULL */
FGT_API int64_t fgt_model_count_parameters(const fgt_model *model);

/** Name of parameter tensor i: "layers.0.q_proj.weight".
 *  Owner    the model's; valid until it is destroyed, that of an adapter until this is removed or merged
 *  Errors   NULL when i is out of range */
FGT_API const char *fgt_model_get_parameter_name(const fgt_model *model, int64_t i);

/** Copies a parameter out. With value->data NULL only type, rank and shape are filled in.
 *  Shapes   value like the parameter
 *  Owner    value is the caller's
 *  Errors   FGT_E_NAME, FGT_E_SHAPE */
FGT_API FGT_MUST fgt_status fgt_model_get_parameter(fgt_model *model, const char *name, fgt_view *value);

/** Copies a parameter in.
 *  Shapes   value like the parameter
 *  Owner    borrowed for the call
 *  Errors   FGT_E_NAME, FGT_E_SHAPE; FGT_E_NONFINITE a value is NaN or infinite. On error the model is as
 *           before */
FGT_API FGT_MUST fgt_status fgt_model_set_parameter(fgt_model *model, const char *name,
                                                    const fgt_view *value);

/** Copies a parameter's gradient out; see fgt_model_get_parameter().
 *  Shapes   value like the parameter
 *  Owner    value is the caller's
 *  Errors   FGT_E_NAME, FGT_E_SHAPE; FGT_E_STATE no gradients yet */
FGT_API FGT_MUST fgt_status fgt_model_get_gradient(fgt_model *model, const char *name, fgt_view *value);

/** Copies a parameter's gradient in, for hosts that compute their own.
 *  Shapes   value like the parameter
 *  Owner    borrowed for the call
 *  Errors   FGT_E_NAME, FGT_E_SHAPE, FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_set_gradient(fgt_model *model, const char *name, const fgt_view *value);

/** All weights as one array: the parameter tensors one after another, in the order of their numbers. For
 *  averaging, sending, comparing; to change them use fgt_model_set_weights(). While an adapter is active,
 *  these are its weights, and the view is valid until it is removed or merged; likewise
 *  fgt_model_get_gradients().
 *  Shapes   *weights becomes F32 [fgt_model_count_parameters()]
 *  Owner    the model's, to be read only; valid until a layer is added or the model is destroyed
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the model has no parameters */
FGT_API FGT_MUST fgt_status fgt_model_get_weights(const fgt_model *model, fgt_view *weights);

/** Copies all weights in, in the order of fgt_model_get_weights().
 *  Shapes   weights F32 [fgt_model_count_parameters()]
 *  Owner    borrowed for the call
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_STATE the model has no parameters; FGT_E_NONFINITE a value is
 *           NaN or infinite. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_set_weights(fgt_model *model, const fgt_view *weights);

/** All gradients as one array, in the order of fgt_model_get_weights(). A host may change them in place, for
 *  instance to sum them over several processes, and then tells the model by fgt_model_set_gradients().
 *  Shapes   *gradients becomes F32 [fgt_model_count_parameters()]
 *  Owner    the model's; valid until it is destroyed. It takes no more layers
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the model has no parameters; FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_get_gradients(fgt_model *model, fgt_view *gradients);

/** Copies all gradients in; or, given the view of fgt_model_get_gradients() itself, takes note that they were
 *  changed in place, which an fgt_embedding() has to know: a step updates only the rows with a gradient.
 *  Shapes   gradients F32 [fgt_model_count_parameters()]
 *  Owner    borrowed for the call
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_STATE the model has no parameters; FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_set_gradients(fgt_model *model, const fgt_view *gradients);

/** Freezes parameters, or with frozen == 0 lets them be trained again. A frozen parameter takes part in
 *  passes, but fgt_step() does not change it: no update, no weight decay, no change of its optimiser state.
 *  fgt_backward() leaves a layer out when all its parameters are frozen and no layer before it needs a
 *  gradient. A gradient of a frozen parameter counts neither in the norm nor as NaN, and is zeroed; a layer
 *  need not compute it.
 *  Optimisers read the flag at every step, so it may be set at any time. Model files keep the flags.
 *  Adam counts the steps of all parameters together: one that is unfrozen after many steps begins with
 *  updates of up to 3 times the learning rate; a new optimiser avoids this. Call fgt_optim_settle() before an
 *  fgt_embedding() is frozen, because its rows are updated lazily.
 *  pattern: a parameter's name; a beginning that ends in a dot ("encoder."); or with stars, which match
 *  any bytes ("*.bias", "*").
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no parameter matches: nothing is changed */
FGT_API FGT_MUST fgt_status fgt_model_set_frozen(fgt_model *model, const char *pattern, int32_t frozen);

/** 1 when parameter tensor i is frozen, else 0.
 *  Errors   0 for NULL and when i is out of range */
FGT_API int32_t fgt_model_get_frozen(const fgt_model *model, int64_t i);

/** Copies parameters of another model to those of the same names: the encoder of a model that was pre-trained
 *  to one that is to be fine-tuned. pattern as in fgt_model_set_frozen(), of names in `from`. Adapters are
 *  left alone, and flags of frozen parameters stay as they are.
 *  Owner    both are borrowed; `from` may be of another context, and is only read
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no parameter matches, or the model lacks one of them; FGT_E_SHAPE one
 *           has another shape there. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_copy_parameters(fgt_model *model, const fgt_model *from,
                                                      const char *pattern);

/** A 64-bit hash of all weights (FNV-1a of their bytes): equal for equal bits.
 *  Errors   none; 0 for NULL */
FGT_API uint64_t fgt_model_get_hash(const fgt_model *model);

/* ---- files ----------------------------------------------------------------------------------- */

/* Models are saved and loaded in three ways that differ only in where the bytes are: a path, a block of
 * memory, or functions of the host (fgt_reader, fgt_writer of base.h). The bytes are the same in all three.
 *
 * No file is trusted. None is mapped, so one that is shortened or rewritten while it is loaded gives an error
 * or other weights, never a crash. Memory for weights is allocated only after the model's description was
 * checked against the tensors in the file. Loading takes at most 32 times the length of the file and 1 MiB
 * (in practice the weights once, when they are stored as F32), besides tables whose size the file's options
 * set: the sinusoids of fgt_position(), [T,D], and the FFT of fgt_s4(), about 16 bytes a time step.
 *
 * A file has a hash of its contents in its metadata, "fighter.hash". If there is one, it is compared before
 * anything is loaded, so damage is FGT_E_FORMAT. Weights must be finite: FGT_E_NONFINITE names tensor and
 * element. */

/** Writes weights and configuration to one safetensors file: to a temporary name, synced, then
 *  renamed, so that an old file stays intact until the new one is complete.
 *  Errors   FGT_E_ARG NULL; FGT_E_IO, FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_save(const fgt_model *model, const char *path);

/** Writes the file of fgt_model_save() into memory. With buffer NULL and capacity 0 only *bytes is set.
 *  Units    capacity, *bytes: bytes
 *  Owner    buffer is the caller's
 *  Errors   FGT_E_SIZE the buffer is too small: *bytes is what it takes, buffer is untouched; FGT_E_ARG bytes
 *           is NULL; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_save_memory(const fgt_model *model, void *buffer, int64_t capacity,
                                                  int64_t *bytes);

/** Hands the file of fgt_model_save() to the host's function.
 *  Owner    the writer is borrowed for the call
 *  Errors   FGT_E_IO the function failed; FGT_E_ARG no function; FGT_E_VERSION; FGT_E_NOMEM, in which case
 *           nothing was written */
FGT_API FGT_MUST fgt_status fgt_model_save_to(const fgt_model *model, const fgt_writer *writer);

/** Makes the model that a file of fgt_model_save() describes, with its weights. batch and time in opts
 *  replace the file's where they are not 0; the other fields must be 0.
 *  Owner    *model is the caller's
 *  Errors   FGT_E_ARG another field of opts is set; FGT_E_IO; FGT_E_FORMAT (with byte offset or tensor);
 *           FGT_E_VERSION a later format, or a layer of the host's that is not registered; FGT_E_SIZE;
 *           FGT_E_NONFINITE; FGT_E_NOMEM; *model is NULL on error */
FGT_API FGT_MUST fgt_status fgt_model_load(fgt_context *ctx, const char *path, const fgt_model_opts *opts,
                                           fgt_model **model);

/** fgt_model_load() of a file in memory, which may lie at any address.
 *  Units    bytes: bytes
 *  Owner    data is borrowed for the call, in which it must not change; *model is the caller's
 *  Errors   as fgt_model_load(); FGT_E_ARG bytes is negative, or data is NULL */
FGT_API FGT_MUST fgt_status fgt_model_load_memory(fgt_context *ctx, const void *data, int64_t bytes,
                                                  const fgt_model_opts *opts, fgt_model **model);

/** fgt_model_load() of a file that the host reads.
 *  Owner    the reader is borrowed for the call; *model is the caller's
 *  Errors   as fgt_model_load(); FGT_E_IO the function failed; FGT_E_FORMAT the bytes end too early */
FGT_API FGT_MUST fgt_status fgt_model_load_from(fgt_context *ctx, const fgt_reader *reader,
                                                const fgt_model_opts *opts, fgt_model **model);

/** Reads weights by name from any safetensors file into an existing model. The file's data are copied to
 *  memory first, so that a read error half way leaves the model as it was; during the call this takes as much
 *  memory as the file is long.
 *  Shapes   every parameter must be there, in its shape
 *  Errors   as fgt_model_load(); FGT_E_NAME a tensor is missing or not the model's; FGT_E_SHAPE. On error the
 *           model is as before */
FGT_API FGT_MUST fgt_status fgt_model_load_weights(fgt_model *model, const char *path);

/** fgt_model_load_weights() of a file in memory, without a copy.
 *  Units    bytes: bytes
 *  Owner    data is borrowed for the call, in which it must not change
 *  Errors   as fgt_model_load_weights(); FGT_E_ARG bytes is negative, or data is NULL */
FGT_API FGT_MUST fgt_status fgt_model_load_weights_memory(fgt_model *model, const void *data, int64_t bytes);

/** fgt_model_load_weights() of a file that the host reads.
 *  Owner    the reader is borrowed for the call
 *  Errors   as fgt_model_load_weights(); FGT_E_IO the function failed */
FGT_API FGT_MUST fgt_status fgt_model_load_weights_from(fgt_model *model, const fgt_reader *reader);

/** Turns what the authors' DPLR layers hold, C~ = C (I - dA^length), into the C of fgt_s4(). Call it once
 *  after fgt_model_load_weights() of a file of theirs. length is their l_kernel, usually the sequence length.
 *  Shapes   none; layer: the name of the fgt_s4 layer, "" for a layer alone
 *  Units    length: time steps
 *  Errors   FGT_E_NAME no such layer; FGT_E_UNSUPPORTED it is no DPLR fgt_s4; FGT_E_ARG length < 1;
 *           FGT_E_NONFINITE I - dA^length has no inverse; FGT_E_STATE an adapter is active; FGT_E_NOMEM.
 *           On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_s4_convert_length(fgt_model *model, const char *layer, int64_t length);

#ifdef __cplusplus
}
#endif
#endif
