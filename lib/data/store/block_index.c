/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/store/block_index.h"

void fgti_block_index_done(fgt_context *ctx, fgti_block_index *x)
{
    void *const part[] = {x->type, x->row, x->chunk, x->moments, x->number};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) fgti_free(ctx, part[i]);
    fgti_strings_done(ctx, &x->names);
    *x = (fgti_block_index){0};
}
