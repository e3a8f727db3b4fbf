/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OPTIONS_DATA_H
#define PROGRAMS_FORECAST_OPTIONS_DATA_H

/* Options about the data. */

#include "options.h"

/* Write parts of a calendar, and repairs, as words with commas; "none". */
#define PARTS_MAX 64
void                   options_calendar(int64_t sum, char out[PARTS_MAX]);
void                   options_repair(int64_t sum, char out[PARTS_MAX]);
extern const opt_group options_data;
/* Checks that these options can be combined. */
bool options_check_data(const options *o);

#endif
