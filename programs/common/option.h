/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPTION_H
#define OPTION_H

/* Tables of options. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Type of the field: const char *, int64_t, double, bool, an int64_t that is the number of a word, or a const
 * char * (MAYBE) that is NULL if the option has no value. REAL32, FLAG32 and WORD32 are the same as float and
 * int32_t, as the library's structs have them. OWN and above: the group reads the value itself. OWN_LIST and
 * above: so it does, and the option may be given several times. */
enum { TEXT, COUNT, REAL, FLAG, WORD, MAYBE, REAL32, FLAG32, WORD32, OWN, OWN_LIST = 64 };

typedef struct opt {
    const char        *name;
    int                kind;
    size_t             at, given; /* offsets in the struct; `given`: a bool that is set if the option is
                                   * given, 0: no such bool */
    double             min, max;  /* COUNT, REAL; infinite: any */
    const char *const *words;     /* WORD, and OWN if it has words; "" is no choice; ends with NULL */
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
    const char        *name;     /* installed name */
    const char        *purpose;  /* what the program does, in half a line */
    const char        *usage;    /* arguments after the name; one line for each form of the call */
    const char        *about;    /* a paragraph, in lines */
    const char        *more;     /* a further paragraph, for --help all and the man page */
    const char        *examples; /* lines for a shell */
    const char        *by_data;  /* lines "data<tab>options": the options for a kind of data */
    const char *const *first;    /* names of the most important options; ends with NULL */
    const opt_group   *groups;
    size_t             count;
} command;

/* This program; each program defines it beside its options. */
const command *options_command(void);

/* The largest whole number that an option takes. */
#define BIG 1e15

/* The option whose name is the first n bytes of `name`, and its group; NULL: not found. */
const opt *option_find(const command *c, const char *name, size_t n, const opt_group **group);
/* Writes the words of an option, with commas. */
#define WORDS_TEXT 512
const char *option_list_words(const char *const *words, char text[WORDS_TEXT]);
/* The command whose line is read: option_words() and messages name its options. */
void           option_set_command(const command *c);
const command *option_get_command(void);
/* Rewrites a sentence of the library for the program: names of fields in backquotes, as in "the option
 * `decimal_comma`", become options, --decimal-comma. */
void option_words(const char *text, char *out, size_t size);

#endif
