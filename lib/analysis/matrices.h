/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MATRICES_H
#define FGTI_MATRICES_H

/* Views of matrices that the host gives: [..,rows,columns] of F32 or F64. */

#include <stdbool.h>

#include "core/status.h"
#include "core/tensor.h"

static inline double fgti_entry(const fgt_view *v, int64_t i)
{
    return v->dtype == FGT_F32 ? (double)((const float *)v->data)[i] : ((const double *)v->data)[i];
}

/* Real numbers, in at least one matrix without an axis of length 0; with `square` of as many rows as columns.
 * `what` names the view in sentences. FGT_E_SHAPE, FGT_E_ARG. */
fgt_status fgti_matrices_check(fgti_error *err, const char *what, const fgt_view *v, bool square);

#endif
