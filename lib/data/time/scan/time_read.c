/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads time stamps from text. */
#include "data/time/scan/time_read.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/strings/list.h"
#include "data/time/scan/scanner.h"
#include "data/time/scan/time_scan.h"

/* ---- from parts to a time ---- */

/* The day number of the Monday of an ISO week. Week 1 contains 4 January. */
static int64_t monday_of(int64_t year, int64_t week)
{
    const int64_t fourth = fgti_day_number((fgti_day){year, 1, 4});
    return fourth - fgti_weekday(fourth) + 1 + 7 * (week - 1);
}

static bool in_range(int64_t v, int64_t least, int64_t most)
{
    return v >= least && v <= most;
}

static bool find_week(const fgti_fields *f, int64_t year, int64_t *day)
{
    const int64_t week    = f->value[FGTI_PART_WEEK];
    const int64_t weekday = fgti_fields_have(f, FGTI_PART_DAY_OF_WEEK) ? f->value[FGTI_PART_DAY_OF_WEEK] : 1;
    if (year > 9998 || !in_range(week, 1, 53) || !in_range(weekday, 1, 7)) return false;
    *day = monday_of(year, week) + weekday - 1;
    return week < 53 || monday_of(year, week) < monday_of(year + 1, 1);
}

/* Finds the days since 1970-01-01. Parts that are not given have their first value. */
static bool find_day(const fgti_fields *f, int64_t *day)
{
    const int64_t year  = f->value[FGTI_PART_YEAR];
    int64_t       month = 1, number = 1;
    if (!in_range(year, 1, 9999)) return false;
    if (fgti_fields_have(f, FGTI_PART_WEEK)) return find_week(f, year, day);
    if (fgti_fields_have(f, FGTI_PART_DAY_OF_YEAR)) {
        const int64_t n = f->value[FGTI_PART_DAY_OF_YEAR];
        *day            = fgti_day_number((fgti_day){year, 1, 1}) + n - 1;
        return in_range(n, 1, 337 + fgti_month_length(year, 2));
    }
    if (fgti_fields_have(f, FGTI_PART_QUARTER)) month = 3 * f->value[FGTI_PART_QUARTER] - 2;
    if (fgti_fields_have(f, FGTI_PART_MONTH)) month = f->value[FGTI_PART_MONTH];
    if (fgti_fields_have(f, FGTI_PART_DAY)) number = f->value[FGTI_PART_DAY];
    if (!in_range(month, 1, 12) || !in_range(number, 1, fgti_month_length(year, (int32_t)month)))
        return false;
    *day = fgti_day_number((fgti_day){year, (int32_t)month, (int32_t)number});
    return !fgti_fields_have(f, FGTI_PART_WEEKDAY) || fgti_weekday(*day) == f->value[FGTI_PART_WEEKDAY];
}

/* Finds the milliseconds since midnight. 24:00 is allowed. */
static bool time_find_clock(const fgti_fields *f, int64_t *clock)
{
    int64_t       hour   = f->value[FGTI_PART_HOUR];
    const int64_t minute = f->value[FGTI_PART_MINUTE], second = f->value[FGTI_PART_SECOND];
    if (fgti_fields_have(f, FGTI_PART_HALF)) {
        if (!in_range(hour, 1, 12)) return false;
        hour = hour % 12 + 12 * f->value[FGTI_PART_HALF];
    }
    *clock = ((hour * 60 + minute) * 60 + second) * 1000 + f->value[FGTI_PART_FRACTION];
    return minute < 60 && second < 60 && *clock <= FGTI_DAY;
}

