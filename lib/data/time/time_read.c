/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stamps from text. */
#include "data/time/time.h"

#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "data/strings/list.h"

/* ---- pieces of a text ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads least .. most digits and moves *s behind them. False: there are fewer. */
static bool read_digits(const char **s, int least, int most, int64_t *v)
{
    int n = 0;
    for (*v = 0; n < most && is_digit(**s); n++, ++*s) *v = 10 * *v + (**s - '0');
    return n >= least;
}

static bool skip(const char **s, char c)
{
    if (**s != c) return false;
    ++*s;
    return true;
}

static void skip_blanks(const char **s)
{
    while (**s == ' ') ++*s;
}

/* ---- days ---- */

/* Three numbers with the same separator between them, in the order of the text; the third may be left out. */
typedef struct triple {
    int64_t v[3];
    int     digits[3];
    int     count;
    char    separator;
} triple;

static bool read_triple(const char **s, triple *t)
{
    const char *p = *s;
    *t            = (triple){.count = 0};
    do {
        const char *begin = p;
        if (!read_digits(&p, 1, 4, &t->v[t->count])) return false;
        t->digits[t->count++] = (int)(p - begin);
        if (t->count == 1) t->separator = *p;
    } while (t->count < 3 && *p && strchr("-/.", t->separator) && skip(&p, t->separator));
    if (t->count < 2 || t->digits[1] > 2 || is_digit(*p)) return false;
    *s = p;
    return true;
}

static fgti_time_found to_day(int64_t year, int64_t month, int64_t day, int64_t *time)
{
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > fgti_month_length(year, (int32_t)month))
        return FGTI_TIME_RANGE;
    *time = fgti_day_number((fgti_day){year, (int32_t)month, (int32_t)day}) * FGTI_DAY;
    return FGTI_TIME_FOUND;
}

/* 20160701; the caller knows that there are eight digits. */
static fgti_time_found read_compact(const char **s, int64_t *time)
{
    int64_t v;
    read_digits(s, 8, 8, &v);
    return to_day(v / 10000, v / 100 % 100, v % 100, time);
}

static size_t count_digits(const char *s)
{
    size_t n = 0;
    while (is_digit(s[n])) n++;
    return n;
}

static fgti_time_found read_iso_day(const char **s, int64_t *time)
{
    triple t;
    if (count_digits(*s) == 8) return read_compact(s, time);
    if (!read_triple(s, &t) || t.digits[0] != 4 || t.digits[2] > 2) return FGTI_TIME_TEXT;
    if (t.count == 2 && t.separator != '-') return FGTI_TIME_TEXT;
    return to_day(t.v[0], t.v[1], t.count == 2 ? 1 : t.v[2], time);
}

/* The year last, with all of its digits: 03/04/05 could be anything. */
static bool is_short(const triple *t)
{
    return t->count == 3 && t->digits[0] <= 2 && t->digits[2] == 4;
}

static fgti_time_found read_short_day(const char **s, int32_t form, int64_t *time)
{
    triple t;
    if (!read_triple(s, &t) || !is_short(&t)) return FGTI_TIME_TEXT;
    return form == FGT_TIME_DMY ? to_day(t.v[2], t.v[1], t.v[0], time) : to_day(t.v[2], t.v[0], t.v[1], time);
}

int32_t fgti_time_order(const char *s)
{
    triple t;
    skip_blanks(&s);
    if (!read_triple(&s, &t) || !is_short(&t)) return -1;
    if (t.separator == '.' || t.v[0] > 12) return FGT_TIME_DMY;
    return t.v[1] > 12 ? FGT_TIME_MDY : FGT_TIME_AUTO;
}

/* ---- times of day ---- */

static fgti_time_found read_half(const char **s, int64_t *hour)
{
    skip_blanks(s);
    const bool pm = !strncasecmp(*s, "pm", 2);
    if (!pm && strncasecmp(*s, "am", 2) != 0) return FGTI_TIME_FOUND;
    *s += 2;
    if (*hour < 1 || *hour > 12) return FGTI_TIME_RANGE;
    *hour = *hour % 12 + (pm ? 12 : 0);
    return FGTI_TIME_FOUND;
}

