/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_MODEL_H
#define FIGHTER_MODEL_H

/** @file model.h
 *  A model: layers that read each other's outputs, the parameters of the layers, and the memory for passes.
 *  Most models are chains (fgt_model_add()); fgt_model_add_from() makes branches. To use a single layer, make
 *  a model of one layer with the name "". This header includes the headers of all layers.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/attention.h>
#include <fighter/base.h>
#include <fighter/graph.h>
#include <fighter/nn.h>
#include <fighter/recurrent.h>

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
    uint64_t seed;     /**< seed of the initial weights and of dropout */
} fgt_model_opts;

/** Creates an empty model. Memory is planned for the largest batch and time; a pass may be smaller.
 *  Shapes   the model will take x [B,T,D], or [B,N,T,D] with nodes > 1, or ids [B,T]
 *  Owner    *model is the caller's; ctx must outlive it
 *  Errors   FGT_E_ARG a negative size; FGT_E_VERSION; FGT_E_NOMEM; *model is NULL on error */
FGT_API FGT_MUST fgt_status fgt_model_create(fgt_context *ctx, const fgt_model_opts *opts, fgt_model **model);

/** Destroys a model and sets *model to NULL.
 *  Owner    takes *model; its optimisers and workspaces must be gone already */
FGT_API void fgt_model_destroy(fgt_model **model);

/** Adds a layer that reads the output of the layer before it (the first layer: the model's input), and
 *  initialises its parameters. The widths of the layer follow from its input. The output of the last layer
 *  added is the model's output.
 *  Shapes   see the layer
 *  Owner    everything the layer names is copied
 *  Errors   FGT_E_ARG, FGT_E_SHAPE, FGT_E_SIZE, FGT_E_NOMEM; FGT_E_UNSUPPORTED no such type; FGT_E_NAME
 *           the name is taken, too long or not UTF-8; FGT_E_STATE the model takes no more layers: there was a
 *           first pass, workspace, optimiser, adapter or call for gradients, or a mask, a value, a state or a
 *           stateful workspace was set. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_add(fgt_model *model, fgt_layer layer);

/** Adds a layer that reads the outputs of the named layers: branches, residual paths, several inputs.
 *    fgt_model_add(m, fgt_named("a", ...));                                       // reads the layer before
 *    fgt_model_add_from(m, fgt_named("b", ...), (const char *[]){""}, 1);         // "": the model's input
 *    fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"a", "b"}, 2);
 *  Most layers read one input; the descriptions of the others say how many they read. Masks (fgt_value()) may
 *  be anywhere in the list. Such a mask replaces the model's mask of the same kind for this layer, even if
 *  its value is not set. The name of a layer without a name is its number.
 *  Shapes   see the layer
 *  Owner    everything is copied
 *  Errors   as fgt_model_add(); FGT_E_NAME no such layer before; FGT_E_ARG more or fewer inputs than
 *           the layer takes, or a mask that it does not use; FGT_E_SHAPE inputs that do not fit together */
FGT_API FGT_MUST fgt_status fgt_model_add_from(fgt_model *model, fgt_layer layer, const char *const *from,
                                               int32_t count);

/** Sizes and shapes of a model. */
typedef struct fgt_model_info {
    size_t   size;
    int64_t  layers;     /**< number of layers, values included */
    int64_t  tensors;    /**< number of parameter tensors; while an adapter is active, its tensors */
    int64_t  parameters; /**< number of scalars in these tensors */
    fgt_view input;      /**< shape of the input at the largest batch and time: [B,N,T,D], without axes N and
                              T of length 1, or ids I64 [B,T]; data is NULL */
    fgt_view output;     /**< shape of the last layer's output at the largest batch and time; data is NULL */
} fgt_model_info;

/** Describes a model.
 *  Owner    info (its size set) is filled
 *  Errors   FGT_E_ARG NULL; FGT_E_VERSION */
FGT_API FGT_MUST fgt_status fgt_model_get_info(const fgt_model *model, fgt_model_info *info);

/* ---- layers of a model ------------------------------------------------------------------------ */

/** Kinds of the matrices of fgt_model_get_adjacency(). */
typedef enum fgt_adjacency_kind {
    FGT_ADJACENCY_NONE      = 0, /**< the layer has no matrices */
    FGT_ADJACENCY_ATTENTION = 1, /**< attention of each sample */
    FGT_ADJACENCY_GIVEN     = 2, /**< a given graph, or random walks on it */
    FGT_ADJACENCY_LEARNED   = 3  /**< a learned graph, the same for all samples */
} fgt_adjacency_kind;
#define FGT_ADJACENCY_COUNT 4

