/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENDING_H
#define FGTI_ATTENDING_H

/* Layers with attention, and powers of their matrices. */

#include <fighter/model.h>

#include "core/tensor.h"

#define FGTI_POWERS_MAX 1000 /* rows of A^i have long become equal */

/* FGT_E_NAME there is no such layer; FGT_E_UNSUPPORTED it has no attention. */
fgt_status fgti_attending_check(fgt_model *model, const char *layer);

/* next [t,t] = last [t,t] A, on this thread. */
void fgti_attending_power(const fgt_context *ctx, int32_t worker, int64_t t, const fgti_real *last,
                          const fgti_real *a, fgti_real *next);

#endif
