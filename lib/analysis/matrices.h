/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MATRICES_H
#define FGTI_MATRICES_H

/* Checks matrices of the host: views [..,rows,columns] of type F32 or F64. */

#include <stdbool.h>

#include "core/status.h"
#include "core/tensor.h"

/* Checks that v has at least one matrix of F32 or F64 and no axis of length 0. With `square`, rows and
 * columns must also be equal. `what` names the view in the error text. Errors: FGT_E_SHAPE, FGT_E_ARG. */
fgt_status fgti_matrices_check(fgti_error *err, const char *what, const fgt_view *v, bool square);

#endif