/* h, h:mm, h:mm:ss, h:mm:ss.fff, in milliseconds. */
static fgti_time_found read_clock(const char **s, int64_t *clock)
{
    int64_t v[3] = {0}, ms = 0, unit = 100;
    if (!read_digits(s, 1, 2, &v[0])) return FGTI_TIME_TEXT;
    for (int i = 1; i < 3 && skip(s, ':'); i++)
        if (!read_digits(s, 2, 2, &v[i])) return FGTI_TIME_TEXT;
    if (skip(s, '.') || skip(s, ',')) {
        if (!is_digit(**s)) return FGTI_TIME_TEXT;
        for (; is_digit(**s); ++*s, unit /= 10) ms += unit * (**s - '0'); /* what is finer is dropped */
    }
    const fgti_time_found half = read_half(s, &v[0]);
    if (half != FGTI_TIME_FOUND) return half;
    *clock = ((v[0] * 60 + v[1]) * 60 + v[2]) * 1000 + ms;
    return v[1] < 60 && v[2] < 60 && *clock <= FGTI_DAY ? FGTI_TIME_FOUND : FGTI_TIME_RANGE;
}

/* Z, UTC, GMT, +02, +0200 or +02:00. */
static fgti_time_found read_zone(const char **s, fgti_stamp *stamp)
{
    int64_t hours, minutes = 0;
    skip_blanks(s);
    if (!**s) return FGTI_TIME_FOUND;
    stamp->has_offset = true;
    if (skip(s, 'Z') || skip(s, 'z')) return FGTI_TIME_FOUND;
    if (!strcasecmp(*s, "utc") || !strcasecmp(*s, "gmt")) {
        *s += 3;
        return FGTI_TIME_FOUND;
    }
    const bool west = **s == '-';
    if (!west && **s != '+') return FGTI_TIME_TEXT;
    ++*s;
    if (!read_digits(s, 2, 2, &hours)) return FGTI_TIME_TEXT;
    if ((skip(s, ':') || is_digit(**s)) && !read_digits(s, 2, 2, &minutes)) return FGTI_TIME_TEXT;
    if (hours > 23 || minutes > 59) return FGTI_TIME_RANGE;
    stamp->offset = (int32_t)(hours * 60 + minutes) * (west ? -1 : 1);
    return FGTI_TIME_FOUND;
}

static fgti_time_found read_rest(const char *s, int64_t day, fgti_stamp *stamp)
{
    int64_t    clock = 0;
    fgti_stamp t     = {0};
    if (*s) {
        if (*s != ' ' && *s != 'T' && *s != 't') return FGTI_TIME_TEXT;
        s++;
        skip_blanks(&s);
        if (*s) {
            fgti_time_found f = read_clock(&s, &clock);
            if (f == FGTI_TIME_FOUND) f = read_zone(&s, &t);
            if (f != FGTI_TIME_FOUND) return f;
        }
        skip_blanks(&s);
        if (*s) return FGTI_TIME_TEXT;
    }
    t.time = day + clock - t.offset * INT64_C(60000);
    if (!fgti_time_in_range(t.time)) return FGTI_TIME_RANGE;
    *stamp = t;
    return FGTI_TIME_FOUND;
}

/* ---- numbers ---- */

