/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LONG_SEASON_H
#define FGTI_LONG_SEASON_H

/* Chooses between two seasons, for example a day and a week if a series has a few weeks of hourly rows. */

#include "forecast/local/runs.h"

/* Decides which season the members use. Members model one season, and take only means of the longer season.
 * If half of the series have 2 to 12 longer seasons, of up to 336 rows, a trial runs all members with the
 * longer season in place of the season. The trial wins if it forecasts the last rows with the smaller error,
 * by weights from older rows. *panel and *runs then become the panel and the runs of the trial. The runs of
 * *panel were made before this call; go_on() is only called for runs of the trial. FGT_E_NOMEM;
 * FGT_E_CANCELLED go_on() returned false. */
fgt_status fgti_long_season_try(fgt_context *ctx, fgti_panel *panel, fgti_runs *runs, fgti_go_on go_on,
                                void *arg);

#endif
