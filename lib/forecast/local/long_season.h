/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LONG_SEASON_H
#define FGTI_LONG_SEASON_H

/* Chooses the season of a few weeks of hours: the week or the day. */

#include "forecast/local/runs.h"

/* Members use one season as it is, and only means of the longer one. If half of the series have 2 to 12
 * longer seasons, of up to 336 rows, all members are tried with the longer one as their season. If the
 * forecasts of this trial for the last rows, with weights from older rows, have the smaller error, *panel and
 * *runs become the trial's. The runs of *panel were made before; go_on() is only called for runs of the
 * trial. FGT_E_NOMEM; FGT_E_CANCELLED go_on() said no. */
fgt_status fgti_long_season_try(fgt_context *ctx, fgti_panel *panel, fgti_runs *runs, fgti_go_on go_on,
                                void *arg);

#endif
