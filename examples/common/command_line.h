/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

/* Reads a command line by a table of options, into the fields of a struct. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Type of the field: const char *, int64_t, double, bool, an int64_t that is the number of a word, or a const
 * char * (MAYBE) that is NULL if the option stands without a value. OWN and
 * above: the group reads the value itself. */
enum { TEXT, COUNT, REAL, FLAG, WORD, MAYBE, OWN };

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
    const char *title;
    const char *topic; /* of --help: one word */
} opt_group;

/* A program, as its help, its man page and the completion of shells show it. Names in texts are those under
 * which it is installed. */
typedef struct command {
    const char      *name;     /* under which it is installed */
    const char      *purpose;  /* what it does, in half a line */
    const char      *usage;    /* what may follow the name, a line for each form */
    const char      *about;    /* a paragraph, in lines */
    const char      *more;     /* another one, for who reads it all */
    const char      *examples; /* lines for a shell */
    const char      *by_data;  /* "data<tab>options" in each line: which options for which data */
    const char *const *first;  /* names of the options that a newcomer needs; ends with NULL */
    const opt_group *groups;
    size_t           count;
} command;

/* This program: in the options.c of each. */
const command *options_command(void);

/* The largest whole number that an option takes. */
#define BIG 1e15

/* Reads --name VALUE and --name=VALUE into the struct at base. Of an option that is given twice the last
 * counts; a TEXT is refused. On error prints a message and returns false. */
bool command_line_read(const command *c, int argc, char **argv, void *base);
/* The first of these names, up to NULL, that was on the command line; NULL: none. */
const char *command_line_given(const char *const *names);
/* The first option of the command line that is among neither the names nor `more`, which may be NULL. NULL:
 * there is no such option. */
const char *command_line_given_other(const char *const *names, const char *const *more);
/* Writes a sentence of the library in words of the program: fields in backquotes that options set, as in
 * the option `decimal_comma`, become those options, --decimal-comma. */
void command_line_words(const char *text, char *out, size_t size);
/* Prints the usage, with the program's name as it was called, and the options of a topic. A topic is a word
 * of a group, the name of an option, or "all"; NULL: the options that a newcomer needs, and the topics.
 * Returns false after a message if there is no such topic. */
bool command_line_help(const command *c, const char *topic, FILE *out);

#endif
