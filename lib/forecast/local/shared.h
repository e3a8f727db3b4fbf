/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARED_H
#define FGTI_SHARED_H

/* One map from a window to the rows after it, for all series of a panel. So short series learn from each
 * other patterns that no single series shows. */

#include "core/context.h"
#include "core/tensor.h"

/* Rows of a series. */
typedef struct fgti_rows {
    const double *y;
    int64_t       n;
} fgti_rows;

/* A window w of L rows is read relative to its last row, in units of its standard deviation:
 *     x = (w - w_L) / std w,   phi(x) = [x, relu(R [x, 1]), 1],   f = w_L + std w (B phi(x))
 * R [E,L] is random and fixed. B minimises absolute errors with a penalty, by three weighted least squares.
 * Random features: Rahimi and Recht 2008, "Weighted sums of random kitchen sinks". */
typedef struct fgti_shared {
    int64_t    lags, h; /* L, H */
    int64_t    terms;   /* of phi */
    fgti_real *random;  /* R [E,L] */
    double    *weight;  /* B' [terms,H] */
} fgti_shared;

/* L for series with a season of `period` rows; half of all rows belong to series of at least `median`
 * rows. */
int64_t fgti_shared_lags(int64_t period, int64_t median);
/* Learns from all windows of the series, or from evenly spaced ones if there are more than 20,000 (5,000 if a
 * series has 400 windows on average), or fewer with many lags and rows. *out is NULL if there are fewer than
 * 3 L windows. FGT_E_NOMEM. */
fgt_status fgti_shared_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t lags, int64_t h,
                           fgti_shared **out);
void       fgti_shared_free(fgt_context *ctx, fgti_shared **shared);
/* f [h]. A series of fewer than L rows is extended at its beginning by copies of its first row.
 * scratch [fgti_shared_scratch(L)] */
int64_t    fgti_shared_scratch(int64_t lags);
void fgti_shared_forecast(const fgti_shared *shared, const double *y, int64_t n, double *scratch, double *f);

#endif
