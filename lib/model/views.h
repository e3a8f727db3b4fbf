/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VIEWS_H
#define FGTI_VIEWS_H

/* Views of tensors [B,N,T,D], in the form in which hosts give and get them. */

#include "nn/layer.h"

/* Checks that v is a tensor [batch,s]. It may leave out axes N and T of length 1. */
fgt_status fgti_view_expect(fgti_error *err, const char *what, const fgt_view *v, int64_t batch,
                            fgti_shape s);
/* The view of a tensor. It leaves out axes N and T of length 1. */
fgt_view fgti_view_of(fgti_real *data, int64_t batch, fgti_shape s);

#endif
