/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VIEWS_H
#define FGTI_VIEWS_H

/* Views of tensors [B,N,T,D] as hosts see them. */

#include "nn/layer.h"

/* Whether v is a tensor [batch,s]; axes N and T of length 1 may be left out. */
fgt_status fgti_view_expect(fgti_error *err, const char *what, const fgt_view *v, int64_t batch,
                            fgti_shape s);
/* The view of a tensor, without axes N and T of length 1. */
fgt_view fgti_view_of(fgti_real *data, int64_t batch, fgti_shape s);

#endif