/** One layer of a model. */
typedef struct fgt_layer_info {
    size_t      size;
    const char        *name; /**< name as given, or the number of the layer; the text is the model's, like all
                                  texts here */
    const char *type;       /**< "linear", "fighter" ... */
    const char        *route; /**< algorithm of the layer, chosen when the layer was added (docs/routes.md);
                                   "only": the layer has a single algorithm */
    const char *shares;     /**< name of the layer whose parameters it shares; NULL: none */
    const char *const *inputs; /**< names of the layers that this layer reads, then names of masks; "": the
                                    model's input */
    int64_t     parameters; /**< scalars in its own parameters */
    int64_t            cache_bytes; /**< bytes kept from forward to backward, at the largest batch and time */
    double      flops; /**< flop of the matrix products in a forward pass at the largest batch and time; -1:
                            not known */
    int32_t     input_count;
    int32_t     adjacency;  /**< an fgt_adjacency_kind: kind of the layer's matrices in
                                 fgt_model_get_adjacency() */
    fgt_view    output;     /**< shape of the layer's output, at the largest batch and time; data NULL. Rank
                                 0: not known, for masks other than key padding, whose shape only their reader
                                 knows */
    int32_t     axis;       /**< an fgt_axis: FGT_AXIS_NODES if fgt_along() chose it */
    int32_t     hops;       /**< kappa of a Fighter layer: powers A^0 .. A^(kappa-1), including powers below
                                 first_hop; 0: another layer */
} fgt_layer_info;

/** Describes a layer.
 *  Owner    info (its size set) is filled; its texts are the model's, valid until the model is destroyed
 *  Errors   FGT_E_ARG NULL, or there is no such layer; FGT_E_VERSION */
FGT_API FGT_MUST fgt_status fgt_model_get_layer(const fgt_model *model, int64_t index, fgt_layer_info *info);

/** Memory that training takes besides the finished model, for the largest batch and time and the threads of
 *  the context. The first fgt_forward() and fgt_backward() allocate it. Later training passes allocate
 *  nothing, but the first fgt_predict() does. A context has one block of up to 6 MB for large products, which
 *  is counted here for each model. The memory of an optimiser is not counted: AdamW has 8 bytes for each
 *  parameter. This call itself needs a little memory.
 *  Units    bytes; each block of the allocator adds less than 100
 *  Errors   -1 NULL, no layers, passes that are too large, or no memory for the plan */
FGT_API int64_t fgt_model_get_training_bytes(const fgt_model *model);

/** Writes a table of all layers for people: each layer's inputs, output, parameters, memory, cost and route;
 *  and the sum of the parameters, fgt_model_get_training_bytes() and fgt_model_get_workspace_bytes(). The
 *  programs print this table with --describe. The form of the table may change.
 *  Units    capacity, *bytes: bytes, including the NUL at the end
 *  Owner    buffer is the caller's; NULL: only *bytes is filled in
 *  Errors   FGT_E_ARG; FGT_E_SIZE the buffer is too small; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_describe(const fgt_model *model, char *buffer, int64_t capacity,
                                               int64_t *bytes);

/* ---- passes ---------------------------------------------------------------------------------- */

/** Masks. A mask is set for the whole model before a pass, and stays until it is set again. It applies to
 *  every layer that supports this kind of mask and has no mask of its own (fgt_value() makes masks for single
 *  layers). For cross attention FGT_MASK_KEY_PADDING is [B,T'] and FGT_MASK_ATTENTION is [T,T']. */
typedef enum fgt_mask {
    FGT_MASK_KEY_PADDING  = 0, /**< I32 [B,T]: 1 = padding: pools and recurrent layers skip the token, and it
                                    is not a key of attention. An embedding with mask_padding makes this mask
                                    from the ids */
    FGT_MASK_ATTENTION    = 1, /**< I32 [T,T]: 1 = blocked; or F32 [T,T], added to the scaled scores */
    FGT_MASK_DIAG_DROP    = 2, /**< I32 [T]: 1 = this diagonal score is -inf */
    FGT_MASK_DIAG_SCALE   = 3, /**< F32 [B N,A,T]: factor on the diagonal of A after the softmax */
    FGT_MASK_SAMPLED_KEYS = 4, /**< I32 [T,U]: U keys, 0 .. T'-1, that FGT_ATTENDER_PROB tries for each query
                                    (docs/attention.md); not set: drawn at random */
    FGT_MASK_ROTATIONS    = 5  /**< F32 [D/A,r,L/2m]: rotations with which FGT_ATTENDER_LSH hashes
                                    (docs/attention.md); not set: drawn at random */
} fgt_mask;
#define FGT_MASK_COUNT 6