static fgti_time_found assemble(const fgti_fields *f, fgti_stamp *stamp)
{
    int64_t       day, clock;
    const int64_t offset = f->value[FGTI_PART_OFFSET]; /* two digits of hours, two of minutes */
    if (!find_day(f, &day) || !time_find_clock(f, &clock) || offset / 100 > 23 || offset % 100 > 59)
        return FGTI_TIME_RANGE;
    const bool    has  = fgti_fields_have(f, FGTI_PART_OFFSET);
    const int64_t time = day * FGTI_DAY + clock - (has ? f->offset * INT64_C(60000) : 0);
    if (!fgti_time_in_range(time)) return FGTI_TIME_RANGE;
    *stamp = (fgti_stamp){.time = time, .offset = has ? f->offset : 0, .has_offset = has, .zone = f->zone};
    if (f->pieces > FGTI_PIECES) return FGTI_TIME_FOUND;
    stamp->pieces = f->pieces;
    memcpy(stamp->piece, f->piece, sizeof f->piece);
    return FGTI_TIME_FOUND;
}

/* ---- numbers ---- */

static const char *after_blanks(const char *s)
{
    while (*s == ' ') s++;
    return s;
}

bool fgti_time_is_number(const char *text)
{
    const char *s = after_blanks(text);
    s += *s == '-';
    const size_t n = fgti_count_digits(s);
    s += n;
    if (*s == '.') s += 1 + fgti_count_digits(s + 1);
    return n && !*after_blanks(s);
}

/* Makes the stamp of a text that is only a number. */
static fgti_time_found found_number(const char *text, int64_t time, fgti_part part, fgti_stamp *stamp)
{
    const char  *s    = after_blanks(text);
    const size_t size = strcspn(s, " "), begin = (size_t)(s - text);
    if (!fgti_time_in_range(time)) return FGTI_TIME_RANGE;
    *stamp = (fgti_stamp){.time = time};
    if (begin + size > UINT8_MAX) return FGTI_TIME_FOUND;
    stamp->piece[stamp->pieces++] = (fgti_piece){(uint8_t)part, (uint8_t)begin, (uint8_t)size};
    return FGTI_TIME_FOUND;
}

/* Reads the time since 1970 in seconds or in a finer unit. The number of digits shows the unit. */
static fgti_time_found read_unix(const char *text, fgti_stamp *stamp)
{
    const char  *s        = after_blanks(text);
    const bool   negative = *s == '-';
    const size_t n        = fgti_count_digits(s += negative);
    uint64_t     v        = 0;
    int64_t      ms = 0, unit = 100;
    if (!fgti_time_is_number(text)) return FGTI_TIME_TEXT;
    if (n > 19) return FGTI_TIME_RANGE;
    for (size_t i = 0; i < n; i++) v = 10 * v + (uint64_t)(*s++ - '0');
    if (*s == '.')
        for (s++; unit && fgti_count_digits(s); s++, unit /= 10) ms += unit * (*s - '0');
    int64_t t = n <= 11   ? (int64_t)v * 1000 + ms
                : n <= 14 ? (int64_t)v
                : n <= 17 ? (int64_t)(v / 1000)
                          : (int64_t)(v / 1000000);
    return found_number(text, negative ? -t : t, FGTI_PART_UNIX, stamp);
}

/* Reads Unix time from 1973 on. Smaller numbers, such as 0, 1, 2, are not times. */
static fgti_time_found read_late(const char *text, fgti_stamp *stamp)
{
    const int64_t         least = INT64_C(94694400000); /* 1973-01-01 */
    fgti_stamp            t;
    const fgti_time_found f = read_unix(text, &t);
    if (f != FGTI_TIME_FOUND || t.time < least) return FGTI_TIME_TEXT;
    *stamp = t;
    return FGTI_TIME_FOUND;
}

/* Reads a text of only digits as a date. Eight digits with an unusual year are a date only if the month is
 * possible. So 12345678 is a number, while 20161301 is a date with a wrong month. */
static fgti_time_found time_read_digits(const char *text, fgti_stamp *stamp)
{
    fgti_fields f;
    if (fgti_time_scan_digits(text, &f) != FGTI_TIME_FOUND) return FGTI_TIME_TEXT;
    const int64_t year = f.value[FGTI_PART_YEAR], month = f.value[FGTI_PART_MONTH];
    const size_t  n     = fgti_count_digits(after_blanks(text));
    const bool    plain = n == 8  ? !in_range(year, 1900, 2199) && !in_range(month, 1, 12)
                          : n < 8 ? !in_range(year, 1000, 2999)
                                  : !in_range(year, 1900, 2199);
    return plain ? FGTI_TIME_TEXT : assemble(&f, stamp);
}

