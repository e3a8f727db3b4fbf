/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_NN_H
#define FIGHTER_NN_H

/** @file nn.h
 *  The description of a layer, and the layers that work on single rows, tokens and positions. Other layers
 *  are in attention.h, graph.h and recurrent.h. A function here only describes a layer; fgt_model_add()
 *  (model.h) checks the description, makes the parameters and owns the result:
 *
 *      fgt_model_add(model, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 4, .hops = 3)));
 *
 *  Letters are as in docs/notation.md: B batch, N nodes (series that share the weights), T tokens,
 *  D features in, H features out, A attention heads. Every layer maps [B,N,T,D] to [B,N',T',H]; an
 *  axis N or T of length 1 is left out of views. Weights named "weight" are (out,in) as in PyTorch.
 *  An option that is 0 has the default in its comment; a negative or impossible option is FGT_E_ARG when the
 *  layer is added.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The description of a layer, for fgt_model_add(). To make a description allocates nothing. opts and name
 *  are borrowed until fgt_model_add(). The struct is frozen: it will never grow. */
typedef struct fgt_layer {
    const char *type; /**< "linear", "fighter" ... */
    const void *opts; /**< the options struct of that type; NULL: all defaults */
    const char *name; /**< prefix of its parameters' names; NULL: its number in the model */
    int32_t     axis; /**< an fgt_axis: see fgt_along() */
    int32_t     reserved;
} fgt_layer;

/** Gives a layer a name. The weight of fgt_named("head", fgt_linear(...)) is called "head.weight". The only
 *  layer of a model may have the name "": then its weight is called "weight".
 *  Owner    name is borrowed until fgt_model_add() */
FGT_API fgt_layer fgt_named(const char *name, fgt_layer layer);

/** The axis of a layer's sequences. */
typedef enum fgt_axis {
    FGT_AXIS_TIME  = 0, /**< the tokens of each node, as in the descriptions of all layers */
    FGT_AXIS_NODES = 1  /**< the nodes of each token */
} fgt_axis;

/** Gives a layer an axis. A layer along the nodes computes from x [B,N,T,D] the same as it would compute
 *  along time from x [B,T,N,D]: for example attention between series instead of attention between times, at
 *  each time with the same weights. Exchange N and T in the description of the layer:
 *    fgt_along(FGT_AXIS_NODES, fgt_fighter(NULL)) has matrices A [B T,heads,N,N].
 *  The output is [B,N',T,H]. fgt_attention() and fgt_gcn() read the rows in place; for other layers the rows
 *  are copied into the order of the nodes and back. Masks of the whole model are along time and have no
 *  effect on this layer; its own masks (fgt_value()) are along the nodes. Its states cannot be carried, set
 *  or read. A layer of fgt_shared() has its own axis, independent of the earlier layer.
 *  Owner    layer is borrowed until fgt_model_add()
 *  Errors   by fgt_model_add(): FGT_E_ARG unknown axis; FGT_E_UNSUPPORTED embeddings, values, sums,
 *           concatenations, fgt_gather(), fgt_scatter() and the inverse of fgt_revin() have no axis */
FGT_API fgt_layer fgt_along(int32_t axis, fgt_layer layer);

/** A layer with the type, options and parameters of an earlier layer (tied weights), but with an input,
 *  states and dropout draws of its own. The parameters count once, under the name of the earlier layer; the
 *  gradients of both layers add up. The earlier layer may also be a layer of fgt_shared().
 *  Owner    layer is borrowed until fgt_model_add()
 *  Errors   by fgt_model_add(): FGT_E_NAME no such layer; FGT_E_SHAPE the parameters would have other shapes
 *  Threads  any */
FGT_API fgt_layer fgt_shared(const char *layer);

/* ---- inputs and branches --------------------------------------------------------------------- */

