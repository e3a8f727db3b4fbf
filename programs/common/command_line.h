/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

/* Reads a command line into the fields of a struct. A table says which option sets which field. */

#include <stdbool.h>
#include <stdio.h>

#include "option.h"

/* Reads options of the forms --name VALUE and --name=VALUE into the struct at `base`. An option with a value
 * may be given only once, unless it is an OWN_LIST. On error prints a message and returns false. */
bool command_line_read(const command *c, int argc, char **argv, void *base);
/* The first of these names that is on the command line, or NULL if no name is. NULL ends the list of
 * names. */
const char *command_line_given(const char *const *names);
/* Whether this option is on the command line. */
bool command_line_has(const char *name);
/* The first option on the command line whose name is in neither list; NULL: there is no such option. `more`
 * may be NULL. */
const char *command_line_given_other(const char *const *names, const char *const *more);
/* Prints the usage and the options of a topic. The usage has the name by which the program was called. A
 * topic is the word of a group, the name of an option, or "all". NULL prints the most important options and
 * the list of topics. If there is no such topic, prints a message and returns false. */
bool command_line_help(const command *c, const char *topic, FILE *out);

#endif
