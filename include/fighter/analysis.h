/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_ANALYSIS_H
#define FIGHTER_ANALYSIS_H

/** @file analysis.h
 *  Measures of attention. Statistics are numbers: of matrices A (how far, how sharply and where tokens look)
 *  and of values (how similar tokens have become). Graphs are A and its powers, by head or as a mean over
 *  heads and samples, and files of their edges for other programs. Graphs of fgt_gcn(), given or learned,
 *  have the same measures.
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
 *  tokens. A graph has one sample. With diffusion it has two heads: the walks forward and backward.
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
 *  The first six read matrices A [T,T'] without negative entries. p_tj is A[t,j] divided by the sum of row t.
 *  Each of the six is a mean over the rows t. Rows with sum 0 are left out: their tokens had no allowed key.
 *
 *  The next three read values x [T,D], whose rows x_i are tokens; u_i is x_i / |x_i|, or 0 if x_i is 0. The
 *  last two read any matrix.
 *
 *  A result is NaN if there is nothing to take a mean of: no row with a sum above 0, no pair of tokens. */
typedef enum fgt_statistic {
    FGT_STATISTIC_DIAGONAL           = 0, /**< p_tt: how much a token reads of itself. T = T' */
    FGT_STATISTIC_DIAGONAL_EXPECTED  = 1, /**< the mean of DIAGONAL if scores were random, with the same
                                               distribution for all allowed keys: 1/n_t, n_t the number of
                                               entries above 0 in row t; 0 if A[t,t] is 0. Without a mask
                                               1/T. T = T' */
    FGT_STATISTIC_ENTROPY            = 2, /**< - sum over j of p_tj ln p_tj, in nats: 0 if one key has all, ln
                                               T' if all keys have the same */
    FGT_STATISTIC_ENTROPY_NORMALISED = 3, /**< ENTROPY / ln T', 0 .. 1; 0 for T' = 1 */
    FGT_STATISTIC_DISTANCE           = 4, /**< sum over j of p_tj abs(t - j), in tokens: distance of the
                                               tokens that a token reads. T = T' */
    FGT_STATISTIC_FIRST              = 5, /**< sum over j < k of p_tj: share of the first k tokens */
    FGT_STATISTIC_DIRICHLET          = 6, /**< Dirichlet energy, 1/(2T) sum over i, j of g_ij |x_i - x_j|^2.
                                               In the complete graph, g = 1/T, it is the mean of
                                               |x_i - m|^2, m the mean token */
    FGT_STATISTIC_MAD                = 7, /**< mean average distance: the mean over i of the mean over j,
                                               other than i and weighted by g_ij, of 1 - u_i u_j' */
    FGT_STATISTIC_COSINE             = 8, /**< the mean of u_i u_j' over all pairs of different tokens */
    FGT_STATISTIC_RANK               = 9, /**< effective rank exp(- sum over k of q_k ln q_k), q_k the
                                               singular values divided by their sum; 0 for zeros */
    FGT_STATISTIC_RANK_ONE           = 10 /**< distance from equal rows, |x - 1 m'| / |x|, m the mean row,
                                               in Frobenius norms; 0 for equal rows, also for zeros */
} fgt_statistic;
#define FGT_STATISTIC_COUNT 11

typedef struct fgt_statistic_opts {
    size_t          size;
    const fgt_view *graph; /**< DIRICHLET, MAD: g, without negative entries, F32 or F64; [T,T], or one for
                                each matrix of x. NULL: the complete graph */
    int64_t         first; /**< FIRST: k; 0: 1 */
} fgt_statistic_opts;

/** Computes a statistic of each matrix of a view; statistic is an fgt_statistic.
 *  Source   DIAGONAL: Hankemeier and Schilling, "Stochastic Parroting in Temporal Attention", E[alpha_ii] of
 *           equation 8; DIAGONAL_EXPECTED: ours; ENTROPY: Zhai et al. 2023; DISTANCE: Dosovitskiy et al.
 *           2021, figure 7; FIRST: Xiao et al. 2024; DIRICHLET: Cai and Wang 2020; MAD: Chen et al. 2020;
 *           COSINE: Shi et al. 2022, "Revisiting over-smoothing in BERT"; RANK: Roy and Vetterli 2007;
 *           RANK_ONE: Dong, Cordonnier and Loukas 2021, their residual in Frobenius norms
 *  Shapes   x [..,T,T'] or [..,T,D], F32 or F64, of at least two axes -> out [..], a number for each matrix
 *  Units    see fgt_statistic
 *  Cost     T D steps a matrix, with a graph T^2 D; RANK about 4 T D min(T,D). Memory for a matrix and its
 *           graph in double, for each thread
 *  Owner    opts NULL: defaults. out is the caller's
 *  Errors   FGT_E_ARG NULL, no such statistic, a graph with another statistic; FGT_E_SHAPE fewer than two
 *           axes, an axis of length 0, not square where required, another graph; FGT_E_NONFINITE an entry
 *           is NaN or infinite; FGT_E_DATA a negative entry where none is allowed, or an entry beyond 1e100;
 *           FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error out is untouched */
