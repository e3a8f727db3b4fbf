/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_CONVERT_H
#define FIGHTER_EXPERIMENTAL_CONVERT_H

/** @file convert.h
 *  Conversions of weights that come from other models.
 *
 *  Experimental: for research. Names, structs and results may change or disappear with any release; the
 *  functions have a version node of their own, FIGHTER_EXPERIMENTAL.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a model of one Fighter layer from the weights of an encoder block with one head and without norm,
 *  residual and biases. Except for rounding the layer computes the same as the block, with a single hop over
 *  the attention matrix:
 *    act(A x wv w1) = act(x W_0 + A x W_1),  A = softmax(x wq (x wk)' / sqrt(K)),  W_0 = 0,  W_1 = wv w1
 *  The layer is called "fighter" and has hops = 2. More layers may be added, such as an fgt_linear() for the
 *  block's second feed-forward weight. See examples/16_equivalence.c.
 *  Source   Zhang et al., "Fighter", section 4.1, equation 4
 *  Shapes   wq, wk [D,K], wv [D,V], w1 [V,H], each (in,out), not as in PyTorch; the model takes [B,N,T,D]
 *  Owner    *model is the caller's; the weights are copied. opts as in fgt_model_create(), features 0 or D;
 *           act 0: relu
 *  Errors   FGT_E_SHAPE the weights or opts do not fit together; FGT_E_NONFINITE; errors of
 *           fgt_model_create() and fgt_model_add(). *model is NULL on error */
FGT_API FGT_MUST fgt_status fgt_fighter_create_folded(fgt_context *ctx, const fgt_model_opts *opts,
                                                      const fgt_view *wq, const fgt_view *wk,
                                                      const fgt_view *wv, const fgt_view *w1, int32_t act,
                                                      fgt_model **model);

/** Converts a parameter of fgt_s4() from a file of the S4 authors. Their DPLR layers store C~ = C (I -
 *  dA^length); this call computes the C of fgt_s4(). Make this call once after fgt_model_load_weights() of
 *  such a file. length is l_kernel of the authors, usually the sequence length.
 *  Shapes   none; layer: the name of the fgt_s4 layer, "" for a model of a single layer
 *  Units    length: time steps
 *  Errors   FGT_E_NAME no such layer; FGT_E_UNSUPPORTED not a DPLR fgt_s4 layer; FGT_E_ARG length < 1;
 *           FGT_E_NONFINITE I - dA^length has no inverse; FGT_E_STATE an adapter is active; FGT_E_NOMEM.
 *           On error the model is as before */
FGT_API FGT_MUST fgt_status fgt_s4_convert_length(fgt_model *model, const char *layer, int64_t length);

#ifdef __cplusplus
}
#endif
#endif
