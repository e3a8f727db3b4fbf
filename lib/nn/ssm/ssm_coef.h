/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SSM_COEF_H
#define FGTI_SSM_COEF_H

#include "nn/ssm/ssm.h"

/* Computes the coefficients of a block for one direction, in the order of fgti_scan. Only direction 0 has
 * D. */
void fgti_ssm_coef(const fgti_ssm *m, int64_t direction, int64_t block, double *coef);
/* Adds the gradients of the parameters to g, computed from dcoef, the gradient of the coefficients. */
void fgti_ssm_coef_grad(const fgti_ssm *m, int64_t direction, int64_t block, const double *coef,
                        const double *dcoef, const fgti_ssm_grad *g);

#endif
