/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FULL_BACKWARD_H
#define FGTI_FULL_BACKWARD_H

#include "nn/attention/attender/attender.h"

int64_t fgti_full_backward_arena(const fgti_chain *c);
void    fgti_full_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);

#endif
