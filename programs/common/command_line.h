/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

/* Reads a command line by a table of options, into the fields of a struct. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Type of the field: const char *, int64_t, double, bool, an int64_t that is the number of a word, or a const
 * char * (MAYBE) that is NULL if the option has no value. REAL32, FLAG32 and WORD32 are the same as float and
 * int32_t, as the library's structs have them. OWN and above: the group reads the value itself. */
enum { TEXT, COUNT, REAL, FLAG, WORD, MAYBE, REAL32, FLAG32, WORD32, OWN };

typedef struct opt {
    const char        *name;
    int                kind;
    size_t             at, given; /* offsets in the struct; `given`: a bool that is set if the option is
                                   * given, 0: no such bool */
    double             min, max;  /* COUNT, REAL; infinite: any */
    const char *const *words;     /* WORD; "" is no choice; ends with NULL */
    const char        *value, *help;
} opt;

static inline bool opt_is_flag(const opt *t)
{
    return t->kind == FLAG || t->kind == FLAG32;
}

static inline bool opt_has_words(const opt *t)
{
    return t->kind == WORD || t->kind == WORD32;
}

/* Options that belong together. Their struct is at offset `at` in the program's struct. */
typedef struct opt_group {
    const opt *rows;
    size_t     count, at;
    bool (*read_own)(int kind, const char *text, void *base); /* false: a message was printed */
    const char *title;
    const char *topic; /* one word for --help */
} opt_group;

/* A program, for its help, its man page and the completion of shells. Names in texts are the installed
 * names. */
typedef struct command {
    const char      *name;     /* installed name */
    const char      *purpose;  /* what it does, in half a line */
    const char      *usage;    /* arguments after the name; one line for each form of the call */
    const char      *about;    /* a paragraph, in lines */
    const char      *more;     /* a further paragraph, for --help all and the man page */
    const char      *examples; /* lines for a shell */
    const char      *by_data;  /* lines "data<tab>options": the options for a kind of data */
    const char *const *first;  /* names of the most important options; ends with NULL */
    const opt_group *groups;
    size_t           count;
} command;

/* This program; defined in the options.c of each program. */
const command *options_command(void);

/* The largest whole number that an option takes. */
#define BIG 1e15

/* Reads --name VALUE and --name=VALUE into the struct at base. If an option is given twice, the last value is
 * used; for a TEXT this is an error. On error prints a message and returns false. */
bool command_line_read(const command *c, int argc, char **argv, void *base);
/* The first of these names, up to NULL, that is on the command line; NULL: not found. */
const char *command_line_given(const char *const *names);
/* The first option on the command line that is not in `names` and not in `more`; NULL: all are in them.
 * `more` may be NULL. */
const char *command_line_given_other(const char *const *names, const char *const *more);
/* Rewrites a sentence of the library for the program: names of fields in backquotes, as in "the option
 * `decimal_comma`", become options, --decimal-comma. */
void command_line_words(const char *text, char *out, size_t size);
/* Prints the usage, with the name by which the program was called, and the options of a topic. A topic is the
 * word of a group, the name of an option, or "all"; NULL: the most important options, and the topics. If
 * there is no such topic, prints a message and returns false. */
bool command_line_help(const command *c, const char *topic, FILE *out);

#endif
