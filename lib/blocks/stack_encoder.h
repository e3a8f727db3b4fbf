/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STACK_ENCODER_H
#define FGTI_STACK_ENCODER_H

#include "blocks/blocks.h"

/* Adds a layer named "blocks.<i>.<part>". */
fgt_status fgti_add_part(fgt_model *m, int64_t i, const char *part, fgt_layer layer);

#endif
