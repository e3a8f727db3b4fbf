/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_ATTENTION_H
#define FIGHTER_ATTENTION_H

/** @file attention.h
 *  Layers in which each token reads other tokens by attention: attention itself; the Fighter layer, which
 *  uses the attention matrix as the adjacency of a graph; and the Transformer encoder layer. Letters and
 *  shapes are as in nn.h. An option that is 0 has the default in its comment.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.9. */

#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When diagonal dropout acts. */
typedef enum fgt_diag_when {
    FGT_DIAG_WHEN_BEFORE       = 0, /**< the score becomes -inf; one random draw for each token, the same for
                                         all samples and heads, as in the code of "Stochastic Parroting in
                                         Temporal Attention" */
    FGT_DIAG_WHEN_AFTER        = 1, /**< A[t,t] becomes 0 after the softmax; one random draw for each sample,
                                         head and token */
    FGT_DIAG_WHEN_AFTER_SCALED = 2  /**< as FGT_DIAG_WHEN_AFTER, but diagonal entries that are kept are
                                         divided by 1 - p. The paper calls this "standard dropout on the
                                         diagonal" */
} fgt_diag_when;

/** Whether attention matrices stay in memory from forward to backward. Results are the same except for
 *  rounding. */
typedef enum fgt_attn_mode {
    FGT_ATTN_MODE_AUTO   = 0, /**< KEEP if a head is wider than 64 and has at most 2048 x 2048 scores at the
                                   largest pass; otherwise STREAM */
    FGT_ATTN_MODE_KEEP   = 1, /**< the matrices are kept, in 2 B N A T^2 floats. Passes without dropout on A
                                   and without FGT_MASK_DIAG_SCALE use only half of this memory */
    FGT_ATTN_MODE_STREAM = 2  /**< the matrices are computed again in the backward pass, and for each hop if A
                                   is larger than 256 x 256; only 2 B N A T floats are kept */
} fgt_attn_mode;

/** Scale of the scores before the softmax. */
typedef enum fgt_attn_scale {
    FGT_ATTN_SCALE_HEAD  = 0, /**< 1/sqrt(width of a head), as Vaswani et al. 2017 */
    FGT_ATTN_SCALE_WIDTH = 1  /**< 1/sqrt(D) for any number of heads, as algorithm 1 of the Fighter paper */
} fgt_attn_scale;

/** Which keys a query attends to. docs/attention.md has the equations. */
typedef enum fgt_attender {
    FGT_ATTENDER_FULL = 0, /**< all keys */
    FGT_ATTENDER_PROB = 1, /**< ProbSparse: a few queries attend to all keys, the others take the mean */
    FGT_ATTENDER_CORRELATION = 2, /**< auto-correlation: all queries see keys at the same few delays */
    FGT_ATTENDER_LSH = 3 /**< locality-sensitive hashing: a query sees keys with its own hash */
} fgt_attender;

/** How the matrices A of a layer are computed: a part of the options of all layers with attention. */
typedef struct fgt_attention_rule {
    int32_t          causal;       /**< 1: token t reads only tokens 0 .. t */
    int32_t          diag_mask;    /**< 1: no token sees itself */
    float            diag_penalty; /**< added to the diagonal of the scaled scores */
    float            diag_dropout; /**< probability, in training */
    int32_t          diag_when;    /**< an fgt_diag_when */
    float            attn_dropout; /**< dropout on A after the softmax, in training */
    int32_t          mode;         /**< an fgt_attn_mode */
    int32_t          scale;        /**< an fgt_attn_scale; FGT_ATTENDER_CORRELATION has no scores to scale */
    int32_t          attender;     /**< an fgt_attender */
    int32_t          factor;       /**< multiplies the number of queries (FGT_ATTENDER_PROB; 0: 5) or of
                                        delays (FGT_ATTENDER_CORRELATION; 0: 1); at most 1000000 */
    int32_t          own_delays;   /**< FGT_ATTENDER_CORRELATION, 1: each sequence has its own delays in
                                        training, too; 0: in training a batch shares the delays */
    int32_t          bucket_size;  /**< FGT_ATTENDER_LSH: m, tokens in a bucket, at most 1000000; 0: 64, as in
                                        the paper */
    int32_t          n_hashes;     /**< FGT_ATTENDER_LSH: r, rounds of hashing, at most 1000; 0: 8, as in the
                                        paper */
    int32_t          reserved[3];  /**< 0 */
    const fgt_graph *graph;        /**< graph of T nodes: a token reads only its neighbours and itself. Each
                                        weight other than 0 is an edge, also a negative one. Copied; NULL: a
                                        token reads all tokens */
} fgt_attention_rule;

