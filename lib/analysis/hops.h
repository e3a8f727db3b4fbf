/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HOPS_H
#define FGTI_HOPS_H

#include <fighter/experimental/hops.h>

#include "analysis/hop_layer.h"

/* Computes norms [groups,kappa]; `layer` is for the error text. After FGT_E_NONFINITE and FGT_E_NOMEM the
 * contents of norms are undefined. */
fgt_status fgti_hops_compute(const fgti_hop_layer *l, const char *layer, double *norms);
/* Divides the norms by their sum. If all norms are 0, so are the shares. */
void fgti_hops_share(const double *norms, int64_t hops, double *shares);

#endif
