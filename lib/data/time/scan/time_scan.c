/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/scan/time_scan.h"

#include <string.h>

#include "data/time/scan/month_names.h"
#include "data/time/scan/scanner.h"
#include "data/time/scan/time_clock.h"
#include "data/time/scan/time_period.h"

const char *const fgti_month_names[12]  = {"January",   "February", "March",    "April",
                                           "May",       "June",     "July",     "August",
                                           "September", "October",  "November", "December"};
const char *const fgti_weekday_names[7] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                           "Friday", "Saturday", "Sunday"};

/* ---- pieces of a text ---- */

static size_t scan_count_letters(const char *s)
{
    size_t n = 0;
    while (fgti_is_letter(s[n])) n++;
    return n;
}

/* Whether the letter `c`, capital or small, comes next, and a digit follows it. */
static bool scan_is_mark(const char *p, char c)
{
    return (*p == c || *p == c + 'a' - 'A') && fgti_is_digit(p[1]);
}

/* Takes one of the names, or its first three letters. Sept, Tues, Thur and similar forms are also taken. */
static bool scan_take_name(fgti_scanner *s, fgti_part part, const char *const *names, int64_t count)
{
    const char  *begin = s->p;
    const size_t n     = scan_count_letters(begin);
    for (int64_t i = 0; n >= 3 && i < count; i++) {
        const size_t all = strlen(names[i]);
        if (n > all || (n > 5 && n < all) || !fgti_same_word(begin, names[i], n)) continue;
        s->p += n;
        fgti_scan_put(s, part, begin, i + 1);
        return true;
    }
    return false;
}

/* Takes the name of a month in another language. A point after a short form belongs to the name. Full names
 * have no point. */
static bool take_month_name(fgti_scanner *s)
{
    const int   language = s->rule ? s->rule->language : 0;
    const char *begin    = s->p;
    uint32_t    languages;
    if (language <= FGTI_ENGLISH && scan_take_name(s, FGTI_PART_MONTH, fgti_month_names, 12)) return true;
    const size_t n     = fgti_word_size(begin);
    const int    month = fgti_month_find(begin, n, &languages);
    if (!month) return false;
    s->p += n;
    if (*s->p == '.' && (!s->p[1] || s->p[1] == ' ')) s->p++;
    fgti_scan_put(s, FGTI_PART_MONTH, begin, month);
    s->foreign = true;
    return true;
}

int fgti_time_find_month(const char *text, uint32_t *languages)
{
    for (const char *p = text; *p;) {
        const size_t n     = fgti_word_size(p);
        const int    month = fgti_month_find(p, n, languages);
        if (month) return month;
        p += n ? n : 1;
    }
    return 0;
}

/* Whether the number after the name of a month in another language is a year. "Set 1001" need not be
 * September. "Set 12" is September only if the column has other months in that language. */
static bool is_foreign_year(const fgti_scanner *s)
{
    const char *p = s->p;
    if (fgti_count_digits(p) == 2) return s->rule->language > FGTI_ENGLISH;
    return (*p == '1' && p[1] >= '7') || (*p == '2' && p[1] <= '2');
}

/* Takes a year of four digits or, with `two`, of two digits. 69 to 99 are in the twentieth century, as in
 * POSIX. */
static bool take_year(fgti_scanner *s, bool two)
{
    if (s->foreign && !is_foreign_year(s)) return false;
    if (two && fgti_count_digits(s->p) == 2) {
        fgti_scan_digits(s, FGTI_PART_YEAR, 2);
        s->f->value[FGTI_PART_YEAR] += s->f->value[FGTI_PART_YEAR] < 69 ? 2000 : 1900;
        return true;
    }
    return fgti_scan_number(s, FGTI_PART_YEAR, 4, 4);
}

/* ---- dates with names ---- */

static bool scan_at_end(const char *p)
{
    while (*p == ' ') p++;
    return !*p;
}

/* Scans a date that begins with the month: January 2012, Jan-12, Jan 02, 2023. In "Jan 2 13:00:00 2023" the
 * year comes later. If other days of the column have two digits, a day of one digit has one more blank before
 * it. */
static fgti_time_found scan_month_day(fgti_scanner *s)
{
    fgti_scan_loose(s);
    const size_t n = fgti_count_digits(s->p);
    if (n == 4 || (n == 2 && scan_at_end(s->p + 2)))
        return take_year(s, true) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
    const bool padded = n == 1 && s->p >= s->text + 2 && s->p[-1] == ' ' && s->p[-2] == ' ';
    if (!fgti_scan_number(s, FGTI_PART_DAY, 1, 2)) return FGTI_TIME_TEXT;
    if (padded && s->f->pieces <= FGTI_PIECES) {
        fgti_piece *day = &s->f->piece[s->f->pieces - 1];
        day->begin--;
        day->size++;
    }
    const char *after = s->p;
    fgti_scan_loose(s);
    if (fgti_count_digits(s->p) == 4) return take_year(s, false) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
    s->p         = after;
    s->late_year = true;
    return FGTI_TIME_FOUND;
}

