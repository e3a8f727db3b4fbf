/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRANSFORMER_ONE_H
#define FGTI_TRANSFORMER_ONE_H

#include "nn/attention/transformer/transformer_pass.h"

/* A prediction of which only one row is read (transformer_one.c). fgti_transformer_is_one() tells whether
 * this pass is such a prediction. fgti_transformer_one_arena() returns the elements of a worker's arena. */
bool    fgti_transformer_is_one(const fgti_transformer_pass *p);
int64_t fgti_transformer_one_arena(const fgti_transformer_pass *p, int64_t time);
void    fgti_transformer_one(fgti_transformer_pass *p);

#endif
