/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/tensor.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/alloc.h"

static const struct {
    const char *name;
    size_t      size;
} dtypes[] = {[FGT_DTYPE_F32] = {"F32", 4},
              [FGT_DTYPE_F64] = {"F64", 8},
              [FGT_DTYPE_I32] = {"I32", 4},
              [FGT_DTYPE_I64] = {"I64", 8}};

static bool known(int32_t dtype)
{
    return dtype >= 0 && (size_t)dtype < sizeof dtypes / sizeof *dtypes;
}

size_t fgti_dtype_size(int32_t dtype)
{
    return known(dtype) ? dtypes[dtype].size : 0;
}

const char *fgti_dtype_name(int32_t dtype)
{
    return known(dtype) ? dtypes[dtype].name : "unknown type";
}

int64_t fgt_view_count(const fgt_view *view)
{
    if (!view || view->rank < 0 || view->rank > FGT_MAX_RANK) return -1;
    int64_t n = 1;
    for (int32_t i = 0; i < view->rank; i++)
        if (!fgti_size_mul(n, view->shape[i], &n)) return -1;
    return n;
}

const char *fgti_shape_text(int32_t rank, const int64_t *shape, char buf[FGTI_SHAPE_TEXT])
{
    size_t at = 0;
    buf[at++] = '[';
    for (int32_t i = 0; i < rank && i < FGTI_SHAPE_RANK; i++) {
        const char *comma = i ? "," : "";
        at += (size_t)(shape[i] < 0 ? snprintf(buf + at, 24, "%s*", comma)
                                    : snprintf(buf + at, 24, "%s%lld", comma, (long long)shape[i]));
    }
    buf[at++] = ']';
    buf[at]   = 0;
    return buf;
}

fgt_status fgti_view_check(fgti_error *err, const char *what, const fgt_view *v, int32_t dtype,
                           int32_t rank, const int64_t *shape)
{
    char have[FGTI_SHAPE_TEXT], want[FGTI_SHAPE_TEXT];
    if (!v) return fgti_fail(err, FGT_E_ARG, "%s is NULL", what);
    if (fgt_view_count(v) < 0) return fgti_fail(err, FGT_E_SHAPE, "%s has a malformed shape", what);
    bool same = v->rank == rank;
    for (int32_t i = 0; same && i < rank; i++) same = shape[i] < 0 || v->shape[i] == shape[i];
    if (!same)
        return fgti_fail(err, FGT_E_SHAPE, "%s has the wrong shape (got %s, need %s)", what,
                         fgti_shape_text(v->rank, v->shape, have), fgti_shape_text(rank, shape, want));
    if (v->dtype != dtype)
        return fgti_fail(err, FGT_E_SHAPE, "%s has the wrong type (got %s, need %s)", what,
                         fgti_dtype_name(v->dtype), fgti_dtype_name(dtype));
    if (!v->data && fgt_view_count(v) > 0) return fgti_fail(err, FGT_E_ARG, "%s has no data", what);
    return FGT_OK;
}

fgt_status fgti_view_check_number(fgti_error *err, const char *what, const fgt_view *v, int32_t rank,
                                  const int64_t *shape)
{
    const int32_t dtype = v && v->dtype == FGT_DTYPE_F64 ? FGT_DTYPE_F64 : FGT_DTYPE_F32;
    return fgti_view_check(err, what, v, dtype, rank, shape);
}
