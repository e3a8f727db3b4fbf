/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_SENSITIVITY_H
#define FIGHTER_EXPERIMENTAL_SENSITIVITY_H

/** @file sensitivity.h
 *  Sensitivity says on which input tokens an output depends. It is measured by norms of the blocks J_ij =
 *  dy_i/dx_j of the Jacobian of a model, or of a part of a model, for each pair of an output token i and an
 *  input token j. For a single head of attention each block is the sum of three paths, through values, keys
 *  and queries; the paths can be computed separately.
 *
 *      fgt_view norms = {0};
 *      fgt_sensitivity_compute(model, x, NULL, &norms, NULL);        // its shape
 *      norms.data = ...
 *      fgt_sensitivity_compute(model, x, NULL, &norms, NULL);        // [B,T',T]
 *
 *  Experimental: for research. Names, structs and results may change or disappear with any release; the
 *  functions have a version node of their own, FIGHTER_EXPERIMENTAL.
 *
 *  Source: Hankemeier and Schilling, "Stochastic Parroting in Temporal Attention", sections 3 and A.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models and their layers ----------------------------------------------------------------- */

/** The norm of a block. */
typedef enum fgt_sensitivity_norm {
    FGT_SENSITIVITY_NORM_FROBENIUS = 0, /**< root of the sum of squares */
    FGT_SENSITIVITY_NORM_SPECTRAL  = 1  /**< greatest singular value */
} fgt_sensitivity_norm;

typedef struct fgt_sensitivity_opts {
    size_t      size;
    const char *from;   /**< x_j are the tokens of this layer's output, for example of an embedding; NULL: x_j
                             are the tokens of the model's input */
    const char *to;     /**< y_i are the tokens of this layer's output; NULL: y_i are the tokens of the
                             model's output */
    int64_t     first;  /**< first token of y */
    int64_t     count;  /**< number of tokens of y; 0: all tokens from `first` on */
    int64_t     probes; /**< P, at least 2: norms are estimated from P random vectors; only for
                             fgt_sensitivity_compute() and FGT_SENSITIVITY_NORM_FROBENIUS. 0: norms are
                             computed exactly */
    uint64_t    seed;   /**< seed of the random vectors */
    int32_t     norm;   /**< an fgt_sensitivity_norm */
    int32_t     reserved;
    int64_t     element; /**< number of an element of y_i, from 1, such as one series or one class: then J_ij
                              has only the row of this element. Not with probes. 0: all elements */
} fgt_sensitivity_opts;

/** Norms of the blocks J_ij of the model as it predicts, without dropout. A backward pass computes each
 *  product of a vector with the Jacobian. With probes the square of a Frobenius norm is estimated:
 *    |J|^2 = E |J' v|^2,  where each element of v is 1 or -1 at random
 *  norms is the root of the mean of |J' v|^2 over P vectors. errors is the standard error of norms, s / (2
 *  norm sqrt(P)), where s is the standard deviation of the P values |J' v|^2. The root of the mean is too low
 *  by a part of the order 1/P. Weights, gradients (also of values) and the random numbers of dropout do not
 *  change. But after this call fgt_backward() needs a new fgt_forward(). Samples must not depend on each
 *  other, which is true for all layers of this library.
 *  Source   Hutchinson 1990
 *  Shapes   x as fgt_forward(); norms, errors F64 [B,count,T]: T is the number of tokens of x, or of the
 *           output of `from`. With nodes it is N T, and for values without tokens it is 1
 *  Units    unit of y / unit of x
 *  Cost     count H passes forward and backward, where H is the width of y, or 1 with an element; with probes
 *           count P passes. Spectral norms take about 4 D H min(D,H) steps more for each block
 *  Owner    norms and errors are the caller's; errors may be NULL, and is 0 without probes
 *  Errors   FGT_E_ARG NULL, an option out of range, such as probes 1; FGT_E_NAME no such layer; FGT_E_STATE
 *           no layers, or states are carried over or were set; FGT_E_UNSUPPORTED x or `from` are ids, which
 *           have no gradient; FGT_E_SHAPE; FGT_E_NONFINITE a gradient is NaN or infinite; errors of the
 *           passes; FGT_E_NOMEM. On error norms and errors are not defined */
FGT_API FGT_MUST fgt_status fgt_sensitivity_compute(fgt_model *model, const fgt_view *x,
                                                    const fgt_sensitivity_opts *opts, const fgt_view *norms,
                                                    const fgt_view *errors);

/** Type, rank and shape of the norms that fgt_sensitivity_compute() computes.
 *  Owner    *shape is the caller's; its data becomes NULL
 *  Errors   as fgt_sensitivity_compute(). On error *shape is untouched */
FGT_API FGT_MUST fgt_status fgt_sensitivity_get_shape(fgt_model *model, const fgt_view *x,
                                                      const fgt_sensitivity_opts *opts, fgt_view *shape);

/** Computes the blocks themselves: J_ij[o,n] = dy_i[o]/dx_j[n].
 *  Shapes   jacobian F32 [B,count,T,H,D], with an element [B,count,T,1,D]
 *  Units    unit of y / unit of x
 *  Cost     count H passes forward and backward; with an element count passes
 *  Owner    jacobian is the caller's
 *  Errors   as fgt_sensitivity_compute(); FGT_E_ARG probes or a norm */
