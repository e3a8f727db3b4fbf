/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAGS_H
#define FGTI_LAGS_H

/* A series as a linear function of its own past. */

#include "core/vec/vec.h"

/* With z_t = y_t - y_(t-d), d a season (or 1 row with fewer than 3 seasons):
 *     z_t = sum over lags j of a_j z_(t-j) + b
 * j is 1, 2, 3, and with a season m, m + 1 and, in long series, 2 m. a and b come from least squares with a
 * penalty, from at most the last 1,500 rows. Forecasts are the input of later forecasts. A seasonal
 * autoregression: Box and Jenkins 1970, "Time series analysis: forecasting and control".
 * Scratch [2 (n + h)]. False: too few rows, or z is 0 everywhere. */
bool fgti_lags(const fgti_vec *vec, const double *y, int64_t n, int64_t period, int64_t h, double *scratch,
               double *f);

#endif
