/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORRELATE_PRODUCTS_H
#define FGTI_CORRELATE_PRODUCTS_H

#include "nn/attention/attender/correlate.h"

/* Returns the elements of the arena for L tokens. */
int64_t fgti_correlate_products_arena(int64_t time);
void    fgti_correlate_products(const fgti_correlate *c);

#endif
