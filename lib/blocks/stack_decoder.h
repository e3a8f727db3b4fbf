/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STACK_DECODER_H
#define FGTI_STACK_DECODER_H

#include "blocks/stage.h"

/* The last d->label steps of a layer, under this name. */
fgt_status fgti_decoder_label(fgt_model *m, const fgti_decoder *d, const char *from, const char *name);

/* The tokens that the layers of a decoder read: what was added last, [B,label,D], and zeros in the places
 * behind it, through "decoder.embed", plus d->known. */
fgt_status fgti_decoder_embed(fgt_model *m, const fgti_decoder *d);

#endif
