/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_GRAPH_H
#define FIGHTER_GRAPH_H

/** @file graph.h
 *  Layers in which each token reads its neighbours in a graph. Letters, shapes and options that are 0 are as
 *  in nn.h; graphs are made with the functions of data.h.
 *
 *  Unless a description says otherwise: options are borrowed until fgt_model_add(); no units; any thread may
 *  call the function; it is available since 0.1. */

#include <fighter/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
