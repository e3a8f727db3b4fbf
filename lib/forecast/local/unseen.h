/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNSEEN_H
#define FGTI_UNSEEN_H

/* Series that contain a season which no run has seen. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* Sums over the series of the first kind below: the number of t, and S and L in units of the series. */
typedef struct fgti_unseen {
    double rows, seasonal, last;
} fgti_unseen;

/* Series of the first kind have m rows or more, with m the season, but fewer than m + 2 rows before their
 * last run. So the errors of runs do not include a season. The rows of the series themselves give the errors
 * of the value a season before, S, and of last values, L, with d = 1:
 *
 *     S = sum_t |y_t - y_{t-m}|,  L = sum_t mean_k |y_t - y_{t-kd}|,  t >= m, kd = d .. min(h, m)
 *
 * A second kind of series have 2 to 3 long seasons, of up to 7 seasons each, such as two weeks of hours.
 * Hardly a run has seen means over these. For them m is the long season, and d the season.
 * The sums are over the series of the first kind. */
fgti_unseen fgti_unseen_find(const fgti_panel *panel);

/* The share of the weights of a series
 *
 *     max(1 - q^2, 0)
 *
 * for the seasonal value, or for the long phase means if m is the long season; 0 for other series. q is the
 * S / L of the series, shrunk towards the S / L of all such series as if six more rows had that value (series
 * of the second kind: its own S / L). With fewer than four rows in all, the share is 0.
 * *error, if the share is above 0: the mean |y_t - y_{t-m}| in units of the series, shrunk in the same way,
 * which is the expected error of the member. */
double fgti_unseen_share(const fgti_panel *panel, const fgti_unseen *all, int64_t series, double *error);

/* Gives the member its share of weight [panel->count,FGTI_MEMBERS]. */
void fgti_unseen_season(const fgti_panel *panel, double *weight);

#endif
