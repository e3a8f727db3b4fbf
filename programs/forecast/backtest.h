/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_BACKTEST_H
#define PROGRAMS_FORECAST_BACKTEST_H

/* Forecasts from several origins: --backtest. */

#include "run.h"

/* Trains and measures models from the origins of --backtest. r->forecaster must exist, for names and lengths.
 * Afterwards it is the last model that was trained. */
bool backtest_all(run *r);
/* The number of origins that fit into `rows` rows. An origin needs `window` rows, and is `every` rows after
 * the previous one. */
int64_t backtest_count(int64_t every, int64_t window, int64_t rows);
/* Whether all origins of --backtest fit into `rows` rows. An origin needs `window` rows, and is `every` rows
 * after the previous one. If they do not fit, prints a message and returns false. */
bool backtest_fits(const run *r, int64_t every, int64_t window, int64_t rows);

#endif
