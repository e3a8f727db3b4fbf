/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/views.h"

#include <string.h>

/* Checks a view of a tensor [B,N,T,D]. The view may leave out axes N and T of length 1. */
fgt_status fgti_view_expect(fgti_error *err, const char *what, const fgt_view *v, int64_t batch, fgti_shape s)
{
    const int64_t axes[]  = {s.nodes, s.time, s.width};
    int64_t       want[4] = {batch}, have[FGT_MAX_RANK];
    int32_t       n = 1, m = 0;
    for (int i = 0; i < 3; i++)
        if (axes[i] != 1 || i == 2) want[n++] = axes[i];
    fgt_view squeezed;
    if (v && v->rank > 0 && v->rank <= FGT_MAX_RANK) {
        squeezed = *v;
        for (int32_t i = 0; i < v->rank; i++)
            if (i == 0 || i == v->rank - 1 || v->shape[i] != 1) have[m++] = v->shape[i];
        memcpy(squeezed.shape, have, (size_t)m * sizeof *have);
        squeezed.rank = m;
        /* if D is 1, the caller may leave out D instead of another axis */
        if (s.width == 1 && m == n - 1) squeezed.shape[squeezed.rank++] = 1;
        if (fgti_view_check(NULL, what, &squeezed, FGTI_REAL, n, want) == FGT_OK) return FGT_OK;
    }
    return fgti_view_check(err, what, v, FGTI_REAL, n, want);
}

fgt_view fgti_view_of(fgti_real *data, int64_t batch, fgti_shape s)
{
    fgt_view v        = {.data = data, .dtype = FGTI_REAL};
    v.shape[v.rank++] = batch;
    if (s.nodes != 1) v.shape[v.rank++] = s.nodes;
    if (s.time != 1) v.shape[v.rank++] = s.time;
    v.shape[v.rank++] = s.width;
    return v;
}
