/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GAIN_H
#define FGTI_GAIN_H

/* Tests whether a change to forecasts gains more than chance, on rows that it was not trained on. */

#include <stdint.h>

/* Returns the log odds that d gains more than chance. Here f are forecasts of y, f + d are other forecasts,
 * and gain[b] is the sum of (y - f) d over block b of the rows. If f is the best forecast, y - f is
 * independent of d, and the sum of the gains is 0 except for chance (Clark and West 2007). By Schwarz's
 * criterion for one more number and B blocks the log odds are
 *
 *     z^2 / 2 - log(B) / 2,  z = sum_b gain[b] / sqrt(sum_b h_b (h_b + h_{b-1}) B / (B - 1))
 *
 * with h_b = gain[b] minus the mean gain. The product with h_{b-1} is there because neighbouring blocks share
 * rows. If the sum of the gains is not above 0, the log odds are -500.
 *
 * A gain is limited to 8 times the median size, because a single value of -9999 would dominate all others.
 * Blocks without a gain are left out. If fewer than three blocks have a gain, h_b is gain[b]. gain [blocks]
 * and spare [blocks] are overwritten. */
double fgti_odds_of_gain(double *gain, double *spare, int64_t blocks);

/* Turns such log odds of several series into probabilities p = 1 / (1 + exp(-odds) (1 - q) / q). Here q is
 * the share of the series that gain, (1 + the sum of p) / (51 + count). The iteration begins with q =
 * 1/51. */
void fgti_probabilities_of_gain(double *odds, int64_t count);

#endif
