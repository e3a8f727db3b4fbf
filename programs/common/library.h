/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_LIBRARY_H
#define PROGRAMS_LIBRARY_H

/* Makes options of a program from the library's tables of options. */

#include <fighter/experimental/options.h>

#include "command_line.h"
#include "json_out.h"

/* The most options that one table of the library may have. */
#define LIBRARY_MOST 64

/* A function that returns option i of a table, such as fgt_forecaster_get_option(). */
typedef const fgt_option *(*library_table)(int64_t i);

/* Appends the options of a table that are for users to `rows`, which has `count` options, and returns the new
 * count. `at` is the offset of the library's struct in the struct of the command line. `given` is the offset
 * of LIBRARY_MOST bools; bool i is set if option i of the table was given. The help of an option for only
 * some blocks names these blocks. */
size_t library_add(library_table table, size_t at, size_t given, opt *rows, size_t count);
/* The option with this name among the `count` options in `rows`. */
opt *library_row(opt *rows, size_t count, const char *name);
/* Appends to `names`, which has `count` names, the options of a table that are for users, except those in
 * `without`. NULL ends the result. Returns the new count. */
size_t library_names(library_table table, const char *const *without, const char **names, size_t count);
/* library_find() returns the option with this name, which must be an option for users. library_word() returns
 * the word of an enumerator of such an option. */
const fgt_option *library_find(library_table table, const char *name);
const char       *library_word(library_table table, const char *name, int64_t enumerator);
/* Marks an option as given, because another option implies it. */
void library_mark(library_table table, const char *name, bool *given);
/* Makes an option negative, which switches it off, if it was given as 0 and its default is not 0. */
void library_switch_off(library_table table, const bool *given, void *opts);
/* Checks the options that are only for some blocks and are not 0: at least one of `blocks` must read each of
 * them. -1 ends the list of blocks. On error prints a message and returns false. */
bool library_check(library_table table, const void *opts, const int64_t *blocks);
/* The value of an option in a struct of the library that has its defaults filled in. JSON null: this block
 * does not have the option. */
json_t *library_pack(const fgt_option *option, const void *opts, int64_t block);

#endif
