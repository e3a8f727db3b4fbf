/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RARE_H
#define FGTI_RARE_H

/* Series with many rows of 0, such as the sales of spare parts. Their forecast is a rate. Their quantiles are
 * quantiles of their own values, because errors around a forecast have another distribution. */

#include <stdbool.h>
#include <stdint.h>

/* With the weights c_t = .96^(n - t) of rows, over the last 500 rows:
 *     rate = sum c_t y_t / sum c_t,   P(y <= v) = sum of c_t with y_t <= v / sum c_t.
 * The rate falls to 0 when a series ends: Teunter, Syntetos and Babai 2011, "Intermittent demand: linking
 * forecasting to inventory obsolescence".
 * y [n], n >= 1. */
double fgti_rare_rate(const double *y, int64_t n);
/* q [levels] of the distribution; level rises. */
void fgti_rare_quantiles(const double *y, int64_t n, const double *level, int64_t levels, double *q);

/* A lasting state begins at the row after a run of zeros that is more than twice as long as any later run.
 * From this row on there are at least 3 rows, and at most two fifths of them are 0 (or the phase of the
 * season decides which). Two shares of zeros, before the row and from it on, are e^6 times as likely as one.
 * Of several such rows the most likely one counts. */

/* The number of rows before the begin of a lasting state, if nine tenths of them are 0: then the series
 * begins there. 0: no such rows. */
int64_t fgti_rare_count_leading(const double *y, int64_t n, int64_t period);

/* Whether no value is below 0, more than two fifths of the last rows are 0 (60 rows, or 3 seasons if these
 * are more), and the phase of the season does not decide which: from 3 seasons on, the variance of the shares
 * of zeros over the phases is at most twice the variance by chance. No lasting state begins in these rows.
 * Fewer than 8 rows are never rare. */
bool fgti_rare_is(const double *y, int64_t n, int64_t period);

#endif
