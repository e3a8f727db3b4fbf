/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OPTIONS_MEASURE_H
#define PROGRAMS_FORECAST_OPTIONS_MEASURE_H

/* Options about measuring. */

#include "options.h"

const char            *backtest_mode(int64_t mode);
extern const opt_group options_measure;
/* Checks that these options can be combined. */
bool options_check_measure(const options *o);

#endif
