/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_MAP_H
#define FGTI_LINEAR_MAP_H

/* An affine map from L rows of a series to the H rows after them, in closed form: the weighted mean of
 * several linear regressions, which is an affine map again. */

#include "core/context.h"
#include "forecast/linear/linear_task.h"

/* Input. The map of a series x reads x - s e and forecasts it, with e the effect and s the share of it that
 * is subtracted. Short gaps get the values of a season before. If less than a tenth of the windows then are
 * without gaps, all gaps between two values get these, or the last value.
 *
 * Tests. The forms of linear_forms.h are solved on the training rows by normal equations, in double, and
 * tested on the validation rows. With fewer than 12 horizons there, they are solved on two thirds of the
 * training rows, and also tested on the last third. Each series has its own map, unless there is one series
 * or the maps would be too large:
 *
 *     W = sum_i w_i W_i,  w_i = p_i exp(-(E_i / min_j E_j - 1) n / 4) / sum of the same over i
 *
 * E_i is the squared error of form i in the tests, n the number of horizons in them, at most 75, and p_i the
 * length of the form's window over L, or 1 for a form without weights. Then the forms are solved once more,
 * on the rows up to `end`.
 *
 * Share of the last value. W gets the probability of gain.h as its share, and the last value the rest, so
 * that a random walk is forecast by its last value. Without tests the last value gets all. If a series has
 * less than half of the training rows, and no horizon of tests, its weights and that share come from the
 * others; with an effect, W then repeats its last season.
 *
 * Share of the effect. s is the mean of 0 .. 1 with the weights exp(-(E(s) / min E - 1) 30 n), n at most 30.
 * E(s) is a straight line between the errors of one regression, on the last season of a window or its last 48
 * rows, with s = 0, 1/2 and 1. If the effect is not divisible, s is 1, except for series that have less than
 * half of the training rows: without tests these have s = 0.
 *
 * Past columns. Regressions on the newest K, K/4, K/16, ... rows of them and of the target, K = 64, forecast
 * the errors of the target's map. They are mixed as above, with p_i = 1. Step h of this mean is added with
 * the share s_h p: s_h has the least squared error in the tests, limited to 0 .. 1, and p is the probability
 * of gain.h that it gains more than chance. K is smaller if windows are shorter, if 64 rows would be more
 * than 1024 numbers, or if there would be more than 2^24 weights H T C K; it is 0 if one row would be too
 * much.
 *
 * Call fgti_linear_map_done() even after an error. FGT_E_NOMEM. */
fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map);
void       fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map);

#endif
