/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STACK_DECODER_H
#define FGTI_STACK_DECODER_H

/* The decoder of a forecaster, whose layers are added at the end of a model. */

#include "blocks/stage.h"

/* Adds a layer `name`: the last d->label steps of the layer `from`. */
fgt_status fgti_decoder_label(fgt_model *m, const fgti_decoder *d, const char *from, const char *name);

/* Adds the tokens that the decoder's layers read. The last layer's output [B,label,D] is followed by d->ahead
 * rows of zeros. "decoder.embed" maps all these rows to tokens, and d->known is added. */
fgt_status fgti_decoder_embed(fgt_model *m, const fgti_decoder *d);

#endif
