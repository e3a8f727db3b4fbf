/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_MAP_H
#define FGTI_LINEAR_MAP_H

/* An affine map from L rows of a series to the H rows after them, in closed form. It is the weighted mean of
 * several linear regressions, which is an affine map again. */

#include "core/context.h"
#include "forecast/linear/linear_task.h"

/* Fits the maps of a task.
 *
 * Input. The map of a series x reads and forecasts x - s e. Here e is the effect of the known values, and s
 * is the share of the effect that is subtracted. Short gaps get the values of one season before. If less than
 * a tenth of the windows are then without gaps, all gaps between two values are filled with these values or
 * with the last value.
 *
 * Tests. The forms of linear_forms.h are solved on the training rows by normal equations, in double, and
 * tested on the validation rows. If the validation rows have fewer than 12 horizons, the forms are solved on
 * two thirds of the training rows, and also tested on the last third. Each series has its own map, unless
 * there is only one series or the maps would be too large:
 *
 *     W = sum_i w_i W_i,  w_i = p_i exp(-(E_i / min_j E_j - 1) n / 4) / sum of these products over all forms
 *
 * W_i is the map of form i, and E_i its squared error in the tests. n is the number of horizons in the tests,
 * at most 75. p_i is the length of the form's window divided by L, or 1 for a form without weights. After the
 * tests the forms are solved once more, on the rows up to `end`.
 *
 * Share of the last value. gain.h gives the probability that W is better than the last value. W is weighted
 * by this probability, and the last value gets the rest, so a random walk is forecast by its last value.
 * Without tests the last value gets all. Some series have less than half of the training rows, and no horizon
 * of tests. The weights of such a series, and its share of the last value, come from the other series. If
 * such a series has an effect, W repeats its last season instead.
 *
 * Share of the effect. s is the mean of the numbers 0 .. 1 with the weights exp(-(E(s) / min E - 1) 30 n), n
 * at most 30. E(s) is interpolated linearly between the errors with s = 0, 1/2 and 1 of one regression, which
 * reads the last season of a window or its last 48 rows. If the effect is not divisible, s is 1. Series that
 * have less than half of the training rows are always tested for s; without tests their s is 0.
 *
 * Past columns. Further regressions forecast the errors of a target's map, from the newest rows of the past
 * columns and of the target. They read K, K/4, K/16, ... rows, with K = 64, and are mixed like the forms,
 * with p_i = 1. The mean forecast of step h is added with the share s_h p. s_h has the least squared error in
 * the tests, limited to 0 .. 1, and p is the probability of gain.h that the mean gains more than chance. K is
 * smaller if windows are shorter, if 64 rows would be more than 1024 numbers, or if there would be more than
 * 2^24 weights H T C K. K is 0 if already one row is too much.
 *
 * Call fgti_linear_map_done() even after an error. FGT_E_NOMEM. */
fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map);
void       fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map);

#endif
