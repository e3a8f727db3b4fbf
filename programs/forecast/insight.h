/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_INSIGHT_H
#define PROGRAMS_FORECAST_INSIGHT_H

/* The page of --report. Without the option these functions do nothing. */

#include "run.h"

/* Makes the page, before training. */
bool insight_start(run *r);
/* Records the part of an epoch that the page shows. */
bool insight_record(run *r, const fgt_progress *p);
bool insight_write(run *r);

#endif