/* Seconds since 1970, or a finer unit, which their size shows. */
static fgti_time_found read_unix(const char *s, fgti_stamp *stamp)
{
    const bool   negative = skip(&s, '-');
    const size_t n        = count_digits(s);
    uint64_t     v        = 0;
    int64_t      ms = 0, unit = 100;
    if (!n) return FGTI_TIME_TEXT;
    if (n > 19) return FGTI_TIME_RANGE;
    for (; is_digit(*s); s++) v = 10 * v + (uint64_t)(*s - '0');
    if (skip(&s, '.'))
        for (; is_digit(*s); s++, unit /= 10) ms += unit * (*s - '0');
    skip_blanks(&s);
    if (*s) return FGTI_TIME_TEXT;
    int64_t t = n <= 11   ? (int64_t)v * 1000 + ms
                : n <= 14 ? (int64_t)v
                : n <= 17 ? (int64_t)(v / 1000)
                          : (int64_t)(v / 1000000);
    if (negative) t = -t;
    if (!fgti_time_in_range(t)) return FGTI_TIME_RANGE;
    *stamp = (fgti_stamp){.time = t};
    return FGTI_TIME_FOUND;
}

/* Numbers that nobody writes as Unix time, such as 0, 1, 2, are none. */
static fgti_time_found read_number(const char *s, fgti_stamp *stamp)
{
    const int64_t         least = INT64_C(94694400000); /* 1973-01-01 */
    fgti_stamp            t;
    const fgti_time_found f = read_unix(s, &t);
    if (f != FGTI_TIME_FOUND || t.time < least) return FGTI_TIME_TEXT;
    *stamp = t;
    return FGTI_TIME_FOUND;
}

/* ---- all of them ---- */

static fgti_time_found read_dated(const char *s, int32_t form, fgti_stamp *stamp)
{
    int64_t               day;
    const fgti_time_found f = form == FGT_TIME_ISO ? read_iso_day(&s, &day) : read_short_day(&s, form, &day);
    return f == FGTI_TIME_FOUND ? read_rest(s, day, stamp) : f;
}

/* Eight digits that are not meant as a date: 12345678 is a number, 20161301 a date whose month is none. */
static bool is_plain(const char *s)
{
    if (count_digits(s) != 8 || s[8]) return false;
    const int year  = 100 * (10 * (s[0] - '0') + s[1] - '0') + 10 * (s[2] - '0') + s[3] - '0';
    const int month = 10 * (s[4] - '0') + s[5] - '0';
    return (month < 1 || month > 12) && (year < 1900 || year > 2199);
}

fgti_time_found fgti_time_read(const char *s, int32_t form, fgti_stamp *stamp)
{
    skip_blanks(&s);
    if (form == FGT_TIME_UNIX) return read_unix(s, stamp);
    if (form != FGT_TIME_AUTO) return read_dated(s, form, stamp);
    const int32_t order = fgti_time_order(s);
    if (order == FGT_TIME_AUTO) return FGTI_TIME_UNCLEAR;
    if (order > 0) return read_dated(s, order, stamp);
    if (is_plain(s)) return FGTI_TIME_TEXT;
    const fgti_time_found f = read_dated(s, FGT_TIME_ISO, stamp);
    return f == FGTI_TIME_TEXT ? read_number(s, stamp) : f;
}

fgt_status fgt_time_parse(fgt_context *ctx, const char *text, int32_t form, int64_t *time)
{
    static const char *const why[] = {[FGTI_TIME_TEXT]    = "is not a time stamp",
                                      [FGTI_TIME_RANGE]   = "is no day of the calendar or no time of the day",
                                      [FGTI_TIME_UNCLEAR] = "could have the day or the month first"};
    char                     show[FGTI_SHOW];
    fgti_stamp               stamp;
    if (!ctx) return FGT_E_ARG;
    if (!text || !time) return fgti_fail(&ctx->error, FGT_E_ARG, "time: text or result pointer is NULL");
    if (form < 0 || form >= FGTI_TIME_FORMS)
        return fgti_fail(&ctx->error, FGT_E_ARG, "time: form is %d, must lie in 0 .. %d", (int)form,
                         FGTI_TIME_FORMS - 1);
    const fgti_time_found f = fgti_time_read(text, form, &stamp);
    if (f != FGTI_TIME_FOUND)
        return fgti_fail(&ctx->error, FGT_E_DATA, "\"%s\" %s", fgti_show(text, show), why[f]);
    *time = stamp.time;
    return FGT_OK;
}