/** The model's own workspace, which fgt_forward(), fgt_backward() and fgt_predict() use. Masks, values and
 *  states of these passes are set and read in this workspace. Its memory is allocated by the first pass or
 *  setting; from then on the model takes no more layers.
 *  Owner    the model's, for as long as the model exists; fgt_workspace_destroy() leaves it as it is
 *  Errors   none; NULL for NULL */
FGT_API fgt_workspace *fgt_model_get_workspace(fgt_model *model);

/** Sets a mask for the passes of a workspace; value NULL removes the mask. The next pass checks the shape.
 *  After this call fgt_backward() needs a new fgt_forward().
 *  Shapes   mask: an fgt_mask; value has the shape given there
 *  Owner    value's memory is borrowed until set again
 *  Errors   FGT_E_ARG NULL, no such mask; FGT_E_STATE no layers; FGT_E_NOMEM (first use)
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_mask(fgt_workspace *ws, int32_t mask, const fgt_view *value);

/** Sets the value of an fgt_value() layer for the passes of a workspace; value NULL removes it. After this
 *  call fgt_backward() needs a new fgt_forward().
 *  Shapes   as fgt_value() says; gradient: like value, or NULL
 *  Owner    both views' memory is borrowed until set again; fgt_backward() overwrites gradient
 *  Errors   FGT_E_NAME no fgt_value() layer of that name; FGT_E_ARG NULL, a gradient of ids or of a mask;
 *           FGT_E_SHAPE gradient is not like value; FGT_E_UNSUPPORTED a gradient in another workspace than
 *           the model's own; FGT_E_NOMEM (first use). The next pass checks shapes, and returns FGT_E_STATE if
 *           a value other than a mask is not set
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_value(fgt_workspace *ws, const char *layer,
                                                    const fgt_view *value, const fgt_view *gradient);

/** Gets the output of a layer in the last pass, such as a further output of the model. There is no output
 *  after a failed pass. The model's own workspace keeps the outputs of all layers. Other workspaces keep only
 *  the outputs that no layer reads.
 *  Shapes   [B,N,T,H]; axes N and T of length 1 are left out
 *  Owner    the workspace's, to be read only; valid until its next pass
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no such layer; FGT_E_UNSUPPORTED the layer is a mask or ids, or
 *           another layer reads its output, which this workspace does not keep; FGT_E_STATE no pass yet
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_get_value(fgt_workspace *ws, const char *layer, fgt_view *value);

/** Adds a gradient at the output of a layer, for the next fgt_backward(). With this call a model may have
 *  several outputs, each with a loss:
 *    fgt_forward(m, x, y);  fgt_workspace_get_value(own, "price", &p);  ... losses ...
 *    fgt_model_add_gradient(m, "price", dp);  fgt_backward(m, dy, NULL);
 *  The layer's gradient is the sum of this one, the gradients from layers that read its output, and, at the
 *  last layer, dy.
 *  Shapes   as fgt_workspace_get_value() gives them
 *  Owner    gradient's memory is borrowed until that fgt_backward(), or the next pass
 *  Errors   FGT_E_NAME; FGT_E_SHAPE; FGT_E_UNSUPPORTED a mask or ids; FGT_E_STATE no fgt_forward() before, or
 *           the layer already has a gradient for this pass */
FGT_API FGT_MUST fgt_status fgt_model_add_gradient(fgt_model *model, const char *layer,
                                                   const fgt_view *gradient);

/** Training pass: dropout is on, and the values that fgt_backward() needs are kept. The first pass allocates
 *  the model's workspace, and the first pass with an adapter its gradients; later passes allocate nothing.
 *  Shapes   x [B,T,D] with B and T up to the model's -> y, the last layer's output
 *  Owner    x and y are borrowed for the call
 *  Errors   FGT_E_SHAPE, FGT_E_DATA (ids), FGT_E_STATE no layers or a value is missing, FGT_E_NOMEM
 *           (first pass, also with an adapter). On error y is untouched, and no fgt_backward() can follow */
FGT_API FGT_MUST fgt_status fgt_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);

