/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_RANGES_H
#define PROGRAMS_FORECAST_RANGES_H

/* Values outside of the range that a model has seen. */

#include "run.h"

/* Warns if a column lies far outside of the range that the loaded model has seen. On error prints a message
 * and returns false. */
bool ranges_warn(const run *r, const char *path, const fgt_table *table);

#endif
