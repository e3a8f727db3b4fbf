/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SSM_LINE_H
#define FGTI_SSM_LINE_H

#include "nn/ssm/ssm.h"

/* Computes y_t of all steps, and overwrites the state at the start by the state at the end. */
void fgti_ssm_line(const fgti_vec *vec, const fgti_scan *line);
/* Computes the kernel, rows of FGTI_SCAN, with D added to K_0. x is memory for the states of one step. */
void fgti_ssm_kernel(const fgti_vec *vec, const fgti_scan *line, double *x);
/* Elements of scratch that fgti_ssm_line_grad() needs. */
int64_t fgti_ssm_line_scratch(int64_t pairs, int64_t time);
/* Adds the gradients to dcoef. line->of.u == NULL means an impulse at the first step. line->of.x has the
 * state at the start and is not changed; the gradient of this state is written to dstart (NULL: not wanted).
 * lambda, sigma, keep and s of `line` are not read. */
void fgti_ssm_line_grad(const fgti_vec *vec, const fgti_scan_grad *line, double *dstart, fgti_real *scratch);

#endif
