/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LONG_SEASON_H
#define FGTI_LONG_SEASON_H

/* A few weeks of hours: whether the week is the season, or the day. */

#include "forecast/local/runs.h"

/* Members see one season as it is, and of the longer one only means. Where half of the series have 2 to 12
 * of the longer one, of up to 336 rows, all members are tried with it as their season: *panel and *runs
 * become those of this trial, where its forecasts of the last rows, by weights from older rows, had the
 * smaller error. The runs of *panel are made before, and go_on() hears of no others. FGT_E_NOMEM;
 * FGT_E_CANCELLED go_on() said no. */
fgt_status fgti_long_season_try(fgt_context *ctx, fgti_panel *panel, fgti_runs *runs, fgti_go_on go_on,
                                void *arg);

#endif
