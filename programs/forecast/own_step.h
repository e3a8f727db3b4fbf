/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OWN_STEP_H
#define PROGRAMS_FORECAST_OWN_STEP_H

/* Series with a longer step than their file. */

#include "run.h"

/* Refuses series with a longer step than the file, because a model has one step. On error prints a message
 * and returns false. */
bool own_step_check(const run *r);

#endif
