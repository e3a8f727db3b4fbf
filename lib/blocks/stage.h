/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STAGE_H
#define FGTI_STAGE_H

/* Names and adds the layers that one layer of a block consists of. */

#include "blocks/blocks.h"

/* One layer of a stack while it is added. Its parts are layers of the model, named "STEM.NUMBER.PART". */
typedef struct fgti_stage {
    fgt_model            *m;
    const fgt_block_opts *o;
    const char           *stem;
    int64_t               number;
} fgti_stage;

/* Adds a part that reads the layer added last, or the layers named in `from`. */
fgt_status fgti_stage_add(const fgti_stage *s, const char *part, fgt_layer layer);
fgt_status fgti_stage_add_from(const fgti_stage *s, const char *part, fgt_layer layer, int32_t count,
                               const char *const *from);

/* Adds a dropout with this name if the block has dropout. */
fgt_status fgti_stage_add_dropout(const fgti_stage *s, const char *part);

/* Adds x + dropout(last). */
fgt_status fgti_stage_add_residual(const fgti_stage *s, const char *x, const char *dropout, const char *sum);

/* Adds down(dropout(gelu(up(last)))); dropout NULL: without dropout. */
fgt_status fgti_stage_add_feed(const fgti_stage *s, const char *dropout, bool no_bias);

#endif
