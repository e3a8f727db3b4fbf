/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_AUTO_H
#define PROGRAMS_FORECAST_REPORT_AUTO_H

/* Reports on --auto. */

#include "run.h"

/* Print the head of the table of trials of --auto, and a line of it. */
void report_auto_head(FILE *out);
void report_auto_line(const tried *t, FILE *out);
/* "auto", with all trials; false: no memory. */
bool report_set_auto(json_t *object, const run *r);

#endif
