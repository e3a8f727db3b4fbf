/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HOPS_H
#define FGTI_HOPS_H

#include <fighter/analysis.h>

#include "analysis/hop_layer.h"

/* norms [groups,kappa]; `layer` for the sentence. FGT_E_NONFINITE, FGT_E_NOMEM: norms are unknown. */
fgt_status fgti_hops_compute(const fgti_hop_layer *l, const char *layer, double *norms);
/* Norms over their sum; zeros for zeros. */
void fgti_hops_share(const double *norms, int64_t hops, double *shares);

#endif
