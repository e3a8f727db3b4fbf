/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNSEEN_H
#define FGTI_UNSEEN_H

/* Series that hold a season, of which no run has seen one. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* Such series have m rows or more, with m the season, but fewer than m rows before their last run. So the
 * errors of runs say nothing of the season. The rows of the series themselves give the errors of the value a
 * season before, S, and of last values, L:
 *
 *     S = sum_t |y_t - y_{t-m}|,  L = sum_t mean_k |y_t - y_{t-k}|,  t >= m, k = 1 .. min(h, m)
 *
 * The seasonal value takes this share of the weights [panel->count,FGTI_MEMBERS] of the series:
 *
 *     max(1 - q^2, 0)
 *
 * q is the S / L of the series, shrunk towards the S / L of all such series as if six further rows had said
 * so. With fewer than four such rows in all, the weights stay. */
void fgti_unseen_season(const fgti_panel *panel, double *weight);

#endif