FGT_API FGT_MUST fgt_status fgt_statistic_compute(fgt_context *ctx, int32_t statistic,
                                                  const fgt_statistic_opts *opts, const fgt_view *x,
                                                  double *out);

/** Short name of an fgt_statistic, as in tables: "entropy"; also of an fgt_hop_measure.
 *  Owner    static
 *  Errors   NULL: no statistic and no measure has this number
 *  Threads  any */
FGT_API const char *fgt_statistic_get_name(int32_t statistic);

/* ---- powers and means of A ------------------------------------------------------------------- */

/** Means of A^1 .. A^powers of one layer, by head, over the samples that were added. */
typedef struct fgt_adjacency fgt_adjacency;

/** Creates an empty mean of a layer with matrices (fgt_layer_info.adjacency). powers is the highest power; 0:
 *  1. A layer with hops = kappa mixes tokens by the powers up to kappa - 1.
 *  Owner    *adjacency is the caller's; the model must outlive it
 *  Errors   FGT_E_ARG NULL, powers outside 0 .. 1000; FGT_E_NAME no such layer; FGT_E_UNSUPPORTED it has
 *           neither attention nor a graph; FGT_E_NOMEM; *adjacency is NULL on error */
FGT_API FGT_MUST fgt_status fgt_adjacency_create(fgt_model *model, const char *layer, int64_t powers,
                                                 fgt_adjacency **adjacency);

/** Destroys a mean and sets *adjacency to NULL.
 *  Owner    takes *adjacency, not the model */
FGT_API void fgt_adjacency_destroy(fgt_adjacency **adjacency);

/** Adds matrices of the model's last pass, for samples begin .. end - 1 of the B N samples of
 *  fgt_model_get_adjacency(). begin = end = 0: all samples. Powers are computed for each sample and head, and
 *  then added in double.
 *  Cost     fgt_model_get_adjacency(), and 2 T^3 flop for each sample, head and power above 1. The first call
 *           allocates: (A powers + 1) T^2 doubles, and for each thread two matrices
 *  Errors   as fgt_model_get_adjacency(); FGT_E_ARG no such samples, powers of matrices that are not
 *           square; FGT_E_SHAPE another number of tokens than before; FGT_E_NONFINITE an entry of a matrix or
 *           of a power is NaN or infinite; FGT_E_NOMEM. On error the mean is as before */
FGT_API FGT_MUST fgt_status fgt_adjacency_add(fgt_adjacency *adjacency, int64_t begin, int64_t end);

/** Number of samples that were added.
 *  Errors   0 for NULL */
FGT_API int64_t fgt_adjacency_count_samples(const fgt_adjacency *adjacency);

/** A mean of A^power: of one head, or with head -1 over all heads.
 *  Shapes   *mean becomes F64 [T,T']
 *  Units    rows sum to 1 if the rows of A do
 *  Owner    the adjacency's, to be read only; valid until the next call with it
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

/** The strongest edges of a matrix that a rule allows, by falling weight; edges of equal weight by row, then
 *  by column. With edges NULL and edge_count 0 they are only counted.
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
    FGT_EDGES_FORMAT_CSV = 0, /**< Source,Target,Weight,SourceName,TargetName, as for Gephi; a line an edge */
    FGT_EDGES_FORMAT_DOT = 1, /**< Graphviz; the width of a line shows its weight, and its tooltip says it */
    FGT_EDGES_FORMAT_GRAPHML = 2 /**< "label" of nodes, "weight" of edges: for Gephi, NetworkX, yEd */
} fgt_edges_format;

/** A graph to be written. Names may be any bytes: malformed UTF-8 and control characters become U+FFFD, line
 *  breaks and tabs a space, and characters with a meaning in the file are escaped. Nodes are identified by
 *  their numbers, so a name may occur more than once, like a word in a text. */
typedef struct fgt_edge_list {
    size_t             size;
    const fgt_edge    *edges;
    int64_t            edge_count;
    const char *const *names;      /**< of the nodes; NULL, also for single nodes: the number is the name */
    int64_t            node_count; /**< greater than every `from` and `to` */
    const char        *title;      /**< not in CSV; NULL: none */
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