/** Adds the gradients of the last fgt_forward() to the parameters' gradients.
 *  Shapes   dy like y of that fgt_forward(), or NULL if all gradients come from fgt_model_add_gradient(); dx
 *           like x, overwritten, or NULL
 *  Owner    borrowed for the call
 *  Errors   FGT_E_STATE no fgt_forward() before, an fgt_backward() already used it, or its weights are gone
 *           (fgt_adapter_opts.dropout); FGT_E_SHAPE; FGT_E_UNSUPPORTED dx of ids; errors of a host's layer:
 *           then gradients are not defined, and the next call must be fgt_forward() */
FGT_API FGT_MUST fgt_status fgt_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx);

/** Predicts with the model's own workspace; dropout is off. The first prediction allocates memory that
 *  training does not need: copies of large weights, packed for the products. Later predictions allocate
 *  nothing.
 *  Shapes   as fgt_forward()
 *  Owner    x and y are borrowed for the call
 *  Errors   as fgt_forward() */
FGT_API FGT_MUST fgt_status fgt_predict(fgt_model *model, const fgt_view *x, const fgt_view *y);

/* ---- states ---------------------------------------------------------------------------------- */

/* At the end of a pass a recurrent layer has states, named "<layer>.h" and so on. A pass starts from zero
 * states, unless states were set, or are carried over from the last pass, as for streaming and for truncated
 * back-propagation through time on long series. */

/** With stateful != 0 states are carried over: every pass of the workspace starts from the states in which
 *  the last pass ended. Gradients do not flow into earlier passes. A failed pass leaves the states as they
 *  were at its start.
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE no layers, stateful 0 for streams; FGT_E_UNSUPPORTED a layer reads
 *           time in both directions; FGT_E_NOMEM (first use)
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_stateful(fgt_workspace *ws, int32_t stateful);

/** Begins new series: all states are zero. Until the next pass, fgt_workspace_copy_state() still gives the
 *  states in which the last pass ended. With `tokens` above 0, in a workspace with streams, the new streams
 *  continue after so many tokens. Then set the states next: all states of layers with attention and of
 *  convolutions. A state of a recurrent layer that is not set is zero.
 *  Units    tokens
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE no layers, tokens of a workspace without streams; FGT_E_SIZE more
 *           than the workspace holds; FGT_E_NOMEM (first use). By the next pass: FGT_E_STATE a state was not
 *           set
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_begin_series(fgt_workspace *ws, int64_t tokens);

/** The shape of a state after a pass, as a view without data.
 *  Shapes   *shape becomes [K,B,H]; see the layer
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no such state; FGT_E_STATE no pass yet
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_get_state_shape(fgt_workspace *ws, const char *name,
                                                          fgt_view *shape);

/** Copies out the state in which the last successful pass ended. If states are carried over and
 *  fgt_workspace_set_state() was called after this pass, the copy is the value that was set.
 *  Shapes   out as fgt_workspace_get_state_shape()
 *  Owner    out is the caller's
 *  Errors   FGT_E_ARG NULL, no data; FGT_E_NAME no such state; FGT_E_SHAPE; FGT_E_STATE no pass yet; or,
 *           after the last pass, fgt_workspace_set_state() began a new series, or a pass that was not
 *           stateful failed
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_copy_state(fgt_workspace *ws, const char *name,
                                                     const fgt_view *out);

/** Sets the state from which the next pass starts. States that are not set are carried over, or zero.
 *  Shapes   value [K,B,H], B the batch of the next pass
 *  Owner    borrowed for the call
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME; FGT_E_SHAPE; FGT_E_STATE the carried states have another batch;
 *           FGT_E_NOMEM (first use)
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_set_state(fgt_workspace *ws, const char *name,
                                                    const fgt_view *value);

/** After fgt_backward(), copies out the gradient of the state from which the last pass started.
 *  Shapes   out as fgt_workspace_get_state_shape()
 *  Owner    out is the caller's
 *  Errors   FGT_E_ARG NULL, no data; FGT_E_NAME; FGT_E_SHAPE; FGT_E_STATE no backward pass yet, not the
 *           model's own workspace, or no state was set or carried over before the pass. For the gradient of
 *           a start from zero, set zeros
 *  Threads  one at a time per workspace */
FGT_API FGT_MUST fgt_status fgt_workspace_copy_state_gradient(fgt_workspace *ws, const char *name,
                                                              const fgt_view *out);

/* ---- streams --------------------------------------------------------------------------------- */

