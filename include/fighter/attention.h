/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_ATTENTION_H
#define FIGHTER_ATTENTION_H

/** @file attention.h
 *  Layers in which each token reads other tokens by attention: attention itself, the Fighter layer, which
 *  takes its matrix as the adjacency of a graph, and the Transformer encoder layer. Letters, shapes and
 *  options that are 0 are as in nn.h.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.1. */

#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When diagonal dropout acts. */
typedef enum fgt_diag_when {
    FGT_DIAG_BEFORE       = 0, /**< score = -inf, one draw per token for all samples and heads, as in the
                                    code of "Stochastic Parroting in Temporal Attention" */
    FGT_DIAG_AFTER        = 1, /**< A[t,t] = 0 after the softmax, a draw per sample, head and token */
    FGT_DIAG_AFTER_SCALED = 2  /**< the same, and the kept ones divided by 1 - p: "standard dropout on the
                                    diagonal", as the text of that paper has it */
} fgt_diag_when;

/** Whether the attention matrices stay in memory from forward to backward. The results agree but for
 *  rounding. */
typedef enum fgt_attn_mode {
    FGT_ATTN_AUTO   = 0, /**< kept with heads wider than 64 and up to 2048 x 2048 planned scores a head */
    FGT_ATTN_KEEP   = 1, /**< kept: 2 B N A T^2 floats, half of them for what dropout on A and
                              FGT_MASK_DIAG_SCALE leave of it: other passes do not touch these */
    FGT_ATTN_STREAM = 2  /**< recomputed in the backward pass, and for each hop if larger than 256 x 256:
                              2 B N A T floats */
} fgt_attn_mode;

/** By how much scores are scaled before the softmax. */
typedef enum fgt_attn_scale {
    FGT_ATTN_SCALE_HEAD  = 0, /**< 1/sqrt(width of a head), as Vaswani et al. 2017 do */
    FGT_ATTN_SCALE_WIDTH = 1  /**< 1/sqrt(D), whatever the number of heads, as algorithm 1 of the Fighter
                                   paper writes it */
} fgt_attn_scale;

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
    int32_t scale;          /**< an fgt_attn_scale; FGT_ATTENDER_CORRELATION has no scores to scale */
    int64_t values;         /**< V, width of the values of all heads, which A must divide; 0: D, which
                                 FGT_ATTENDER_CORRELATION and _LSH need */
    int32_t no_out;         /**< 1: without the output map: y are the joined heads, V wide, as in equation 2
                                 of the AtteNT paper */
    int32_t reserved;
    const fgt_graph *graph; /**< a token sees its neighbours in it alone, and itself; T nodes; copied. Every
                                 weight but 0 is an edge, a negative one too. NULL: all tokens */
} fgt_attention_opts;

