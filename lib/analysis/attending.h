/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENDING_H
#define FGTI_ATTENDING_H

/* Layers that have matrices A, and the powers of these matrices. */

#include <stdbool.h>

#include <fighter/model.h>

#include "core/tensor.h"

#define FGTI_POWERS_MAX 1000 /* the rows of A^i are equal long before i reaches this power */

/* Tells whether the layer works along the nodes, and whether it is cross attention. Either pointer may be
 * NULL. FGT_E_NAME: there is no such layer. FGT_E_UNSUPPORTED: the layer has neither attention nor a
 * graph. */
fgt_status fgti_attending_find(fgt_model *model, const char *layer, bool *along_nodes, bool *cross);

/* next = last A, where all three matrices are [t,t]; computed on the calling thread. */
void fgti_attending_power(const fgt_context *ctx, int32_t worker, int64_t t, const fgti_real *last,
                          const fgti_real *a, fgti_real *next);

#endif