FGT_API FGT_MUST fgt_status fgt_jacobian_compute(fgt_model *model, const fgt_view *x,
                                                 const fgt_sensitivity_opts *opts, const fgt_view *jacobian);

/** Type, rank and shape of the blocks that fgt_jacobian_compute() computes.
 *  Owner    *shape is the caller's; its data becomes NULL
 *  Errors   as fgt_jacobian_compute(). On error *shape is untouched */
FGT_API FGT_MUST fgt_status fgt_jacobian_get_shape(fgt_model *model, const fgt_view *x,
                                                   const fgt_sensitivity_opts *opts, fgt_view *shape);

/* ---- paths of one head of attention ---------------------------------------------------------- */

/** One head: q = x Wq + bq, k = x Wk + bk, v = x Wv, A = softmax(scale q k' + mask), h = A v. All views are
 *  F32 or F64. D is the width of x, K the width of queries and keys, V the width of values. */
typedef struct fgt_attention_head {
    size_t          size;
    const fgt_view *x;        /**< [T,D] */
    const fgt_view *a;        /**< A [T,T], with any mask; a row sums to 1, or to 0 if no key is allowed */
    const fgt_view *wq, *wk;  /**< [D,K] */
    const fgt_view *wv;       /**< [D,V] */
    const fgt_view *bq, *bk;  /**< [K]; NULL: no biases */
    double          scale;    /**< scale of the scores; 0: 1/sqrt(K) */
    int32_t         turned;   /**< 1: the weights have the shape (out,in), like parameters of layers */
    int32_t         residual; /**< 1: the output is h + x; V must be D */
} fgt_attention_head;

/** The parts of J_ij = dh_i/dx_j, [V,D]. */
typedef enum fgt_attention_path {
    FGT_ATTENTION_PATH_VALUE = 0, /**< a_ij Wv' */
    FGT_ATTENTION_PATH_KEY   = 1, /**< scale a_ij (v_j - h_i)' (Wk q_i')' */
    FGT_ATTENTION_PATH_QUERY = 2, /**< scale sum over m of a_im (v_m - h_i)' (Wq k_m')' if i = j, else 0 */
    FGT_ATTENTION_PATH_TOTAL = 3  /**< the sum of the three paths, plus I if i = j and there is a residual:
                                       the whole Jacobian */
} fgt_attention_path;

/** Norms of the blocks of one path, from closed forms; path is an fgt_attention_path, norm an
 *  fgt_sensitivity_norm.
 *  Source   Hankemeier and Schilling, equations 2 to 4, 10 to 22
 *  Shapes   norms F64 [T,T]; blocks F64 [T,T,V,D]
 *  Units    unit of h / unit of x
 *  Cost     T^2 V D steps; spectral norms about 4 V D min(V,D) a block
 *  Owner    norms and blocks are the caller's; one of them may be NULL
 *  Errors   FGT_E_ARG NULL, no such path or norm; FGT_E_SHAPE views that do not fit together;
 *           FGT_E_NONFINITE; FGT_E_VERSION; FGT_E_NOMEM. On error norms and blocks are untouched */
FGT_API FGT_MUST fgt_status fgt_attention_path_compute(fgt_context *ctx, const fgt_attention_head *head,
                                                       int32_t path, int32_t norm, const fgt_view *norms,
                                                       const fgt_view *blocks);

/** The bounds of equation 8, and the norms for which they are bounds, as means over i. |I| is 0 without a
 *  residual. */
typedef struct fgt_attention_path_bounds {
    size_t size;
    double value;          /**< |Wv| */
    double key;            /**< C_K, the greatest |v_j - h_i| |Wk q_i'| */
    double query;          /**< C_Q, the greatest |v_m - h_i| |Wq k_m'| */
    double diagonal;       /**< E[a_ii], mean of the diagonal of A */
    double off_norm;       /**< mean over i of 1/T sum over j other than i of |J_ij| */
    double off_bound;      /**< 1/T (|Wv| + scale C_K), never below off_norm */
    double own_norm;       /**< mean over i of |J_ii|, including I */
    double own_bound;      /**< |I| + E[a_ii] (|Wv| + scale C_K + scale C_Q), as in equation 8. The query path
                                has no factor a_ii, so own_norm may be greater */
    double own_bound_sure; /**< |I| + E[a_ii] (|Wv| + scale C_K) + scale C_Q, never below own_norm */
} fgt_attention_path_bounds;

/** Computes the bounds of a head; norm is an fgt_sensitivity_norm.
 *  Source   Hankemeier and Schilling, equations 5 to 8, 23 to 30
 *  Units    unit of h / unit of x
 *  Cost     as fgt_attention_path_compute() of the total
 *  Owner    bounds (its size set) is the caller's
 *  Errors   as fgt_attention_path_compute(); FGT_E_VERSION bounds->size is not set. On error bounds is
 *           untouched */
FGT_API FGT_MUST fgt_status fgt_attention_path_compute_bounds(fgt_context              *ctx,
                                                              const fgt_attention_head *head, int32_t norm,
                                                              fgt_attention_path_bounds *bounds);

#ifdef __cplusplus
}
#endif
#endif
