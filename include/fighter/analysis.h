/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_ANALYSIS_H
#define FIGHTER_ANALYSIS_H

/** @file analysis.h
 *  Measures of attention. A is an attention matrix. A statistic is one number for a matrix: it says how far,
 *  how sharply and where tokens look, or how similar the values of tokens have become. A and its powers are
 *  also graphs, of one head or as a mean over heads and samples; their edges can be written to files for
 *  other programs. All of this also works for the graphs of fgt_gcn(), given or learned.
 *
 *      fgt_predict(model, x, y);
 *      fgt_model_get_adjacency(model, "0", &a);                             // [B N,A,T,T]
 *      fgt_statistic_compute(ctx, FGT_STATISTIC_ENTROPY, NULL, &a, out);    // a number for each of B N A
 *      ...
 *      fgt_adjacency_create(model, "0", 2, &mean);
 *      for (each batch) { fgt_predict(model, x, y);  fgt_adjacency_add(mean, 0, 0); }
 *      fgt_adjacency_get_mean(mean, -1, 2, &a);                             // A^2, mean of heads and samples
 *      fgt_edges_select(ctx, &a, &FGT_OPTS(fgt_edge_rule, .per_node = 3), edges, 100, &count);
 *      fgt_edges_save(ctx, &list, FGT_EDGES_FORMAT_DOT, FGT_TO_FILE("attention.dot"));
 *
 *  Row t of A says which tokens token t reads. Row t of A^i says which tokens it reads through i - 1 other
 *  tokens. The graph of an fgt_gcn() is read as one sample with one head. With `diffusion` it has two heads:
 *  head 0 is the forward walk, head 1 the backward walk.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/model.h>
#include <fighter/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statistics ------------------------------------------------------------------------------ */

/** Statistics, computed with sums in double.
 *
 *  The first six statistics (0 .. 5) read matrices A [T,T'] without negative entries. p_tj is A[t,j] divided
 *  by the sum of row t. Each of the six is the mean over the rows t of the number given below. Rows with sum
 *  0 are left out: their tokens had no allowed key.
 *
 *  The next three (6 .. 8) read values x [T,D]. Row x_i is a token; u_i is x_i / |x_i|, or 0 if x_i is 0. The
 *  last two read any matrix x.
 *
 *  A result is NaN if there is nothing to take a mean of: no row with a sum above 0, no pair of tokens. */
typedef enum fgt_statistic {
    FGT_STATISTIC_DIAGONAL           = 0, /**< p_tt: how much a token reads of itself. T = T' */
    FGT_STATISTIC_DIAGONAL_EXPECTED  = 1, /**< expected DIAGONAL if all scores were random with one
                                               distribution: 1/n_t, or 0 if A[t,t] is 0. n_t is the number of
                                               entries above 0 in row t. Without a mask it is 1/T. T = T' */
    FGT_STATISTIC_ENTROPY            = 2, /**< - sum over j of p_tj ln p_tj, in nats: 0 if one key has the
                                               whole weight, ln T' if all keys have equal weights */
    FGT_STATISTIC_ENTROPY_NORMALISED = 3, /**< ENTROPY / ln T', 0 .. 1; 0 for T' = 1 */
    FGT_STATISTIC_DISTANCE           = 4, /**< sum over j of p_tj abs(t - j), in tokens: mean distance to the
                                               tokens that token t reads. T = T' */
    FGT_STATISTIC_FIRST              = 5, /**< sum over j < k of p_tj: weight of the first k tokens */
    FGT_STATISTIC_DIRICHLET          = 6, /**< Dirichlet energy, 1/(2T) sum over i, j of g_ij |x_i - x_j|^2,
                                               where g is a graph. With the complete graph, g_ij = 1/T, the
                                               energy is the mean of |x_i - m|^2, where m is the mean token */
    FGT_STATISTIC_MAD                = 7, /**< mean average distance of tokens. The distance of tokens i and j
                                               is 1 - u_i u_j'. It is averaged over j other than i, with
                                               weights g_ij, then over i */
    FGT_STATISTIC_COSINE             = 8, /**< the mean of u_i u_j' over all pairs of different tokens */
    FGT_STATISTIC_RANK               = 9, /**< effective rank exp(- sum over k of q_k ln q_k), where q_k are
                                               the singular values divided by their sum; 0 if x is 0 */
    FGT_STATISTIC_RANK_ONE           = 10 /**< distance from a matrix with equal rows: |x - 1 m'| / |x| in
                                               Frobenius norms, where m is the mean row; 0 for equal rows,
                                               also if x is 0 */
} fgt_statistic;
#define FGT_STATISTIC_COUNT 11

