/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/scan/month_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Names of the months. A bar separates a name from its short form, if that is not the first three letters. */
static const char *const names[FGTI_LANGUAGES + 1][12] = {
    [FGTI_ENGLISH] = {"January", "February", "March", "April", "May", "June", "July", "August", "September",
                      "October", "November", "December"},
    {"Januar", "Februar", "M\xc3\xa4rz|Mrz", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
     "November", "Dezember"},
    {"janvier|janv", "f\xc3\xa9vrier|f\xc3\xa9vr", "mars|mars", "avril", "mai", "juin|juin", "juillet|juil",
     "ao\xc3\xbbt|ao\xc3\xbbt", "septembre|sept", "octobre", "novembre",
     "d\xc3\xa9"
     "cembre"},
    {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
     "noviembre", "diciembre"},
    {"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
     "novembre", "dicembre"},
    {"januari", "februari", "maart|mrt", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
     "november", "december"},
    {"janeiro", "fevereiro", "mar\xc3\xa7o", "abril", "maio", "junho", "julho", "agosto", "setembro",
     "outubro", "novembro", "dezembro"},
};

/* Other spellings of names, in the letters that fold() writes. */
static const struct {
    const char *word;
    int         language, month;
} others[] = {{"maerz", 2, 3}, {"janner", 2, 1},    {"jaenner", 2, 1},
              {"feber", 2, 2}, {"setiembre", 4, 9}, {"set", 4, 9}};

/* Number of bytes of the letter at s, or of an accent that follows its letter; 0: neither. Letters of
 * Latin-1, U+00C0 .. U+00FF, and accents, U+0300 .. U+036F, have two bytes. In a Latin-1 file a letter has
 * one byte. */
static size_t letter_size(const unsigned char *s)
{
    const bool more = s[0] && s[1] >= 0x80 && s[1] <= 0xbf;
    if ((*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z')) return 1;
    if (*s == 0xc3 && more) return s[1] == 0x97 || s[1] == 0xb7 ? 0 : 2;
    if (*s == 0xcc && more) return 2;
    if (*s == 0xcd && more) return s[1] < 0xb0 ? 2 : 0;
    return *s >= 0xc0 && !more && *s != 0xd7 && *s != 0xf7;
}

size_t fgti_word_size(const char *s)
{
    size_t n = 0, k;
    while ((k = letter_size((const unsigned char *)s + n))) n += k;
    return n;
}

/* Writes the word in small letters and without accents. Returns false if the word is longer than any name. */
static bool fold(const char *s, size_t n, char out[FGTI_MONTH_TEXT])
{
    static const char base[] = "aaaaaaaceeeeiiiidnooooo*ouuuuypsaaaaaaaceeeeiiiidnooooo*ouuuuypy";
    size_t            k      = 0, size;
    for (size_t i = 0; i < n; i += size) {
        const unsigned char *u = (const unsigned char *)s + i;
        size                   = letter_size(u);
        if (size == 2 && *u != 0xc3) continue;
        if (!size || k + 1 == FGTI_MONTH_TEXT) return false;
        out[k++] = size == 2 ? base[u[1] - 0x80] : *u >= 0xc0 ? base[*u - 0xc0] : (char)(*u | 0x20);
    }
    out[k] = 0;
    return true;
}

/* The month that a folded word names in a language; 0: the word names no month, or more than one. */
static int find_in_language(const char *word, size_t n, int language)
{
    int found = 0, count = 0;
    for (int m = 0; m < 12; m++) {
        const char  *name = names[language][m], *bar = strchr(name, '|');
        const size_t size = bar ? (size_t)(bar - name) : strlen(name);
        char         full[FGTI_MONTH_TEXT], part[FGTI_MONTH_TEXT];
        fold(name, size, full);
        const bool same  = !strcmp(word, full);
        const bool brief = bar && fold(bar + 1, strlen(bar + 1), part) && !strcmp(word, part);
        if (same || brief) return m + 1;
        if (n > 5 || strncmp(full, word, n) != 0) continue;
        found = m + 1;
        count++;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].language == language && !strcmp(word, others[i].word)) return others[i].month;
    return count == 1 ? found : 0;
}

int fgti_month_find(const char *s, size_t n, uint32_t *languages)
{
    char word[FGTI_MONTH_TEXT];
    int  month = 0;
    *languages = 0;
    if (!fold(s, n, word)) return 0;
    bool accents = false; /* English names have no accents */
    for (size_t i = 0; i < n; i++) accents |= (s[i] & 0x80) != 0;
    n = strlen(word);
    for (int k = FGTI_ENGLISH + accents; n >= 3 && k <= FGTI_LANGUAGES; k++) {
        const int m = find_in_language(word, n, k);
        if (!m) continue;
        month = m;
        *languages |= UINT32_C(1) << k;
    }
    return month;
}

int fgti_month_is_short(int language, int month, const char *s, size_t n)
{
    char word[FGTI_MONTH_TEXT], name[FGTI_MONTH_TEXT], full[FGTI_MONTH_TEXT];
    fgti_month_write(language, month, 1, name);
    return fold(s, n, word) && fold(name, strlen(name), full) && strlen(word) < strlen(full);
}

void fgti_month_write(int language, int month, int full, char out[FGTI_MONTH_TEXT])
{
    const char *name = names[language][month - 1], *bar = strchr(name, '|');
    size_t      n = bar ? (size_t)(bar - name) : strlen(name);
    if (!full && bar) {
        name = bar + 1;
        n    = strlen(name);
    } else if (!full) {
        n = 0;
        for (int i = 0; i < 3; i++) n += letter_size((const unsigned char *)name + n);
    }
    snprintf(out, FGTI_MONTH_TEXT, "%.*s", (int)n, name);
}

void fgti_month_upper(char *name)
{
    size_t size;
    for (unsigned char *u = (unsigned char *)name; (size = letter_size(u)); u += size) {
        if (size == 1) *u &= 0xdf;
        if (size == 2 && *u == 0xc3 && u[1] >= 0xa0) u[1] -= 0x20;
    }
}