/* A causal model runs token by token in a workspace with the option `tokens`:
 *
 *     fgt_model_create_workspace(model, &FGT_OPTS(fgt_workspace_opts, .batch = 1, .tokens = 512), &ws);
 *     fgt_workspace_predict(ws, prompt, y);        any number of tokens at a time
 *     fgt_workspace_predict(ws, token, y);         and so on, up to 512 tokens
 *     fgt_workspace_begin_series(ws, 0);           the next stream
 *
 * Each call reads the next tokens of `batch` streams. The rows of y equal the rows that one pass over all
 * tokens would give, except for rounding. Recurrent layers carry their states, as with
 * fgt_workspace_set_stateful(), so every token costs the same. A layer with attention keeps the earlier
 * tokens, so the cost of a token grows with their number. No call allocates, and a failed call leaves the
 * streams as they were.
 *
 * All layers must be causal:
 *   attention, fgt_fighter() and fgt_transformer() with `causal`, without a memory and with
 *     FGT_ATTENDER_FULL (a Fighter layer of one hop reads no other token and does not need `causal`);
 *   recurrent layers and fgt_s4() in one direction;
 *   fgt_conv() with FGT_CONV_PADDING_CAUSAL and stride 1; fgt_position() except in a grid;
 *   layers that treat each token by itself; layers along the nodes without states.
 * With any other layer, also a layer that the host wrote, fgt_model_create_workspace() fails and names the
 * layer. The weights must not change within a stream.
 *
 * Masks: FGT_MASK_KEY_PADDING and values are for the tokens of the call. FGT_MASK_ATTENTION,
 * FGT_MASK_DIAG_DROP and FGT_MASK_DIAG_SCALE have S in place of T, where S is at least the number of tokens
 * so far, including this call.
 *
 * A layer with attention also has states, which grow; each is [t,B,N H] after t tokens: "<layer>.k" has the
 * keys, "<layer>.padding" is 1 for tokens that are padding, and "<layer>.rows" has the rows that the matrices
 * A multiply. A convolution of more than one token has the state "<layer>.x", its last inputs. To continue a
 * stream in another workspace, save t and all states. In the other workspace call
 * fgt_workspace_begin_series(), then fgt_workspace_set_state() for each state. */

/** Number of tokens in the streams of a workspace so far.
 *  Units    tokens
 *  Errors   none; 0 for NULL and for workspaces without a stream
 *  Threads  one at a time per workspace */
FGT_API int64_t fgt_workspace_get_tokens(const fgt_workspace *ws);

/* ---- attention matrices and graphs ------------------------------------------------------------ */

/** Gets the matrices A of a layer in the last pass: the attention matrices, or the matrix of a graph.
 *
 *  Attention has a matrix for each sample and head. If the layer does not keep the matrices
 *  (FGT_ATTN_MODE_STREAM, usually also FGT_ATTN_MODE_AUTO), this call computes them again with the masks of
 *  the last pass. These masks must still be set, and their memory must be valid and unchanged.
 *  FGT_MASK_DIAG_SCALE must be unchanged in any case. A Fighter layer with hops = 1 sums only the power
 *  A^0 = I, so a pass does not compute A. For such a layer this call computes A from the input of the last
 *  pass (after the layer's norm, if it has one), with the current weights.
 *
 *  fgt_gcn() has one graph for all samples. A is the given graph (without the I of `plain`), or the graph
 *  learned with the current weights. With `diffusion` there are two matrices in place of heads: 0 is P_f, 1
 *  is P_b.
 *  Shapes   *a becomes [B N,A,T,T]; for cross attention [B,A,T,T']; for a graph [1,1,T,T], with diffusion
 *           [1,2,T,T]. For a layer along the nodes exchange N and T
 *  Units    each row of attention sums to 1. Exceptions: dropout or FGT_MASK_DIAG_SCALE after the softmax; a
 *           row without any allowed key, which is 0; causal FGT_ATTENDER_PROB (see fgt_attention()). Weights
 *           of a graph are as given. Rows of walks and of learned graphs sum to 1, or to 0 for a node without
 *           edges
 *  Owner    the memory of *a is the model's, and is valid until the next pass or call of this function
 *  Errors   FGT_E_NAME no such layer; FGT_E_UNSUPPORTED the layer has neither attention nor a graph (the
 *           error text names layers that have one); FGT_E_STATE no pass yet, or a mask that is needed was set
 *           or removed after the pass; FGT_E_SIZE a graph stored by its edges, of more than 4096 nodes:
 *           fgt_model_get_edges() reads it; FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_model_get_adjacency(fgt_model *model, const char *layer, fgt_view *a);

/** One edge of the graph with the matrix A: A[to,from] is its weight, so token `to` reads token `from`. The
 *  struct is frozen: it will never grow. */
typedef struct fgt_edge {
    int64_t from;   /**< column of A */
    int64_t to;     /**< row of A */
    double  weight; /**< never 0 */
} fgt_edge;