/* Scans a date that begins with the day, from this number on: 01-Jan-2012, 1 January 2012, 01JAN12. */
static fgti_time_found scan_day_month(fgti_scanner *s)
{
    fgti_scan_number(s, FGTI_PART_DAY, 1, 2);
    fgti_scan_loose(s);
    if (!take_month_name(s)) return FGTI_TIME_TEXT;
    fgti_scan_loose(s);
    return take_year(s, true) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
}

/* Scans the year after a quarter or a week: Q1 2012, W01-2012, 1. Quartal 2012. After a quarter it may have
 * two digits: Q1'12, 1Q12. */
static fgti_time_found scan_period(fgti_scanner *s)
{
    const bool quarter = fgti_fields_have(s->f, FGTI_PART_QUARTER);
    fgti_scan_loose(s);
    return take_year(s, quarter && fgti_count_digits(s->p) == 2) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
}

/* Scans the rest of a week after its year: 2020-W53, 2020W53, 2020-W53-1, 2020W531. */
static fgti_time_found scan_week(fgti_scanner *s)
{
    const bool day = fgti_count_digits(s->p) == 3;
    if (day)
        fgti_scan_digits(s, FGTI_PART_WEEK, 2);
    else if (!fgti_scan_number(s, FGTI_PART_WEEK, 1, 2))
        return FGTI_TIME_TEXT;
    if (!day && (*s->p != '-' || fgti_count_digits(s->p + 1) != 1)) return FGTI_TIME_FOUND;
    s->p += !day;
    return fgti_scan_number(s, FGTI_PART_DAY_OF_WEEK, 1, 1) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
}

/* ---- dates of numbers ---- */

/* Takes the rest after the year in 2012Q1, 2012:Q1, 2012-T1, 2012 KW 2, 2012 1. Quartal. It must not take the
 * rest of 2012-1T10:00, which is a time. */
static bool scan_period_after_year(fgti_scanner *s)
{
    const char *begin = s->p;
    fgti_scan_loose(s);
    s->p += *s->p == ':';
    const bool first = fgti_is_digit(*s->p);
    if (fgti_scan_period(s) && (!first || scan_at_end(s->p))) return true;
    s->p = begin;
    return false;
}

/* Scans the text that follows a year of four digits. */
static fgti_time_found scan_after_year(fgti_scanner *s)
{
    const char   separator = *s->p, *next = s->p + (separator && strchr("-/. ", separator));
    const size_t n    = fgti_count_digits(next);
    const bool   name = fgti_word_size(next) >= 3;
    if (scan_is_mark(next, 'W')) return s->p = next + 1, scan_week(s);
    if (scan_period_after_year(s)) return FGTI_TIME_FOUND;
    s->p = next;
    if (scan_is_mark(next, 'M'))
        return s->p++, fgti_scan_number(s, FGTI_PART_MONTH, 1, 2) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
    if (name && !take_month_name(s)) return FGTI_TIME_TEXT;
    if (name && scan_at_end(s->p)) return FGTI_TIME_FOUND;
    if (name) {
        fgti_scan_loose(s);
        return fgti_scan_number(s, FGTI_PART_DAY, 1, 2) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
    }
    if (!separator || separator == ' ' || s->rule->form > FGT_TIME_FORM_ISO) return FGTI_TIME_TEXT;
    if (n == 3 && separator != '.') return fgti_scan_digits(s, FGTI_PART_DAY_OF_YEAR, 3), FGTI_TIME_FOUND;
    if (!fgti_scan_number(s, FGTI_PART_MONTH, 1, 2)) return FGTI_TIME_TEXT;
    if (*s->p != separator)
        return separator == '.' || (separator == '/' && s->f->value[FGTI_PART_MONTH] > 12) ? FGTI_TIME_TEXT
                                                                                           : FGTI_TIME_FOUND;
    s->p++;
    return fgti_scan_number(s, FGTI_PART_DAY, 1, 2) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
}

/* The order of day and month in 13/7/2016 or 7/13/2016; AUTO: both orders are possible. If points separate
 * the numbers, the day comes first. */
static int32_t scan_find_order(int64_t first, int64_t second, char separator)
{
    if (separator == '.' || first > 12) return FGT_TIME_FORM_DMY;
    return second > 12 ? FGT_TIME_FORM_MDY : FGT_TIME_FORM_AUTO;
}

/* The numbers of a date: 13/7/2016 or 13/7/16. For 7/2016 `count` is 2. */
typedef struct triple {
    const char *begin[3];
    size_t      size[3];
    int64_t     value[3];
    int         count;
    char        separator;
} triple;

