/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/csv/shown.h"

#include <string.h>

enum { DIGITS_MOST = 64 };

/* A text that is being read, and the parts found so far. */
typedef struct shown {
    const char *p;                         /* the rest of the text */
    bool        open, closed, minus, plus; /* whether it has (, ), - and +; the signs may also come last */
    char       *unit;
    char        plain[DIGITS_MOST]; /* the digits and the point, without the rest */
    size_t      count;
} shown;

static bool skip_text(const char **p, const char *text)
{
    const size_t n = strlen(text);
    if (strncmp(*p, text, n) != 0) return false;
    *p += n;
    return true;
}

/* Skips a blank: the ASCII blank, or one of the Unicode blanks U+00A0, U+202F and U+2009, which are thin or
 * do not break lines. */
static bool skip_blank(const char **p)
{
    return skip_text(p, " ") || skip_text(p, "\xc2\xa0") || skip_text(p, "\xe2\x80\xaf") ||
           skip_text(p, "\xe2\x80\x89");
}

/* Number of bytes of the percent sign or currency at p; 0: p has neither. U+20A0 .. U+20CF are currency
 * signs. */
static size_t measure_unit(const char *p)
{
    static const char *const units[] = {
        "%",   "US$", "HK$", "NZ$", "R$",  "C$",  "A$",  "S$",  "$",   "\xc2\xa3",  "\xc2\xa5",  "USD", "EUR",
        "GBP", "JPY", "CNY", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",       "INR",       "RUB", "BRL",
        "CAD", "AUD", "NZD", "KRW", "TRY", "MXN", "ZAR", "kr.", "kr",  "z\xc5\x82", "K\xc4\x8d", "Ft",  "Fr.",
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strncmp(p, units[i], strlen(units[i]))) return strlen(units[i]);
    const unsigned char *u = (const unsigned char *)p;
    return u[0] == 0xe2 && u[1] == 0x82 && u[2] >= 0xa0 && u[2] <= 0xbf   ? 3
           : u[0] == 0xe2 && u[1] == 0x83 && u[2] >= 0x80 && u[2] <= 0x8f ? 3
                                                                          : 0;
}

static bool read_unit(shown *s)
{
    const size_t n = measure_unit(s->p);
    if (!n || *s->unit) return false;
    memcpy(s->unit, s->p, n);
    s->unit[n] = 0;
    s->p += n;
    return true;
}

/* Reads signs, units and blanks on one side of the digits. */
static void read_side(shown *s, bool last)
{
    for (bool more = true; more;) {
        more = skip_blank(&s->p) || read_unit(s);
        if (more || s->minus || s->plus) continue;
        if (!last && !s->open && *s->p == '(') s->open = more = skip_text(&s->p, "(");
        if (!more && (*s->p == '-' || !strncmp(s->p, "\xe2\x88\x92", 3)))
            s->minus = more = skip_text(&s->p, "-") || skip_text(&s->p, "\xe2\x88\x92");
        if (!more && !last && *s->p == '+') s->plus = more = skip_text(&s->p, "+");
    }
    if (last && s->open && !s->closed) s->closed = skip_text(&s->p, ")");
    while (last && s->closed && (skip_blank(&s->p) || read_unit(s))) continue;
}

static bool shown_read_digits(shown *s, int *count)
{
    for (*count = 0; *s->p >= '0' && *s->p <= '9'; ++*count) {
        if (s->count == DIGITS_MOST - 2) return false;
        s->plain[s->count++] = *s->p++;
    }
    return true;
}

/* Finds the separator between groups of digits; NULL: not found. */
static const char *find_separator(const char *p, bool decimal_comma)
{
    static const char *const separators[] = {" ", "\xc2\xa0",    "\xe2\x80\xaf", "\xe2\x80\x89",
                                             "'", "\xe2\x80\x99"};
    const char              *own          = decimal_comma ? "." : ",";
    if (*p == *own) return own;
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        const size_t n = strlen(separators[i]);
        if (!strncmp(p, separators[i], n) && p[n] >= '0' && p[n] <= '9') return separators[i];
    }
    return NULL;
}

/* Reads digits in groups of three, and then decimals. The first group may be shorter. */
static bool shown_read_number(shown *s, bool decimal_comma)
{
    int         first, n = 0;
    const char *separator = NULL, *now;
    if (!shown_read_digits(s, &first)) return false;
    while (first && (now = find_separator(s->p, decimal_comma))) {
        if (first > 3 || (separator && now != separator)) return false;
        separator = now;
        if (!skip_text(&s->p, now) || !shown_read_digits(s, &n) || n != 3) return false;
    }
    if (*s->p == (decimal_comma ? ',' : '.')) {
        s->p++;
        s->plain[s->count++] = '.';
        if (!shown_read_digits(s, &n)) return false;
        if (!first && !n) return false;
    }
    return first || n;
}

bool fgti_shown_parse(locale_t c, const char *text, bool decimal_comma, double *value, char unit[FGTI_UNIT])
{
    shown  s = {.p = text, .unit = unit};
    double v;
    *unit = 0;
    read_side(&s, false);
    if (!shown_read_number(&s, decimal_comma)) return false;
    read_side(&s, true);
    if (*s.p || s.open != s.closed || (s.open && (s.minus || s.plus))) return false;
    s.plain[s.count] = 0;
    if (fgti_number_parse(c, s.plain, (int64_t)s.count, &v) != FGTI_NUMBER) return false;
    *value = s.open || s.minus ? -v : v;
    return true;
}