/** Multi-head attention with input and output projections:
 *    Q,K,V = x in_proj' + bias;  A_a = softmax(Q_a K_a' / sqrt(D/A) + masks);
 *    y = [A_a V_a]_a out_proj' + bias, or [A_a V_a]_a with no_out.  `scale` may put D in the place of D/A.
 *  With a second input (fgt_model_add_from), the memory, it is cross attention: K and V come from there.
 *  Masks: all of fgt_mask (model.h) but the last two. A row without any allowed key has A = 0.
 *
 *  graph: row t of the graph says which tokens j token t sees: each whose weight is not 0, and itself (not
 *    with diag_mask). Nothing else is read of a weight: a negative one is an edge like any other,
 *    A_tj = exp(s_tj) / sum of exp(s_te) over the tokens e that t sees,  s = Q_a K_a'/sqrt(D/A) + masks,
 *  and 0 for all others. With a graph that joins all tokens this is full attention. It takes the options and
 *  masks of full attention; `mode` is without effect, because A is kept by its edges. Graph attention
 *  networks have sums in place of products, LeakyReLU(a_1 q_t + a_2 k_j), else the same.
 *
 *  FGT_ATTENDER_PROB: of a head's T queries the n = min(T, factor ceil(ln T)) with the largest
 *    M_i = max_j q_i k_j' - sum_j q_i k_j' / T',  j over U = min(T', factor ceil(ln T')) sampled keys
 *  have their row of A as above. The others take the mean of V, A_ij = 1/T'; causal: the sum of V up to their
 *  own token, A_ij = 1 for j <= i. M looks at keys of any time, so which queries are chosen depends on later
 *  tokens even if causal. Equal M: the earlier query. The keys (U at least 1) are drawn for each query, with
 *  replacement, alike for all samples, nodes and heads: by the model's seed, anew for each training pass, the
 *  same for all predictions; or FGT_MASK_SAMPLED_KEYS gives them. Of the masks only it and key padding may be
 *  set: a padded key is in no softmax, maximum, sum or mean, T' counts the others alone where it divides, and
 *  a padded token of self attention is the last to be chosen, after queries all of whose keys are padded.
 *  Gradients do not go through the choice.
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
 *  Source   Vaswani et al. 2017; parameters as torch.nn.MultiheadAttention; values, no_out: Zhang et al.,
 *           "Nonparametric Teaching of Attention Learners", equations 2 and 23; diagonal options: "Stochastic
 *           Parroting"; ProbSparse: Zhou et al. 2021, as github zhouhaoyi/Informer2020, models/attn.py, mix
 *           False; auto-correlation: Wu et al. 2021, as github thuml/Time-Series-Library,
 *           layers/AutoCorrelation.py, with an inverse transform of T tokens also if T is odd; hashing:
 *           Kitaev et al. 2020, as github lucidrains/reformer-pytorch, LSHSelfAttention; graph: Velickovic et
 *           al. 2018
 *  Shapes   x [B,N,T,D] -> y the same, with no_out [B,N,T,V]; memory [B,N,T',D]
 *  Params   in_proj_weight [2D+V,D], in_proj_bias [2D+V] (LSH: D+V), out_proj.weight [D,V],
 *           out_proj.bias [D]
 *  Cost     8 R D^2 + 4 R T D flop forward, R = B N T; caches 2 B N A T^2 floats for A (mode). ProbSparse:
 *           8 R D^2 + 2 R U D + 4 B N n T' D, and B N A n T' floats. LSH: 6 R D^2 + 8 r m R D and the
 *           rotations; (r + 2) R A floats. Auto-correlation: 8 R D^2 + 4 R n D and B N D Fourier transforms
 *           of T to 4 T tokens (of short sequences products instead, 2 R T D); R floats. graph, with E edges:
 *           8 R D^2 + 4 B N E D, and B N A E floats
 *  Errors   by fgt_model_add(): FGT_E_ARG heads does not divide D or V; an option or a mask that does not go
 *           with the attender; a graph with another attender than FGT_ATTENDER_FULL, or with a memory. All
 *           but FGT_ATTENDER_FULL take no options of the diagonal, attn_dropout or FGT_ATTN_STREAM;
 *           FGT_ATTENDER_PROB no causal with a memory, FGT_ATTENDER_CORRELATION no causal at all,
 *           FGT_ATTENDER_LSH no memory. FGT_E_SHAPE the memory has another width or
 *           other nodes, the graph does not have T nodes. By fgt_forward(): FGT_E_SHAPE a mask does not fit,
 *           fewer tokens than nodes of the graph; FGT_E_DATA a sampled key out of
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
    int32_t residual;       /**< 1: y += x where the widths agree; see norm_residual */
    int32_t no_bias;        /**< 1: no biases of queries, keys, output */
    int32_t causal;         /**< 1: token t sees tokens 0 .. t */
    int32_t diag_mask;      /**< 1: no token sees itself */
    float   diag_penalty;   /**< added to the scaled scores' diagonal */
    float   diag_dropout;   /**< probability, in training */
    int32_t diag_when;      /**< an fgt_diag_when */
    float   attn_dropout;   /**< dropout on A after the softmax, in training */
    float   dropout;        /**< dropout on the output before the residual, in training */
    int32_t mode;           /**< an fgt_attn_mode */
    float   drop_path;      /**< with a residual: probability, in training, that a sample has y = x; see
                                 fgt_drop_path() */
    int32_t scale;          /**< an fgt_attn_scale */
    int64_t first_hop;      /**< f, below kappa: the sum begins with A^f. With 1 it has no term A^0, by which
                                 a token keeps its own features */
    int32_t norm_residual;  /**< 1: the residual is X', the normalised input, as lines 14 and 24 of algorithm
                                 1 can be read; without a norm X' is x */
    int32_t project;        /**< 1: an affine map of the joined heads before the activation, optional in lines
                                 8 and 19 of algorithm 1 */
    const fgt_graph *graph; /**< as in fgt_attention_opts; NULL: A joins all tokens */
    int32_t attender;       /**< an fgt_attender; this and the following as in fgt_attention_opts */
    int32_t factor;
    int32_t own_delays;
    int32_t bucket_size;
    int32_t n_hashes;
    int32_t reserved;
} fgt_fighter_opts;

