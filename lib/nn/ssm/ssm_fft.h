/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SSM_FFT_H
#define FGTI_SSM_FFT_H

#include "nn/ssm/ssm.h"

/* Returns the size of the transforms for this number of steps. Plans of core/fft.h up to this size are
 * needed. */
int64_t fgti_ssm_fft_size(int64_t time);
int64_t fgti_ssm_fft_arena(int64_t time);
void    fgti_ssm_fft(const fgti_ssm_conv *c);
void    fgti_ssm_fft_grad(const fgti_ssm_conv *c);

#endif
