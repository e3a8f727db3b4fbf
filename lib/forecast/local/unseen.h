/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNSEEN_H
#define FGTI_UNSEEN_H

/* Series that hold a season, of which no run has seen one. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* How many t below, S and L in units of the series, over all such series. */
typedef struct fgti_unseen {
    double rows, seasonal, last;
} fgti_unseen;

/* Such series have m rows or more, with m the season, but fewer than m + 2 rows before their last run. So the
 * errors of runs say nothing of the season. The rows of the series themselves give the errors of the value a
 * season before, S, and of last values, L:
 *
 *     S = sum_t |y_t - y_{t-m}|,  L = sum_t mean_k |y_t - y_{t-k}|,  t >= m, k = 1 .. min(h, m)
 */
fgti_unseen fgti_unseen_find(const fgti_panel *panel);

/* The share
 *
 *     max(1 - q^2, 0)
 *
 * that the seasonal value takes of the weights of a series; 0 of other series. q is the S / L of the series,
 * shrunk towards the S / L of all such series as if six further rows had said so. With fewer than four rows
 * in all, it is 0. *error, where the share is above 0: the mean |y_t - y_{t-m}| in units of the series,
 * shrunk in the same way, which is the error to expect from the seasonal value. */
double fgti_unseen_share(const fgti_panel *panel, const fgti_unseen *all, int64_t series, double *error);

/* Gives the seasonal value its share of weight [panel->count,FGTI_MEMBERS]. */
void fgti_unseen_season(const fgti_panel *panel, double *weight);

#endif
