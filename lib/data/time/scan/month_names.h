/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MONTH_NAMES_H
#define FGTI_MONTH_NAMES_H

/* Names of months in English, German, French, Spanish, Italian, Dutch and Portuguese. */

#include <stddef.h>
#include <stdint.h>

enum { FGTI_ENGLISH = 1, FGTI_LANGUAGES = 7 };

#define FGTI_MONTH_TEXT 24

/* Bytes of the word at s: letters, with accents if they have any. */
size_t fgti_word_size(const char *s);
/* The month, from 1, that a word of n bytes names, in full or by at least three letters, in any case, with or
 * without accents; 0: not found. languages: bits 1 << language. No word names two months. */
int fgti_month_find(const char *s, size_t n, uint32_t *languages);
/* Writes the name of a month in full or in its usual short form. */
void fgti_month_write(int language, int month, int full, char out[FGTI_MONTH_TEXT]);
/* Whether a word of n bytes that names this month is a shorter form. */
int fgti_month_is_short(int language, int month, const char *s, size_t n);
/* Converts the letters of a name to capital letters. */
void fgti_month_upper(char *name);

#endif
