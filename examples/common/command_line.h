/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

/* A command line read by a table of options, which are the fields of a struct. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What goes into the field: const char *, int64_t, double, bool, an int64_t that counts words. From OWN
 * on: what the group makes of the text. */
enum { TEXT, COUNT, REAL, FLAG, WORD, OWN };

typedef struct opt {
    const char        *name;
    int                kind;
    size_t             at, given; /* where in the struct; `given`: a bool to set, 0: none */
    double             min, max;  /* COUNT, REAL; infinite: any */
    const char *const *words;     /* WORD; ends with NULL */
    const char        *value, *help;
} opt;

/* Options that belong together, in a struct `at` bytes into that of the program. */
typedef struct opt_group {
    const opt *rows;
    size_t     count, at;
    bool (*read_own)(int kind, const char *text, void *base); /* false after a sentence */
} opt_group;

/* The largest whole number that an option takes. */
#define BIG 1e15

/* Reads --name VALUE and --name=VALUE into the struct at base; false after a sentence. */
bool command_line_read(const opt_group *groups, size_t count, int argc, char **argv, void *base);
void command_line_help(const opt_group *groups, size_t count, FILE *out);

#endif
