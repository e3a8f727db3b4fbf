/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_H
#define PROGRAMS_FORECAST_REPORT_H

/* Reports on the run. */

#include "run.h"

void report_start(const run *r, FILE *out);
void report_errors(const run *r, FILE *out);
/* Prints one JSON object. */
bool report_json(run *r, FILE *out);
/* Rows, errors, intervals; NULL: no memory. */
json_t *report_describe_errors(const run *r);

#endif
