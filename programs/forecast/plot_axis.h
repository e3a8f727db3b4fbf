/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_PLOT_AXIS_H
#define PROGRAMS_FORECAST_PLOT_AXIS_H

/* Times and numbers below a panel of the plot. */

#include <fighter/time.h>

#include "plot_panel.h"

/* Writes times below a panel; position i is the time `first` + i steps. */
void axis_times(const panel *p, int64_t first, const fgt_time_step *step);
/* Writes whole numbers from `from` on below a panel. */
void axis_numbers(const panel *p, int64_t from);

#endif
