/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_REPORT_H
#define PROGRAMS_FORECAST_FAST_REPORT_H

/* Outputs of forecasts without training. */

#include "fast.h"

/* fast_print_start() prints the facts that are known before the forecast, and the next function those after
 * it. */
void fast_print_start(const fast *f, FILE *out);
void fast_print(const fast *f, FILE *out);
bool fast_print_json(const fast *f);
/* fast_check_names() checks the names of the columns of --predict; the next function writes the file. */
bool fast_check_names(const fast *f);
bool fast_write(const fast *f);

#endif
