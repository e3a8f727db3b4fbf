/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_WEIGHTS_H
#define FGTI_LINEAR_WEIGHTS_H

/* How much each form counts in the mean of several. */

#include <stdint.h>

typedef struct fgti_tested {
    int64_t       series, forms; /* C, K */
    const double *product; /* [C,K,K]: sums of products of two forms' residuals on the validation rows */
    const double *scale;   /* [C]: sums of squares of what was to be foreseen */
    const double *prior;   /* [K]: how much a form counts if its errors are those of the others */
    double       *total;   /* [K]: scratch */
} fgti_tested;

/* Fills weight [C,K]. With E_i = product[i,i] of a series, F_i the sum of E_i over all series:
 *
 *     a_i = p_i exp(-(r(E)_i + r(F)_i) / 2 temperature) / sum of the same over i
 *     r(E)_i = E_i / min_j E_j - 1, p the prior
 *
 * The temperature is halved until the mean is no worse than the best form. Returns the sum of squared errors
 * of the mean, over all series; infinite: no form has a solution for all of them, and the weights are 0. */
double fgti_linear_weights(const fgti_tested *t, double *weight);

#endif
