/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OPTIONS_H
#define PROGRAMS_FORECAST_OPTIONS_H

/* The tables of options, each in the file of its subject. */

#include <stddef.h>

#include "forecast.h"

#include "../common/command_line.h"
#include "../common/library.h"

#define AT(field) offsetof(options, field)

extern const opt_group options_data, options_measure;
opt_group              options_model(void); /* follows the library's tables */

/* Check that the options of a table can be combined. On error they print a message and return false. */
bool options_check_data(const options *o);
/* Sets options that depend on the graph. */
void options_set_space(options *o);
bool options_check_model(const options *o);
bool options_check_measure(const options *o);

#endif
