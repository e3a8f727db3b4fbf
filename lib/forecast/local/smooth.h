/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SMOOTH_H
#define FGTI_SMOOTH_H

/* Exponential smoothing of a series without season. */

#include <stdint.h>

/* The way in which forecasts continue the last level. */
typedef enum fgti_trend {
    FGTI_TREND_NONE,  /* constant */
    FGTI_TREND_THETA, /* by half the slope s of the line through all rows. This is the Theta method: Hyndman
                          and Billah 2003, "Unmasking the Theta method" */
    FGTI_TREND_ENDS,  /* by the slope of the line from the first row to the last one */
    FGTI_TREND_DAMPED /* by a slope that is itself smoothed, and that fades */
} fgti_trend;

/* Forecasts f [h] by exponential smoothing: Gardner and McKenzie 1985, "Forecasting trends in time series".
 * With the level l, the slope g, and the error e_t = y_t - (l + phi g + d) of the forecast of row t,
 *
 *     l <- l + phi g + d + alpha e_t,   g <- phi g + alpha beta e_t,
 *     f_k = l + k d + (phi + .. + phi^k) g
 *
 * The recursion begins with l = y_1 and g = 0. (alpha, beta, phi) is the point of a grid with the least sum
 * of e_t^2. d is the slope that `trend` names, times max(0, 1 - v / s^2). Here s is the slope of the line
 * through all rows, and v the variance of s by the residuals of this line, so that few rows show no slope.
 * With FGTI_TREND_DAMPED d is 0, otherwise g is 0. */
void fgti_smooth(const double *y, int64_t n, fgti_trend trend, int64_t h, double *f);

/* Smooths blocks of rows. fgti_smooth() forecasts the means of blocks of `size` rows, counted from the end of
 * the series. Straight lines between the middles of blocks give the rows. This shows slow changes that single
 * rows hide: Athanasopoulos, Hyndman, Kourentzes and Petropoulos 2017, "Forecasting with temporal
 * hierarchies". There must be at least 4 blocks. scratch [n / size + h / size + 3]. */
void fgti_smooth_blocks(const double *y, int64_t n, int64_t size, fgti_trend trend, int64_t h,
                        double *scratch, double *f);

#endif
