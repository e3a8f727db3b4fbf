/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_BACKTEST_H
#define PROGRAMS_FORECAST_REPORT_BACKTEST_H

/* Reports on --backtest. */

#include "run.h"

/* Prints the origins of --backtest, `every` rows apart. */
void report_backtest_start(const run *r, int64_t every, FILE *out);
void report_backtest(const run *r, FILE *out);
/* "backtest", with all origins; false: no memory. */
bool report_set_backtest(json_t *object, const run *r);

#endif