typedef struct fgt_attention_opts {
    size_t             size;
    int64_t            heads;  /**< A; 0: 1; must divide D */
    int64_t            values; /**< V, width of the values of all heads together, a multiple of A; 0: D. Must
                                    be D with FGT_ATTENDER_CORRELATION and FGT_ATTENDER_LSH */
    int32_t            no_bias;
    int32_t            no_out; /**< 1: without the output map. y is the heads side by side, V wide, as in
                                    equation 2 of the AtteNT paper */
    fgt_attention_rule attention;
} fgt_attention_opts;

/** Multi-head attention with input and output projections:
 *    Q,K,V = x in_proj' + bias;  A_a = softmax(Q_a K_a' / sqrt(D/A) + masks);
 *    y = [A_a V_a]_a out_proj' + bias, or [A_a V_a]_a with no_out.  `scale` may put D in the place of D/A.
 *  With a second input (fgt_model_add_from()), called the memory, the layer is cross attention: K and V come
 *  from the memory. All masks of fgt_mask (model.h) have an effect, except the last two. If a query has no
 *  allowed key, its row of A is 0. docs/attention.md has the equations and rules for `graph` and for the
 *  attenders.
 *
 *  graph: token t reads only the tokens j whose weight in row t is not 0, and itself (unless diag_mask is
 *    set). The softmax goes over these tokens. All options and masks of full attention apply, but `mode` has
 *    no effect.
 *
 *  FGT_ATTENDER_PROB: `factor` times ceil(ln T) queries of a head attend to all keys. The others take the
 *    mean of V, or with `causal` the sum of V up to their own token. The queries are chosen by their scores
 *    with keys that are sampled at random. This choice depends on later tokens, also with `causal`. Only the
 *    masks for key padding and sampled keys are allowed.
 *
 *  FGT_ATTENDER_CORRELATION: each token attends to the tokens at the floor(factor ln T) delays at which the
 *    sequence correlates most with itself. All heads have the same A. In training all sequences of a batch
 *    have the same delays, so a sample's output depends on the rest of its batch. With own_delays each
 *    sequence has its own delays. Only the mask for key padding is allowed.
 *
 *  FGT_ATTENDER_LSH: the queries are also the keys. There are n_hashes rounds. In each round tokens are
 *    hashed by a random rotation, sorted by hash and cut into chunks of bucket_size tokens; a token attends
 *    to its own chunk and to the chunk before. Keep bucket_size at most T/2. The hashes depend on all tokens,
 *    also with `causal`. Only the masks for key padding and rotations are allowed.
 *
 *  Random numbers depend on the model's seed. Each training pass draws new ones; all predictions use the same
 *  ones. Gradients do not flow through the choice of queries, delays or hashes.
 *  Source   Vaswani et al. 2017; parameters as torch.nn.MultiheadAttention; values, no_out: Zhang et al.,
 *           "Nonparametric Teaching of Attention Learners", equations 2 and 23; diagonal options: "Stochastic
 *           Parroting"; ProbSparse: Zhou et al. 2021; auto-correlation: Wu et al. 2021; hashing: Kitaev et
 *           al. 2020; graph: Velickovic et al. 2018
 *  Shapes   x [B,N,T,D] -> y the same, with no_out [B,N,T,V]; memory [B,N,T',D]
 *  Params   in_proj_weight [2D+V,D], in_proj_bias [2D+V] (LSH: D+V), out_proj.weight [D,V],
 *           out_proj.bias [D]
 *  Cost     8 R D^2 + 4 R T D flop forward, R = B N T; caches 2 B N A T^2 floats for A (mode). ProbSparse:
 *           8 R D^2 + 2 R U D + 4 B N n T' D, and B N A n T' floats. LSH: 6 R D^2 + 8 r m R D and the
 *           rotations; (r + 2) R A floats. Auto-correlation: 8 R D^2 + 4 R n D and B N D Fourier transforms
 *           of T to 4 T tokens (of short sequences products instead, 2 R T D); R floats. graph, with E edges:
 *           8 R D^2 + 4 B N E D, and B N A E floats
 *  Errors   by fgt_model_add(): FGT_E_ARG heads does not divide D or V; an option or a mask that the attender
 *           does not support; a graph with another attender than FGT_ATTENDER_FULL, or with a memory. Only
 *           FGT_ATTENDER_FULL supports options of the diagonal, attn_dropout and FGT_ATTN_MODE_STREAM.
 *           FGT_ATTENDER_PROB: no causal with a memory; FGT_ATTENDER_CORRELATION: no causal;
 *           FGT_ATTENDER_LSH: no memory. FGT_E_SHAPE the memory has another width or other nodes, the graph
 *           does not have T nodes. By fgt_forward(): FGT_E_SHAPE a mask does not fit, fewer tokens than nodes
 *           of the graph; FGT_E_DATA a sampled key out of range; FGT_E_UNSUPPORTED a mask of the whole model
 *           that the attender does not support */
