/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UNSEEN_H
#define FGTI_UNSEEN_H

/* Series that hold a season, of which no run has seen one. */

#include "forecast/local/local_members.h"
#include "forecast/local/panel.h"

/* With m the season, such series have m rows or more, and fewer than m before their last run, so their runs
 * say nothing of the season. Their own rows do:
 *
 *     S = sum_t |y_t - y_{t-m}|,  L = sum_t mean_k |y_t - y_{t-k}|,  t >= m, k = 1 .. min(h, m)
 *
 * are errors of the value of a season before and of last values. The seasonal value takes the share max(1 -
 * q^2, 0) of the weights [panel->count,FGTI_MEMBERS] of a series, with q its S / L, shrunk towards the one
 * of all such series as if six further rows had said so. Fewer than four rows in all say nothing. */
void fgti_unseen_season(const fgti_panel *panel, double *weight);

#endif