static bool read_triple(const char *p, triple *t)
{
    *t = (triple){.count = 0};
    for (;;) {
        const size_t n = fgti_count_digits(p);
        if (n < 1 || n > 4) return false;
        t->begin[t->count] = p;
        t->size[t->count]  = n;
        for (size_t i = 0; i < n; i++) t->value[t->count] = 10 * t->value[t->count] + (*p++ - '0');
        if (++t->count == 1) t->separator = *p;
        if (t->count == 3 || !*p || *p != t->separator || !strchr("-/.", *p)) return t->count > 1;
        p++;
    }
}

/* Whether the year comes last and has four digits. In 03/04/05 the order is not known. */
static bool scan_is_short(const triple *t)
{
    return t->count == 3 && t->size[0] <= 2 && t->size[1] <= 2 && t->size[2] == 4;
}

int32_t fgti_time_order(const char *text)
{
    fgti_fields  f = {0};
    fgti_scanner s = {.text = text, .p = text, .f = &f};
    triple       t;
    fgti_scan_blanks(&s);
    if (scan_take_name(&s, FGTI_PART_WEEKDAY, fgti_weekday_names, 7)) fgti_scan_loose(&s);
    return read_triple(s.p, &t) && scan_is_short(&t) ? scan_find_order(t.value[0], t.value[1], t.separator)
                                                     : -1;
}

/* Takes the three numbers as parts, in this order. */
static fgti_time_found take_triple(fgti_scanner *s, const triple *t, const fgti_part *order)
{
    for (int i = 0; i < 3; i++) {
        s->p = t->begin[i];
        if (order[i] == FGTI_PART_YEAR ? !take_year(s, true) : !fgti_scan_number(s, order[i], 1, 2))
            return FGTI_TIME_TEXT;
    }
    return FGTI_TIME_FOUND;
}

/* Whether the numbers are a date with a year of two digits, as 13/7/16 or 16-07-13. At least one order must
 * give a possible day. */
static bool lacks_century(const triple *t)
{
    if (t->count < 3 || t->size[0] > 2 || t->size[1] > 2 || t->size[2] != 2) return false;
    const char after = t->begin[2][2];
    const bool first = t->value[0] <= 31 && t->value[1] <= 31 && (t->value[0] <= 12 || t->value[1] <= 12);
    return (!after || strchr(" T,", after)) && (first || (t->value[1] <= 12 && t->value[2] <= 31));
}

/* Scans 13/7/2016 or 7/2016. If the caller has given the form, also scans 13/7/16. */
static fgti_time_found scan_short(fgti_scanner *s)
{
    static const fgti_part orders[][3] = {
        [FGT_TIME_FORM_ISO] = {FGTI_PART_YEAR, FGTI_PART_MONTH, FGTI_PART_DAY},
        [FGT_TIME_FORM_DMY] = {FGTI_PART_DAY, FGTI_PART_MONTH, FGTI_PART_YEAR},
        [FGT_TIME_FORM_MDY] = {FGTI_PART_MONTH, FGTI_PART_DAY, FGTI_PART_YEAR}};
    int32_t                form        = s->rule->form;
    triple                 t;
    if (!read_triple(s->p, &t)) return FGTI_TIME_TEXT;
    if (t.count == 2 && t.size[0] <= 2 && t.size[1] == 4 && t.separator != '.' && t.value[0] <= 12) {
        fgti_scan_number(s, FGTI_PART_MONTH, 1, 2);
        s->p++;
        return take_year(s, false) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
    }
    if (lacks_century(&t)) return s->rule->given ? take_triple(s, &t, orders[form]) : FGTI_TIME_CENTURY;
    if (!scan_is_short(&t) || form == FGT_TIME_FORM_ISO) return FGTI_TIME_TEXT;
    if (form == FGT_TIME_FORM_AUTO) form = scan_find_order(t.value[0], t.value[1], t.separator);
    return form == FGT_TIME_FORM_AUTO ? FGTI_TIME_UNCLEAR : take_triple(s, &t, orders[form]);
}

/* Takes a date of digits only, such as 20160701. n: number of its digits, 4, 6, 8 ..., which the caller has
 * counted. */
static void take_compact(fgti_scanner *s, size_t n)
{
    static const fgti_part parts[] = {FGTI_PART_MONTH, FGTI_PART_DAY, FGTI_PART_HOUR, FGTI_PART_MINUTE,
                                      FGTI_PART_SECOND};
    fgti_scan_digits(s, FGTI_PART_YEAR, 4);
    for (size_t i = 0; i < (n - 4) / 2; i++) fgti_scan_digits(s, parts[i], 2);
}

