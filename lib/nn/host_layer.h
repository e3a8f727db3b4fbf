/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HOST_LAYER_H
#define FGTI_HOST_LAYER_H

/* Classes of layers that the host registers: fighter/experimental/layer.h. */

#include "nn/layer.h"

/* The class with this name, from the library or from the context; NULL: there is no such class. */
const fgti_class *fgti_class_of(const fgt_context *ctx, const char *type);

#endif
