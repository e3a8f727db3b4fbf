/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FULL_SHORT_H
#define FGTI_FULL_SHORT_H

/* Full attention of one group and head for short series, c = A V and its gradient, by our own loops
 * (`multiply` of vec_panels.h). Only Q and dO are transposed, and nothing is packed. For heads of 8 columns,
 * to pack panels of both operands takes as long as the products. */

#include "nn/attention/attender/attender.h"

/* Whether these functions compute a chain whose series are planned for tq and tk tokens. */
bool    fgti_full_short_suits(const fgti_chain *c, const fgti_blas *blas, int64_t tq, int64_t tk);
int64_t fgti_full_short_arena(const fgti_chain *c);
void    fgti_full_short_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);
void    fgti_full_short_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);

#endif
