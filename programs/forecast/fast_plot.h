/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_PLOT_H
#define PROGRAMS_FORECAST_FAST_PLOT_H

/* The picture of --plot without training. */

#include "fast.h"

/* Number of rows of history in the pictures, at most as many as the longest series has. */
int64_t fast_find_history(const fast *f);
/* Writes the picture of --plot, with the last rows and the forecast. */
bool fast_plot(const fast *f);

#endif