static fgti_time_found scan_date(fgti_scanner *s)
{
    const size_t n = fgti_count_digits(s->p);
    if (n == 8 && s->rule->form <= FGT_TIME_FORM_ISO) return take_compact(s, 8), FGTI_TIME_FOUND;
    if (n == 4) return fgti_scan_digits(s, FGTI_PART_YEAR, 4), scan_after_year(s);
    if (n > 2) return FGTI_TIME_TEXT;
    if (fgti_scan_period(s)) return scan_period(s);
    if (!n) return take_month_name(s) ? scan_month_day(s) : FGTI_TIME_TEXT;
    const char *p = s->p + n;
    while (*p && strchr(" -/.", *p)) p++;
    return fgti_is_letter(*p) ? scan_day_month(s) : scan_short(s);
}

/* ---- the whole text ---- */

/* Takes the weekday after a date: 2023-01-02 Mon, 2023-01-02 (Mon). */
static bool scan_weekday(fgti_scanner *s)
{
    const bool open = *s->p == '(';
    s->p += open;
    if (scan_take_name(s, FGTI_PART_WEEKDAY, fgti_weekday_names, 7)) {
        if (open && *s->p++ != ')') return false;
        fgti_scan_blanks(s);
        return true;
    }
    return !open;
}

/* Scans the text after the date. If a hyphen or a colon separates them, the text must be a time with
 * minutes. */
static bool scan_rest(fgti_scanner *s)
{
    const char c      = *s->p;
    const bool hyphen = c == '-' || c == '_', tight = hyphen || c == ':';
    if (!c) return true;
    if (!strchr(" Tt:-_,(", c) || (tight && !fgti_fields_have(s->f, FGTI_PART_DAY))) return false;
    if (c != '(') s->p++;
    fgti_scan_blanks(s);
    if (!tight && !scan_weekday(s)) return false;
    if (!*s->p) return !tight;
    if (!fgti_scan_clock(s, hyphen ? c : ':')) return false;
    return (!tight || fgti_fields_have(s->f, FGTI_PART_MINUTE)) && fgti_scan_zone(s);
}

fgti_time_found fgti_time_scan(const char *text, const fgti_time_rule *rule, fgti_fields *f)
{
    fgti_scanner s = {.text = text, .p = text, .rule = rule, .f = f};
    *f             = (fgti_fields){0};
    fgti_scan_blanks(&s);
    const bool open = *s.p == '[';
    s.p += open;
    if (scan_take_name(&s, FGTI_PART_WEEKDAY, fgti_weekday_names, 7)) fgti_scan_loose(&s);
    const fgti_time_found found = scan_date(&s);
    if (found != FGTI_TIME_FOUND) return found;
    if (!scan_rest(&s)) return FGTI_TIME_TEXT;
    if (s.late_year && !take_year(&s, false)) return FGTI_TIME_TEXT;
    fgti_scan_blanks(&s);
    if (open && *s.p++ != ']') return FGTI_TIME_TEXT;
    return scan_at_end(s.p) ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
}

fgti_time_found fgti_time_scan_digits(const char *text, fgti_fields *f)
{
    fgti_scanner s = {.text = text, .p = text, .f = f};
    *f             = (fgti_fields){0};
    fgti_scan_blanks(&s);
    const size_t n = fgti_count_digits(s.p);
    if (n < 4 || n > 14 || n % 2 || !scan_at_end(s.p + n)) return FGTI_TIME_TEXT;
    take_compact(&s, n);
    return FGTI_TIME_FOUND;
}

fgti_time_found fgti_time_scan_month(const char *text, fgti_fields *f)
{
    fgti_scanner s = {.text = text, .p = text, .f = f};
    *f             = (fgti_fields){0};
    fgti_scan_blanks(&s);
    if (!fgti_scan_number(&s, FGTI_PART_MONTH, 1, 2) || *s.p++ != '.') return FGTI_TIME_TEXT;
    if (!fgti_scan_number(&s, FGTI_PART_YEAR, 4, 4) || !scan_at_end(s.p)) return FGTI_TIME_TEXT;
    const int64_t year = f->value[FGTI_PART_YEAR];
    return year >= 1900 && year <= 2100 ? FGTI_TIME_FOUND : FGTI_TIME_TEXT;
}

bool fgti_time_is_month(const char *text)
{
    fgti_fields  f = {0};
    fgti_scanner s = {.text = text, .p = text, .f = &f};
    return take_month_name(&s) && scan_at_end(s.p);
}

bool fgti_time_is_clock(const char *text)
{
    fgti_fields  f = {0};
    fgti_scanner s = {.text = text, .p = text, .f = &f};
    fgti_scan_blanks(&s);
    return fgti_scan_clock(&s, ':') && scan_at_end(s.p) && strchr(text, ':');
}
