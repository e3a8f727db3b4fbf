/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MOMENTS_H
#define FGTI_MOMENTS_H

/* Sums and products over all windows of a series, for linear regression. */

#include "core/alloc.h"

/* Moments of all windows. v is a window of M neighbouring rows. */
typedef struct fgti_moments {
    int64_t size;    /* M */
    double  count;   /* windows */
    double *sum;     /* [M]: of v */
    double *product; /* [M,M]: of v v' */
} fgti_moments;

fgt_status fgti_moments_new(fgt_context *ctx, int64_t size, fgti_moments *m);
void       fgti_moments_done(fgt_context *ctx, fgti_moments *m);
void       fgti_moments_clear(fgti_moments *m);
/* Adds all windows of a series. Windows with a NaN are left out. FGTI_MOMENTS_MORE elements after the end of
 * the series are read; their values do not matter. */
#define FGTI_MOMENTS_MORE 4
void fgti_moments_add_series(fgti_moments *m, const double *series, int64_t rows);
/* m += other */
void fgti_moments_add(fgti_moments *m, const fgti_moments *other);
/* Computes the moments that the windows would have if each element were less by the element `base` of its
 * window. */
void fgti_moments_take_off(const fgti_moments *m, int64_t base, fgti_moments *out);

#endif
