/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_REPORT_H
#define PROGRAMS_FORECAST_FAST_REPORT_H

/* Outputs of forecasts without training. */

#include "fast.h"

/* Print before the forecast, and after it. */
void fast_print_start(const fast *f, FILE *out);
void fast_print(const fast *f, FILE *out);
bool fast_print_json(const fast *f);
/* Check the names of the columns of --predict, and write the file. */
bool fast_check_names(const fast *f);
bool fast_write(const fast *f);

#endif
