/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PACK_H
#define FGTI_PACK_H

/* Copies matrices into the order in which the microkernels read them. */

#include "core/tensor.h"

/* One panel [k][width]: dst[p*width + i] = src[i*si + p*sp] for i < count, and 0 for i >= count. si == 1
 * (copies of rows) and sp == 1 (transposes) are the fast cases. */
void fgti_pack_panel(int64_t width, int64_t count, int64_t k, const fgti_real *src, int64_t si, int64_t sp,
                     fgti_real *dst);

/* dst[j*ldd + i] = src[i*lds + j] for i < rows, j < cols. */
void fgti_pack_transpose(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst,
                         int64_t ldd);

/* dst[p*ld + i] = src[p*sp + i], i < count, p < k */
void fgti_pack_rows(int64_t count, int64_t k, const fgti_real *src, int64_t sp, fgti_real *dst, int64_t ld);

#endif
