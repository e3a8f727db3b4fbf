/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_SETTINGS_H
#define PROGRAMS_FORECAST_REPORT_SETTINGS_H

/* The settings of a run, for --json. */

#include "run.h"

/* "settings", "data" and "build": the information that is needed to compare or repeat the run. false: no
 * memory, or a message was printed. */
bool report_set_settings(json_t *object, const run *r);

#endif
