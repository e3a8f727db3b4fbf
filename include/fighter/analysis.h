/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_ANALYSIS_H
#define FIGHTER_ANALYSIS_H

/** @file analysis.h
 *  What attention does, in numbers: statistics of matrices A (how far, how sharply and where tokens look) and
 *  of values (how alike the tokens have become).
 *
 *      fgt_predict(model, x, y);
 *      fgt_model_get_adjacency(model, "0", &a);                             // [B N,A,T,T]
 *      fgt_statistic_compute(ctx, FGT_STATISTIC_ENTROPY, NULL, &a, out);    // a number for each of B N A
 *
 *  Row t of A says what token t reads.
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statistics ------------------------------------------------------------------------------ */

/** What is computed, with sums in double.
 *
 *  The first six read matrices A [T,T'] without negative entries. p_tj is A[t,j] divided by the sum of row t.
 *  Each of the six is a mean over the rows t. Rows whose sum is 0 are left out: their tokens had no allowed
 *  key.
 *
 *  The next three read values x [T,D], whose rows x_i are tokens; u_i is x_i / |x_i|, or 0 where x_i is 0.
 *  The last two read any matrix.
 *
 *  A result is NaN where a mean has nothing to go over: no row with a sum above 0, no pair of tokens. */
typedef enum fgt_statistic {
    FGT_STATISTIC_DIAGONAL           = 0, /**< p_tt: what a token reads of itself. T = T' */
    FGT_STATISTIC_DIAGONAL_EXPECTED  = 1, /**< the mean of DIAGONAL if scores were random, and alike for all
                                               allowed keys: 1/n_t, n_t the number of entries above 0 in row
                                               t; 0 where A[t,t] is 0. Without a mask 1/T. T = T' */
    FGT_STATISTIC_ENTROPY            = 2, /**< - sum over j of p_tj ln p_tj, in nats: 0 where one key has
                                               all, ln T' where all have the same */
    FGT_STATISTIC_ENTROPY_NORMALISED = 3, /**< ENTROPY / ln T', 0 .. 1; 0 for T' = 1 */
    FGT_STATISTIC_DISTANCE           = 4, /**< sum over j of p_tj abs(t - j), in tokens: how far away those
                                               are that a token reads. T = T' */
    FGT_STATISTIC_FIRST              = 5, /**< sum over j < k of p_tj: what the first k tokens get */
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

/** Computes a statistic of each matrix of a view.
 *  Source   DIAGONAL: Hankemeier and Schilling, "Stochastic Parroting in Temporal Attention", section 3;
 *           ENTROPY: Zhai et al. 2023; DISTANCE: Dosovitskiy et al. 2021, figure 7; FIRST: Xiao et al. 2024;
 *           DIRICHLET: Cai and Wang 2020; MAD: Chen et al. 2020; RANK: Roy and Vetterli 2007; RANK_ONE: Dong,
 *           Cordonnier and Loukas 2021, their residual in Frobenius norms
 *  Shapes   x [..,T,T'] or [..,T,D], F32 or F64, of at least two axes -> out [..], a number for each matrix
 *  Units    see fgt_statistic
 *  Cost     T D steps a matrix; MAD, and DIRICHLET with a graph, T^2 D; RANK about 4 T D min(T,D). Memory for
 *           a matrix and its graph in double, for each thread
 *  Owner    opts NULL: defaults. out is the caller's
 *  Errors   FGT_E_ARG NULL, no such statistic, a graph that it does not take; FGT_E_SHAPE fewer than two
 *           axes, an axis of length 0, not square where it must be, another graph; FGT_E_NONFINITE an entry
 *           is NaN or infinite; FGT_E_DATA an entry is negative where it must not be, or beyond 1e100;
 *           FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error out is untouched */
FGT_API FGT_MUST fgt_status fgt_statistic_compute(fgt_context *ctx, fgt_statistic statistic,
                                                  const fgt_statistic_opts *opts, const fgt_view *x,
                                                  double *out);

/** Short name of a statistic, as in tables: "entropy".
 *  Owner    static
 *  Errors   NULL: no such statistic
 *  Threads  any */
FGT_API const char *fgt_statistic_get_name(fgt_statistic statistic);

#ifdef __cplusplus
}
#endif
#endif
