/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GAIN_H
#define FGTI_GAIN_H

/* Whether a change to forecasts gains more than chance, on rows that it was not trained on. */

#include <stdint.h>

/* Of the forecasts f and f + d of y, in blocks of rows, gain[b] = sum over block b of (y - f) d. If f is
 * best, y - f is independent of d, and the sum of the gains is 0 but for chance (Clark and West 2007). The
 * logarithm of the odds that it is more,
 *
 *     z^2 / 2 - log(B) / 2,  z = sum_b gain[b] / sqrt(sum_b h_b (h_b + h_{b-1}) B / (B - 1))
 *
 * with h_b = gain[b] less their mean, are those of Schwarz's criterion for one more number and B blocks;
 * -500 if the sum is not above 0. Neighbouring blocks have rows in common, hence the product. A gain counts
 * as 8 times the median size at most: a single value of -9999 would drown all others. Blocks without a gain
 * are left out; of fewer than three, h_b is gain[b]. gain [blocks] and spare [blocks] are written over. */
double fgti_odds_of_gain(double *gain, double *spare, int64_t blocks);

/* Such odds of several series become probabilities p = 1 / (1 + exp(-odds) (1 - q) / q), with q the share of
 * the series that gain, (1 + the sum of p) / (51 + count): at first one in 51. */
void fgti_probabilities_of_gain(double *odds, int64_t count);

#endif
