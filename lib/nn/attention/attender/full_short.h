/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FULL_SHORT_H
#define FGTI_FULL_SHORT_H

/* Full attention of one group and head by our own loops (`multiply` of vec_panels.h), for short series: c = A
 * V and its gradient. Only Q and dO are transposed, and nothing is packed. For heads of 8 columns, packing
 * panels of both operands takes as long as the products. */

#include "nn/attention/attender/attender.h"

/* Returns whether these functions compute a chain of series that are planned for tq and tk tokens. */
bool    fgti_full_short_suits(const fgti_chain *c, const fgti_blas *blas, int64_t tq, int64_t tk);
int64_t fgti_full_short_arena(const fgti_chain *c);
void    fgti_full_short_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);
void    fgti_full_short_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);

#endif
