/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VOCAB_FILE_H
#define FGTI_VOCAB_FILE_H

/* The words of a vocabulary in a safetensors file. */

#include <fighter/text.h>

#include "model/files/safetensors.h"

/* Makes the vocabulary with these options from a tensor of words. FGT_E_FORMAT, also if the tensor has
 * another type; FGT_E_IO, FGT_E_NOMEM. */
fgt_status fgti_vocab_read(fgt_context *ctx, const fgti_st *st, const char *name, const fgt_vocab_opts *opts,
                           fgt_vocab **vocab);

#endif
