/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PRETRAIN_H
#define PROGRAMS_FORECAST_PRETRAIN_H

/* Pre-training by masked patches, and its report. */

#include "run.h"

/* Trains r->forecaster on windows with hidden patches, if the options ask for it and the run is not
 * resumed. */
bool pretrain_run(run *r);
void report_masked(const run *r, FILE *out);
bool report_set_masked(json_t *all, const run *r);

#endif
