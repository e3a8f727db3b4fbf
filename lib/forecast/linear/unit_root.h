/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNIT_ROOT_H
#define FGTI_UNIT_ROOT_H

/* Whether a series returns to its mean, and whether anything but its last value foretells it: this decides
 * if a forecast may leave the last value. Many rows answer both, even where the horizon goes into them but a
 * few times. */

#include "core/vec/vec.h"
#include "forecast/linear/moments.h"

/* P: the most lags of the regressions below for a series of `rows` rows, 12 (rows / 100)^(1/4) (Schwert
 * 1989). */
int64_t fgti_unit_root_lags(int64_t rows);

/* The logarithm of the odds that a series returns to its mean against a unit root, a random walk whatever its
 * steps depend on. In the regression of Dickey and Fuller
 *
 *     x_t - x_{t-1} = c + a x_{t-1} + sum_{k=1}^{p} b_k (x_{t-k} - x_{t-k-1}) + e_t
 *
 * with t the estimate of a over its standard error s / sqrt(A), these are
 *
 *     o_p = t^2 / 2 - log(A / s^2) / 2,    t = 0 if a > 0
 *
 * (Phillips and Ploberger 1996, An asymptotic theory of Bayesian inference for time series). A is the sum of
 * squares of x_{t-1} without what the other terms say of it. Few lags miss what the steps depend on, many
 * hide a return, so the odds are averaged over p = 0 .. P:
 *
 *     log(sum_p w_p exp(o_p) / sum_p w_p),    log w_p = -n/2 log S_p - p
 *
 * with S_p the sum of squares of e_t where a = 0, over n rows: Akaike's weights, of a walk. All p have the
 * same rows. m: of windows of P + 2 rows. matrix [P+2,P+2] is written over. 0: no regression has a
 * solution. */
double fgti_unit_root_odds(const fgti_vec *vec, const fgti_moments *m, double *matrix);

/* Turns such odds of n series into probabilities, each 1 / (1 + exp(-odds) (1 - q) / q). q is the share of
 * all series that are no walks, (1 + the sum of the probabilities) / (4 + n). */
void fgti_unit_root_probabilities(double *odds, int64_t n);

/* The logarithm of the odds that forecasts y' of the row h steps ahead beat the last value for other reasons
 * than chance:
 *
 *     t^2 / 2 - log(n / v) / 2,    t = sum_b g_b / sqrt(v sum_b g_b^2), 0 if it is less
 *     g_b = sum of (y - x)(y' - x) over block b of h neighbouring rows, x the last value, y the truth
 *
 * If the last value is best, y - x is independent of all that came before, and t has the distribution of
 * Student: the test of Clark and West (2007) for a forecast that contains another one. The odds are those of
 * Schwarz's criterion for one more parameter, with n blocks. Neighbouring blocks have steps in common, so v
 * is 3/2 for h > 1, as of walks, else 1. gain [rows] has (y - x)(y' - x), 0 where a value is missing. It
 * becomes multiples of its mean absolute value, up to 5: a single value of -9999 would drown all others.
 * 0: there is no gain in any row. */
double fgti_forecast_odds(double *gain, int64_t rows, int64_t h);

/* How many of the steps 1, 2, 4, ... up to most have 30 such blocks in so many rows; at least 1. Of fewer,
 * chance gives large t too often. */
int64_t fgti_forecast_steps(int64_t rows, int64_t most);

/* The same of the sums over several series, gain [series,rows]: what they have in common is no more than one
 * series has. */
double fgti_forecast_odds_of_all(double *gain, int64_t series, int64_t rows, int64_t h);

/* log of the mean of exp(odds[i]) */
double fgti_mean_odds(const double *odds, int64_t n);

#endif
