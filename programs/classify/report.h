/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_REPORT_H
#define PROGRAMS_CLASSIFY_REPORT_H

/* Reports on the run. */

#include "run.h"

int64_t report_count_members(const run *r);
void    report_start(const run *r, FILE *out);
void    report_result(const run *r, FILE *out);
/* Prints one JSON object. */
bool report_json(const run *r, FILE *out);

#endif