/** Fighter layer: graph convolution over kappa hops on the attention matrix as dynamic adjacency.
 *    X'  = norm ? LayerNorm(x) : x
 *    A_a = softmax(Q_a K_a' / sqrt(attn/A) + masks),  Q = X' Wq' + bq,  K = X' Wk' + bk
 *    u   = [sum_{f<=i<kappa} A_a^i X' W_i[:, columns of a]]_a + b
 *    y   = act(project ? u out_proj' + bias : u),  then dropout, drop path, then + x or X'
 *  `scale` may put D in the place of attn/A. W_i is block i - f of hop_weight. No power of A is formed. Order
 *  of evaluation: with A D >= H the hops run over the projected rows by Horner's rule, U_i = X' W_i +
 *  A U_{i+1}: 2 R T H flop a hop; with A D < H over the input, Z_i = A Z_{i-1}: 2 R T A D flop a hop. Masks
 *  as in fgt_attention(). A is read with fgt_model_get_adjacency().
 *  graph: A has the edges of a given graph, and no others: A^i reaches tokens along up to i edges, and each
 *  product is a sparse one, always over the projected rows. Remark 1 of the paper holds for any operation
 *  within the softmax, such as this mask; equation 10 has the one between all tokens, the default here.
 *  attender: A is the matrix of that attender, as fgt_attention() has it and fgt_model_get_adjacency() shows
 *  it, chosen once from Q and K for all hops. FGT_ATTENDER_PROB: rows of queries that are not chosen are 1/T,
 *  so that one hop from them takes the mean of all tokens; not causal, where its rows would be sums, which
 *  grow with each hop. FGT_ATTENDER_CORRELATION: A is circulant, alike for all heads, and so are its powers:
 *  hop i adds up i delays. FGT_ATTENDER_LSH: K is Q, and there is no k_proj. The paper has these in its
 *  baselines (Informer, Autoformer, Reformer), and not as the A of a Fighter layer.
 *  Two sequences: A between the tokens of x and those M of a memory is not square and has no powers, and the
 *  paper has no such layer, nor has this one a second input. Hops 0 and 1 are y = act(x W_0 + A M W_1 + b):
 *  an fgt_linear() of x, an fgt_attention() of x and the memory with no_out and `values` H, their fgt_sum()
 *  and an fgt_activation(). Further hops are hops of the memory's own graph, by Fighter layers before it.
 *  Source   Zhang et al., "Fighter", equation 10, algorithm 1, remark 1. Nearest to its letter are norm,
 *           residual, norm_residual and FGT_ATTN_SCALE_WIDTH, with no activation in the last layer. Lines 11,
 *           12 and 22 of algorithm 1 overwrite the X' that lines 14 and 24 add, and line 23 takes powers of
 *           powers; equation 10 does neither
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H]; A [B N,A,T,T]
 *  Params   q_proj.weight [attn,D], q_proj.bias, k_proj.weight [attn,D], k_proj.bias (not LSH), hop_weight
 *           [kappa-f,D,H] (y = x W_i), bias [H], norm.weight [D], norm.bias [D]; with project
 *           out_proj.weight [H,H], out_proj.bias [H]
 *  Cost     2 R D (2 attn + kappa H) + 2 R T (attn + (kappa-1) min(H, A D)) flop forward, twice that
 *           backward; caches 2 B N A T^2 floats for A (mode) and 2 kappa R H for the hops. project: 2 R H^2
 *           flop and 2 R H floats more. graph, with E edges: 2 B N E (attn + (kappa-1) H) flop in place of
 *           2 R T (..), and caches B N A E floats for A and kappa R H for the hops; the latter also
 *           with FGT_ATTENDER_CORRELATION. With A D >= H first_hop saves weights, but no time
 *  Errors   by fgt_model_add(): FGT_E_ARG hops > 64, first_hop not below hops, heads does not divide attn or
 *           out, norm_residual or drop_path without residual, or with H other than D; an option or a mask
 *           that does not go with the attender, a graph with another than FGT_ATTENDER_FULL; FGT_E_SHAPE the
 *           graph does not have T nodes. By fgt_forward(): FGT_E_SHAPE a mask does not fit, fewer tokens than
 *           nodes of the graph; FGT_E_DATA and FGT_E_UNSUPPORTED as in fgt_attention() */
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
    float   drop_path;  /**< probability, in training, that a sample goes past the attention, and drawn
                             again past the feed-forward block; see fgt_drop_path() */
    int32_t scale;      /**< an fgt_attn_scale */
    int32_t reserved;
    const fgt_graph *graph; /**< as in fgt_attention_opts; NULL: a token sees all tokens */
} fgt_transformer_opts;

