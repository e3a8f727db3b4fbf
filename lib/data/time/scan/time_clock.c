/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of the day, and their zones. */
#include "data/time/scan/time_clock.h"

#include <string.h>

#include "data/time/scan/scanner.h"

/* Names of zones, with their usual offset. If a name is ambiguous (`known` is false), the time is read as a
 * local time. */
static const struct {
    const char *name;
    int32_t     offset; /* minutes */
    bool        known;
} zones[] = {
    {"UTC", 0, true},    {"GMT", 0, true},    {"CET", 60, true},   {"CEST", 120, true},  {"MEZ", 60, true},
    {"MESZ", 120, true}, {"WET", 0, true},    {"WEST", 60, true},  {"EET", 120, true},   {"EEST", 180, true},
    {"MSK", 180, true},  {"EST", -300, true}, {"EDT", -240, true}, {"CDT", -300, true},  {"MST", -420, true},
    {"MDT", -360, true}, {"PST", -480, true}, {"PDT", -420, true}, {"AKST", -540, true}, {"AKDT", -480, true},
    {"HST", -600, true}, {"JST", 540, true},  {"KST", 540, true},  {"AEST", 600, true},  {"AEDT", 660, true},
    {"AWST", 480, true}, {"NZST", 720, true}, {"NZDT", 780, true}, {"CST", -360, true},  {"BST", 60, true},
    {"IST", 0, false},   {"AST", 0, false},   {"SST", 0, false},
};

static size_t clock_count_letters(const char *s)
{
    size_t n = 0;
    while (fgti_is_letter(s[n])) n++;
    return n;
}

/* Bytes of the name of a place, such as Europe/Berlin; 0: no place. */
static size_t measure_place(const char *begin)
{
    const char *p = begin;
    while (fgti_is_letter(*p) || fgti_is_digit(*p) || (*p && strchr("/_+-", *p))) p++;
    return memchr(begin, '/', (size_t)(p - begin)) ? (size_t)(p - begin) : 0;
}

/* Takes a name that does not give an offset. */
static void take_zone(fgti_scanner *s, size_t size)
{
    const size_t at = (size_t)(s->p - s->text);
    if (at + size <= UINT8_MAX) s->f->zone = (fgti_piece){FGTI_PART_OFFSET, (uint8_t)at, (uint8_t)size};
    s->p += size;
}

static bool take_place(fgti_scanner *s)
{
    const size_t size = measure_place(s->p);
    if (size) take_zone(s, size);
    return size;
}

/* Takes am, PM, a.m., p.m., or nothing, but not the beginning of America/New_York. */
static void scan_half(fgti_scanner *s)
{
    const char *before = s->p;
    fgti_scan_blanks(s);
    const char *begin = s->p, letter = *begin;
    const bool  pm = letter == 'p' || letter == 'P';
    if ((pm || letter == 'a' || letter == 'A') && !measure_place(begin)) {
        s->p++;
        if (*s->p == '.') s->p++;
        if (*s->p == 'm' || *s->p == 'M') {
            s->p++;
            if (*s->p == '.') s->p++;
            fgti_scan_put(s, FGTI_PART_HALF, begin, pm);
            return;
        }
    }
    s->p = before;
}

/* Takes a fraction of a second. Digits finer than milliseconds are dropped. */
static bool scan_fraction(fgti_scanner *s)
{
    int64_t ms = 0, unit = 100;
    if (*s->p != '.' && *s->p != ',') return true;
    const char *begin = ++s->p;
    for (; fgti_is_digit(*s->p); s->p++, unit /= 10) ms += unit * (*s->p - '0');
    if (s->p == begin) return false;
    fgti_scan_put(s, FGTI_PART_FRACTION, begin, ms);
    return true;
}

bool fgti_scan_clock(fgti_scanner *s, char before)
{
    const size_t n = fgti_count_digits(s->p);
    if (n == 4 || n == 6) {
        fgti_scan_digits(s, FGTI_PART_HOUR, 2);
        fgti_scan_digits(s, FGTI_PART_MINUTE, 2);
        if (n == 6) fgti_scan_digits(s, FGTI_PART_SECOND, 2);
    } else {
        if (!fgti_scan_number(s, FGTI_PART_HOUR, 1, 2)) return false;
        const char colon = before == '-' || (before == '_' && *s->p == '-') ? '-' : ':';
        for (int i = 0; i < 2 && *s->p == colon; i++) {
            s->p++;
            if (!fgti_scan_number(s, i ? FGTI_PART_SECOND : FGTI_PART_MINUTE, 2, 2)) return false;
        }
    }
    if (!scan_fraction(s)) return false;
    scan_half(s);
    return true;
}

/* Takes an offset: +02, +0200 or +02:00. After UTC (`named`) it may also be +2. */
static bool scan_sign(fgti_scanner *s, bool named)
{
    const char  *begin = s->p;
    const bool   west  = *s->p++ == '-';
    const size_t n     = fgti_count_digits(s->p);
    int64_t      v     = 0;
    for (size_t i = 0; i < n && i < 4; i++) v = 10 * v + (*s->p++ - '0');
    if (n == 1 || n == 2) v *= 100;
    if ((n != 2 && n != 4 && !(named && n == 1)) || fgti_is_digit(*s->p)) return false;
    if (n < 4 && *s->p == ':') {
        if (fgti_count_digits(++s->p) != 2) return false;
        v += 10 * (s->p[0] - '0') + s->p[1] - '0';
        s->p += 2;
    }
    s->f->offset = (int32_t)(v / 100 * 60 + v % 100) * (west ? -1 : 1);
    fgti_scan_put(s, FGTI_PART_OFFSET, begin, v);
    return true;
}

static bool scan_name(fgti_scanner *s)
{
    const char  *begin = s->p;
    const size_t n     = clock_count_letters(begin);
    if (take_place(s)) return true;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        const bool utc = i < 2;
        if (strlen(zones[i].name) != n ||
            !(utc ? fgti_same_word(zones[i].name, begin, n) : !strncmp(zones[i].name, begin, n)))
            continue;
        if (!zones[i].known) return take_zone(s, n), true;
        s->p += n;
        if (utc && (*s->p == '+' || *s->p == '-')) return scan_sign(s, true);
        s->f->offset = zones[i].offset;
        fgti_scan_put(s, FGTI_PART_OFFSET, begin, 0);
        return true;
    }
    return false;
}

/* Takes a text in brackets: a place or, if there is no offset yet, a name such as CET; other texts are
 * skipped. */
static bool scan_brackets(fgti_scanner *s)
{
    const char *close = strchr(s->p, *s->p == '(' ? ')' : ']');
    if (!close) return false;
    s->p++;
    if (!take_place(s) && !fgti_fields_have(s->f, FGTI_PART_OFFSET) &&
        s->p + clock_count_letters(s->p) == close)
        scan_name(s);
    s->p = close + 1;
    return true;
}

bool fgti_scan_zone(fgti_scanner *s)
{
    for (;;) {
        fgti_scan_blanks(s);
        const char *begin = s->p, c = *begin;
        if ((c == 'Z' || c == 'z') && !fgti_is_letter(begin[1])) {
            s->p++;
            s->f->offset = 0;
            fgti_scan_put(s, FGTI_PART_OFFSET, begin, 0);
        } else if (c == '+' || c == '-') {
            if (!scan_sign(s, false)) return false;
        } else if (c == '(' || c == '[') {
            if (!scan_brackets(s)) return false;
        } else if (!fgti_is_letter(c)) {
            return true;
        } else if (!scan_name(s)) {
            return false;
        }
    }
}