/** Kinds of values. */
typedef enum fgt_value_kind {
    FGT_VALUE_REAL         = 0, /**< F32 [B,N,T,D] */
    FGT_VALUE_IDS          = 1, /**< I32 or I64 [B,T], for an fgt_embedding(), or for layers that pick tokens
                                     (experimental/vision.h) */
    FGT_VALUE_KEY_PADDING  = 2, /**< this and the next kinds: the masks of fgt_mask (model.h), for the layers
                                     that read them */
    FGT_VALUE_ATTN_MASK    = 3,
    FGT_VALUE_DIAG_DROP    = 4,
    FGT_VALUE_DIAG_SCALE   = 5,
    FGT_VALUE_SAMPLED_KEYS = 6,
    FGT_VALUE_ROTATIONS    = 7
} fgt_value_kind;

typedef struct fgt_value_opts {
    size_t  size;
    int64_t time;     /**< largest T; 0: the model's, even if fgt_model_load() changes it. In a pass T may be
                           smaller, if the layers that read the value allow that */
    int64_t features; /**< D of a real value; 0: the model's */
    int64_t nodes;    /**< N of a real value; 0: 1 */
    int32_t kind;     /**< an fgt_value_kind */
    int32_t reserved;
} fgt_value_opts;

/** A further input of the model: features that are known in advance, the memory of cross attention, ids, or a
 *  mask for single layers. The host sets it with fgt_workspace_set_value(), by the name of this layer, before
 *  a pass. The layer is not part of the chain: the next fgt_model_add() reads the layer before it.
 *  Shapes   -> y [B,N,T,D], B as in the pass; see fgt_value_kind
 *  Params   none
 *  Cost     a copy
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_STATE no features given, and the model's input is ids. By
 *           fgt_forward(): FGT_E_STATE the value is not set (masks may stay unset); FGT_E_SHAPE; FGT_E_DATA
 *           an id that a reading layer refuses */
FGT_API fgt_layer fgt_value(const fgt_value_opts *opts);

#define FGT_SUM_MAX 16

typedef struct fgt_sum_opts {
    size_t size;
    float  weight[FGT_SUM_MAX]; /**< w_k of input k; 0: 1 */
} fgt_sum_opts;

/** Weighted sum of up to 16 inputs: y = sum_k w_k x_k, for example at the end of a residual path. If an input
 *  has fewer tokens or nodes than the first input, its tokens or nodes are repeated: token t of y uses token
 *  t mod T_k of input k.
 *  Shapes   x_k [B,N_k,T_k,D] (for k > 0 N_k divides N, T_k divides T) -> y [B,N,T,D]
 *  Params   none
 *  Cost     one pass over every input
 *  Errors   by fgt_model_add(): FGT_E_SHAPE the inputs differ in width, tokens or nodes */
FGT_API fgt_layer fgt_sum(const fgt_sum_opts *opts);

typedef struct fgt_concat_opts {
    size_t  size;
    int64_t reserved;
} fgt_concat_opts;

/** Puts the features of up to 16 inputs side by side: y = [x_0 x_1 ..]. If an input has fewer tokens or nodes
 *  than the first input, its tokens or nodes are repeated, as in fgt_sum().
 *  Shapes   x_k [B,N_k,T_k,D_k] (for k > 0 N_k divides N, T_k divides T) -> y [B,N,T,sum D_k]
 *  Params   none
 *  Cost     one pass over every input
 *  Errors   by fgt_model_add(): FGT_E_SHAPE numbers of tokens or nodes that do not divide */
FGT_API fgt_layer fgt_concat(const fgt_concat_opts *opts);

/* ---- quantiles --------------------------------------------------------------------------------- */

#define FGT_QUANTILES_MAX 32

typedef struct fgt_quantiles_opts {
    size_t  size;
    int64_t count; /**< Q, 1 .. FGT_QUANTILES_MAX; no default */
} fgt_quantiles_opts;

/** Quantiles that never cross: x has Q numbers for each of H steps and D columns, and y has the same numbers
 *  sorted: y_{h,d,.} = x_{q H + h, d} sorted over q. The gradient of a number in y goes to the place of this
 *  number in x.
 *  Source   Chernozhukov, Fernandez-Val and Galichon 2010: sorting never makes quantiles worse
 *  Shapes   x [B,1,Q H,D] -> y [B,H,D,Q]
 *  Params   none
 *  Cost     one pass over x, and a sort of Q numbers
 *  Errors   by fgt_model_add(): FGT_E_ARG count; FGT_E_SHAPE several nodes, or the number of tokens is not a
 *           multiple of Q */
