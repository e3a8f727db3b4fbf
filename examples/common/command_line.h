/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

/* Reads a command line by a table of options, into the fields of a struct. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Type of the field: const char *, int64_t, double, bool, or an int64_t that is the number of a word. OWN and
 * above: the group reads the value itself. */
enum { TEXT, COUNT, REAL, FLAG, WORD, OWN };

typedef struct opt {
    const char        *name;
    int                kind;
    size_t             at, given; /* offsets in the struct; `given`: of a bool to set, 0: none */
    double             min, max;  /* COUNT, REAL; infinite: any */
    const char *const *words;     /* WORD; ends with NULL */
    const char        *value, *help;
} opt;

/* Options that belong together. Their struct is at offset `at` in that of the program. */
typedef struct opt_group {
    const opt *rows;
    size_t     count, at;
    bool (*read_own)(int kind, const char *text, void *base); /* false: a message was printed */
} opt_group;

/* The largest whole number that an option takes. */
#define BIG 1e15

/* Reads --name VALUE and --name=VALUE into the struct at base. Of an option that is given twice the last
 * counts; a TEXT is refused. On error prints a message and returns false. */
bool command_line_read(const opt_group *groups, size_t count, int argc, char **argv, void *base);
void command_line_help(const opt_group *groups, size_t count, FILE *out);

#endif