typedef struct fgt_statistic_opts {
    size_t          size;
    const fgt_view *graph; /**< DIRICHLET, MAD: the graph g, F32 or F64, without negative entries; one [T,T],
                                or one for each matrix of x. NULL: the complete graph */
    int64_t         first; /**< FIRST: number k of tokens; 0: 1 */
} fgt_statistic_opts;

/** Computes a statistic of each matrix of a view; statistic is an fgt_statistic.
 *  Source   DIAGONAL: Hankemeier and Schilling, "Stochastic Parroting in Temporal Attention", E[alpha_ii] of
 *           equation 8; DIAGONAL_EXPECTED: ours; ENTROPY: Zhai et al. 2023; DISTANCE: Dosovitskiy et al.
 *           2021, figure 7; FIRST: Xiao et al. 2024; DIRICHLET: Cai and Wang 2020; MAD: Chen et al. 2020;
 *           COSINE: Shi et al. 2022, "Revisiting over-smoothing in BERT"; RANK: Roy and Vetterli 2007;
 *           RANK_ONE: Dong, Cordonnier and Loukas 2021, their residual in Frobenius norms
 *  Shapes   x [..,T,T'] or [..,T,D], F32 or F64, of at least two axes -> out [..], a number for each matrix
 *  Units    see fgt_statistic
 *  Cost     T D steps for each matrix, with a graph T^2 D, for RANK about 4 T D min(T,D). Memory for one
 *           matrix and its graph in double, for each thread
 *  Owner    opts NULL: defaults. out is the caller's
 *  Errors   FGT_E_ARG NULL, no such statistic, a graph with another statistic; FGT_E_SHAPE fewer than two
 *           axes, an axis of length 0, not square where required, another graph; FGT_E_NONFINITE an entry
 *           is NaN or infinite; FGT_E_DATA a negative entry where none is allowed, or an entry beyond 1e100;
 *           FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error out is untouched */
FGT_API FGT_MUST fgt_status fgt_statistic_compute(fgt_context *ctx, int32_t statistic,
                                                  const fgt_statistic_opts *opts, const fgt_view *x,
                                                  double *out);

/** Short name of an fgt_statistic, or of an fgt_hop_measure, for tables: "entropy".
 *  Owner    static
 *  Errors   NULL: no statistic and no measure has this number
 *  Threads  any */
FGT_API const char *fgt_statistic_get_name(int32_t statistic);

/* ---- powers and means of A ------------------------------------------------------------------- */

/** Means of A^1 .. A^powers of one layer, by head, over the samples that were added. */
typedef struct fgt_adjacency fgt_adjacency;

/** Creates an empty mean for a layer that has matrices (fgt_layer_info.adjacency). powers is the highest
 *  power of A; 0: 1. A layer with hops = kappa mixes tokens by the powers of A up to kappa - 1.
 *  Owner    *adjacency is the caller's; the model must outlive it
 *  Errors   FGT_E_ARG NULL, powers outside 0 .. 1000; FGT_E_NAME no such layer; FGT_E_UNSUPPORTED the layer
 *           has neither attention nor a graph; FGT_E_NOMEM; *adjacency is NULL on error */
FGT_API FGT_MUST fgt_status fgt_adjacency_create(fgt_model *model, const char *layer, int64_t powers,
                                                 fgt_adjacency **adjacency);

/** Destroys a mean and sets *adjacency to NULL.
 *  Owner    takes *adjacency, not the model */
FGT_API void fgt_adjacency_destroy(fgt_adjacency **adjacency);

/** Adds matrices of the model's last pass, for samples begin .. end - 1 of the B N samples of
 *  fgt_model_get_adjacency(). begin = end = 0: all samples. Powers are computed for each sample and head, and
 *  then added in double.
 *  Cost     the cost of fgt_model_get_adjacency(), and 2 T^3 flop for each sample, head and power above 1.
 *           The first call allocates (A powers + 1) T^2 doubles for A heads, and two matrices for each thread
 *  Errors   as fgt_model_get_adjacency(); FGT_E_ARG no such samples, or powers above 1 and matrices that are
 *           not square; FGT_E_SHAPE another number of tokens than before; FGT_E_NONFINITE an entry of a
 *           matrix or of a power is NaN or infinite; FGT_E_NOMEM. On error the mean is as before */