FGT_API fgt_layer fgt_quantiles(const fgt_quantiles_opts *opts);

/* ---- elementwise and affine ------------------------------------------------------------------ */

/** Activations; FGT_ACT_DEFAULT is relu, the Fighter paper's example of sigma. */
typedef enum fgt_act {
    FGT_ACT_DEFAULT   = 0,
    FGT_ACT_NONE      = 1,
    FGT_ACT_RELU      = 2,
    FGT_ACT_GELU      = 3, /**< exact: x Phi(x) */
    FGT_ACT_GELU_TANH = 4, /**< tanh approximation */
    FGT_ACT_TANH      = 5,
    FGT_ACT_SIGMOID   = 6,
    FGT_ACT_SILU      = 7,
    FGT_ACT_ELU       = 8, /**< alpha 1 */
    FGT_ACT_SOFTPLUS  = 9  /**< log(1 + e^x), which is positive */
} fgt_act;

/** Options of fgt_linear() and fgt_token_linear(). */
typedef struct fgt_linear_opts {
    size_t  size;
    int64_t out;     /**< H, at least 1; no default */
    int32_t no_bias; /**< 1: without b */
    int32_t reserved;
} fgt_linear_opts;
typedef fgt_linear_opts fgt_token_linear_opts;

/** Affine map of every row: y = x W' + b.
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H]
 *  Params   weight [H,D], bias [H]; both uniform in +-1/sqrt(D) at first
 *  Cost     2 R D H flop forward, R = B N T rows; twice that backward
 *  Errors   by fgt_model_add(): FGT_E_ARG out < 1 */
FGT_API fgt_layer fgt_linear(const fgt_linear_opts *opts);

/** Affine map of every row, with other weights for each token: y_t = x_t W_t' + b_t.
 *  Source   Zeng et al. 2023, where a token is a series: the "individual" linear maps
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H]; passes with fewer tokens use the weights of the first tokens
 *  Params   weight [T,H,D], bias [T,H]; both uniform in +-1/sqrt(D) at first
 *  Cost     2 B N T D H flop forward; twice that backward
 *  Errors   by fgt_model_add(): FGT_E_ARG out < 1 */
FGT_API fgt_layer fgt_token_linear(const fgt_token_linear_opts *opts);

typedef struct fgt_activation_opts {
    size_t  size;
    int32_t kind; /**< an fgt_act */
    int32_t reserved;
} fgt_activation_opts;

/** Activation of every element: y = f(x).
 *  Source   gelu: Hendrycks and Gimpel 2016; silu: Elfwing et al. 2017; elu: Clevert et al. 2015
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   none
 *  Cost     one pass over x, one over x and dy backward
 *  Errors   by fgt_model_add(): FGT_E_ARG unknown kind */
FGT_API fgt_layer fgt_activation(const fgt_activation_opts *opts);

typedef struct fgt_layer_norm_opts {
    size_t  size;
    float   eps;      /**< 0: 1e-5 */
    int32_t seasonal; /**< 1: the mean of y over the tokens of a sequence is subtracted */
} fgt_layer_norm_opts;

/** Layer normalisation of every row:
 *    y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, where var is the biased variance;
 *    seasonal: then y_t -= sum_s y_s / T, so that each sequence has mean 0 and bias has no effect.
 *  Source   Ba, Kiros, Hinton 2016; seasonal: github thuml/Time-Series-Library,
 *           layers/Autoformer_EncDec.py, my_Layernorm
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   weight [D] ones, bias [D] zeros
 *  Cost     two passes over a row while it is in cache; caches mean and 1/std of each row
 *  Errors   by fgt_model_add(): FGT_E_ARG eps outside 1e-30 .. 1 */
FGT_API fgt_layer fgt_layer_norm(const fgt_layer_norm_opts *opts);

