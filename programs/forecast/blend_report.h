/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_BLEND_REPORT_H
#define PROGRAMS_FORECAST_BLEND_REPORT_H

/* Reports on the blend. */

#include "run.h"

/* Prints the members of the blend, and the errors of blend and model. */
void blend_print(const run *r, FILE *out);
/* Adds members and errors of the blend to the page, with its forecasts; without a blend does nothing. */
bool blend_page(const run *r);
/* "members" and "blend"; without a blend does nothing. false: no memory. */
bool blend_report(const run *r, json_t *all);

#endif