FGT_API fgt_layer fgt_attention(const fgt_attention_opts *opts);

typedef struct fgt_fighter_opts {
    size_t             size;
    int64_t            out;           /**< H; 0: D */
    int64_t            attn;          /**< width of queries and keys; 0: D */
    int64_t            heads;         /**< A; 0: 1; must divide attn and out */
    int64_t            hops;          /**< kappa, at most 64; 0: 3 */
    int64_t            first_hop;     /**< f, below kappa: the sum of powers begins with A^f. With f = 1 the
                                           sum has no A^0, the term of a token's own features */
    int32_t            act;           /**< an fgt_act; 0: relu. For the last layer the paper has no
                                           activation: FGT_ACT_NONE */
    int32_t            norm;          /**< 1: LayerNorm (eps 1e-5) of the input first */
    int32_t            residual;      /**< 1: y += x if the widths agree; see norm_residual */
    int32_t            norm_residual; /**< 1: the residual adds the normalised input X' instead of x. Lines 14
                                           and 24 of algorithm 1 can be read so. Without a norm X' is x */
    int32_t            project;   /**< 1: an affine map of the heads side by side, before the activation. It
                                       is optional in lines 8 and 19 of algorithm 1 */
    int32_t            no_bias;   /**< 1: no biases of queries, keys, output */
    float              dropout;   /**< dropout on the output before the residual, in training */
    float              drop_path; /**< only with a residual: probability, in training, that a sample skips the
                                       layer (y = x); see fgt_drop_path() */
    fgt_attention_rule attention;
} fgt_fighter_opts;

/** Fighter layer: graph convolution over kappa hops, with the attention matrix as dynamic adjacency.
 *    X'  = norm ? LayerNorm(x) : x
 *    A_a = softmax(Q_a K_a' / sqrt(attn/A) + masks),  Q = X' Wq' + bq,  K = X' Wk' + bk
 *    u   = [sum_{f<=i<kappa} A_a^i X' W_i[:, columns of a]]_a + b
 *    y   = act(project ? u out_proj' + bias : u),  then dropout, drop path, then + x or X'
 *  `scale` may put D in the place of attn/A. W_i is block i - f of hop_weight. No power of the matrix A_a is
 *  formed. If (number of heads) D >= H, the hops run over the projected rows by Horner's rule, U_i = X' W_i +
 *  A_a U_{i+1}; a hop takes 2 R T H flop. Otherwise the hops run over the input, Z_i = A_a Z_{i-1}; a hop
 *  takes 2 R T A D flop, with A heads. Masks are as in fgt_attention(). fgt_model_get_adjacency() gives the
 *  matrices.
 *
 *  graph: A has entries only at the edges of a given graph, so A^i reaches tokens along up to i edges. Each
 *  product is sparse, and the hops always run over the projected rows. Remark 1 of the paper allows any
 *  operation within the softmax, so also this mask. Equation 10 has no mask, and the default here is no mask,
 *  too.
 *
 *  attender: A is the attender's matrix (fgt_attention()), computed once from Q and K for all hops.
 *  FGT_ATTENDER_PROB: the rows of A for queries that are not chosen are 1/T, so one hop from these tokens
 *  takes the mean of all tokens. This attender cannot be causal here: these rows would be sums, which grow
 *  with each hop. FGT_ATTENDER_CORRELATION: A and its powers are circulant matrices, the same for all heads;
 *  hop i adds up i delays. FGT_ATTENDER_LSH: K is Q, and there is no k_proj. The paper uses these attenders
 *  in its baselines (Informer, Autoformer, Reformer), not in a Fighter layer.
 *
 *  Two sequences: the matrix A between the tokens of x and of a memory M is not square and has no powers. So
 *  this layer has no second input, like the layer of the paper. A layer of only the hops 0 and 1 is y = act(x
 *  W_0 + A M W_1 + b): an fgt_linear() of x, an fgt_attention() of x and the memory with no_out and `values`
 *  H, their fgt_sum() and an fgt_activation(). Further hops are hops on the graph of the memory: put Fighter
 *  layers before the memory.
 *  Source   Zhang et al., "Fighter", equation 10, algorithm 1, remark 1. Closest to algorithm 1 are norm,
 *           residual, norm_residual and FGT_ATTN_SCALE_WIDTH, with no activation in the last layer. But lines
 *           11, 12 and 22 overwrite the X' that lines 14 and 24 add, and line 23 takes powers of powers.
 *           Equation 10 does neither. This layer follows equation 10
 *  Shapes   x [B,N,T,D] -> y [B,N,T,H]; A [B N,A,T,T]
 *  Params   q_proj.weight [attn,D], q_proj.bias, k_proj.weight [attn,D], k_proj.bias (not LSH), hop_weight
 *           [kappa-f,D,H] (y = x W_i), bias [H], norm.weight [D], norm.bias [D]; with project
 *           out_proj.weight [H,H], out_proj.bias [H]
 *  Cost     2 R D (2 attn + kappa H) + 2 R T (attn + (kappa-1) min(H, A D)) flop forward, twice that
 *           backward; caches 2 B N A T^2 floats for A (mode) and 2 kappa R H for the hops. project: 2 R H^2
 *           flop and 2 R H floats more. graph, with E edges: 2 B N E (attn + (kappa-1) H) flop in place of 2
 *           R T (..), and caches of B N A E floats for A and kappa R H for the hops. With
 *           FGT_ATTENDER_CORRELATION the cache for the hops is kappa R H, too. If A D >= H, first_hop saves
 *           weights, but no time
 *  Errors   by fgt_model_add(): FGT_E_ARG hops > 64, first_hop not below hops, heads does not divide attn or
 *           out, norm_residual or drop_path without residual, or with H other than D; an option or a mask
 *           that the attender does not support, a graph with another attender than FGT_ATTENDER_FULL;
 *           FGT_E_SHAPE the graph does not have T nodes. By fgt_forward(): FGT_E_SHAPE a mask does not fit,
 *           fewer tokens than nodes of the graph; FGT_E_DATA and FGT_E_UNSUPPORTED as in fgt_attention() */
