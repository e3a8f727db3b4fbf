/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPTION_H
#define OPTION_H

/* Tables of options. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of the field that an option sets. TEXT: const char *. COUNT: int64_t. REAL: double. FLAG: bool.
 * WORD: an int64_t, the number of a word. MAYBE: a const char *, NULL if the option has no value. REAL32,
 * FLAG32 and WORD32: the library's fields of these kinds, which are float and int32_t. From OWN on the
 * function read_own() of the group reads the value. From OWN_LIST on it does so too, and the option may be
 * given several times. */
enum { TEXT, COUNT, REAL, FLAG, WORD, MAYBE, REAL32, FLAG32, WORD32, OWN, OWN_LIST = 64 };

typedef struct opt {
    const char        *name;
    int                kind;
    size_t             at, given; /* at: offset of the field; given: offset of a bool that is set if the
                                   * option is given, 0: no such bool */
    double             min, max;  /* range of a COUNT or REAL; infinite: no limit */
    const char *const *words;     /* the words of a WORD, or of an OWN with words, up to NULL; "" cannot be
                                   * chosen */
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
    bool (*read_own)(int kind, const char *text, void *base); /* returns false after it has printed a
                                                               * message */
    const char *title;
    const char *topic; /* the word for this group after --help */
} opt_group;

/* Describes a program for its help, its man page and the completion of shells. The texts use installed
 * names. */
typedef struct command {
    const char        *name;     /* installed name */
    const char        *purpose;  /* the job of the program, in half a line */
    const char        *usage;    /* arguments after the name; a line for each form of the call */
    const char        *about;    /* a paragraph, in lines */
    const char        *more;     /* a further paragraph that only --help all and the man page have */
    const char        *examples; /* examples of commands, as lines for a shell */
    const char        *by_data;  /* lines "data<tab>options": the options to use for a kind of data */
    const char *const *first;    /* names of the most important options; ends with NULL */
    const opt_group   *groups;
    size_t             count;
    bool               one_dash; /* options may also have one dash */
} command;

/* The description of this program. Each program defines the function beside its options. */
const command *options_command(void);

/* The largest whole number that an option takes. */
#define BIG 1e15

/* Finds the option whose name is the first n bytes of `name`, and sets *group to the group of the option.
 * NULL: there is no such option. */
const opt *option_find(const command *c, const char *name, size_t n, const opt_group **group);
/* Writes the words that an option takes, separated by commas. */
#define WORDS_TEXT 512
const char *option_list_words(const char *const *words, char text[WORDS_TEXT]);
/* Sets the program whose command line is read. option_words() and messages then name the options of this
 * program. */
void           option_set_command(const command *c);
const command *option_get_command(void);
/* Rewrites a sentence of the library for the program. Names of fields in backquotes become options: "the
 * option `decimal_comma`" becomes --decimal-comma. */
void option_words(const char *text, char *out, size_t size);

#endif
