/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAM_H
#define PROGRAM_H

/* Messages of the programs, and their start. */

#include <fighter/model.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The name by which the program was called, without folders. */
extern const char *program_name;
void               program_called(const char *first_argument);

/* Prints the version and the build. On error prints a message and returns false. */
bool program_version(const char *name, FILE *out);

/* Prints the program's name and a message to standard error. Sentences of the library are rewritten by
 * option_words(). Returns false, so that callers can write `return complain(...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool complain(const char *format, ...);
/* Prints a warning in the same form as complain(). */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void warn(const char *format, ...);
/* Copies a name in a form that can be printed on a terminal. Control characters and malformed bytes become
 * \\x1b and the like, as far as there is room. complain() and warn() treat their whole text so. */
#define PLAIN_TEXT 256
const char *plain_text(const char *s, char *text, size_t size);
/* The ending of a noun after the number n: "" for 1, otherwise "s". */
const char *plural(int64_t n);
/* Copies the first n bytes of a file's name as UTF-8 text, for titles and JSON. Bytes that are not UTF-8
 * become '?'. If there is not enough room, the text is cut between two characters. */
void program_name_text(const char *name, size_t n, char *text, size_t size);
/* From this call on the last message is stored in `place` instead of being printed. program_kept() returns
 * it. */
void        program_keeps(char *place, size_t size);
const char *program_kept(void);

/* The words that --delimiter takes. program_delimiter() returns the character for a word, and 0 for
 * "auto". */
extern const char *const program_delimiters[];
int32_t                  program_delimiter(int64_t word);
/* The words that --products takes; word i is for the fgt_products value i. */
extern const char *const program_products[];
/* The words that --precision takes; word i is for the fgt_precision value i. */
extern const char *const program_precisions[];
/* Makes a context and gets the facts of the library's build. `threads` is the number of threads; 0: one for
 * each processor that this process may use. `products` is an fgt_products, `precision` an fgt_precision. On
 * error prints a message and returns false. */
bool program_start(int64_t threads, int64_t products, int64_t precision, fgt_context **ctx,
                   fgt_build_info *build);
/* Prints the table of a model's layers. */
void program_describe(const fgt_model *model, FILE *out);

/* The time of a monotonic clock, in seconds. */
double seconds_now(void);

#endif
