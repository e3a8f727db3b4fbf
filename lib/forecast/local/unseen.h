/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNSEEN_H
#define FGTI_UNSEEN_H

/* Series that hold a season of which no run has seen one. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* How many t below, S and L in units of the series, over all such series. */
typedef struct fgti_unseen {
    double rows, seasonal, last;
} fgti_unseen;

/* Such series have m rows or more, with m the season, but fewer than m + 2 rows before their last run. So the
 * errors of runs say nothing of the season. The rows of the series themselves give the errors of the value a
 * season before, S, and of last values, L, with d = 1:
 *
 *     S = sum_t |y_t - y_{t-m}|,  L = sum_t mean_k |y_t - y_{t-kd}|,  t >= m, kd = d .. min(h, m)
 *
 * Other series have 2 to 3 long seasons, of up to 7 seasons each: two weeks of hours. Hardly a run has seen
 * the means over these. There m is the long season, and d the season.
 * The sums are those over the series of the first kind. */
fgti_unseen fgti_unseen_find(const fgti_panel *panel);

/* The share
 *
 *     max(1 - q^2, 0)
 *
 * that the seasonal value takes of the weights of a series, or the long phase means where m is the long
 * season; 0 of other series. q is the S / L of the series, shrunk towards the S / L of all such series as if
 * six further rows had said so (of the second kind it is its own). With fewer than four rows in all, it is 0.
 * *error, where the share is above 0: the mean |y_t - y_{t-m}| in units of the series, shrunk in the same
 * way, which is the error to expect from the member. */
double fgti_unseen_share(const fgti_panel *panel, const fgti_unseen *all, int64_t series, double *error);

/* Gives the member its share of weight [panel->count,FGTI_MEMBERS]. */
void fgti_unseen_season(const fgti_panel *panel, double *weight);

#endif
