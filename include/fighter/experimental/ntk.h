/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_NTK_H
#define FIGHTER_EXPERIMENTAL_NTK_H

/** @file ntk.h
 *  The empirical neural tangent kernel of a model on a few inputs, K(i,j) = <df(S_i)/dtheta, df(S_j)/dtheta>,
 *  and its change during training. theta is the vector of all parameters, also frozen ones; while an adapter
 *  is active, of the adapter's parameters. For a model with attention this kernel is the ANTK of the paper.
 *
 *  Experimental: for research. Names, structs and results may change or disappear with any release; the
 *  functions have a version node of their own, FIGHTER_EXPERIMENTAL.
 *
 *  Source: Jacot, Gabriel, Hongler 2018; Zhang et al., "Nonparametric Teaching of Attention Learners",
 *  appendices A.4 and D.3.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>
#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the O elements f_a of an output enter the kernel. df_a is the derivative by theta. */
typedef enum fgt_ntk_kind {
    FGT_NTK_TRACE    = 0, /**< K(i,j) = sum over a of <df_a(S_i), df_a(S_j)> */
    FGT_NTK_MEAN     = 1, /**< K(i,j) = <dm(S_i), dm(S_j)>, where m is the mean over a of f_a */
    FGT_NTK_SUM      = 2, /**< K(i,j) = <ds(S_i), ds(S_j)>, where s is the sum over a of f_a */
    FGT_NTK_ELEMENTS = 3  /**< K(i,a,j,b) = <df_a(S_i), df_b(S_j)> */
} fgt_ntk_kind;

typedef struct fgt_ntk_opts {
    size_t  size;
    int32_t kind; /**< an fgt_ntk_kind */
    int32_t reserved;
} fgt_ntk_opts;

/** A kernel after a step; |K| is the Frobenius norm. */
typedef struct fgt_ntk_report {
    size_t  size;
    int64_t steps;     /**< kernels computed so far */
    double  norm;      /**< |K| */
    double  change;    /**< |K - L| / |L|, where L is the kernel of the step before; NaN: no step before */
    double  reference; /**< |K - L| / |L|, where L is the first kernel, or the kernel of fgt_ntk_set_kernel();
                            NaN: |L| = 0 */
} fgt_ntk_report;

typedef struct fgt_ntk fgt_ntk;

/** Creates a tracker: a copy of M inputs and of the values that are set for them
 *  (fgt_workspace_set_value()), and memory for kernels and derivatives.
 *  Shapes   x [M,...] as in fgt_forward(), with M up to the model's batch and the model's T
 *  Cost     memory for M P floats, with FGT_NTK_ELEMENTS M O P, where P is the number of parameters
 *  Owner    *ntk is the caller's; the model must outlive it and takes no more layers
 *  Errors   FGT_E_ARG; FGT_E_STATE no layers or parameters, or states are carried over or were set;
 *           errors of fgt_predict(); FGT_E_SIZE, FGT_E_NOMEM; *ntk is NULL on error */
FGT_API FGT_MUST fgt_status fgt_ntk_create(fgt_model *model, const fgt_ntk_opts *opts, const fgt_view *x,
                                           fgt_ntk **ntk);

/** Destroys a tracker and sets *ntk to NULL.
 *  Owner    takes *ntk, not the model */
FGT_API void fgt_ntk_destroy(fgt_ntk **ntk);

/** Computes the kernel of the model with its present parameters, without dropout. The call is allowed between
 *  two steps of a training, and in the callback of fgt_model_fit() after an epoch: gradients (also of values)
 *  and the random numbers of dropout do not change. But after this call fgt_backward() needs a new
 *  fgt_forward(), and so does fgt_model_get_adjacency() if matrices depend on masks that are values.
 *  Source   Zhang et al. (AtteNT), appendix D.3
 *  Units    unit of y, squared
 *  Cost     M passes forward and backward of all M inputs, for TRACE and ELEMENTS M O passes; M^2 P/2
 *           products, for TRACE O times as many, for ELEMENTS O^2 times as many. No allocation
 *  Owner    report (its size set) may be NULL
 *  Errors   FGT_E_VERSION report->size is not set; FGT_E_STATE states are carried over or were set,
 *           or another adapter is active than at the creation; FGT_E_NONFINITE the kernel is NaN or
 *           infinite; errors of the passes. On error the kernel of the last step stays
 *  Threads  one at a time per context; the kernel does not depend on the number of threads */