FGT_API fgt_layer fgt_fighter(const fgt_fighter_opts *opts);

typedef struct fgt_transformer_opts {
    size_t             size;
    int64_t            heads;      /**< A; 0: 1; must divide D */
    int64_t            ff;         /**< F, width of the feed-forward block; 0: 4 D, as in the paper (PyTorch:
                                        2048) */
    int32_t            act;        /**< an fgt_act inside the feed-forward block; 0: relu */
    int32_t            norm_first; /**< 1: pre-norm */
    int32_t            no_bias;    /**< 1: no biases in maps and norms */
    float              dropout;    /**< probability of dropout in training, at four places of
                                        fgt_transformer(). PyTorch's default is 0.1 */
    float              eps;        /**< eps of the norms; 0: 1e-5 */
    float              drop_path;  /**< probability, in training, that a sample skips the attention. The
                                        feed-forward block is skipped with the same probability, by a draw of
                                        its own. See fgt_drop_path() */
    fgt_attention_rule attention;  /**< only causal, mode, scale and graph may be set */
} fgt_transformer_opts;

/** Transformer encoder layer. drop is dropout in training; path is dropout and then drop path:
 *    norm_first  h = x + path(attn(norm1(x)));    y = h + path(feed(norm2(h)))
 *    otherwise   h = norm1(x + path(attn(x)));    y = norm2(h + path(feed(h)))
 *    feed(z) = drop(act(z linear1' + bias)) linear2' + bias;  norm is a LayerNorm
 *  attn and its masks are as in fgt_attention(), with drop on A. For the parameter names of a PyTorch stack,
 *  name the layers "layers.0", "layers.1" ... and, after pre-norm layers, an fgt_layer_norm() "norm".
 *  fgt_model_get_adjacency() gives A.
 *  Source   Vaswani et al. 2017; pre-norm: Xiong et al. 2020; parameters as torch.nn.TransformerEncoderLayer
 *  Shapes   x [B,N,T,D] -> y the same; A [B N,A,T,T]
 *  Params   self_attn.in_proj_weight [3D,D], self_attn.in_proj_bias [3D], self_attn.out_proj.weight [D,D],
 *           self_attn.out_proj.bias [D], linear1.weight [F,D], linear1.bias [F], linear2.weight [D,F],
 *           linear2.bias [D], norm1.weight [D], norm1.bias [D], norm2.weight [D], norm2.bias [D]
 *  Cost     8 R D^2 + 4 R T D + 4 R D F flop forward, R = B N T, twice that backward; caches 2 B N A
 *           T^2 floats for A (mode) and R (7 D + 2 F), with relu R (7 D + F)
 *  Errors   by fgt_model_add(): FGT_E_ARG heads does not divide D, another option of `attention`. By
 *           fgt_forward(): FGT_E_SHAPE a mask does not fit */
FGT_API fgt_layer fgt_transformer(const fgt_transformer_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
