/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORRELATE_FFT_H
#define FGTI_CORRELATE_FFT_H

#include "nn/attention/attender/correlate.h"

int64_t fgti_correlate_fft_arena(int64_t time);
void    fgti_correlate_fft(const fgti_correlate *c);
/* Returns the size of the largest transform for up to L tokens. Plans are made for this size. */
int64_t fgti_correlate_fft_size(int64_t time);
/* Whether transforms are the faster algorithm for L tokens. */
bool fgti_correlate_fft_pays(int64_t time);

#endif
