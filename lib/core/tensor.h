/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TENSOR_H
#define FGTI_TENSOR_H

/* The element type, and checks of an fgt_view. */

#include "core/status.h"

/* The element type of all computations in layers. The library is also built with double, only for the tests
 * by finite differences. */
#ifdef FGTI_DOUBLE
typedef double fgti_real;
#define FGTI_REAL FGT_DTYPE_F64
#else
typedef float fgti_real;
#define FGTI_REAL FGT_DTYPE_F32
#endif

/* Bytes of an element; 0 for an unknown type. */
size_t      fgti_dtype_size(int32_t dtype);
const char *fgti_dtype_name(int32_t dtype);

/* Writes the shape as "[2,13,20]" into buf, for error texts, and returns buf. buf has room for 8 axes, each
 * with a comma and 19 digits. A view has fewer axes, but a tensor of a safetensors file may have 8. */
#define FGTI_SHAPE_RANK 8
#define FGTI_SHAPE_TEXT 168
const char *fgti_shape_text(int32_t rank, const int64_t *shape, char buf[FGTI_SHAPE_TEXT]);

/* Checks that v has this type and shape, and data; -1 in `shape` allows any size. `what` names the view in
 * the error text: "dy has the wrong shape (got [2,3], need [2,4])". */
fgt_status fgti_view_check(fgti_error *err, const char *what, const fgt_view *v, int32_t dtype,
                           int32_t rank, const int64_t *shape);

/* Element i of an F32 or F64 view. */
static inline double fgti_view_get(const fgt_view *v, int64_t i)
{
    return v->dtype == FGT_DTYPE_F64 ? ((const double *)v->data)[i] : (double)((const float *)v->data)[i];
}

static inline void fgti_view_set(const fgt_view *v, int64_t i, double x)
{
    if (v->dtype == FGT_DTYPE_F64)
        ((double *)v->data)[i] = x;
    else
        ((float *)v->data)[i] = (float)x;
}

/* FGT_OK when v is of F32 or F64 and has this shape; -1 takes any size. */
fgt_status fgti_view_check_number(fgti_error *err, const char *what, const fgt_view *v, int32_t rank,
                                  const int64_t *shape);

#endif