/* The nearest whole minute, second or millisecond in a day, according to the number of decimals. day >= 0. */
static int64_t round_day(double day, size_t decimals)
{
    static const double units[] = {60000, 1000};
    const double        ms      = day * (double)FGTI_DAY;
    const double        fine    = 0.51 * (double)FGTI_DAY * pow(10, -(double)decimals);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const double whole = round(ms / units[i]) * units[i];
        if (fabs(whole - ms) <= fine + 0.01) return (int64_t)whole;
    }
    return (int64_t)round(ms);
}

/* Reads days since 1899-12-30. The day must be 1927-05-18 to 2199-12-31, because smaller numbers have another
 * meaning. */
static fgti_time_found read_serial(const char *text, fgti_stamp *stamp)
{
    const char  *s    = after_blanks(text);
    const size_t n    = fgti_count_digits(s);
    int64_t      days = 0;
    if (!fgti_time_is_number(text) || (n != 5 && n != 6)) return FGTI_TIME_TEXT;
    for (size_t i = 0; i < n; i++) days = 10 * days + (*s++ - '0');
    if (!in_range(days, 10000, 109575)) return FGTI_TIME_TEXT;
    const size_t decimals = *s == '.' ? fgti_count_digits(s + 1) : 0;
    double       part = 0, unit = 1;
    for (size_t i = 0; i < decimals; i++) part += (unit /= 10) * (s[1 + i] - '0');
    const int64_t first = fgti_day_number((fgti_day){1899, 12, 30});
    return found_number(text, (first + days) * FGTI_DAY + round_day(part, decimals), FGTI_PART_SERIAL, stamp);
}

/* Reads a number without its column. Dates of 12 or 14 digits are tried first: as Unix time they would be in
 * 1976 or in the 26th century. */
static fgti_time_found read_alone(const char *text, fgti_stamp *stamp)
{
    const char  *s = after_blanks(text);
    const size_t n = fgti_count_digits(s);
    if (n == 8 && !*after_blanks(s + n)) return time_read_digits(text, stamp);
    if ((n == 12 || n == 14) && time_read_digits(text, stamp) == FGTI_TIME_FOUND) return FGTI_TIME_FOUND;
    return read_late(text, stamp);
}

static fgti_time_found read_month(const char *text, fgti_stamp *stamp)
{
    fgti_fields f;
    return fgti_time_scan_month(text, &f) == FGTI_TIME_FOUND ? assemble(&f, stamp) : FGTI_TIME_TEXT;
}

static fgti_time_found time_read_number(const char *text, const fgti_time_rule *rule, fgti_stamp *stamp)
{
    if (rule->number == FGTI_READ_MONTHS) return read_month(text, stamp);
    if (rule->form == FGT_TIME_FORM_ISO) return time_read_digits(text, stamp);
    if (rule->form != FGT_TIME_FORM_AUTO) return FGTI_TIME_TEXT;
    switch (rule->number) {
    case FGTI_READ_UNIX: return read_late(text, stamp);
    case FGTI_READ_DIGITS: return time_read_digits(text, stamp);
    case FGTI_READ_SERIAL: return read_serial(text, stamp);
    default: return read_alone(text, stamp);
    }
}

/* ---- the most frequent form ---- */

enum { DATE_SIZE = 10, MINUTE_SIZE = 16, SECOND_SIZE = 19 };

/* The number that two digits give; above 99: a byte is not a digit. */
static inline int32_t two_digits(const char *s)
{
    const uint32_t a = (uint32_t)s[0] - '0', b = (uint32_t)s[1] - '0';
    return a > 9 || b > 9 ? 1000 : (int32_t)(10 * a + b);
}

/* Reads 2024-01-31, 2024-01-31 23:59 or 2024-01-31 23:59:59, which many files have in millions of rows.
 * Returns false for another text, which fgti_time_scan() must read. */
