/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STACK_DECODER_H
#define FGTI_STACK_DECODER_H

/* The decoder of a forecaster, as layers at the end of a model. */

#include "blocks/stage.h"

/* Adds a layer `name` with the last d->label steps of the layer `from`. */
fgt_status fgti_decoder_label(fgt_model *m, const fgti_decoder *d, const char *from, const char *name);

/* Adds the tokens that the decoder's layers read: the last layer's output [B,label,D], then d->ahead rows of
 * zeros, mapped by "decoder.embed", plus d->known. */
fgt_status fgti_decoder_embed(fgt_model *m, const fgti_decoder *d);

#endif
