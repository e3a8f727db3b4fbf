/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/scan/scanner.h"

#include <string.h>

bool fgti_same_word(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char x = a[i], y = b[i];
        if (x != y && (!fgti_is_letter(x) || (x ^ y) != ('a' ^ 'A'))) return false;
        if (!x) return true;
    }
    return true;
}

size_t fgti_count_digits(const char *s)
{
    size_t n = 0;
    while (fgti_is_digit(s[n])) n++;
    return n;
}

void fgti_scan_blanks(fgti_scanner *s)
{
    while (*s->p == ' ') s->p++;
}

void fgti_scan_loose(fgti_scanner *s)
{
    static const char *const words[] = {"de ", "del ", "of "};
    fgti_scan_blanks(s);
    if (*s->p && strchr("-/.,'", *s->p)) s->p++;
    fgti_scan_blanks(s);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fgti_same_word(s->p, words[i], strlen(words[i]))) {
            s->p += strlen(words[i]);
            break;
        }
    fgti_scan_blanks(s);
}

void fgti_scan_put(fgti_scanner *s, fgti_part part, const char *begin, int64_t value)
{
    fgti_fields *f  = s->f;
    const size_t at = (size_t)(begin - s->text), size = (size_t)(s->p - begin);
    f->value[part] = value;
    f->known |= UINT32_C(1) << part;
    if (f->pieces < FGTI_PIECES && at + size <= UINT8_MAX)
        f->piece[f->pieces++] = (fgti_piece){(uint8_t)part, (uint8_t)at, (uint8_t)size};
    else
        f->pieces = FGTI_PIECES + 1; /* more than the limit: this form cannot be written again */
}

void fgti_scan_digits(fgti_scanner *s, fgti_part part, size_t n)
{
    const char *begin = s->p;
    int64_t     v     = 0;
    for (size_t i = 0; i < n; i++) v = 10 * v + (*s->p++ - '0');
    fgti_scan_put(s, part, begin, v);
}

bool fgti_scan_number(fgti_scanner *s, fgti_part part, size_t least, size_t most)
{
    const size_t n = fgti_count_digits(s->p);
    if (n < least || n > most) return false;
    fgti_scan_digits(s, part, n);
    return true;
}