/** Selects one of the matrices [B N,A,T,T] of fgt_model_get_adjacency(). */
typedef struct fgt_edges_opts {
    size_t  size;
    int64_t sample;      /**< 0 .. B N - 1 */
    int64_t head;        /**< 0 .. A - 1 */
    int32_t no_diagonal; /**< 1: without the edges from a token to itself */
    int32_t reserved;
} fgt_edges_opts;

/** Finds the strongest edges of a layer's matrix in the last pass. They are sorted by falling weight; edges
 *  of equal weight by row, then by column. Entries that are 0 are not edges.
 *  Shapes   edges [edge_count]
 *  Units    weights are entries of A; *found: number of edges found, at most edge_count
 *  Cost     fgt_model_get_adjacency() and about T^2 steps; for a graph stored by its edges, of any size,
 *           about E steps
 *  Owner    edges is the caller's; opts NULL: sample 0, head 0. An earlier matrix of
 *           fgt_model_get_adjacency() is no longer valid
 *  Errors   as fgt_model_get_adjacency(); FGT_E_ARG NULL, edge_count < 1, no such sample or head;
 *           FGT_E_VERSION; FGT_E_NONFINITE the matrix has a NaN. On error edges and *found are untouched */
FGT_API FGT_MUST fgt_status fgt_model_get_edges(fgt_model *model, const char *layer,
                                                const fgt_edges_opts *opts, fgt_edge *edges,
                                                int64_t edge_count, int64_t *found);

/** Zeroes all gradients (fgt_step() does so itself).
 *  Errors   FGT_E_STATE no gradients yet */
FGT_API FGT_MUST fgt_status fgt_model_clear_gradients(fgt_model *model);

/** Options of a further workspace: memory for predictions, besides the model's own workspace, so that threads
 *  can share one model. */
typedef struct fgt_workspace_opts {
    size_t  size;
    int64_t batch;   /**< largest B; 0: the model's (of a forecaster or classifier: 1) */
    int32_t threads; /**< number of threads that share one prediction, including the calling thread; the
                          workspace starts the others. 0: 1 */
    int32_t reserved;
    int64_t tokens; /**< most tokens of a stream, see "streams" above; 0: no streams */
} fgt_workspace_opts;

/** Creates a workspace of a finished model. Products need packed copies of weights. These copies are made
 *  once after every change of the weights, and all workspaces of a model share them.
 *  Owner    *ws is the caller's; the model must outlive it
 *  Errors   FGT_E_ARG; FGT_E_STATE no layers; FGT_E_NOMEM; FGT_E_SIZE; with tokens FGT_E_UNSUPPORTED a layer
 *           cannot be part of a stream (its name); *ws is NULL on error */
FGT_API FGT_MUST fgt_status fgt_model_create_workspace(fgt_model *model, const fgt_workspace_opts *opts,
                                                       fgt_workspace **ws);

/** Destroys a workspace and sets *ws to NULL. The model's own workspace stays.
 *  Owner    takes *ws */
FGT_API void fgt_workspace_destroy(fgt_workspace **ws);

/** Bytes that a first workspace would take; no workspace is made. Further workspaces take less, because
 *  packed weights are shared. This call itself needs a little memory.
 *  Units    bytes
 *  Errors   -1 no layers, options that fgt_model_create_workspace() refuses, a workspace that is too large,
 *           or no memory for the plan */
FGT_API int64_t fgt_model_get_workspace_bytes(const fgt_model *model, const fgt_workspace_opts *opts);

/** Predicts with the memory of a workspace, on the calling thread and the threads of the workspace. In a
 *  workspace with streams, x has the next tokens of the streams. With the model's own workspace this call is
 *  fgt_predict().
 *  Shapes   as fgt_forward()
 *  Owner    borrowed for the call
 *  Errors   as fgt_forward(); fgt_workspace_get_error() has the error text. With streams also FGT_E_SIZE no
 *           room for so many tokens; FGT_E_STATE x has another batch than the states
 *  Threads  one thread for each workspace, all at the same time, while no thread changes the weights */
FGT_API FGT_MUST fgt_status fgt_workspace_predict(fgt_workspace *ws, const fgt_view *x, const fgt_view *y);

/** The last error of this workspace in words.
 *  Owner    the workspace's
 *  Threads  one at a time per workspace */
FGT_API const char *fgt_workspace_get_error(const fgt_workspace *ws);

/* ---- parameters ------------------------------------------------------------------------------ */

