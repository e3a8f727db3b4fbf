/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_RUN_H
#define PROGRAMS_FORECAST_FAST_RUN_H

/* Runs the program without training. */

#include "run.h"

/* Forecasts the series of the table, and prints the results. */
bool fast_run(run *r);

#endif
