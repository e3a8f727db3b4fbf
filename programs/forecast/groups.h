/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_GROUPS_H
#define PROGRAMS_FORECAST_GROUPS_H

/* Groups of training windows. */

#include "run.h"

/* The group of each training window, which the caller frees, and the number of groups: calm, medium and
 * lively, or with --by-group the series. NULL after a message. */
int64_t *groups_of_windows(const run *r, int64_t *groups);

#endif
