/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_CLASSIFY_OPTIONS_READ_H
#define PROGRAMS_CLASSIFY_OPTIONS_READ_H

/* Reads the command line. */

#include "options.h"

/* Reads the command line. On error prints a message and returns false. */
bool options_read(int argc, char **argv, options *o);

#endif
