/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAGS_H
#define FGTI_LAGS_H

/* A series as a linear function of its own past. */

#include "core/vec/vec.h"

/* Forecasts a series by a linear function of its own past, a seasonal autoregression: Box and Jenkins 1970,
 * "Time series analysis: forecasting and control". With z_t = y_t - y_(t-d), where d is a season (or 1 row if
 * the series has fewer than 3 seasons):
 *     z_t = sum over lags j of a_j z_(t-j) + b
 * The lags j are 1, 2 and 3, with a season also m and m + 1, and in long series also 2 m. a and b minimise
 * the squared errors plus a penalty, over at most the last 1,500 rows. Forecasts are the input of later
 * forecasts. Scratch [2 (n + h)]. Returns false if there are too few rows, or if z is 0 everywhere. */
bool fgti_lags(const fgti_vec *vec, const double *y, int64_t n, int64_t period, int64_t h, double *scratch,
               double *f);

#endif