static bool read_usual(const char *s, fgti_stamp *stamp)
{
    static const fgti_stamp all = {.usual = true,
                                   .piece = {{FGTI_PART_YEAR, 0, 4},
                                             {FGTI_PART_MONTH, 5, 2},
                                             {FGTI_PART_DAY, 8, 2},
                                             {FGTI_PART_HOUR, 11, 2},
                                             {FGTI_PART_MINUTE, 14, 2},
                                             {FGTI_PART_SECOND, 17, 2}}};
    const size_t            n   = strnlen(s, SECOND_SIZE + 1);
    const bool              day = n == DATE_SIZE, exact = n == SECOND_SIZE;
    if ((!day && !exact && n != MINUTE_SIZE) || s[4] != '-' || s[7] != '-') return false;
    if (!day && ((s[10] != ' ' && s[10] != 'T') || s[13] != ':' || (exact && s[16] != ':'))) return false;
    const int32_t century = two_digits(s), rest = two_digits(s + 2), month = two_digits(s + 5);
    const int32_t number = two_digits(s + 8), hour = day ? 0 : two_digits(s + 11);
    const int32_t minute = day ? 0 : two_digits(s + 14), second = exact ? two_digits(s + 17) : 0;
    const int64_t year   = 100 * century + rest;
    if (century > 99 || rest > 99 || year < 1 || month < 1 || month > 12 || hour > 23 || minute > 59 ||
        second > 59 || number < 1 || number > fgti_month_length(year, month))
        return false;
    *stamp        = all;
    stamp->pieces = day ? 3 : exact ? 6 : 5;
    stamp->time   = fgti_day_number((fgti_day){year, month, number}) * FGTI_DAY +
                  ((hour * 60 + minute) * 60 + second) * INT64_C(1000);
    return true;
}

/* ---- all forms ---- */

fgti_time_found fgti_time_read_by(const char *text, const fgti_time_rule *rule, fgti_stamp *stamp)
{
    fgti_fields f;
    if (rule->form == FGT_TIME_FORM_UNIX) return read_unix(text, stamp);
    if (rule->form <= FGT_TIME_FORM_ISO && read_usual(text, stamp)) return FGTI_TIME_FOUND;
    if (fgti_time_is_number(text)) return time_read_number(text, rule, stamp);
    const fgti_time_found found = fgti_time_scan(text, rule, &f);
    return found == FGTI_TIME_FOUND ? assemble(&f, stamp) : found;
}

fgti_time_found fgti_time_read(const char *text, int32_t form, fgti_stamp *stamp)
{
    return fgti_time_read_by(text, &(fgti_time_rule){.form = form, .given = form != FGT_TIME_FORM_AUTO},
                             stamp);
}

bool fgti_time_is_point_month(const char *text)
{
    fgti_stamp s;
    return read_month(text, &s) == FGTI_TIME_FOUND;
}

fgt_status fgt_time_parse(fgt_context *ctx, const char *text, int32_t form, int64_t *time)
{
    static const char *const why[] = {
        [FGTI_TIME_TEXT]    = "is not a time stamp",
        [FGTI_TIME_RANGE]   = "is no day of the calendar or no time of the day",
        [FGTI_TIME_UNCLEAR] = "could have the day or the month first",
        [FGTI_TIME_CENTURY] = "has a year of two digits, and could have the day, month or year first"};
    char       show[FGTI_SHOW];
    fgti_stamp stamp;
    if (!ctx) return FGT_E_ARG;
    if (!text || !time) return fgti_fail(&ctx->error, FGT_E_ARG, "time: text or result pointer is NULL");
    if (form < 0 || form >= FGTI_TIME_FORMS)
        return fgti_fail(&ctx->error, FGT_E_ARG, "time: form is out of range (got %d, need 0 .. %d)",
                         (int)form, FGTI_TIME_FORMS - 1);
    const fgti_time_found f = fgti_time_read(text, form, &stamp);
    if (f != FGTI_TIME_FOUND)
        return fgti_fail(&ctx->error, FGT_E_DATA, "\"%s\" %s", fgti_show(text, show), why[f]);
    *time = stamp.time;
    return FGT_OK;
}
