/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_NN_H
#define FIGHTER_NN_H

/** @file nn.h
 *  The layers. A function here only describes a layer; fgt_model_add() (model.h) checks the
 *  description, makes the parameters and owns the result:
 *
 *      fgt_model_add(model, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 4, .hops = 3)));
 *
 *  Letters are those of docs/notation.md: B batch, N nodes (series that share the weights), T tokens,
 *  D features in, H features out, A attention heads. Every layer maps [B,N,T,D] to [B,N',T',H]; an
 *  axis N or T of length 1 is left out of views. Weights named "weight" are (out,in) as in PyTorch.
 *  An option that is 0 has the default given in its comment; a negative or impossible one is FGT_E_ARG when
 *  the layer is added.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.1. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A layer described: what fgt_model_add() takes. Nothing is allocated; opts and name are
 *  borrowed until then. The struct is frozen: it will never grow. */
typedef struct fgt_layer {
    const char *type; /**< "linear", "fighter" ... */
    const void *opts; /**< the options struct of that type; NULL: all defaults */
    const char *name; /**< prefix of its parameters' names; NULL: its number in the model */
} fgt_layer;

/** Gives a layer a name: fgt_named("head", fgt_linear(...)) has "head.weight".
 *  Owner    name is borrowed until fgt_model_add() */
FGT_API fgt_layer fgt_named(const char *name, fgt_layer layer);

/** A layer that computes what an earlier layer computes, with the same parameters (tied weights): the same
 *  type and options, on what it reads itself. Its parameters count once, under the earlier layer's name;
 *  gradients of both add up. States and draws of dropout are its own. The earlier layer may be a shared one.
 *  Owner    layer is borrowed until fgt_model_add()
 *  Errors   by fgt_model_add(): FGT_E_NAME no such layer; FGT_E_SHAPE the parameters would have other shapes
 *  Threads  any */
FGT_API fgt_layer fgt_shared(const char *layer);

/* ---- inputs and branches --------------------------------------------------------------------- */

/** What a value holds. */
typedef enum fgt_value_kind {
    FGT_VALUE_REAL         = 0, /**< F32 [B,N,T,D] */
    FGT_VALUE_IDS          = 1, /**< I32 or I64 [B,T], for an fgt_embedding() */
    FGT_VALUE_KEY_PADDING  = 2, /**< the masks of fgt_mask (model.h), for the layers that read them */
    FGT_VALUE_ATTN_MASK    = 3,
    FGT_VALUE_DIAG_DROP    = 4,
    FGT_VALUE_DIAG_SCALE   = 5,
    FGT_VALUE_SAMPLED_KEYS = 6,
    FGT_VALUE_ROTATIONS    = 7
} fgt_value_kind;

typedef struct fgt_value_opts {
    size_t  size;
    int64_t time;     /**< largest T; 0: the model's, even if fgt_model_load() changes it. A pass may
                           have fewer, if the layers that read it allow that */
    int64_t features; /**< D of a real value; 0: the model's */
    int64_t nodes;    /**< N of a real value; 0: 1 */
    int32_t kind;     /**< an fgt_value_kind */
    int32_t reserved;
} fgt_value_opts;

/** A further input of the model, under its name: features that are known in advance, the memory of cross
 *  attention, ids, a mask for single layers. The host gives it with fgt_model_set_value() before a pass. It
 *  is not part of the chain: the next fgt_model_add() reads the layer before it.
 *  Shapes   -> y [B,N,T,D], B as in the pass; see fgt_value_kind
 *  Params   none
 *  Cost     a copy
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_STATE no features given, and the model's input is ids. By
 *           fgt_forward(): FGT_E_STATE not set (masks may stay unset); FGT_E_SHAPE; by the layers that read
 *           it: FGT_E_DATA ids */
FGT_API fgt_layer fgt_value(const fgt_value_opts *opts);

#define FGT_SUM_MAX 16

typedef struct fgt_sum_opts {
    size_t size;
    float  weight[FGT_SUM_MAX]; /**< w_k of input k; 0: 1 */
} fgt_sum_opts;

/** Weighted sum of up to 16 inputs: y = sum_k w_k x_k, the end of a residual path. Tokens and nodes of an
 *  input that has fewer of them than the first are repeated: token t of y goes with token t mod T_k.
 *  Shapes   x_k [B,N_k,T_k,D] (for k > 0 N_k divides N, T_k divides T) -> y [B,N,T,D]
 *  Params   none
 *  Cost     one pass over every input
 *  Errors   by fgt_model_add(): FGT_E_SHAPE the inputs differ in width, tokens or nodes */
FGT_API fgt_layer fgt_sum(const fgt_sum_opts *opts);

typedef struct fgt_concat_opts {
    size_t  size;
    int64_t reserved;
} fgt_concat_opts;

/** Features of up to 16 inputs side by side: y = [x_0 x_1 ..]. Tokens and nodes of an input that has fewer of
 *  them than the first are repeated, as in fgt_sum().
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

/** Quantiles that never cross: x has Q numbers for each of H steps and D columns, and y has them in rising
 *  order: y_{h,d,.} = sort of x_{q H + h, d} over q. The gradient of each goes to the number that it is.
 *  Source   Chernozhukov, Fernandez-Val and Galichon 2010: sorting never makes quantiles worse
 *  Shapes   x [B,1,Q H,D] -> y [B,H,D,Q]
 *  Params   none
 *  Cost     one pass over x, and a sort of Q numbers
 *  Errors   by fgt_model_add(): FGT_E_ARG count; FGT_E_SHAPE several nodes, or tokens that are no multiple
 *           of Q */