/** Transformer encoder layer, drop being dropout in training, and path dropout and then drop path:
 *    norm_first  h = x + path(attn(norm1(x)));    y = h + path(feed(norm2(h)))
 *    otherwise   h = norm1(x + path(attn(x)));    y = norm2(h + path(feed(h)))
 *    feed(z) = drop(act(z linear1' + bias)) linear2' + bias;  norm is a LayerNorm
 *  attn and its masks as in fgt_attention(), with drop on A. A stack is several of these named "layers.0",
 *  "layers.1" ... and, after pre-norm layers, an fgt_layer_norm() named "norm". A is read with
 *  fgt_model_get_adjacency().
 *  Source   Vaswani et al. 2017; pre-norm: Xiong et al. 2020; parameters as torch.nn.TransformerEncoderLayer
 *  Shapes   x [B,N,T,D] -> y the same; A [B N,A,T,T]
 *  Params   self_attn.in_proj_weight [3D,D], self_attn.in_proj_bias [3D], self_attn.out_proj.weight [D,D],
 *           self_attn.out_proj.bias [D], linear1.weight [F,D], linear1.bias [F], linear2.weight [D,F],
 *           linear2.bias [D], norm1.weight [D], norm1.bias [D], norm2.weight [D], norm2.bias [D]
 *  Cost     8 R D^2 + 4 R T D + 4 R D F flop forward, R = B N T, twice that backward; caches 2 B N A
 *           T^2 floats for A (mode) and R (7 D + 2 F), with relu R (7 D + F)
 *  Errors   by fgt_model_add(): FGT_E_ARG heads does not divide D. By fgt_forward(): FGT_E_SHAPE a mask does
 *           not fit */
FGT_API fgt_layer fgt_transformer(const fgt_transformer_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
