/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_LIBRARY_H
#define PROGRAMS_LIBRARY_H

/* The library's tables of options as options of a program. */

#include <fighter/experimental/options.h>

#include "command_line.h"
#include "json_out.h"

/* The most options of one table of the library. */
#define LIBRARY_MOST 64

/* The n-th option of a table: fgt_forecaster_get_option(), for example. */
typedef const fgt_option *(*library_table)(int64_t i);

/* Appends to rows[count] the options of a table that are for users, and returns the new count. at: offset of
 * the library's struct in the struct of the command line; given: offset of LIBRARY_MOST bools, by the number
 * in the table. Options for some blocks name these in their help. */
size_t library_add(library_table table, size_t at, size_t given, opt *rows, size_t count);
/* The row with this name among `count`. */
opt *library_row(opt *rows, size_t count, const char *name);
/* Appends to names[count] the names of the options that are for users, without some; ends with NULL. Returns
 * the new count. */
size_t library_names(library_table table, const char *const *without, const char **names, size_t count);
/* The option with this name for users, which exists, and the word of its enumerator. */
const fgt_option *library_find(library_table table, const char *name);
const char       *library_word(library_table table, const char *name, int64_t enumerator);
/* Marks an option that another one implies. */
void library_mark(library_table table, const char *name, bool *given);
/* Options that were given as 0, but have another default, become negative, which switches them off. */
void library_switch_off(library_table table, const bool *given, void *opts);
/* Checks that one of these blocks, up to -1, reads the options that are for some blocks and are not 0. On
 * error prints a message and returns false. */
bool library_check(library_table table, const void *opts, const int64_t *blocks);
/* The value that a struct of the library has, with its defaults filled in; null: this block has no such
 * option. */
json_t *library_pack(const fgt_option *option, const void *opts, int64_t block);

#endif