typedef struct fgt_moving_average_opts {
    size_t  size;
    int64_t window; /**< k, number of tokens in a mean, odd; 0: 25 */
    int32_t remove; /**< 1: y is x without the mean */
    int32_t reserved;
} fgt_moving_average_opts;

/** Decomposition of a series into its trend, which is a moving average over k tokens, or its seasonal part,
 *  which is the rest:
 *    m_t = 1/k sum_{|i| <= (k-1)/2} x_{t+i}, with x_0 for all tokens before the first and x_{T-1} for all
 *    tokens after the last;  y = m, with remove y = x - m
 *  To get both parts, let two of these layers read the same layer. Key padding has no effect: a padded token
 *  counts as any other.
 *  Source   Wu et al. 2021; github thuml/Time-Series-Library, layers/Autoformer_EncDec.py, series_decomp
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   none
 *  Cost     a few passes over x, for any window
 *  Errors   by fgt_model_add(): FGT_E_ARG an even window: it has no middle */
FGT_API fgt_layer fgt_moving_average(const fgt_moving_average_opts *opts);

/** Options of fgt_dropout() and fgt_drop_path(). */
typedef struct fgt_dropout_opts {
    size_t  size;
    float   p; /**< share of elements or samples set to zero, 0 .. 0.999 */
    int32_t reserved;
} fgt_dropout_opts;
typedef fgt_dropout_opts fgt_drop_path_opts;

/** Inverted dropout: in training y = x m / (1 - p), where m is 0 with probability p, else 1; in prediction y
 *  = x. m is a function of seed, layer, step and position, not of the thread count.
 *  Source   Srivastava et al. 2014
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   none
 *  Units    p is a probability
 *  Cost     one pass; nothing is cached, because the backward pass computes the same m again
 *  Errors   by fgt_model_add(): FGT_E_ARG p outside 0 .. 0.999 */
FGT_API fgt_layer fgt_dropout(const fgt_dropout_opts *opts);

/** Drop path (stochastic depth): in training y = x m_b / (1 - p) for sample b, where m_b is 0 with
 *  probability p, else 1; in prediction y = x. Put this layer at the end of a residual path, before the sum:
 *  a sample with m_b = 0 skips the layers of the path. m_b is a function of seed, layer, step and sample.
 *  Source   Huang et al. 2016; scaled as in torchvision.ops.stochastic_depth, mode "row"
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   none
 *  Units    p is a probability
 *  Cost     one pass; nothing is cached, the backward pass draws again
 *  Errors   by fgt_model_add(): FGT_E_ARG p outside 0 .. 0.999 */
FGT_API fgt_layer fgt_drop_path(const fgt_drop_path_opts *opts);

/* ---- tokens and positions -------------------------------------------------------------------- */

typedef struct fgt_embedding_opts {
    size_t  size;
    int64_t vocab;       /**< number of ids, at least 1; no default */
    int64_t out;         /**< H, at least 1; no default */
    int64_t padding_idx; /**< with has_padding: id of padding, whose row starts as 0 and gets no gradient */
    int32_t has_padding;
    float   init;        /**< standard deviation of the initial values; 0: 1, as PyTorch */
    int32_t mask_padding; /**< with has_padding, 1: tokens of id padding_idx are padding for all later layers,
                               as if FGT_MASK_KEY_PADDING marked them. If this mask is set, it takes
                               precedence. A layer on a branch with other tokens needs a mask of its own
                               (fgt_value()) */
    int32_t reserved;
    int64_t bag; /**< K: each token has K consecutive ids, whose rows of the table are added; 0: 1 */
} fgt_embedding_opts;

