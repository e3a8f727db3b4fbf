/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_BLEND_REPORT_H
#define PROGRAMS_FORECAST_BLEND_REPORT_H

/* Reports on the blend. */

#include "run.h"

/* Prints the members of the blend, and the errors of blend and model. */
void blend_print(const run *r, FILE *out);
/* Adds the members, the errors and the forecasts of the blend to the page. Does nothing without a blend. */
bool blend_page(const run *r);
/* Adds the objects "members" and "blend". Does nothing without a blend. Returns false if there is no
 * memory. */
bool blend_report(const run *r, json_t *all);

#endif