FGT_API fgt_layer fgt_quantiles(const fgt_quantiles_opts *opts);

/* ---- elementwise and affine ------------------------------------------------------------------ */

/** Activations; FGT_ACT_DEFAULT is relu, the paper's sigma. */
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

typedef struct fgt_linear_opts {
    size_t  size;
    int64_t out;     /**< H, at least 1; no default */
    int32_t no_bias; /**< 1: y = x W' */
    int32_t reserved;
} fgt_linear_opts;

/** Affine map of every row: y = x W' + b.
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H]
 *  Params   weight [H,D], bias [H]; both uniform in +-1/sqrt(D) at first
 *  Cost     2 R D H flop forward, R = B N T rows; twice that backward
 *  Errors   by fgt_model_add(): FGT_E_ARG out < 1 */
FGT_API fgt_layer fgt_linear(const fgt_linear_opts *opts);

typedef struct fgt_token_linear_opts {
    size_t  size;
    int64_t out;     /**< H, at least 1; no default */
    int32_t no_bias; /**< 1: y_t = x_t W_t' */
    int32_t reserved;
} fgt_token_linear_opts;

/** Affine map of every row, with weights of its own for each token: y_t = x_t W_t' + b_t.
 *  Source   Zeng et al. 2023, where a token is a series: the "individual" linear maps
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H]; passes with fewer tokens take the first of T
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
    int32_t seasonal; /**< 1: the mean of y over the tokens of a sequence is taken off */
} fgt_layer_norm_opts;

/** Layer normalisation of every row:
 *    y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias, var the biased one;
 *    seasonal: y_t -= sum_s y_s / T, so that no sequence has a level. bias is without effect then.
 *  Source   Ba, Kiros, Hinton 2016; seasonal: github thuml/Time-Series-Library,
 *           layers/Autoformer_EncDec.py, my_Layernorm
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   weight [D] ones, bias [D] zeros
 *  Cost     two passes over a row while it is in cache; caches mean and 1/std of each row
 *  Errors   by fgt_model_add(): FGT_E_ARG eps outside 1e-30 .. 1 */
FGT_API fgt_layer fgt_layer_norm(const fgt_layer_norm_opts *opts);

typedef struct fgt_moving_average_opts {
    size_t  size;
    int64_t window; /**< k, tokens of a mean, odd; 0: 25 */
    int32_t remove; /**< 1: y is what is left of x without the mean */
    int32_t reserved;
} fgt_moving_average_opts;

/** Decomposition of a series: its trend, which is a moving average over k tokens, or its seasonal part, which
 *  is the rest.
 *    m_t = 1/k sum_{|i| <= (k-1)/2} x_{t+i}, where x_0 stands for all tokens before the first and x_{T-1} for
 *    all behind the last;  y = m, with remove y = x - m
 *  A series is split into both by two of these layers that read the same one. Key padding is not heeded: a
 *  padded token counts as any other.
 *  Source   Wu et al. 2021; github thuml/Time-Series-Library, layers/Autoformer_EncDec.py, series_decomp
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   none
 *  Cost     a few passes over x, whatever the window is
 *  Errors   by fgt_model_add(): FGT_E_ARG an even window: it has no middle */
FGT_API fgt_layer fgt_moving_average(const fgt_moving_average_opts *opts);

typedef struct fgt_dropout_opts {
    size_t  size;
    float   p; /**< share of elements set to zero, 0 .. 0.999 */
    int32_t reserved;
} fgt_dropout_opts;

/** Inverted dropout: in training y = x m / (1 - p), m 0 with probability p; y = x in prediction.
 *  The draws are a function of seed, layer, step and position, not of the thread count.
 *  Source   Srivastava et al. 2014
 *  Shapes   x [B,N,T,D] -> y the same
 *  Params   none
 *  Units    p is a probability
 *  Cost     one pass; nothing is cached, the backward pass draws again
 *  Errors   by fgt_model_add(): FGT_E_ARG p outside 0 .. 0.999 */
FGT_API fgt_layer fgt_dropout(const fgt_dropout_opts *opts);

/* ---- tokens and positions -------------------------------------------------------------------- */

typedef struct fgt_embedding_opts {
    size_t  size;
    int64_t vocab;       /**< number of ids, at least 1; no default */
    int64_t out;         /**< H, at least 1; no default */
    int64_t padding_idx; /**< with has_padding: this id's row starts as 0 and gets no gradient */
    int32_t has_padding;
    float   init;        /**< standard deviation of the initial values; 0: 1, as PyTorch */
    int32_t mask_padding; /**< with has_padding, 1: tokens of this id are padding for all later layers, as if
                               FGT_MASK_KEY_PADDING marked them, which takes precedence if it is set. A
                               layer on a branch with other tokens needs a mask of its own (fgt_value) */
    int32_t reserved;
} fgt_embedding_opts;

/** Table look-up: y[b,t] = weight[x[b,t]]. It reads the input of a model whose features option is 0, which is
 *  then a view of I64 or I32 ids, or an fgt_value() of ids. Where the weight is the model's first parameter,
 *  its gradient is sparse: a step touches the rows of the ids that occurred since the last one, and no other;
 *  see fgt_optim_create() for what that means.
 *  Shapes   x [B,T] ids in 0 .. vocab-1 -> y [B,T,H]
 *  Params   weight [vocab,H], normal
 *  Cost     copies B T rows; the backward pass adds B T rows
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_STATE, FGT_E_SHAPE the input is not ids; FGT_E_UNSUPPORTED
 *           mask_padding with ids of an fgt_value(). By fgt_forward(): FGT_E_DATA an id out of range */
