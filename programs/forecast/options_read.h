/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OPTIONS_READ_H
#define PROGRAMS_FORECAST_OPTIONS_READ_H

/* Reads the command line. */

#include "options.h"

/* Reads the command line. On error prints a message and returns false. */
bool options_read(int argc, char **argv, options *o);
/* Checks that a model can do the options that need --horizon. On error prints a message and returns false. */
bool options_check_horizon(const options *o);

#endif
