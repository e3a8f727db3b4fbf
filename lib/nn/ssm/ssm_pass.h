/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SSM_PASS_H
#define FGTI_SSM_PASS_H

/* A pass over all channels. */

#include "nn/ssm/ssm.h"

/* Returns the way that takes the least time for this number of samples and steps. fft: plans for FFTs
 * exist. */
fgti_ssm_way fgti_ssm_choose(const fgti_ssm *m, int64_t samples, int64_t time, bool training, bool fft);
/* Adds the memory of a pass to `need`. With FGTI_SSM_AUTO the memory is enough for each way. */
void fgti_ssm_size(const fgti_ssm *m, int64_t samples, int64_t time, fgti_ssm_way way, bool fft,
                   fgti_need *need);
void fgti_ssm_forward(const fgti_ssm_pass *p);
void fgti_ssm_backward(const fgti_ssm_pass *p, const fgti_ssm_grad *g);

#endif
