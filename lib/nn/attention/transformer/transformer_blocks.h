/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRANSFORMER_BLOCKS_H
#define FGTI_TRANSFORMER_BLOCKS_H

#include "nn/attention/transformer/transformer_pass.h"

/* The backward pass in blocks of groups (transformer_blocks.c). fgti_transformer_has_blocks() tells whether
 * the sizes allow this pass. The next two functions return the elements of its scratch and of a worker's
 * arena. It computes gradients of whole weights, not of factors (nn/low_rank.h). */
bool    fgti_transformer_has_blocks(const fgti_transformer_pass *p);
int64_t fgti_transformer_blocks_scratch(const fgti_transformer_pass *p);
int64_t fgti_transformer_blocks_arena(const fgti_transformer_pass *p);
void    fgti_transformer_blocks_backward(fgti_transformer_pass *p);

#endif
