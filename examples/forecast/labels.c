/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "forecast.h"

/* Reads row labels as points in time: "2016-07-01 00:00:00", "2016/7/1 0:00", "2016-07-01T00:00Z",
 * "2016-07-01", "01.07.2016 00:10:00". Time zones are not supported: an ending such as "Z" or ".000" must be
 * the same in all labels, and is copied. */

#define DAY 86400

/* So many labels at the end of the table must follow the rule. */
#define LOOK_BACK 8

typedef struct stamp {
    int64_t year, month, day, hour, minute, second;
    char    dash;    /* between year, month and day; '.': the day comes first */
    char    gap;     /* between date and time; 0: no time */
    bool    seconds; /* the label has seconds */
    bool    narrow;  /* a month, day or hour below 10 has one digit */
    char    rest[16];
} stamp;

/* Reads a number of at most `width` digits at *p. */
static bool number(const char **p, int width, stamp *s, int64_t *out)
{
    const char *from = *p;
    *out             = 0;
    for (; **p >= '0' && **p <= '9' && *p - from < width; (*p)++) *out = 10 * *out + (**p - '0');
    if (*p - from == 1) s->narrow = true;
    return *p > from;
}

static bool read_date(const char **p, stamp *s)
{
    int64_t a;
    if (!number(p, 4, s, &a)) return false;
    s->dash = **p;
    if (!s->dash || !strchr("-/.", s->dash)) return false;
    (*p)++;
    if (!number(p, 2, s, &s->month) || *(*p)++ != s->dash) return false;
    const bool day_first = s->dash == '.';
    if (!number(p, day_first ? 4 : 2, s, day_first ? &s->year : &s->day)) return false;
    *(day_first ? &s->day : &s->year) = a;
    return s->month >= 1 && s->month <= 12 && s->day >= 1 && s->day <= 31 && s->year >= 1000;
}

static bool read_time(const char **p, stamp *s)
{
    s->gap = *(*p)++;
    if (!number(p, 2, s, &s->hour) || *(*p)++ != ':' || !number(p, 2, s, &s->minute)) return false;
    s->seconds = **p == ':';
    if (s->seconds) (*p)++;
    if (s->seconds && !number(p, 2, s, &s->second)) return false;
    return s->hour < 24 && s->minute < 60 && s->second < 60;
}

static bool stamp_read(const char *text, stamp *s)
{
    *s = (stamp){0};
    if (!text || !read_date(&text, s)) return false;
    if ((*text == ' ' || *text == 'T') && !read_time(&text, s)) return false;
    if (strlen(text) >= sizeof s->rest) return false;
    strcpy(s->rest, text);
    return true;
}

/* Days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the leap day is the
 * last day of a year; there are 719468 days between 0000-03-01 and 1970-01-01. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    const int64_t y   = month <= 2 ? year - 1 : year;
    const int64_t era = y / 400, of_era = y % 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void set_days(int64_t days, stamp *s)
{
    const int64_t z = days + 719468, era = z / 146097, of_era = z % 146097;
    const int64_t years   = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * years + years / 4 - years / 100);
    const int64_t march   = (5 * of_year + 2) / 153;
    s->day                = of_year - (153 * march + 2) / 5 + 1;
    s->month              = march < 10 ? march + 3 : march - 9;
    s->year               = era * 400 + years + (s->month <= 2);
}

static int64_t seconds_of(const stamp *s)
{
    return days_of(s->year, s->month, s->day) * DAY + s->hour * 3600 + s->minute * 60 + s->second;
}

static int64_t months_of(const stamp *s)
{
    return s->year * 12 + s->month - 1;
}

label_rule label_rule_of(const fgt_table *table)
{
    label_rule    rule = {.table = table}, none = {.table = table};
    const int64_t rows = fgt_table_count_rows(table);
    stamp         s, before;
    for (int64_t r = rows - 1; r > 0 && r >= rows - LOOK_BACK; r--) {
        if (!stamp_read(fgt_table_get_date(table, r), &s)) return none;
        if (!stamp_read(fgt_table_get_date(table, r - 1), &before)) return none;
        const int64_t seconds = seconds_of(&s) - seconds_of(&before);
        const int64_t months  = s.day == before.day && s.hour == before.hour && s.minute == before.minute &&
                                       s.second == before.second
                                    ? months_of(&s) - months_of(&before)
                                    : 0;
        if (seconds <= 0 || s.dash != before.dash || s.gap != before.gap || strcmp(s.rest, before.rest))
            return none;
        if (r == rows - 1) {
            rule.seconds = seconds;
            rule.months  = months;
            continue;
        }
        if (rule.seconds != seconds) rule.seconds = 0;
        if (rule.months != months) rule.months = 0;
    }
    if (rule.seconds) rule.months = 0;
    for (int64_t r = 0; r < rows && !rule.narrow; r++)
        rule.narrow = stamp_read(fgt_table_get_date(table, r), &s) && s.narrow;
    return rule;
}

bool label_after(const label_rule *rule, int64_t k, char out[LABEL_MAX])
{
    stamp s;
    if (!rule->seconds && !rule->months) return false;
    if (!stamp_read(fgt_table_get_date(rule->table, fgt_table_count_rows(rule->table) - 1), &s)) return false;
    if (rule->months) {
        const int64_t month = months_of(&s) + k * rule->months;
        s.year              = month / 12;
        s.month             = month % 12 + 1;
    } else {
        const int64_t t = seconds_of(&s) + k * rule->seconds, days = (t - (t % DAY + DAY) % DAY) / DAY;
        const int64_t left = t - days * DAY;
        set_days(days, &s);
        s.hour   = left / 3600;
        s.minute = left / 60 % 60;
        s.second = left % 60;
    }
    const bool first = s.dash == '.';
    const int  w     = rule->narrow ? 1 : 2;
    int        n =
        snprintf(out, LABEL_MAX, "%0*lld%c%0*lld%c%0*lld", first ? w : 4, (long long)(first ? s.day : s.year),
                 s.dash, w, (long long)s.month, s.dash, first ? 4 : w, (long long)(first ? s.year : s.day));
    if (s.gap)
        n += snprintf(out + n, LABEL_MAX - (size_t)n, "%c%0*lld:%02lld", s.gap, w, (long long)s.hour,
                      (long long)s.minute);
    if (s.seconds) n += snprintf(out + n, LABEL_MAX - (size_t)n, ":%02lld", (long long)s.second);
    snprintf(out + n, LABEL_MAX - (size_t)n, "%s", s.rest);
    return true;
}

int64_t label_season(const label_rule *rule)
{
    if (rule->months) return 12 % rule->months ? 0 : 12 / rule->months;
    if (rule->seconds == DAY) return 7;
    return rule->seconds && rule->seconds < DAY && DAY % rule->seconds == 0 ? DAY / rule->seconds : 0;
}

bool label_step(const label_rule *rule, char out[LABEL_MAX])
{
    static const struct {
        int64_t     seconds;
        const char *name;
    } units[] = {{DAY, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    if (rule->months) {
        snprintf(out, LABEL_MAX, "%lld month%s", (long long)rule->months, rule->months > 1 ? "s" : "");
        return true;
    }
    for (size_t i = 0; rule->seconds && i < sizeof units / sizeof *units; i++)
        if (rule->seconds % units[i].seconds == 0) {
            snprintf(out, LABEL_MAX, "%lld %s", (long long)(rule->seconds / units[i].seconds), units[i].name);
            return true;
        }
    return false;
}
