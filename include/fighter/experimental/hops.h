/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_HOPS_H
#define FIGHTER_EXPERIMENTAL_HOPS_H

/** @file hops.h
 *  Measures of a Fighter layer, which is a layer with fgt_layer_info.hops above 0: the norms of its hops, and
 *  the importance of tokens in the gradient of its query weights.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Norms of the terms that a Fighter layer adds up, in the model's last pass, and their shares. For each
 *  sample and hop i
 *    n_i = |A^i X' W_i|, a Frobenius norm, each head with its own A and columns;  s_i = n_i / sum of n_k
 *  For i < first_hop both are 0. A is the matrix of fgt_model_get_adjacency(), also with a graph and with any
 *  attender. Without hop i the sum would change by a matrix of norm n_i. Terms may cancel, so the norm of the
 *  sum may be less than the sum of n_i. All tokens count, also padding. If all terms are 0, the shares are 0.
 *  Source   Zhang et al., "Fighter", equation 10, has the terms; the measures are this library's
 *  Shapes   norms, shares F64 [B N,kappa] (fgt_hops_get_shape()). For a layer along the nodes B T takes the
 *           place of B N
 *  Units    norms have the unit of the layer's output before the activation; shares are 0 .. 1 and sum to 1
 *  Cost     as fgt_model_get_adjacency(), and for each sample kappa T D H + kappa^2/2 T^2 H steps in
 *           double; memory for T (D + 2 H) doubles for each thread
 *  Owner    both are the caller's; shares may be NULL
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME; FGT_E_UNSUPPORTED not a Fighter layer; FGT_E_SHAPE;
 *           FGT_E_NONFINITE; all errors of fgt_model_get_adjacency(). On error norms and shares are
 *           untouched */
FGT_API FGT_MUST fgt_status fgt_hops_compute(fgt_model *model, const char *layer, const fgt_view *norms,
                                             const fgt_view *shares);

/** Type, rank and shape of the norms that fgt_hops_compute() computes after the model's last pass.
 *  Owner    *shape is the caller's; its data becomes NULL
 *  Errors   as fgt_hops_compute(). On error *shape is untouched */
FGT_API FGT_MUST fgt_status fgt_hops_get_shape(fgt_model *model, const char *layer, fgt_view *shape);

/** The importance of tokens in the gradient of the query weights of a Fighter layer:
 *    omega_j = dF/dq_j, by which dF/dWq = sum over j of omega_j' X'_j,  q_j = X'_j Wq' + bq,  F = sum of dy y
 *  for a model that predicts, without dropout. |omega_j| is the weight of token j in this gradient. The
 *  following formula is for the last layer, with one head, hops 2, first_hop 1, H 1, no activation, and dy =
 *  1 only at output j:
 *    omega_ji = scale * sum over m of a_jm (v_m - f_j) k_mi,  v = X' W_1,  f_j = sum over m of a_jm v_m
 *  With an activation, equation 8 of the paper has sigma'/sqrt(d) omega_j, a number for column i. But its
 *  softmax is over the scores of only column i; here the softmax is over the scores of all columns, as in the
 *  layer. Equation 11 of the AtteNT paper is equation 8 without sigma'. Other layers, hops and outputs add
 *  the parts of the gradient that reach q_j through them. With hops = 1 omega_j is 0. With a graph the sums
 *  over m are over the tokens that token j reads.
 *  Weights, gradients and the random numbers of dropout do not change. Only an fgt_backward() after this call
 *  needs a new fgt_forward() first.
 *  Source   Zhang et al., "Fighter", section 4.2; "Nonparametric Teaching of Attention Learners", equation 11
 *  Shapes   x as fgt_forward(), NULL: the input of the last pass, such as a window that a forecaster
 *           forecast; dy as y, NULL: all ones; norms |omega_j| F64 [B N,T], vectors F64 [B N,T,attn], along
 *           the nodes [B T,N] and [B T,N,attn]; fgt_importance_get_shape() has the numbers
 *  Units    the unit of F divided by the unit of the queries
 *  Cost     two passes forward and one backward of x; for each sample about 2 kappa T H (D + 2 T) steps in
 *           double; memory for the parameters' gradients, and T (D + attn + (kappa+3) H + A T) doubles for
 *           each thread
 *  Owner    norms and vectors are the caller's; vectors may be NULL
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME; FGT_E_UNSUPPORTED not a Fighter layer, another attender
 *           than FGT_ATTENDER_FULL, or FGT_MASK_DIAG_SCALE scales its A after the softmax; FGT_E_STATE states
 *           are carried over or were set, or x is NULL and there was no pass yet; FGT_E_SHAPE;
 *           FGT_E_NONFINITE; all errors of the passes; FGT_E_NOMEM. On error norms and vectors are
 *           untouched */
FGT_API FGT_MUST fgt_status fgt_importance_compute(fgt_model *model, const char *layer, const fgt_view *x,
                                                   const fgt_view *dy, const fgt_view *norms,
                                                   const fgt_view *vectors);

/** Type, rank and shape of the norms that fgt_importance_compute() computes for x. This call makes a pass of
 *  x.
 *  Shapes   x as in fgt_importance_compute(), NULL: the input of the last pass
 *  Owner    *shape is the caller's; its data becomes NULL
 *  Errors   as fgt_importance_compute(). On error *shape is untouched */
FGT_API FGT_MUST fgt_status fgt_importance_get_shape(fgt_model *model, const char *layer, const fgt_view *x,
                                                     fgt_view *shape);

#ifdef __cplusplus
}
#endif
#endif
