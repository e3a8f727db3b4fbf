/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MONTH_NAMES_H
#define FGTI_MONTH_NAMES_H

/* Names of months in English, German, French, Spanish, Italian, Dutch and Portuguese. */

#include <stddef.h>
#include <stdint.h>

enum { FGTI_ENGLISH = 1, FGTI_LANGUAGES = 7 };

#define FGTI_MONTH_TEXT 24

/* Number of bytes of the word at s. A word has letters, with or without accents. */
size_t fgti_word_size(const char *s);
/* The month, counted from 1, that a word of n bytes names; 0: not found. The word is a full name or at least
 * its first three letters, in capital or small letters, with or without accents. languages: a bit 1 <<
 * language for each language in which it is this month. No word names two months. */
int fgti_month_find(const char *s, size_t n, uint32_t *languages);
/* Writes the name of a month. full: the full name; otherwise its usual short form. */
void fgti_month_write(int language, int month, int full, char out[FGTI_MONTH_TEXT]);
/* Whether a word of n bytes is a shorter form of this month's name. */
int fgti_month_is_short(int language, int month, const char *s, size_t n);
/* Converts the letters of a name to capital letters. */
void fgti_month_upper(char *name);

#endif
