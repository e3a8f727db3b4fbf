/* SPDX-License-Identifier: BSD-3-Clause */
/* Quarters and weeks with a word: T1, 1. Quartal, 1er trimestre, IV trimestre, KW 2, week 2. */
#include "data/time/scan/time_period.h"

#include <string.h>

#include "data/time/scan/month_names.h"
#include "data/time/scan/scanner.h"

/* A single letter must be next to its number. S may also mean a half-year, of which the number has one
 * digit. */
static const char *const quarters[] = {"q",    "t",         "qtr",      "quarter", "quartal",
                                       "trim", "trimestre", "kwartaal", NULL};
static const char *const weeks[]    = {
       "w", "s", "wk", "kw", "cw", "week", "woche", "kalenderwoche", "semaine", "semana", "settimana", NULL};

static bool period_is_one_of(const char *word, size_t n, const char *const *list)
{
    while (*list && !(strlen(*list) == n && fgti_same_word(word, *list, n))) list++;
    return *list != NULL;
}

/* The part of a time that a word of n bytes names; FGTI_PARTS: the word names no part. */
static fgti_part period_find_part(const char *word, size_t n)
{
    if (period_is_one_of(word, n, quarters)) return FGTI_PART_QUARTER;
    return period_is_one_of(word, n, weeks) ? FGTI_PART_WEEK : FGTI_PARTS;
}

/* Number of bytes of an ending after a number, with its point: 1er, 2e, 1re, 2eme, 1st, 1o. */
static size_t ordinal_size(const char *p)
{
    static const char *const ends[]  = {"er", "re", "e",  "ere", "\xc3\xa8re", "eme", "\xc3\xa8me",
                                        "st", "nd", "rd", "th",  "o",          "a"};
    static const char *const signs[] = {"\xc2\xba", "\xc2\xaa", "\xc2\xb0", "\xba", "\xaa", "\xb0"};
    const size_t             letters = fgti_word_size(p);
    size_t                   n       = *p == '.';
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (letters == strlen(ends[i]) && fgti_same_word(p, ends[i], letters)) n = letters;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (!strncmp(p + n, signs[i], strlen(signs[i]))) return n + strlen(signs[i]);
    return n + (n && p[n] == '.');
}

/* Number of bytes of the number at p, with its ending; 0: there is no number. */
static size_t number_size(const char *p, int64_t *value)
{
    static const char *const romans[] = {"I", "II", "III", "IV"};
    size_t                   n        = fgti_count_digits(p);
    *value                            = 0;
    for (int64_t i = 0; !n && i < 4; i++)
        if (fgti_word_size(p) == strlen(romans[i]) && fgti_same_word(p, romans[i], strlen(romans[i]))) {
            *value = i + 1;
            return strlen(romans[i]);
        }
    if (n < 1 || n > 2) return 0;
    for (size_t i = 0; i < n; i++) *value = 10 * *value + (p[i] - '0');
    return n + ordinal_size(p + n);
}

/* The part of a time that a word and the number beside it name together; FGTI_PARTS: they name no part. The
 * number of a week may have no ending except a point, because other endings vary with the number. */
static fgti_part period_combine(const char *word, size_t n, const char *number, size_t size)
{
    const fgti_part part   = period_find_part(word, n);
    const size_t    digits = fgti_count_digits(number);
    const bool      halves = n == 1 && (*word | 0x20) == 's';
    if (!size || part == FGTI_PARTS) return FGTI_PARTS;
    if (part == FGTI_PART_QUARTER) return digits == 1 || (!digits && n > 1) ? part : FGTI_PARTS;
    const bool bare = digits == size || (digits + 1 == size && number[digits] == '.');
    return bare && digits >= 1 + (size_t)halves ? part : FGTI_PARTS;
}

/* Takes a text that begins with the word: KW 2, Q1, Trimestre IV. */
static bool take_word_first(fgti_scanner *s)
{
    const char  *begin = s->p;
    const size_t n     = fgti_word_size(begin);
    int64_t      value;
    s->p += n;
    if (n > 1) fgti_scan_loose(s);
    const char     *number = s->p;
    const size_t    digits = fgti_count_digits(number), all = number_size(number, &value);
    const size_t    size = digits ? digits : all;
    const fgti_part part = all ? period_combine(begin, n, number, size) : FGTI_PARTS;
    s->p                 = part == FGTI_PARTS ? begin : number + size;
    if (part != FGTI_PARTS) fgti_scan_put(s, part, number, value);
    return part != FGTI_PARTS;
}

/* Takes a text that begins with the number: 1. Quartal, 1Q, IV trimestre. The number of a quarter is stored
 * with its ending. */
static bool take_number_first(fgti_scanner *s)
{
    const char  *begin = s->p;
    int64_t      value;
    const size_t size = number_size(begin, &value);
    s->p += size;
    fgti_scan_loose(s);
    const char     *word = s->p;
    const size_t    n    = fgti_word_size(word);
    const fgti_part part =
        n == 1 && (*word | 0x20) == 's' ? FGTI_PARTS : period_combine(word, n, begin, size);
    s->p                 = begin;
    if (part == FGTI_PARTS) return false;
    s->p += part == FGTI_PART_QUARTER ? size : fgti_count_digits(begin);
    fgti_scan_put(s, part, begin, value);
    s->p = word + n + (word[n] == '.');
    return true;
}

bool fgti_scan_period(fgti_scanner *s)
{
    return take_word_first(s) || take_number_first(s);
}
