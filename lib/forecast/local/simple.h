/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SIMPLE_H
#define FGTI_SIMPLE_H

/* Forecasts that copy or average rows. y [n], n >= 1; f [h]. */

#include <stdbool.h>
#include <stdint.h>

/* f_k = y_n. */
void fgti_last_value(const double *y, int64_t n, int64_t h, double *f);
/* f_k = y_n + k (y_n - y_1) / (n - 1). */
void fgti_drift(const double *y, int64_t n, int64_t h, double *f);
/* f_k = the mean of all rows. */
void fgti_mean(const double *y, int64_t n, int64_t h, double *f);
/* f_k = y_(n - m + k), where the last season is repeated as often as needed. Returns false if there are fewer
 * rows than a season. */
bool fgti_seasonal_value(const double *y, int64_t n, int64_t period, int64_t h, double *f);
/* f_k = the mean of the rows of its phase in the last 10 seasons. Returns false if there are fewer rows than
 * a season. */
bool fgti_phase_means(const double *y, int64_t n, int64_t period, int64_t h, double *f);
/* f_k = the median of the last `rows` rows, or of all rows if there are fewer. scratch [rows] */
void fgti_recent_median(const double *y, int64_t n, int64_t rows, int64_t h, double *scratch, double *f);

#endif
