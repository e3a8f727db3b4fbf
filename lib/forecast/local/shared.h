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

/* The map. It reads a window w of L rows relative to its last row, in units of the window's standard
 * deviation:
 *
 *     x = (w - w_L) / std w,   phi(x) = [x, relu(R [x, 1]), 1],   f = w_L + std w (B phi(x))
 *
 * R [E,L] is random and fixed. B minimises absolute errors plus a penalty; it is found by three weighted
 * least squares. Random features: Rahimi and Recht 2008, "Weighted sums of random kitchen sinks". */
typedef struct fgti_shared {
    int64_t    lags, h; /* L, H */
    int64_t    terms;   /* number of elements of phi */
    fgti_real *random;  /* R [E,L] */
    double    *weight;  /* B' [terms,H] */
} fgti_shared;

/* Returns L for series with a season of `period` rows, if half of all rows belong to series of at least
 * `median` rows. */
int64_t fgti_shared_lags(int64_t period, int64_t median);
/* Learns the map from the windows of all series. If there are more than 20,000 windows (5,000 if a series has
 * 400 windows on average), or with many lags and rows even fewer, evenly spaced ones are taken. *out is NULL
 * if there are fewer than 3 L windows. FGT_E_NOMEM. */
fgt_status fgti_shared_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t lags, int64_t h,
                           fgti_shared **out);
void       fgti_shared_free(fgt_context *ctx, fgti_shared **shared);
/* Forecasts f [h]. A series of fewer than L rows is extended at its beginning by copies of its first row.
 * scratch [fgti_shared_scratch(L)] */
int64_t    fgti_shared_scratch(int64_t lags);
void fgti_shared_forecast(const fgti_shared *shared, const double *y, int64_t n, double *scratch, double *f);

#endif
