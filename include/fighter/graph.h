/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_GRAPH_H
#define FIGHTER_GRAPH_H

/** @file graph.h
 *  Fixed graphs, and layers in which each token reads its neighbours in a graph. Letters and shapes are as in
 *  nn.h. An option that is 0 has the default in its comment. graph_data.h makes graphs
 *  from files and from correlations.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(), other pointers for the
 *  call; no units; one thread at a time may use a context and what was made from it; any thread may call
 *  fgt_gcn(); a function is available since 0.9. */

#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- graphs ---------------------------------------------------------------------------------- */

/** How the weights A of a graph are scaled. D_out is the diagonal matrix with the sums of the rows of A, D_in
 *  with the sums of the columns. */
typedef enum fgt_graph_norm {
    FGT_GRAPH_NORM_NONE      = 0, /**< A */
    FGT_GRAPH_NORM_ROW       = 1, /**< D_out^-1 A: a mean over neighbours */
    FGT_GRAPH_NORM_SYMMETRIC = 2  /**< D_out^-1/2 A D_in^-1/2; for an undirected graph this is the scaling of
                                       Kipf and Welling 2017 */
} fgt_graph_norm;

/** Makes a graph from all its weights. A[i,j] is the weight with which node i reads node j: layers compute A
 *  x.
 *  Shapes   weights [N,N] of F32 or F64
 *  Cost     N^2 floats; layers use dense products
 *  Owner    copied; *graph is the caller's
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE not square; FGT_E_DATA a weight that is not finite (row, column);
 *           FGT_E_SIZE; FGT_E_NOMEM. On error *graph is NULL */
FGT_API FGT_MUST fgt_status fgt_graph_create_dense(fgt_context *ctx, const fgt_view *weights,
                                                   fgt_graph **graph);

/** Makes a graph from its edges, in compressed sparse rows: node i reads the nodes indices[k] with the
 *  weights values[k], for k = indptr[i] .. indptr[i+1]-1, in any order.
 *  Shapes   indptr I64 [N+1], indices I32 or I64 [E], values F32 or F64 [E], NULL: all 1
 *  Cost     2 E weights and indices, because the transpose is also kept, for the backward pass
 *  Owner    copied; *graph is the caller's
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE lengths or types do not fit; FGT_E_DATA indptr does not rise
 *           from 0 to E, a node that is negative or not below N, an edge given twice, a weight that is not
 *           finite; FGT_E_SIZE N over 2^31-1; FGT_E_NOMEM. On error *graph is NULL */
FGT_API FGT_MUST fgt_status fgt_graph_create_csr(fgt_context *ctx, const fgt_view *indptr,
                                                 const fgt_view *indices, const fgt_view *values,
                                                 fgt_graph **graph);

/** Makes a normalised copy of a graph. With self_loops != 0, I is first added to its matrix. A node without
 *  edges keeps a row (and column) of zeros. norm is an fgt_graph_norm.
 *  Shapes   N nodes -> N nodes
 *  Owner    *normal is the caller's; graph stays as it is
 *  Errors   FGT_E_ARG NULL, an unknown norm; FGT_E_DATA a negative sum of weights; FGT_E_NOMEM. On
 *           error *normal is NULL */
FGT_API FGT_MUST fgt_status fgt_graph_create_normalised(const fgt_graph *graph, int32_t norm,
                                                        int32_t self_loops, fgt_graph **normal);

/** Destroys a graph and sets *graph to NULL. Layers have copies of their own.
 *  Owner    takes *graph */
FGT_API void fgt_graph_destroy(fgt_graph **graph);

/** Gets the number of nodes, N, and the number of stored weights, E (N^2 for a dense graph).
 *  Owner    either may be NULL
 *  Errors   FGT_E_ARG graph is NULL: both become 0
 *  Threads  any */
FGT_API FGT_MUST fgt_status fgt_graph_get_size(const fgt_graph *graph, int64_t *nodes, int64_t *edges);

/** Copies all weights.
 *  Shapes   weights [N,N] of F32 or F64
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE */
FGT_API FGT_MUST fgt_status fgt_graph_copy_weights(const fgt_graph *graph, const fgt_view *weights);

/* ---- layers ---------------------------------------------------------------------------------- */

typedef struct fgt_gcn_opts {
    size_t           size;
    const fgt_graph *graph; /**< adjacency over the tokens; copied; NULL only with `learned` */
    int64_t          out;   /**< H; 0: D */
    int64_t          hops;  /**< kappa, at most 64; 0: 3, or 1 with plain */
    int32_t          act;   /**< an fgt_act; 0: relu */
    int32_t          plain; /**< 1: y = act((A + I)^kappa x W + b), with a single weight */
    int32_t          no_bias;   /**< 1: without b */
    int32_t          residual;  /**< 1: y += x if the widths agree */
    float            dropout;   /**< dropout on the output before the residual, in training */
    int32_t          diffusion; /**< 1: random walks on the graph in both directions */
    int64_t          learned;   /**< r, only with graph NULL: the adjacency is learned from 2 r numbers for
                                     each node */
} fgt_gcn_opts;

/** Graph convolution over the tokens, or with fgt_along() over the nodes:
 *    flexible    y = act(sum_{i<kappa} A^i x W_i + b)
 *    plain       y = act((A + I)^kappa x W + b)
 *    diffusion   y = act(sum_{i<kappa} (P_f^i x W_i + P_b^i x V_i) + b)
 *  A is the graph's matrix. P_f and P_b are random walks forward and backward, with rows divided by their
 *  sums: P_f = D_out^-1 A and P_b = D_in^-1 A'; a node without edges keeps a row of zeros. With `learned`,
 *  E_1 and E_2 [T,r] are parameters, and
 *    A = P_f = softmax(relu(E_1 E_2')),  P_b = softmax(relu(E_2 E_1')),  each row a softmax.
 *  fgt_model_get_adjacency() gives A, or P_f and P_b in the place of heads.
 *  No power of A is formed. As in fgt_fighter() with one head, the hops run over x or y, whichever is
 *  narrower. For a sum over several graphs use one such layer with FGT_ACT_NONE for each graph, then an
 *  fgt_sum() and an fgt_activation().
 *  Source   Krishnagopal and Ruiz 2023; Abu-El-Haija et al. 2019; "Fighter" equations 1-2; diffusion: Li et
 *           al. 2018 (DCRNN), equation 2; learned: Wu et al. 2019 (Graph WaveNet), equation 5
 *  Shapes   x [B,N,T,D], T the graph's nodes -> y [B,N,T,H]
 *  Params   hop_weight [kappa,D,H], plain: weight [D,H]; diffusion: back_weight [kappa,D,H] (V); bias [H];
 *           learned: source [T,r] (E_1), target [T,r] (E_2), normal
 *  Cost     2 R D H kappa + 2 (kappa-1) B N E min(D,H) flop forward, where E is the number of edges (T^2 for
 *           a dense graph); diffusion takes twice as many. learned takes 2 T^2 r flop more when the weights
 *           have changed, and T^2 floats (with diffusion 2 T^2), and 2 T^2 more in training
 *  Owner    the graph is copied by fgt_model_add()
 *  Errors   by fgt_model_add(): FGT_E_ARG neither a graph nor learned, or both, plain with diffusion or
 *           learned, hops > 64; FGT_E_SHAPE the graph does not have T nodes; FGT_E_DATA diffusion with a
 *           negative weight */
FGT_API fgt_layer fgt_gcn(const fgt_gcn_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
