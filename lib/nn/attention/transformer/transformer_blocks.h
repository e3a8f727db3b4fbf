/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRANSFORMER_BLOCKS_H
#define FGTI_TRANSFORMER_BLOCKS_H

#include "nn/attention/transformer/transformer_pass.h"

/* The backward pass in blocks of groups (transformer_blocks.c): whether the sizes allow it, elements of its
 * scratch and of a worker's arena, and the pass itself. It makes gradients of whole weights, not of factors
 * (nn/low_rank.h). */
bool    fgti_transformer_has_blocks(const fgti_transformer_pass *p);
int64_t fgti_transformer_blocks_scratch(const fgti_transformer_pass *p);
int64_t fgti_transformer_blocks_arena(const fgti_transformer_pass *p);
void    fgti_transformer_blocks_backward(fgti_transformer_pass *p);

#endif
