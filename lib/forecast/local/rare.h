/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RARE_H
#define FGTI_RARE_H

/* Series of which many rows are 0, such as the sales of spare parts. Their forecast is a rate, and their
 * quantiles are those of their own values, because no error around a forecast is distributed like that. */

#include <stdbool.h>
#include <stdint.h>

/* With the weights c_t = .96^(n - t) of rows:
 *     rate = sum c_t y_t / sum c_t,   P(y <= v) = sum of c_t with y_t <= v / sum c_t.
 * of the last 500 rows. The rate falls to 0 where a series ends: Teunter, Syntetos and Babai 2011,
 * "Intermittent demand: linking forecasting to inventory obsolescence".
 * y [n], n >= 1. */
double fgti_rare_rate(const double *y, int64_t n);
/* q [levels] of the distribution; level rises. */
void fgti_rare_quantiles(const double *y, int64_t n, const double *level, int64_t levels, double *q);

/* The row at which a run of zeros ends that is more than twice as long as any later one, and at which a
 * lasting state begins: there are 3 rows or more from it on, not more than two fifths of these are 0 (or the
 * phase of the season says which), and two shares of zeros, before it and from it on, are e^6 times as likely
 * as one. Of several such rows the likeliest one. 0: none. */
int64_t fgti_rare_begin(const double *y, int64_t n, int64_t period);
/* The same where nine tenths of the rows before it are 0: then the series begins there. */
int64_t fgti_rare_count_unborn(const double *y, int64_t n, int64_t period);

/* Whether no value is below 0, more than two fifths of the last rows (60, or 3 seasons where these are more)
 * are 0, and it is not the phase of the season that says which: the variance of the shares of zeros over the
 * phases is at most twice what chance makes of it (from 3 seasons on); and these rows have no
 * fgti_rare_begin(). Fewer than 8 rows are never rare. */
bool fgti_rare_is(const double *y, int64_t n, int64_t period);

#endif
