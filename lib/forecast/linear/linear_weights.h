/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_WEIGHTS_H
#define FGTI_LINEAR_WEIGHTS_H

/* How much each form counts in the mean of several. */

#include <stdbool.h>
#include <stdint.h>

typedef struct fgti_tested {
    int64_t       series, forms; /* C, K */
    double        horizons;      /* n: how often the forecast goes into the rows of the tests */
    const double *error;   /* [C,K]: sums of squares of a form's residuals in all tests */
    const double *product; /* [C,K,K]: sums of products of two forms' residuals on the validation rows */
    const double *scale;   /* [C]: sums of squares of what was to be foreseen */
    const double *prior;   /* [C,K]: how much a form counts if its errors are those of the others */
    const bool   *simple;  /* [K]: a form with few weights or none; the first of them is the last value */
    double       *total;   /* [K]: scratch */
} fgti_tested;

/* Fills weight [C,K]. With E_i = error[i] of a series, F_i the sum of E_i over all series:
 *
 *     a_i = p_i exp(-(r(E)_i + r(F)_i) n / 3) / sum of the same over i
 *     r(E)_i = E_i / min_j E_j - 1, p the prior, n at most 75
 *
 * If this mean is worse on the validation rows than a simple form, n is doubled. If it still is, its share
 * in the mean of both is halved until that is not. The simple form is the last value, unless another one has
 * less than the share 1 - 1/sqrt(n) of its error, n as it is. Returns the sum of squared errors on the
 * validation rows, over all series; infinite: no form has a solution for all of them, the weights are 0. */
double fgti_linear_weights(const fgti_tested *t, double *weight);

/* Leaves of the mean of each series the share share[c], and gives the rest to the last value. Returns the
 * error again. */
double fgti_linear_weights_shrink(const fgti_tested *t, const double *share, double *weight);

#endif