FGT_API fgt_layer fgt_embedding(const fgt_embedding_opts *opts);

typedef enum fgt_position_kind {
    FGT_POSITION_SINUSOIDAL = 0,
    FGT_POSITION_LEARNED    = 1,
    FGT_POSITION_TAPE       = 2
} fgt_position_kind;

typedef struct fgt_position_opts {
    size_t  size;
    int64_t max_time; /**< rows of the table; 0: the model's time at this layer */
    int32_t kind;     /**< an fgt_position_kind */
    float   init;     /**< learned: standard deviation of the initial values; 0: 0.02 */
} fgt_position_opts;

/** Positional encoding: y[t] = x[t] + table[t].
 *    sinusoidal  table[t,2i] = sin(t w_i), table[t,2i+1] = cos(t w_i), w_i = 10000^(-2i/D)
 *    tape        the same with angle t w_i D/max_time
 *    learned     table is a parameter
 *  Source   Vaswani et al. 2017; tAPE: Foumani et al. 2023
 *  Shapes   x [B,N,T,D] -> y the same, T <= max_time
 *  Params   learned: table [max_time,D], normal
 *  Units    t counts tokens from 0
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG; by fgt_forward(): FGT_E_SHAPE T > max_time */
FGT_API fgt_layer fgt_position(const fgt_position_opts *opts);

typedef enum fgt_pool_kind { FGT_POOL_MEAN = 0, FGT_POOL_LAST = 1 } fgt_pool_kind;

typedef struct fgt_pool_opts {
    size_t  size;
    int32_t kind; /**< an fgt_pool_kind */
    int32_t reserved;
} fgt_pool_opts;

/** One row for each sequence: the mean over the tokens that are not padding (FGT_MASK_KEY_PADDING, or an
 *  embedding's mask_padding), or the last of these tokens; 0 if all are padding.
 *  Shapes   x [B,N,T,D] -> y [B,N,D]
 *  Params   none
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG unknown kind */
FGT_API fgt_layer fgt_pool(const fgt_pool_opts *opts);

typedef struct fgt_patch_opts {
    size_t  size;
    int64_t length; /**< steps in a patch; 0: 16 */
    int64_t stride; /**< steps between patches; 0: 8 */
    int32_t no_padding; /**< 0: the last value is repeated `stride` times at the end first */
    int32_t reserved;
} fgt_patch_opts;

/** Cuts each series into overlapping patches and makes every series a node, so that later layers
 *  treat the series one by one with shared weights ("channel independence"):
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
    FGT_LAYOUT_MERGE   = 2  /**< [B,N,1,D] -> [B,1,D,N]: nodes become features, features tokens */
} fgt_layout_kind;

typedef struct fgt_layout_opts {
    size_t  size;
    int32_t kind; /**< an fgt_layout_kind */
    int32_t reserved;
} fgt_layout_opts;

/** Rearranges axes: a linear layer between two swaps maps along time; swap alone makes every
 *  series a token ("variate tokens").
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

/** Some of the steps: y_t = x_{first+t}.
 *  Shapes   x [B,N,T,D] -> y [B,N,count,D]
 *  Params   none
 *  Cost     a copy
 *  Errors   by fgt_model_add(): FGT_E_ARG; FGT_E_SHAPE first + count > T */
FGT_API fgt_layer fgt_slice(const fgt_slice_opts *opts);