FGT_API FGT_MUST fgt_status fgt_ntk_compute(fgt_ntk *ntk, fgt_ntk_report *report);

/** The shape of the kernel, as a view without data.
 *  Shapes   *shape becomes F64 [M,M], FGT_NTK_ELEMENTS [M,O,M,O]
 *  Errors   FGT_E_ARG NULL */
FGT_API FGT_MUST fgt_status fgt_ntk_get_kernel_shape(const fgt_ntk *ntk, fgt_view *shape);

/** Copies the last kernel out.
 *  Shapes   out as fgt_ntk_get_kernel_shape()
 *  Units    unit of y, squared
 *  Owner    out is the caller's
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_STATE no step yet */
FGT_API FGT_MUST fgt_status fgt_ntk_copy_kernel(const fgt_ntk *ntk, const fgt_view *out);

/** Sets the kernel with which reports compare, such as the last kernel of an earlier run, which is the
 *  canonical kernel of appendix D.3.
 *  Shapes   kernel as fgt_ntk_get_kernel_shape()
 *  Units    unit of y, squared
 *  Owner    borrowed for the call
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_NONFINITE */
FGT_API FGT_MUST fgt_status fgt_ntk_set_kernel(fgt_ntk *ntk, const fgt_view *kernel);

/** Largest learning rates at which, by theory, the loss falls. */
typedef struct fgt_ntk_bound {
    size_t size;
    double largest;    /**< gamma, the largest K(i,i); no entry of the kernel exceeds it. With
                            FGT_NTK_ELEMENTS the largest sum over a of K(i,a,i,a) */
    double rate;       /**< 1 / (2 tau gamma), the limit of Proposition 4; infinite if the kernel is 0 */
    double eigenvalue; /**< largest eigenvalue of the kernel. NaN with FGT_NTK_TRACE of several outputs, from
                            which it cannot be computed */
    double critical;   /**< 2 M / (tau eigenvalue). With learning rates below it gradient descent lowers the
                            loss of the model linearised in theta. At least 4 times `rate`; NaN if eigenvalue
                            is NaN */
} fgt_ntk_bound;

/** Computes the limits of fgt_ntk_bound from the last kernel. The loss must be a mean over inputs of l(f(S)),
 *  where l is convex, and its gradient is Lipschitz in the O elements of f with the constant tau
 *  ("smoothness"). For the mean of squared errors over O elements tau is 2/O, for cross entropy 1/2. With
 *  FGT_NTK_MEAN and FGT_NTK_SUM f is the mean or the sum.
 *  Proposition 4 is about functional gradient descent on all inputs at once, with the canonical kernel, which
 *  is the limit of the kernel in training. This function uses the present kernel of M inputs instead. The
 *  proposition does not apply to Adam, whose steps hardly depend on the size of the gradient.
 *  Source   Zhang et al. (AtteNT), Proposition 4; appendix B.2 bounds the kernel entry by entry
 *  Units    largest, eigenvalue: unit of y, squared; rate, critical: a learning rate
 *  Cost     about 4 n^3 steps and memory for n^2 doubles, where n is M, or M O with FGT_NTK_ELEMENTS
 *  Owner    bound (its size set) is the caller's
 *  Errors   FGT_E_ARG NULL, smoothness not above 0 and finite; FGT_E_STATE no step yet; FGT_E_VERSION
 *           bound->size is not set; FGT_E_NOMEM. On error bound is untouched */
FGT_API FGT_MUST fgt_status fgt_ntk_get_bound(const fgt_ntk *ntk, double smoothness, fgt_ntk_bound *bound);

#ifdef __cplusplus
}
#endif
#endif