FGT_API FGT_MUST fgt_status fgt_adjacency_add(fgt_adjacency *adjacency, int64_t begin, int64_t end);

/** Number of samples that were added.
 *  Errors   0 for NULL */
FGT_API int64_t fgt_adjacency_count_samples(const fgt_adjacency *adjacency);

/** Gets the mean of A^power over the samples, for one head. head -1: the mean over all heads, too.
 *  Shapes   *mean becomes F64 [T,T']
 *  Units    rows sum to 1 if the rows of A do
 *  Owner    *mean belongs to the adjacency and is only to be read; it is valid until the next call with this
 *           adjacency
 *  Errors   FGT_E_ARG NULL, no such head, power outside 1 .. powers; FGT_E_STATE nothing was added yet */
FGT_API FGT_MUST fgt_status fgt_adjacency_get_mean(fgt_adjacency *adjacency, int64_t head, int64_t power,
                                                   fgt_view *mean);

/* ---- edges and files ------------------------------------------------------------------------- */

/** Which entries of a matrix are edges. Entries that are 0 are not. */
typedef struct fgt_edge_rule {
    size_t  size;
    double  threshold;   /**< least weight of an edge; 0: all */
    int64_t per_node;    /**< keep only this many edges of each row, the strongest ones; 0: all */
    int32_t no_diagonal; /**< 1: without the edges from a token to itself */
    int32_t reserved;
} fgt_edge_rule;

/** Finds the strongest edges of a matrix that a rule allows. They are sorted by falling weight; edges of
 *  equal weight by row, then by column. With edges NULL and edge_count 0 the call only counts the edges.
 *  Shapes   a [T,T'], F32 or F64; edges [edge_count]
 *  Units    weights are entries of a; *found: number of edges found, at most edge_count
 *  Cost     about T T' steps; memory for per_node edges
 *  Owner    edges is the caller's; rule NULL: all edges
 *  Errors   FGT_E_ARG; FGT_E_SHAPE; FGT_E_VERSION; FGT_E_NONFINITE an entry is NaN or infinite;
 *           FGT_E_NOMEM. On error edges and *found are untouched */
FGT_API FGT_MUST fgt_status fgt_edges_select(fgt_context *ctx, const fgt_view *a, const fgt_edge_rule *rule,
                                             fgt_edge *edges, int64_t edge_count, int64_t *found);

/** Forms of a file of edges. Arrows point from the token that is read to the token that reads. */
typedef enum fgt_edges_format {
    FGT_EDGES_FORMAT_CSV = 0, /**< a line for each edge: Source,Target,Weight,SourceName,TargetName, as Gephi
                                   reads it */
    FGT_EDGES_FORMAT_DOT = 1, /**< Graphviz; the width and the tooltip of a line show the weight of the
                                   edge */
    FGT_EDGES_FORMAT_GRAPHML = 2 /**< "label" of nodes, "weight" of edges: for Gephi, NetworkX, yEd */
} fgt_edges_format;

/** A graph to be written. Names may be any bytes: malformed UTF-8 and control characters become U+FFFD, line
 *  breaks and tabs a space, and characters with a meaning in the file are escaped. Nodes are identified by
 *  their numbers, so a name may occur more than once, like a word in a text. */
typedef struct fgt_edge_list {
    size_t             size;
    const fgt_edge    *edges;
    int64_t            edge_count;
    const char *const *names;      /**< names of the nodes. If names, or one of them, is NULL, the node's
                                        number is its name */
    int64_t            node_count; /**< greater than every `from` and `to` */
    const char        *title;      /**< title of the graph, not written to CSV; NULL: no title */
} fgt_edge_list;

/** Writes edges as text; format is an fgt_edges_format.
 *  Cost     memory for the whole text
 *  Owner    borrowed
 *  Errors   FGT_E_ARG NULL, no such format, a node beyond node_count; FGT_E_VERSION; FGT_E_NONFINITE a weight
 *           is NaN or infinite; FGT_E_NOMEM; errors of fgt_output */
FGT_API FGT_MUST fgt_status fgt_edges_save(fgt_context *ctx, const fgt_edge_list *list, int32_t format,
                                           const fgt_output *output);

#ifdef __cplusplus
}
#endif
#endif
