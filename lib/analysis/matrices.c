/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/matrices.h"

fgt_status fgti_matrices_check(fgti_error *err, const char *what, const fgt_view *v, bool square)
{
    char text[FGTI_SHAPE_TEXT];
    if (v->dtype != FGT_DTYPE_F32 && v->dtype != FGT_DTYPE_F64)
        return fgti_fail(err, FGT_E_SHAPE, "%s has the wrong type (got %s, need F32 or F64)", what,
                         fgti_dtype_name(v->dtype));
    if (v->rank < 2 || v->rank > FGT_MAX_RANK || fgt_view_count(v) < 1)
        return fgti_fail(err, FGT_E_SHAPE,
                         "%s has the wrong shape (got %s, need [..,rows,columns] without an axis of 0)", what,
                         v->rank < 0 || v->rank > FGT_MAX_RANK ? "malformed"
                                                               : fgti_shape_text(v->rank, v->shape, text));
    if (!v->data) return fgti_fail(err, FGT_E_ARG, "%s has no data", what);
    if (square && v->shape[v->rank - 2] != v->shape[v->rank - 1])
        return fgti_fail(err, FGT_E_SHAPE, "%s has the wrong shape (got %s, need square matrices)", what,
                         fgti_shape_text(v->rank, v->shape, text));
    return FGT_OK;
}
