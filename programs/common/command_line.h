/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

/* Reads a command line by a table of options, into the fields of a struct. */

#include <stdbool.h>
#include <stdio.h>

#include "option.h"

/* Reads --name VALUE and --name=VALUE into the struct at base. An option with a value is given once, unless
 * it is an OWN_LIST. On error prints a message and returns false. */
bool command_line_read(const command *c, int argc, char **argv, void *base);
/* The first of these names, up to NULL, that is on the command line; NULL: not found. */
const char *command_line_given(const char *const *names);
/* Whether this option is on the command line. */
bool command_line_has(const char *name);
/* The first option on the command line that is not in `names` and not in `more`; NULL: all are in them.
 * `more` may be NULL. */
const char *command_line_given_other(const char *const *names, const char *const *more);
/* Prints the usage, with the name by which the program was called, and the options of a topic. A topic is the
 * word of a group, the name of an option, or "all"; NULL: the most important options, and the topics. If
 * there is no such topic, prints a message and returns false. */
bool command_line_help(const command *c, const char *topic, FILE *out);

#endif