/** One parameter tensor of a model. */
typedef struct fgt_parameter_info {
    size_t      size;
    const char *name;   /**< such as "layers.0.q_proj.weight". The text is the model's; the name of an
                             adapter's tensor is valid until the adapter is removed or merged */
    fgt_view    shape;  /**< of the parameter and of its gradient; data NULL */
    int32_t     frozen; /**< 1: fgt_model_set_frozen() froze it */
    int32_t     reserved;
} fgt_parameter_info;

/** Describes the parameter with a name. name NULL: describes tensor number `index`, below
 *  fgt_model_info.tensors.
 *  Owner    info (its size set) is filled
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no such parameter; FGT_E_VERSION */
FGT_API FGT_MUST fgt_status fgt_model_get_parameter_info(const fgt_model *model, const char *name,
                                                         int64_t index, fgt_parameter_info *info);

/** Copies a parameter out.
 *  Shapes   out as fgt_parameter_info.shape
 *  Owner    out is the caller's
 *  Errors   FGT_E_ARG NULL, no data; FGT_E_NAME, FGT_E_SHAPE */
FGT_API FGT_MUST fgt_status fgt_model_copy_parameter(fgt_model *model, const char *name, const fgt_view *out);

/** Copies a parameter in.
 *  Shapes   value like the parameter
 *  Owner    borrowed for the call
 *  Errors   FGT_E_NAME, FGT_E_SHAPE; FGT_E_NONFINITE a value is NaN or infinite. On error the model is as
 *           before */
FGT_API FGT_MUST fgt_status fgt_model_set_parameter(fgt_model *model, const char *name,
                                                    const fgt_view *value);

/** Copies a parameter's gradient out.
 *  Shapes   out as fgt_parameter_info.shape
 *  Owner    out is the caller's
 *  Errors   FGT_E_ARG NULL, no data; FGT_E_NAME, FGT_E_SHAPE; FGT_E_STATE no gradients yet */
FGT_API FGT_MUST fgt_status fgt_model_copy_gradient(fgt_model *model, const char *name, const fgt_view *out);

/** Copies a parameter's gradient in, for hosts that compute their own.
 *  Shapes   value like the parameter
 *  Owner    borrowed for the call
 *  Errors   FGT_E_NAME, FGT_E_SHAPE, FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_set_gradient(fgt_model *model, const char *name, const fgt_view *value);

/** Gets all weights as one array, for example to average, send or compare them. It has the parameter tensors
 *  one after another, in the order of their numbers. To change weights, use fgt_model_set_weights(). While an
 *  adapter is active, the array has the weights of the adapter and is valid until the adapter is removed or
 *  merged; the array of fgt_model_get_gradients() also.
 *  Shapes   *weights becomes F32 [fgt_model_info.parameters]
 *  Owner    the model's, to be read only; valid until a layer is added or the model is destroyed
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the model has no parameters */
FGT_API FGT_MUST fgt_status fgt_model_get_weights(const fgt_model *model, fgt_view *weights);

/** Copies all weights in, in the order of fgt_model_get_weights().
 *  Shapes   weights F32 [fgt_model_info.parameters]
 *  Owner    borrowed for the call
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_STATE the model has no parameters; FGT_E_NONFINITE a value is
 *           NaN or infinite. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_set_weights(fgt_model *model, const fgt_view *weights);

/** Gets all gradients as one array, in the order of fgt_model_get_weights(). The host may change them in
 *  place, for instance to sum them over several processes. After a change it must call
 *  fgt_model_set_gradients().
 *  Shapes   *gradients becomes F32 [fgt_model_info.parameters]
 *  Owner    the model's; valid until the model is destroyed. The model takes no more layers
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the model has no parameters; FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_get_gradients(fgt_model *model, fgt_view *gradients);

/** Copies all gradients in. If gradients is the view of fgt_model_get_gradients() itself, this call only
 *  marks the gradients as changed. An fgt_embedding() needs the mark, because a step updates only the rows
 *  that have a gradient.
 *  Shapes   gradients F32 [fgt_model_info.parameters]
 *  Owner    borrowed for the call
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_STATE the model has no parameters; FGT_E_NOMEM (first use) */
FGT_API FGT_MUST fgt_status fgt_model_set_gradients(fgt_model *model, const fgt_view *gradients);

