/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNSEEN_H
#define FGTI_UNSEEN_H

/* Series that contain a season which no run has seen. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* Sums over the series of the first kind (below): the number of rows t, and S and L in units of the
 * series. */
typedef struct fgti_unseen {
    double rows, seasonal, last;
} fgti_unseen;

/* Finds the sums over all series of the first kind. Such a series has at least m rows, where m is the season,
 * but fewer than m + 2 rows before its last run. So the errors of its runs do not include a season. The rows
 * of the series themselves give two sums of errors. S is for the value one season before. L is for last
 * values, with d = 1:
 *
 *     S = sum_t |y_t - y_{t-m}|,  L = sum_t mean_k |y_t - y_{t-kd}|,  t >= m, kd = d .. min(h, m)
 *
 * A series of the second kind has 2 to 3 long seasons, of up to 7 seasons each, such as two weeks of hours.
 * Hardly a run has seen means over long seasons. For this kind m is the long season, and d the season. */
fgti_unseen fgti_unseen_find(const fgti_panel *panel);

/* Returns the share of the weights of a series
 *
 *     max(1 - q^2, 0)
 *
 * that goes to the seasonal value, or to the long phase means if m is the long season. For a series of
 * neither kind the share is 0. q is the S / L of the series. In the first kind it is shrunk towards the S / L
 * of all series of this kind, as if six more rows had that value. With fewer than four rows in all, the share
 * is 0.
 *
 * If the share is above 0, *error is the mean |y_t - y_{t-m}| in units of the series, shrunk in the same way.
 * This is the expected error of the member. */
double fgti_unseen_share(const fgti_panel *panel, const fgti_unseen *all, int64_t series, double *error);

/* Gives the member of fgti_unseen_share() its share of weight [panel->count,FGTI_MEMBERS]. */
void fgti_unseen_season(const fgti_panel *panel, double *weight);

#endif
