/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RARE_H
#define FGTI_RARE_H

/* Series with many rows of 0, such as the sales of spare parts. The forecast of such a series is a rate. Its
 * quantiles are the quantiles of its own values, because errors around a forecast have another
 * distribution. */

#include <stdbool.h>
#include <stdint.h>

/* The rate and the distribution of y [n], n >= 1, with weights c_t = .96^(n - t) of the last 500 rows:
 *
 *     rate = sum c_t y_t / sum c_t,   P(y <= v) = sum of c_t with y_t <= v / sum c_t.
 *
 * The rate falls to 0 when a series ends: Teunter, Syntetos and Babai 2011, "Intermittent demand: linking
 * forecasting to inventory obsolescence". */
double fgti_rare_rate(const double *y, int64_t n);
/* Writes the quantiles q [levels] of this distribution. level rises. */
void fgti_rare_quantiles(const double *y, int64_t n, const double *level, int64_t levels, double *q);

/* A lasting state begins at the row after a run of zeros, if three conditions hold. The run is more than
 * twice as long as any later run of zeros. From the row on there are at least 3 rows, and at most two fifths
 * of them are 0 (or the phase of the season decides which rows are 0). Two shares of zeros, one before the
 * row and one from it on, are e^6 times as likely as one common share. If several rows fulfil this, the most
 * likely one counts. */

/* Returns the number of rows before the begin of a lasting state, if nine tenths of these rows are 0. The
 * series is then read from there on. 0: there is no lasting state, or fewer of these rows are 0. */
int64_t fgti_rare_count_leading(const double *y, int64_t n, int64_t period);

/* Whether a series is rare. No value is below 0. More than two fifths of the last rows are 0 (60 rows, or 3
 * seasons if these are more), and no lasting state begins in these rows. The phase of the season does not
 * decide which rows are 0: from 3 seasons on, the variance of the shares of zeros over the phases is at most
 * twice the variance by chance. A series of fewer than 8 rows is never rare. */
bool fgti_rare_is(const double *y, int64_t n, int64_t period);

#endif
