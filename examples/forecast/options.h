/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_FORECAST_OPTIONS_H
#define EXAMPLES_FORECAST_OPTIONS_H

/* The tables of options, each in the file of what it is about. */

#include <stddef.h>

#include "forecast.h"

#include "../common/command_line.h"

#define AT(field) offsetof(options, field)

extern const opt_group options_data, options_model, options_measure;

/* Writes the help texts that name blocks, before any option is read. */
void options_write_help(void);
/* Whether the options of a table go together. On error prints a message and returns false. */
bool options_check_data(const options *o);
/* Fills in what follows from the graph. */
void options_set_space(options *o);
bool options_check_model(const options *o);
bool options_check_measure(const options *o);

#endif
