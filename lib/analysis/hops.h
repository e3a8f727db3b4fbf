/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HOPS_H
#define FGTI_HOPS_H

#include <fighter/experimental/hops.h>

#include "analysis/hop_layer.h"

/* Computes the norms [groups,kappa]. `layer` is the name for the error text. After FGT_E_NONFINITE or
 * FGT_E_NOMEM the contents of norms are undefined. */
fgt_status fgti_hops_compute(const fgti_hop_layer *l, const char *layer, double *norms);
/* Divides the norms by their sum. If all norms are 0, the shares are 0. */
void fgti_hops_share(const double *norms, int64_t hops, double *shares);

#endif
