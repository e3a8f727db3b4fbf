/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_GRAPH_H
#define FIGHTER_GRAPH_H

/** @file graph.h
 *  Layers in which each token reads its neighbours in a graph. Letters, shapes and options that are 0 are as
 *  in nn.h; graphs are made with the functions of graph_data.h.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.1. */

#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_gcn_opts {
    size_t           size;
    const fgt_graph *graph; /**< adjacency over the tokens; copied; NULL only with `learned` */
    int64_t          out;   /**< H; 0: D */
    int64_t          hops;  /**< kappa, at most 64; 0: 3, plain: 1 */
    int32_t          act;   /**< an fgt_act; 0: relu */
    int32_t          plain; /**< 1: act((A + I)^kappa x W) with one weight */
    int32_t          no_bias;   /**< 1: without b */
    int32_t          residual;  /**< 1: y += x if the widths agree */
    float            dropout;   /**< dropout on the output before the residual, in training */
    int32_t          diffusion; /**< 1: random walks on the graph in both directions */
    int64_t          learned;   /**< r, with graph NULL: the adjacency is learned, from 2 r numbers a node */
} fgt_gcn_opts;

/** Graph convolution over the tokens, or with fgt_along() over the nodes:
 *    flexible    y = act(sum_{i<kappa} A^i x W_i + b)
 *    plain       y = act((A + I)^kappa x W + b)
 *    diffusion   y = act(sum_{i<kappa} (P_f^i x W_i + P_b^i x V_i) + b)
 *  A is the graph's matrix. Random walks divide its rows by their sums: P_f = D_out^-1 A and P_b = D_in^-1
 *  A'; a node without edges keeps a row of zeros. With `learned`, from E_1 and E_2 [T,r],
 *    A = P_f = softmax(relu(E_1 E_2')),  P_b = softmax(relu(E_2 E_1')),  each row a softmax.
 *  fgt_model_get_adjacency() gives A, or P_f and P_b in the place of heads.
 *  No power is formed. As in fgt_fighter() with one head, the hops run over the narrower of x and y. For a
 *  sum over several graphs add such layers with FGT_ACT_NONE, an fgt_sum() and an fgt_activation().
 *  Source   Krishnagopal and Ruiz 2023; Abu-El-Haija et al. 2019; "Fighter" equations 1-2; diffusion: Li et
 *           al. 2018 (DCRNN), equation 2; learned: Wu et al. 2019 (Graph WaveNet), equation 5
 *  Shapes   x [B,N,T,D], T the graph's nodes -> y [B,N,T,H]
 *  Params   hop_weight [kappa,D,H], plain: weight [D,H]; diffusion: back_weight [kappa,D,H] (V); bias [H];
 *           learned: source [T,r] (E_1), target [T,r] (E_2), normal
 *  Cost     2 R D H kappa + 2 (kappa-1) B N E min(D,H) flop forward, E the edges (T^2 when dense), diffusion
 *           twice that; learned: 2 T^2 r more when the weights have changed, and T^2 floats, diffusion twice
 *           as many, and 2 T^2 in training
 *  Owner    the graph is copied by fgt_model_add()
 *  Errors   by fgt_model_add(): FGT_E_ARG no graph, or a graph and learned, plain with another form, hops >
 *           64; FGT_E_SHAPE the graph does not have T nodes; FGT_E_DATA diffusion with a negative weight */
FGT_API fgt_layer fgt_gcn(const fgt_gcn_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
