/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OUTLIERS_H
#define PROGRAMS_FORECAST_OUTLIERS_H

/* Makes isolated values missing before a training. */

#include "run.h"

/* Makes single values of targets and past columns missing if they are probably wrong, and names them, unless
 * an option keeps them. table: of this file. r->forecaster, if there is one, has the columns. On error prints
 * a message and returns false. */
bool outliers_leave_out(const run *r, const char *path, fgt_table *table);

#endif