/** Table look-up: y[b,t] = weight[x[b,t]], or with bags the sum of weight[x[b,tK+k]] over k = 0 .. K-1. Ids
 *  of padding add nothing, and a token is padding if its first id is padding. The layer reads ids, of I64 or
 *  I32: an fgt_value() of ids, or the input of a model whose features option is 0. If the weight is the
 *  model's first parameter, its gradient is sparse: a step changes only the rows of ids that occurred after
 *  the last step (fgt_optim_create()).
 *  Shapes   x [B,T K] ids in 0 .. vocab-1 -> y [B,T,H]
 *  Params   weight [vocab,H], normal
 *  Cost     the forward pass copies or adds the rows of all ids except padding; the backward pass adds as
 *           many rows
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_STATE the layer reads the model's input, and features is not
 *           0; FGT_E_SHAPE the layer reads another layer that does not give ids, the model has several nodes,
 *           or the number of ids is not a multiple of K; FGT_E_UNSUPPORTED mask_padding with ids of an
 *           fgt_value(). By fgt_forward(): FGT_E_DATA an id out of range; FGT_E_SIZE more than 2^31 - 1 ids
 *           in a batch (fgt_predict() has no such limit) */
FGT_API fgt_layer fgt_embedding(const fgt_embedding_opts *opts);

typedef enum fgt_position_kind {
    FGT_POSITION_SINUSOIDAL = 0,
    FGT_POSITION_LEARNED    = 1,
    FGT_POSITION_TAPE       = 2,
    FGT_POSITION_GRID       = 3
} fgt_position_kind;

typedef struct fgt_position_opts {
    size_t  size;
    int64_t max_time; /**< rows of the table; 0: the largest time at this layer. Sinusoidal and grid tables
                           have at least as many rows as the largest time */
    int32_t kind;     /**< an fgt_position_kind */
    float   init;     /**< learned: standard deviation of the initial values; 0: 0.02 */
    int64_t columns;  /**< grid: W, number of tokens in a row of the grid; no default */
    int64_t prefix;   /**< grid: number of tokens before the grid, such as a class token; 0: no tokens */
} fgt_position_opts;

/** Positional encoding: y[t] = x[t] + table[t].
 *    sinusoidal  table[t,2i] = sin(t w_i), table[t,2i+1] = cos(t w_i), w_i = 10000^(-2i/D)
 *    tape        as sinusoidal, but with the angle t w_i D/max_time instead of t w_i
 *    learned     table is a parameter
 *    grid        tokens are the places of a grid, row after row: t = prefix + r W + c. The first half of
 *                table[t] encodes the column c, the second half the row r: with w_i = 10000^(-4i/D) for
 *                i < D/4, [sin(c w_0) .. sin(c w_{D/4-1}) cos(c w_0) ..], then the same for r. The first
 *                `prefix` tokens have zeros
 *  Source   Vaswani et al. 2017; tAPE: Foumani et al. 2023; grid: He et al. 2022, github
 *           facebookresearch/mae, util/pos_embed.py, get_2d_sincos_pos_embed
 *  Shapes   x [B,N,T,D] -> y the same, T <= max_time; grid: T as planned
 *  Params   learned: table [max_time,D], normal
 *  Units    t counts tokens from 0
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG; grid: FGT_E_SHAPE D is not a multiple of 4, or the tokens are not
 *           whole rows of a grid; all but learned: FGT_E_SIZE T D is more than 2^28. By fgt_forward():
 *           FGT_E_SHAPE T > max_time */
FGT_API fgt_layer fgt_position(const fgt_position_opts *opts);

typedef enum fgt_pool_kind { FGT_POOL_MEAN = 0, FGT_POOL_LAST = 1 } fgt_pool_kind;

typedef struct fgt_pool_opts {
    size_t  size;
    int32_t kind; /**< an fgt_pool_kind */
    int32_t reserved;
} fgt_pool_opts;

/** Makes one row of each sequence: the mean over the tokens that are not padding (FGT_MASK_KEY_PADDING, or an
 *  embedding's mask_padding), or the last of these tokens. The row is 0 if all tokens are padding.
 *  Shapes   x [B,N,T,D] -> y [B,N,D]
 *  Params   none
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG unknown kind */
FGT_API fgt_layer fgt_pool(const fgt_pool_opts *opts);

typedef struct fgt_patch_opts {
    size_t  size;
    int64_t length; /**< steps in a patch; 0: 16 */
    int64_t stride; /**< steps between patches; 0: 8 */
    int32_t no_padding; /**< 0: before the cut, the last value is repeated `stride` times at the end; 1: no
                             such padding */
    int32_t reserved;
} fgt_patch_opts;

