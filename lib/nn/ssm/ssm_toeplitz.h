/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SSM_TOEPLITZ_H
#define FGTI_SSM_TOEPLITZ_H

#include "nn/ssm/ssm.h"

int64_t fgti_ssm_toeplitz_arena(const fgti_ssm *m, int64_t samples, int64_t time);
void    fgti_ssm_toeplitz(const fgti_ssm_conv *c);
void    fgti_ssm_toeplitz_grad(const fgti_ssm_conv *c);

#endif
