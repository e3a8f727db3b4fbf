/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_BACKTEST_H
#define PROGRAMS_FORECAST_BACKTEST_H

/* Forecasts from several origins: --backtest. */

#include "run.h"

/* Trains and measures from the origins of --backtest. r->forecaster must exist, for names and lengths;
 * afterwards it is the last model that was trained. */
bool backtest_all(run *r);
/* The number of origins that fit into `rows` rows; each needs `window` rows and is `every` rows after the
 * previous one. */
int64_t backtest_count(int64_t every, int64_t window, int64_t rows);
/* Whether `rows` rows hold all origins, which need `window` rows each and are `every` rows apart. On error
 * prints a message and returns false. */
bool backtest_fits(const run *r, int64_t every, int64_t window, int64_t rows);

#endif