/** Cuts each series into overlapping patches and makes every series a node, so that later layers read each
 *  series by itself, with shared weights ("channel independence"):
 *    y[b,d,p,j] = x[b, min(p stride + j, T-1), d].
 *  Source   Nie et al. 2023 (PatchTST)
 *  Shapes   x [B,T,D] -> y [B,D,P,length], P = floor((T - length)/stride) + 1 (+ 1 with padding)
 *  Params   none
 *  Units    time steps
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG, FGT_E_SHAPE length > T or the input has nodes already */
FGT_API fgt_layer fgt_patch(const fgt_patch_opts *opts);

typedef enum fgt_layout_kind {
    FGT_LAYOUT_SWAP    = 0, /**< [B,N,T,D] -> [B,N,D,T] */
    FGT_LAYOUT_FLATTEN = 1, /**< [B,N,T,D] -> [B,N,1,T D] */
    FGT_LAYOUT_MERGE   = 2, /**< [B,N,1,D] -> [B,1,D,N]: nodes become features, features tokens */
    FGT_LAYOUT_TOKENS  = 3  /**< [B,N,T,D] -> [B,1,N T,D]: the tokens of all nodes one after the other */
} fgt_layout_kind;

typedef struct fgt_layout_opts {
    size_t  size;
    int32_t kind; /**< an fgt_layout_kind */
    int32_t reserved;
} fgt_layout_opts;

/** Rearranges axes. For example, a linear layer between two swaps maps along time, and a single swap makes
 *  every series a token ("variate tokens").
 *  Source   inverted tokens: Liu et al. 2024 (iTransformer)
 *  Shapes   see fgt_layout_kind
 *  Params   none
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG unknown kind; FGT_E_SHAPE merge of several tokens */
FGT_API fgt_layer fgt_layout(const fgt_layout_opts *opts);

typedef struct fgt_slice_opts {
    size_t  size;
    int64_t first; /**< index of the first step */
    int64_t count; /**< steps; 0: all from the first one */
} fgt_slice_opts;

/** Takes some of the steps: y_t = x_{first+t}.
 *  Shapes   x [B,N,T,D] -> y [B,N,count,D]
 *  Params   none
 *  Cost     a copy
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_SHAPE first + count > T */
FGT_API fgt_layer fgt_slice(const fgt_slice_opts *opts);

typedef struct fgt_extend_opts {
    size_t  size;
    int64_t count; /**< steps, at least 1; no default */
} fgt_extend_opts;

/** Adds `count` steps after the last step. They are zeros, or the steps of a second input z
 *  (fgt_model_add_from()), repeated if z has fewer: y_t = x_t for t < T, y_{T+i} = z_{i mod T'}, or 0 without
 *  z.
 *  A decoder begins with such tokens: the last steps of a window, then an empty place for each step of the
 *  forecast. With count = T' this layer concatenates two sequences.
 *  Source   Zhou et al. 2021, 3.3 (start token); Wu et al. 2021, 3.1 (model inputs)
 *  Shapes   x [B,N,T,D], z [B,N,T',D] -> y [B,N,T + count,D]
 *  Params   none
 *  Cost     a copy
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_SHAPE z has another width or other nodes */
FGT_API fgt_layer fgt_extend(const fgt_extend_opts *opts);

/** Padding before the first and after the last token of a convolution. */
typedef enum fgt_conv_padding {
    FGT_CONV_PADDING_ZEROS    = 0, /**< k-1 zeros: (k-1)/2 before, rounded down, the remaining ones after */
    FGT_CONV_PADDING_CIRCULAR = 1, /**< k-1 tokens from the other end of the sequence, as many before and
                                        after as with ZEROS */
    FGT_CONV_PADDING_CAUSAL   = 2, /**< k-1 zeros before, so that y_s reads no token after token s stride */
    FGT_CONV_PADDING_VALID    = 3  /**< no padding: windows lie within the tokens */
} fgt_conv_padding;

