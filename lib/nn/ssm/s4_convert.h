/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_S4_CONVERT_H
#define FGTI_S4_CONVERT_H

#include "nn/layer.h"

/* Sets C = C~ (I - dA^length)^{-1} in place, for DPLR. FGT_E_NONFINITE: there is no such C, or C is out of
 * range. */
fgt_status fgti_s4_convert(fgt_context *ctx, const fgti_layer *l, int64_t length, fgti_real *weights);

#endif