/** Freezes parameters, or with frozen == 0 unfreezes them. A frozen parameter takes part in passes, but
 *  fgt_step() does not change it: no update, no weight decay, no change of its optimiser state.
 *  fgt_backward() skips a layer if all its parameters are frozen and no layer before it needs a gradient. The
 *  gradient of a frozen parameter is set to zero; it does not count in the norm of the gradients, a NaN in it
 *  is no error, and a layer need not compute it.
 *  Optimisers read the flag at every step, so it may be set at any time. Model files keep the flags.
 *  Adam counts steps for all parameters together. So a parameter that is unfrozen after many steps begins
 *  with updates of up to 3 times the learning rate; a new optimiser avoids this. Call fgt_optim_settle()
 *  before you freeze an fgt_embedding(), because its rows are updated lazily.
 *  pattern: a parameter's name; a prefix that ends in a dot ("encoder."); or a text with stars, which match
 *  any bytes ("*.bias", "*").
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no parameter matches: nothing is changed */
FGT_API FGT_MUST fgt_status fgt_model_set_frozen(fgt_model *model, const char *pattern, int32_t frozen);

/** Copies parameters from another model to the parameters with the same names, such as the encoder of a
 *  pre-trained model before fine-tuning. pattern as in fgt_model_set_frozen(), for names in `from`. Adapters
 *  and frozen flags do not change.
 *  Owner    both are borrowed; `from` may be of another context, and is only read
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME no parameter matches, or the model lacks one of them; FGT_E_SHAPE one
 *           has another shape in the model. On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_model_copy_parameters(fgt_model *model, const fgt_model *from,
                                                      const char *pattern);

/** A 64-bit hash of all weights, FNV-1a of their bytes. Weights with equal bits have equal hashes.
 *  Errors   none; 0 for NULL */
FGT_API uint64_t fgt_model_get_hash(const fgt_model *model);

/* ---- files ----------------------------------------------------------------------------------- */

/* No file is trusted, and no file is mapped into memory: a file that is shortened or rewritten while it is
 * loaded gives an error or other weights, never a crash. Memory for weights is allocated only after the
 * model's description was checked against the tensors in the file. Loading takes at most 32 times the length
 * of the file and 1 MiB (in practice the size of the weights, if they are stored as F32). Some tables need
 * memory in addition, and options in the file set their size: the sinusoids of fgt_position(), [T,D], and the
 * FFT of fgt_s4(), about 16 bytes for each time step.
 *
 * The metadata of a file has a hash of its contents, "fighter.hash". The hash is compared before anything is
 * loaded, so a damaged file gives FGT_E_FORMAT. Files without a hash are loaded, too. Weights must be finite;
 * otherwise the error is FGT_E_NONFINITE, and its text names tensor and element. */

/** Writes weights and configuration as one safetensors file.
 *  Errors   FGT_E_ARG NULL; FGT_E_NOMEM, in which case nothing was written; errors of fgt_output */
FGT_API FGT_MUST fgt_status fgt_model_save(const fgt_model *model, const fgt_output *output);

/** How a model, a forecaster or a classifier is loaded. */
typedef struct fgt_load_opts {
    size_t  size;
    int64_t batch;     /**< most samples, windows or texts in a pass; 0: the number in the file. 1 takes least
                            memory */
    int64_t time;      /**< only for a model: most time steps in a pass; 0: the number in the file. Must be 0
                            for forecasters and classifiers */
    int32_t no_verify; /**< 0: the contents are checked against the file's hash, if the file has one; this
                            takes about 40 ms for 100 MB. 1: no check */
    int32_t reserved;
} fgt_load_opts;

/** Makes the model that a file of fgt_model_save() describes, with its weights.
 *  Owner    *model is the caller's
 *  Errors   FGT_E_ARG NULL, an option out of range; FGT_E_FORMAT (with byte offset or tensor), the bytes end
 *           too early; FGT_E_VERSION a later format, or a layer of the host's that is not registered;
 *           FGT_E_SIZE; FGT_E_NONFINITE; FGT_E_NOMEM; errors of fgt_input; *model is NULL on error */
FGT_API FGT_MUST fgt_status fgt_model_load(fgt_context *ctx, const fgt_input *input,
                                           const fgt_load_opts *opts, fgt_model **model);

/** Reads weights by name from any safetensors file into an existing model. If the input is not memory, the
 *  data are copied first, so that a read error leaves the model as it was. The copy takes as much memory as
 *  the file is long, during the call.
 *  Shapes   the file must have every parameter, in the shape of the model
 *  Errors   as fgt_model_load(); FGT_E_NAME a tensor is missing or not the model's; FGT_E_SHAPE. On error the
 *           model is as before */
FGT_API FGT_MUST fgt_status fgt_model_load_weights(fgt_model *model, const fgt_input *input);

#ifdef __cplusplus
}
#endif
#endif