typedef struct fgt_conv_opts {
    size_t  size;
    int64_t out;     /**< H; 0: D */
    int64_t kernel;  /**< k, tokens of a window; 0: 3 */
    int64_t stride;  /**< tokens from window to window; 0: 1 */
    int32_t padding; /**< an fgt_conv_padding */
    int32_t no_bias; /**< 1: without b */
} fgt_conv_opts;

/** Convolution over time (a cross-correlation, as in other libraries):
 *    y_s = b + sum_{j<k} W_j x_{s stride + j - p}, where W_j = weight[:,:,j] and p is the number of padding
 *    tokens before the first token (fgt_conv_padding).
 *  Source   as torch.nn.Conv1d, over the tokens of [B,T,D]; key padding has no effect
 *  Shapes   x [B,N,T,D] -> y [B,N,T',H], T' = floor((T - 1)/stride) + 1, valid: floor((T - k)/stride) + 1
 *  Params   weight [H,D,k], bias [H]; both uniform in +-1/sqrt(D k) at first
 *  Cost     2 R' D k H flop forward, R' = B N T'; twice that backward; R' D k floats while it runs
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_SHAPE valid, and k > T */
FGT_API fgt_layer fgt_conv(const fgt_conv_opts *opts);

typedef struct fgt_max_pool_opts {
    size_t  size;
    int64_t kernel; /**< k, tokens of a window; 0: 3 */
    int64_t stride; /**< tokens from window to window; 0: 2 */
} fgt_max_pool_opts;

/** Max pooling: y_s = max x_t over s stride - (k-1)/2 <= t <= s stride + k/2 (rounded down), 0 <= t < T.
 *  Among equal maxima the first one gets the gradient. A NaN counts as larger than any number.
 *  Key padding has no effect here. For later layers, token s is padding if an embedding's mask_padding marks
 *  token s stride.
 *  Source   as torch.nn.MaxPool1d with padding (k-1)/2, k odd
 *  Shapes   x [B,N,T,D] -> y [B,N,T',D], T' = floor((T - 1)/stride) + 1
 *  Params   none
 *  Cost     k comparisons for each number of y
 *  Errors   by fgt_model_add(): FGT_E_ARG */
FGT_API fgt_layer fgt_max_pool(const fgt_max_pool_opts *opts);

typedef struct fgt_revin_opts {
    size_t  size;
    float   eps;       /**< 0: 1e-5 */
    int32_t no_affine; /**< 1: without weight and bias */
} fgt_revin_opts;

/** Reversible instance normalisation, forward part: each series of each sample is normalised with
 *  its own mean and standard deviation over time:
 *    y = (x - m) / s * weight + bias,  m = mean_t x,  s = sqrt(var_t x + eps).
 *  The gradient is exact (the authors' code treats m and s as constants).
 *  Source   Kim et al. 2022
 *  Shapes   x [B,N,T,D] -> y the same; m, s [B,N,D]
 *  Params   weight [D] ones, bias [D] zeros
 *  Units    m and s have the unit of x
 *  Cost     three passes
 *  Errors   by fgt_model_add(): FGT_E_ARG eps outside 1e-30 .. 1 */
FGT_API fgt_layer fgt_revin(const fgt_revin_opts *opts);

typedef struct fgt_revin_inverse_opts {
    size_t  size;
    int64_t reserved;
} fgt_revin_inverse_opts;

/** Reversible instance normalisation, inverse part: y = (x - bias) / weight * s + m. m, s, weight and bias
 *  come from an fgt_revin() layer, which is the second input in fgt_model_add_from(), or otherwise the
 *  nearest one before. In the division |weight| is at least 1e-5.
 *  Source   Kim et al. 2022
 *  Shapes   x [B,N,T',D] -> y the same, N and D as in the fgt_revin() layer
 *  Params   none of its own
 *  Units    the output has the unit of the fgt_revin() layer's input
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG there is no fgt_revin() layer, or the second input is not one;
 *           FGT_E_SHAPE; FGT_E_UNSUPPORTED the fgt_revin() layer is along the nodes (fgt_along()) */
FGT_API fgt_layer fgt_revin_inverse(const fgt_revin_inverse_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