/** What stands before the first and behind the last token of a convolution. */
typedef enum fgt_conv_padding {
    FGT_CONV_ZEROS    = 0, /**< k-1 zeros: (k-1)/2 before, rounded down, the others behind */
    FGT_CONV_CIRCULAR = 1, /**< as many tokens of the other end */
    FGT_CONV_CAUSAL   = 2, /**< k-1 zeros before: y_s looks at no token behind s stride */
    FGT_CONV_VALID    = 3  /**< nothing: windows lie within the tokens */
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
 *    y_s = b + sum_{j<k} W_j x_{s stride + j - before},  W_j = weight[:,:,j], before: see fgt_conv_padding.
 *  Source   as torch.nn.Conv1d, over the tokens of [B,T,D]; key padding is not heeded
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

/** Largest numbers: y_s = max x_t, s stride - (k-1)/2 <= t <= s stride + k/2 (rounded down), 0 <= t < T. The
 *  gradient goes to the first of equal ones. A NaN is larger than any number.
 *  Source   as torch.nn.MaxPool1d with padding (k-1)/2, k odd; key padding is not heeded
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
 *  The gradient is the exact one (the authors' code treats m and s as constants).
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

/** Reversible instance normalisation, inverse: y = (x - bias) / weight * s + m with the statistics
 *  and parameters of an fgt_revin layer: the second input given to fgt_model_add_from(), else the nearest
 *  one before. |weight| is kept above 1e-5.
 *  Source   Kim et al. 2022
 *  Shapes   x [B,N,T',D] -> y the same, N and D those of the fgt_revin layer
 *  Params   none of its own
 *  Units    the output has the unit of the fgt_revin layer's input
 *  Cost     one pass
 *  Errors   by fgt_model_add(): FGT_E_ARG there is none, or the layer named is none; FGT_E_SHAPE */
FGT_API fgt_layer fgt_revin_inverse(const fgt_revin_inverse_opts *opts);

/* ---- attention and graphs -------------------------------------------------------------------- */

/** When diagonal dropout acts. */
typedef enum fgt_diag_when {
    FGT_DIAG_BEFORE       = 0, /**< score = -inf, one draw per token for all samples and heads */
    FGT_DIAG_AFTER        = 1, /**< A[t,t] = 0 after the softmax, a draw per sample, head and token */
    FGT_DIAG_AFTER_SCALED = 2  /**< the same, and the kept ones divided by 1 - p */
} fgt_diag_when;

/** Whether the attention matrices stay in memory from forward to backward. The results agree but for
 *  rounding. */
typedef enum fgt_attn_mode {
    FGT_ATTN_AUTO   = 0, /**< kept with heads wider than 64 and up to 2048 x 2048 planned scores a head */
    FGT_ATTN_KEEP   = 1, /**< kept: B N A T^2 floats */
    FGT_ATTN_STREAM = 2  /**< recomputed in the backward pass, and for each hop if larger than 256 x 256:
                              2 B N A T floats */
} fgt_attn_mode;

/** Which keys a query attends to. */
typedef enum fgt_attender {
    FGT_ATTENDER_FULL = 0, /**< all of them */
    FGT_ATTENDER_PROB = 1, /**< ProbSparse: a few queries attend to all keys, the others take the mean */
    FGT_ATTENDER_CORRELATION = 2, /**< auto-correlation: all see the keys at the same few distances in time */
    FGT_ATTENDER_LSH = 3 /**< locality-sensitive hashing: each sees the keys that are hashed like itself */
} fgt_attender;

typedef struct fgt_attention_opts {
    size_t  size;
    int64_t heads;          /**< A; 0: 1; must divide D */
    int32_t no_bias;
    int32_t causal;         /**< 1: token t sees tokens 0 .. t */
    int32_t diag_mask;      /**< 1: no token sees itself */
    float   diag_penalty;   /**< added to the scaled scores' diagonal */
    float   diag_dropout;   /**< probability, in training */
    int32_t diag_when;      /**< an fgt_diag_when */
    float   attn_dropout;   /**< dropout on A after the softmax, in training */
    int32_t mode;           /**< an fgt_attn_mode */
    int32_t attender;       /**< an fgt_attender */
    int32_t factor;         /**< at most 1000000; 0: with FGT_ATTENDER_PROB 5, with _CORRELATION 1 */
    int32_t own_delays;     /**< of FGT_ATTENDER_CORRELATION, 1: each sequence has its own in training, too */
    int32_t bucket_size;    /**< m of FGT_ATTENDER_LSH, at most 1000000; 0: 64, as in its source */
    int32_t n_hashes;       /**< r of FGT_ATTENDER_LSH, at most 1000; 0: 8, as in its source */
    int32_t reserved;
} fgt_attention_opts;

/** Multi-head attention with input and output projections:
 *    Q,K,V = x in_proj' + bias;  A_a = softmax(Q_a K_a' / sqrt(D/A) + masks);
 *    y = [A_a V_a]_a out_proj' + bias.
 *  With a second input (fgt_model_add_from), the memory, it is cross attention: K and V come from there.
 *  Masks: all of fgt_mask (model.h) but the last two. A row without any allowed key has A = 0.
 *
 *  FGT_ATTENDER_PROB: of a head's T queries the n = min(T, factor ceil(ln T)) with the largest
 *    M_i = max_j q_i k_j' - sum_j q_i k_j' / T',  j over U = min(T', factor ceil(ln T')) sampled keys
 *  have their row of A as above. The others take the mean of V, A_ij = 1/T'; causal: the sum of V up to their
 *  own token, A_ij = 1 for j <= i. M looks at keys of any time, so which queries are chosen depends on later
 *  tokens even if causal. Equal M: the earlier query. The keys (U at least 1) are drawn for each query, with
 *  replacement, alike for all samples, nodes and heads: by the model's seed, anew for each training pass, the
 *  same for all predictions; or FGT_MASK_SAMPLED_KEYS gives them. Of the masks only it and key padding may be
 *  set: a padded key is in no softmax, maximum, sum or mean, T' counts the others alone where it divides, and
 *  a padded token of self attention is the last to be chosen. Gradients do not go through the choice.
 *
 *  FGT_ATTENDER_CORRELATION: a sequence is a circle of T tokens. Of keys and values the first T count; zeros
 *  follow if there are fewer. With q, k and v of all heads side by side,
 *    R_d = sum_j q_{(j+d) mod T} k_j' / D;  d_1 .. d_n the n = max(1, min(T, floor(factor ln T))) delays with
 *    the largest R;  w = softmax(R_{d_1} .. R_{d_n});  A_{t,(t+d_i) mod T} = w_i, alike for all heads:
 *    their number is without effect.
 *  As in its source, a prediction takes the delays of each sequence (a node of a sample) by its own R. A
 *  training pass takes, for all sequences, those with the largest mean of R over them: what a sample gives
 *  then depends on the batch that it is in. Its weights w are its own. own_delays chooses as in predictions,
 *  always. Equal R: the shorter delay. Of the masks only key padding may be set: queries, keys and values of
 *  padded tokens count as zeros. Gradients do not go through the choice.
 *
 *  FGT_ATTENDER_LSH: queries are keys, too, k_j = q_j / |q_j| (0 if below 1e-12). Zeros follow the T tokens,
 *  which makes L of them, a multiple of 2 m: keep m at most T/2. In each of r rounds a token's bucket is
 *  where [q R, -q R] is largest, the first of equal ones; R [D/A,L/2m] is that round's rotation, alike for
 *  all samples, nodes and heads. Tokens sorted by bucket and time are cut into chunks of m; those of all
 *  rounds form a circle. With C(i) all tokens of token i's chunks and of those before, counted each time,
 *    A_ij = sum_{c in C(i), c = j} exp(s_ij) / sum_{c in C(i)} exp(s_ic),  s_ij = q_i k_j' / sqrt(D/A),
 *    s_ii = -50000, so that a token looks at itself if it sees no other; causal: -inf for j > i.
 *  C(i) has zeros, too, of which A shows no columns. Which tokens meet depends on all, also if causal. R is
 *  drawn as keys are above, or given by FGT_MASK_ROTATIONS. Numbers of more than 64 buckets, if R is drawn,
 *  have digits below 16 and a last one, each by its own rotation. Of the masks only rotations and key
 *  padding may be set: no other token sees a padded one. Gradients do not go through buckets.
 *  Source   Vaswani et al. 2017; parameters as torch.nn.MultiheadAttention; diagonal options: "Stochastic
 *           parroting"; ProbSparse: Zhou et al. 2021, as github zhouhaoyi/Informer2020, models/attn.py, mix
 *           False; auto-correlation: Wu et al. 2021, as github thuml/Time-Series-Library,
 *           layers/AutoCorrelation.py, with an inverse transform of T tokens also if T is odd; hashing:
 *           Kitaev et al. 2020, as github lucidrains/reformer-pytorch, LSHSelfAttention
 *  Shapes   x [B,N,T,D] -> y the same; memory [B,N,T',D]
 *  Params   in_proj_weight [3D,D], in_proj_bias [3D] (LSH: 2D), out_proj.weight [D,D], out_proj.bias [D]
 *  Cost     8 R D^2 + 4 R T D flop forward, R = B N T; caches B N A T^2 floats for A (mode). ProbSparse: 8 R
 *           D^2 + 2 R U D + 4 B N n T' D, and B N A n T' floats. LSH: 6 R D^2 + 8 r m R D and the rotations;
 *           (r + 2) R A floats. Auto-correlation: 8 R D^2 + 4 R n D and B N D Fourier transforms of T to 4 T
 *           tokens (of short sequences products instead, 2 R T D); R floats
 *  Errors   by fgt_model_add(): FGT_E_ARG heads does not divide D; an option or a mask that does not go with
 *           the attender. All but FGT_ATTENDER_FULL take no options of the diagonal, attn_dropout or
 *           FGT_ATTN_STREAM; FGT_ATTENDER_PROB no causal with a memory, FGT_ATTENDER_CORRELATION no causal at
 *           all, FGT_ATTENDER_LSH no memory. FGT_E_SHAPE the memory has another width or
 *           other nodes. By fgt_forward(): FGT_E_SHAPE a mask does not fit; FGT_E_DATA a sampled key out of
 *           range; FGT_E_UNSUPPORTED a mask of the whole model that the attender does not use */
FGT_API fgt_layer fgt_attention(const fgt_attention_opts *opts);

typedef struct fgt_fighter_opts {
    size_t  size;
    int64_t out;            /**< H; 0: D */
    int64_t attn;           /**< width of queries and keys; 0: D */
    int64_t heads;          /**< A; 0: 1; must divide attn and out */
    int64_t hops;           /**< kappa, at most 64; 0: 3 */
    int32_t act;            /**< an fgt_act; 0: relu. The paper has none in the last layer: FGT_ACT_NONE */
    int32_t norm;           /**< 1: LayerNorm (eps 1e-5) of the input first */
    int32_t residual;       /**< 1: y += x where the widths agree */
    int32_t no_bias;        /**< 1: no biases of queries, keys, output */
    int32_t causal;         /**< 1: token t sees tokens 0 .. t */
    int32_t diag_mask;      /**< 1: no token sees itself */
    float   diag_penalty;   /**< added to the scaled scores' diagonal */
    float   diag_dropout;   /**< probability, in training */
    int32_t diag_when;      /**< an fgt_diag_when */
    float   attn_dropout;   /**< dropout on A after the softmax, in training */
    float   dropout;        /**< dropout on the output before the residual, in training */
    int32_t mode;           /**< an fgt_attn_mode */
} fgt_fighter_opts;

/** Fighter layer: graph convolution over kappa hops on the attention matrix as dynamic adjacency.
 *    X'  = norm ? LayerNorm(x) : x
 *    A_a = softmax(Q_a K_a' / sqrt(attn/A) + masks),  Q = X' Wq' + bq,  K = X' Wk' + bk
 *    y   = act(sum_{i<kappa} A_a^i X' W_i[:, columns of a] + b),  then dropout, then + x
 *  No power of A is formed. Order of evaluation: with A D >= H the hops run over the projected
 *  rows by Horner's rule, U_i = X' W_i + A U_{i+1}: 2 R T H flop a hop; with A D < H over the
 *  input, Z_i = A Z_{i-1}: 2 R T A D flop a hop. Masks as in fgt_attention(). A is read with
 *  fgt_model_get_adjacency().
 *  Source   Zhang et al., "Fighter", equations 8-10, algorithm 1
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H]; A [B N,A,T,T]
 *  Params   q_proj.weight [attn,D], q_proj.bias, k_proj.weight [attn,D], k_proj.bias, hop_weight [kappa,D,H]
 *           (y = x W_i), bias [H], norm.weight [D], norm.bias [D]
 *  Cost     2 R D (2 attn + kappa H) + 2 R T (attn + (kappa-1) min(H, A D)) flop forward, twice that
 *           backward; caches B N A T^2 floats for A (mode) and 2 kappa R H for the hops
 *  Errors   by fgt_model_add(): FGT_E_ARG hops > 64, heads does not divide attn or out. By fgt_forward():
 *           FGT_E_SHAPE a mask does not fit */
FGT_API fgt_layer fgt_fighter(const fgt_fighter_opts *opts);

typedef struct fgt_transformer_opts {
    size_t  size;
    int64_t heads;      /**< A; 0: 1; must divide D */
    int64_t ff;         /**< F, width of the feed-forward block; 0: 4 D, as in the paper (PyTorch: 2048) */
    int32_t act;        /**< an fgt_act inside the feed-forward block; 0: relu */
    int32_t norm_first; /**< 1: pre-norm */
    int32_t no_bias;    /**< 1: no biases, those of the norms included */
    int32_t causal;     /**< 1: token t sees tokens 0 .. t */
    float   dropout;    /**< probability, in training, at four places: see below. PyTorch's default is 0.1 */
    float   eps;        /**< of the norms; 0: 1e-5 */
    int32_t mode;       /**< an fgt_attn_mode */
    int32_t reserved;
} fgt_transformer_opts;

/** Transformer encoder layer, drop being dropout in training:
 *    norm_first  h = x + drop(attn(norm1(x)));    y = h + drop(feed(norm2(h)))
 *    otherwise   h = norm1(x + drop(attn(x)));    y = norm2(h + drop(feed(h)))
 *    feed(z) = drop(act(z linear1' + bias)) linear2' + bias;  norm is a LayerNorm
 *  attn and its masks as in fgt_attention(), with drop on A. A stack is several of these named "layers.0",
 *  "layers.1" ... and, after pre-norm layers, an fgt_layer_norm() named "norm". A is read with
 *  fgt_model_get_adjacency().
 *  Source   Vaswani et al. 2017; pre-norm: Xiong et al. 2020; parameters as torch.nn.TransformerEncoderLayer
 *  Shapes   x [B,N,T,D] -> y the same; A [B N,A,T,T]
 *  Params   self_attn.in_proj_weight [3D,D], self_attn.in_proj_bias [3D], self_attn.out_proj.weight [D,D],
 *           self_attn.out_proj.bias [D], linear1.weight [F,D], linear1.bias [F], linear2.weight [D,F],
 *           linear2.bias [D], norm1.weight [D], norm1.bias [D], norm2.weight [D], norm2.bias [D]
 *  Cost     8 R D^2 + 4 R T D + 4 R D F flop forward, R = B N T, twice that backward; caches B N A T^2
 *           floats for A (mode; twice with dropout) and R (7 D + 2 F), with relu R (7 D + F)
 *  Errors   by fgt_model_add(): FGT_E_ARG heads does not divide D. By fgt_forward(): FGT_E_SHAPE a mask does
 *           not fit */
FGT_API fgt_layer fgt_transformer(const fgt_transformer_opts *opts);

typedef struct fgt_gcn_opts {
    size_t           size;
    const fgt_graph *graph; /**< adjacency over the tokens; copied; no default */
    int64_t          out;   /**< H; 0: D */
    int64_t          hops;  /**< kappa, at most 64; 0: 3, plain: 1 */
    int32_t          act;   /**< an fgt_act; 0: relu */
    int32_t          plain; /**< 1: act((A + I)^kappa x W) with one weight */
    int32_t          no_bias;  /**< 1: without b */
    int32_t          residual; /**< 1: y += x where the widths agree */
    float            dropout;  /**< dropout on the output before the residual, in training */
    int32_t          reserved;
} fgt_gcn_opts;

/** Flexible graph convolution on a fixed adjacency: y = act(sum_{i<kappa} A^i x W_i + b), or the
 *  plain form y = act((A + I)^kappa x W + b). Order of evaluation as in fgt_fighter() with one head:
 *  hops over the narrower of x and y.
 *  Source   Krishnagopal and Ruiz 2023; Abu-El-Haija et al. 2019; "Fighter" equations 1-2
 *  Shapes   x [B,N,T,D], T the graph's nodes -> y [B,N,T,H]
 *  Params   hop_weight [kappa,D,H], plain: weight [D,H]; bias [H]
 *  Cost     2 R D H kappa + 2 (kappa-1) B N E min(D,H) flop forward, E the edges (T^2 when dense)
 *  Owner    the graph is copied by fgt_model_add()
 *  Errors   by fgt_model_add(): FGT_E_ARG no graph, hops > 64; FGT_E_SHAPE the graph does not have T nodes */
FGT_API fgt_layer fgt_gcn(const fgt_gcn_opts *opts);

/* ---- recurrent ------------------------------------------------------------------------------- */

typedef enum fgt_rnn_nonlinearity { FGT_RNN_TANH = 0, FGT_RNN_RELU = 1 } fgt_rnn_nonlinearity;

typedef struct fgt_rnn_opts {
    size_t  size;
    int64_t hidden;        /**< H, at least 1; no default */
    int64_t layers;        /**< stacked layers; 0: 1, at most 64 */
    int32_t bidirectional; /**< 1: a second one reads backwards; y has both, 2H wide */
    int32_t no_bias;
    int32_t last;          /**< 1: y is the last layer's final state alone (of both directions) */
    float   dropout;       /**< dropout on what goes from one stacked layer to the next, in training */
    int32_t nonlinearity;  /**< an fgt_rnn_nonlinearity */
    int32_t reserved;
} fgt_rnn_opts;

/** Recurrent layer, the plain one:
 *    h_t = act(x_t W' + b_ih + h_{t-1} U' + b_hh),  y_t = h_t;  W is weight_ih, U weight_hh.
 *  Stacked layers read the y of the one before. h_0 is zero, what fgt_model_set_state() gave, or carried over
 *  from the last pass (fgt_model_set_carry(): truncated back-propagation through time; streaming with passes
 *  of one token). Nodes are sequences of their own, with the same weights. Tokens that FGT_MASK_KEY_PADDING
 *  (or an embedding's mask_padding) marks change no state, y_t = y_{t-1} there: the last state is that of
 *  the last token that counts, and reading backwards begins there.
 *  Source   Elman 1990; as torch.nn.RNN with batch_first
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H], with `last` [B,N,H]; bidirectional 2H. State "h"
 *           [layers directions,B,N H]: layer by layer, forward before backward
 *  Params   weight_ih_l0 [H,D], weight_hh_l0 [H,H], bias_ih_l0 [H], bias_hh_l0 [H]; the same _l0_reverse;
 *           then l1 (D is what layer 0 puts out) ...; all uniform in +-1/sqrt(H)
 *  Cost     2 R H (D + H) flop forward a layer and direction, R = B N T rows; twice that backward; caches
 *           2 R H floats
 *  Errors   by fgt_model_add(): FGT_E_ARG hidden < 1, layers > 64, dropout outside 0 .. 0.999 */
FGT_API fgt_layer fgt_rnn(const fgt_rnn_opts *opts);

typedef struct fgt_gru_opts {
    size_t  size;
    int64_t hidden;        /**< H, at least 1; no default */
    int64_t layers;        /**< stacked layers; 0: 1, at most 64 */
    int32_t bidirectional; /**< 1: a second one reads backwards; y has both, 2H wide */
    int32_t no_bias;
    int32_t last;          /**< 1: y is the last layer's final state alone (of both directions) */
    float   dropout;       /**< dropout on what goes from one stacked layer to the next, in training */
} fgt_gru_opts;

/** Gated recurrent unit, the reset gate on the product (PyTorch, cuDNN), not on the state:
 *    r, z = sigmoid(x_t W' + b_ih + h_{t-1} U' + b_hh)
 *    n    = tanh(x_t W' + b_ih + r (h_{t-1} U' + b_hh))
 *    h_t  = (1 - z) n + z h_{t-1},  y_t = h_t;  each gate with its own rows of W, U, b.
 *  Stacking and states as in fgt_rnn().
 *  Source   Cho et al. 2014; as torch.nn.GRU with batch_first
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H], with `last` [B,N,H]; bidirectional 2H. State "h" as fgt_rnn()
 *  Params   weight_ih_l0 [3H,D], weight_hh_l0 [3H,H], bias_ih_l0 [3H], bias_hh_l0 [3H]; gate order r z n;
 *           further ones and initial values as fgt_rnn()
 *  Cost     6 R H (D + H) flop forward a layer and direction, R = B N T rows; twice that backward; caches
 *           5 R H floats
 *  Errors   by fgt_model_add(): FGT_E_ARG hidden < 1, layers > 64, dropout outside 0 .. 0.999 */
FGT_API fgt_layer fgt_gru(const fgt_gru_opts *opts);

typedef struct fgt_lstm_opts {
    size_t  size;
    int64_t hidden;        /**< H, at least 1; no default */
    int64_t layers;        /**< stacked layers; 0: 1, at most 64 */
    int32_t bidirectional; /**< 1: a second one reads backwards; y has both, 2H wide */
    int32_t no_bias;
    int32_t last;          /**< 1: y is the last layer's final state alone (of both directions) */
    float   dropout;       /**< dropout on what goes from one stacked layer to the next, in training */
} fgt_lstm_opts;

/** Long short-term memory:
 *    i, f, o = sigmoid(x_t W' + b_ih + h_{t-1} U' + b_hh),  g = tanh(x_t W' + b_ih + h_{t-1} U' + b_hh)
 *    c_t = f c_{t-1} + i g,  h_t = o tanh(c_t),  y_t = h_t;  each gate with its own rows of W, U, b.
 *  Stacking and states as in fgt_rnn().
 *  Source   Gers, Schmidhuber, Cummins 2000, without peepholes; as torch.nn.LSTM with batch_first
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H], with `last` [B,N,H]; bidirectional 2H. States "h" and "c" as in
 *           fgt_rnn()
 *  Params   weight_ih_l0 [4H,D], weight_hh_l0 [4H,H], bias_ih_l0 [4H], bias_hh_l0 [4H]; gate order i f g o;
 *           further ones and initial values as fgt_rnn()
 *  Cost     8 R H (D + H) flop forward a layer and direction, R = B N T rows; twice that backward; caches
 *           6 R H floats
 *  Errors   by fgt_model_add(): FGT_E_ARG hidden < 1, layers > 64, dropout outside 0 .. 0.999 */
FGT_API fgt_layer fgt_lstm(const fgt_lstm_opts *opts);

/** How much of the authors' blocks stands around the convolution. */
typedef enum fgt_s4_block {
    FGT_S4_BLOCK_FULL    = 0, /**< S4Block of s4.py: GELU, linear map to 2D, GLU */
    FGT_S4_BLOCK_NONE    = 1, /**< FFTConv of s4.py without its activation: K * x + D x */
    FGT_S4_BLOCK_MINIMAL = 2  /**< S4D of s4d.py: as the first, B = 1, names and shapes of its own */
} fgt_s4_block;

/** The state matrix A. */
typedef enum fgt_s4_kind {
    FGT_S4_KIND_DEFAULT = 0, /**< DPLR; diagonal in the minimal block */
    FGT_S4_DPLR         = 1, /**< S4: diagonal minus P P* */
    FGT_S4_DIAGONAL     = 2  /**< S4D */
} fgt_s4_kind;

/** Initial values of A and B. Re A = -1/2 in all of them. */
typedef enum fgt_s4_init {
    FGT_S4_INIT_DEFAULT = 0, /**< legs; diagonal: lin */
    FGT_S4_INIT_LEGS    = 1, /**< HiPPO-LegS; diagonal: its normal part */
    FGT_S4_INIT_LIN     = 2, /**< |Im A_n| = pi n, B = 1 */
    FGT_S4_INIT_INV     = 3  /**< |Im A_n| = S/pi (S/(2n + 1) - 1), B = 1 */
} fgt_s4_init;

typedef enum fgt_s4_disc {
    FGT_S4_DISC_DEFAULT = 0, /**< zoh; DPLR: bilinear */
    FGT_S4_ZOH          = 1, /**< zero-order hold; diagonal only */
    FGT_S4_BILINEAR     = 2
} fgt_s4_disc;

/** How the layer is evaluated. The results differ by rounding; see Cost. */
typedef enum fgt_s4_way {
    FGT_S4_WAY_AUTO       = 0, /**< the cheapest */
    FGT_S4_WAY_FFT        = 1, /**< where the library was built with kissfft */
    FGT_S4_WAY_TOEPLITZ   = 2, /**< products of matrices */
    FGT_S4_WAY_RECURRENCE = 3  /**< step by step */
} fgt_s4_way;

typedef struct fgt_s4_opts {
    size_t  size;
    int64_t state;         /**< S, real numbers a channel, even, at most 4096; 0: 64 */
    int32_t block;         /**< an fgt_s4_block */
    int32_t kind;          /**< an fgt_s4_kind */
    int32_t init;          /**< an fgt_s4_init */
    int32_t disc;          /**< an fgt_s4_disc */
    int32_t bidirectional; /**< 1: a second C reads time backwards; not in the minimal block */
    int32_t way;           /**< an fgt_s4_way */
    float   dt_min;        /**< first steps are drawn log-uniformly between these; 0: 0.001 */
    float   dt_max;        /**< 0: 0.1 */
    float   dropout;       /**< dropout behind the GELU, in training */
    int32_t reserved;
} fgt_s4_opts;

/** Structured state space, one for each channel. In the equations u is the input, x the state, D a weight:
 *    x_t = dA x_{t-1} + dB u_t,  v_t = 2 Re(C x_t) + D u_t,  dt = exp(inv_dt),
 *    A = diag(-exp(A_real) - i A_imag) [- P P*], S/2 complex states, each with its conjugate
 *    zoh       dA = exp(dt A), dB = A^{-1} (dA - 1) B
 *    bilinear  dA = (1 - dt/2 A)^{-1} (1 + dt/2 A), dB = (1 - dt/2 A)^{-1} dt B
 *    y = v, or in a block y = a sigmoid(b), [a b] = gelu(v) W' + bias
 *  which is v = K * u + D u with K_l = 2 Re(C dA^l dB). Backwards in time v_t gets sum_{j>t} K'_{j-t-1} u_j,
 *  K' with the second C: without the token itself, as in the authors' code. With states carried over
 *  (fgt_model_set_carry()) or given, the recurrence runs from there; otherwise the state at the end of a pass
 *  is not computed and reads as zero. C is not transformed; the authors' DPLR files hold C~, see
 *  fgt_s4_convert_length().
 *  Source   Gu, Goel, Re 2022 (S4); Gu, Gupta, Goel, Re 2022 (S4D); github state-spaces/s4, models/s4/s4.py
 *           and s4d.py
 *  Shapes   x [B,N,T,D] -> y the same. State "state" [1,B,N S/2 2 D]: node, pair, real and imaginary part,
 *           channel; bidirectional: none
 *  Params   layer.D [1,D], layer.kernel.inv_dt [D,1], .C [1 or 2,D,S/2,2], .B [1,D,S/2,2], .A_real, .A_imag
 *           [D,S/2], DPLR .P [1,D,S/2,2]; output_linear.0.weight [2D,D], .bias [2D]. Without block: no
 *           "layer.", no output_linear. Minimal: D [D], kernel.C [D,S/2,2], kernel.log_dt [D],
 *           kernel.log_A_real, kernel.A_imag [D,S/2] (A = -exp(log_A_real) + i A_imag),
 *           output_linear.0.weight [2D,D,1], .bias [2D]
 *  Units    dt is the length of a time step
 *  Cost     nanoseconds for each step of a sample and channel, with E = 1 (bidirectional: 2):
 *             recurrence  r = 2 + 0.47 E S/2, DPLR 0.65 for 0.47
 *             Toeplitz    2 + 0.0125 E (T + 64), and r for each step of one sample, to make the kernel
 *             FFT         2 + 1.25 n log2(n)/T, n the power of two from 2T on, and the same kernel; rounding
 *                         errors of later steps reach earlier ones
 *           AUTO takes the cheapest by these formulas on every machine; in training r is 1.8 times as large,
 *           and the total three times. A block adds 4 R D^2 flop. Memory: 4 R D floats in a block;
 *           D T for the kernel; a few rows, or about S sqrt(T) doubles, in each task
 *  Errors   by fgt_model_add(): FGT_E_ARG state odd or out of range, DPLR with another init or disc than legs
 *           and bilinear, or in the minimal block; FGT_E_UNSUPPORTED FFT without kissfft; FGT_E_SIZE FFT of
 *           too many steps */
FGT_API fgt_layer fgt_s4(const fgt_s4_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
