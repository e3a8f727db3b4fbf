/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STAGE_H
#define FGTI_STAGE_H

/* Adds and names the parts of one layer of a block. */

#include "blocks/blocks.h"

/* One layer of a block while its parts are added. Each part is a layer of the model, named
 * "STEM.NUMBER.PART". */
typedef struct fgti_stage {
    fgt_model            *m;
    const fgt_block_opts *o;
    const char           *stem;
    int64_t               number;
} fgti_stage;

/* Adds a part. It reads the layer that was added last, or the layers that `from` names. */
fgt_status fgti_stage_add(const fgti_stage *s, const char *part, fgt_layer layer);
fgt_status fgti_stage_add_from(const fgti_stage *s, const char *part, fgt_layer layer, int32_t count,
                               const char *const *from);

/* Adds a dropout with this name if the block has dropout. */
fgt_status fgti_stage_add_dropout(const fgti_stage *s, const char *part);

/* Adds x + dropout(last), where `last` is the layer that was added last. */
fgt_status fgti_stage_add_residual(const fgti_stage *s, const char *x, const char *dropout, const char *sum);

/* Adds down(dropout(gelu(up(last)))), where `last` is the layer that was added last. dropout NULL: no
 * dropout. */
fgt_status fgti_stage_add_feed(const fgti_stage *s, const char *dropout, bool no_bias);

#endif
