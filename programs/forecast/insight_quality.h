/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_INSIGHT_QUALITY_H
#define PROGRAMS_FORECAST_INSIGHT_QUALITY_H

/* The accuracy of the forecasts, for the page of --report. */

#include "run.h"

/* Adds the accuracy of the forecasts to r->page. */
bool insight_add_quality(const run *r);

#endif
