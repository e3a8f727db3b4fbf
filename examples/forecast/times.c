/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <time.h>

#include "forecast.h"

#define DAY INT64_C(86400000) /* milliseconds */

static fgt_time_step step_of(const fgt_table *table)
{
    fgt_table_info info = {.size = sizeof info};
    return fgt_table_get_info(table, &info) == FGT_OK ? info.step : (fgt_time_step){0};
}

/* Months are counted from a row that tells which day is meant: a month's last day may stand for the 30th. */
int64_t time_of_row_after(const fgt_table *table, int64_t last, int64_t k)
{
    const fgt_time_step step = step_of(table);
    const int64_t      *t    = fgt_table_get_times(table).data;
    char                next[TIME_MAX];
    for (int64_t r = last; step.months && r >= 0; r--) {
        if (fgt_time_format(t[r] + DAY, next, sizeof next) < 0 || !strncmp(next + 8, "01", 2)) continue;
        return fgt_time_add(t[r], &step, last - r + k);
    }
    return fgt_time_add(t[last], &step, k);
}

/* ---- times as the table writes them ---- */

static size_t count_digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* Whether a month, day or hour below 10 has one digit in some label. */
static bool is_narrow(const fgt_table *table)
{
    for (int64_t r = 0; r < fgt_table_count_rows(table); r++)
        for (const char *p = fgt_table_get_date(table, r); *p;) {
            const size_t n = count_digits(p);
            if (n == 1) return true;
            p += n ? n : 1;
        }
    return false;
}

/* Numbers of `iso`, "2016-07-01 13:00:00", in the places of a label: 1.7.2016 13:00. */
static void write_like(const char *label, const char *iso, bool month_first, bool narrow, char *out)
{
    static const int orders[3][6] = {{0, 5, 8, 11, 14, 17}, {8, 5, 0, 11, 14, 17}, {5, 8, 0, 11, 14, 17}};
    const int       *from         = orders[count_digits(label) == 4 ? 0 : month_first ? 2 : 1];
    char            *end          = out + TIME_MAX - 5;
    int              field        = 0;
    while (*label && out < end) {
        const size_t n = count_digits(label);
        if (!n || field == 6) {
            *out++ = *label++;
            continue;
        }
        const char *p = iso + from[field];
        const int   w = from[field] ? 2 : 4, skip = w == 2 && narrow && field < 4 && *p == '0';
        memcpy(out, p + skip, (size_t)(w - skip));
        out += w - skip;
        field++;
        label += n;
    }
    *out = 0;
}

/* 20160701, or seconds or milliseconds since 1970. */
static bool write_digits(const char *label, const char *iso, int64_t time, char *out)
{
    const size_t n = strlen(label);
    if (count_digits(label) != n || (n != 8 && n != 10 && n != 13)) return false;
    if (n == 8)
        snprintf(out, TIME_MAX, "%.4s%.2s%.2s", iso, iso + 5, iso + 8);
    else
        snprintf(out, TIME_MAX, "%lld", (long long)(n == 10 ? time / 1000 : time));
    return true;
}

bool time_after(const fgt_table *table, int64_t last, int64_t k, bool month_first, char out[TIME_MAX])
{
    const fgt_time_step step = step_of(table);
    char                iso[TIME_MAX];
    if (!step.milliseconds && !step.months) return false;
    const int64_t time = time_of_row_after(table, last, k);
    if (fgt_time_format(time, iso, sizeof iso) < 0) return false;
    const char *label = fgt_table_get_date(table, last);
    strcpy(out, iso);
    /* an offset to UTC, half a day, parts of a second: the number alone would be wrong */
    if (!label || strpbrk(label, "+APap") || strchr(label, ',') || strlen(label) > 20) return true;
    if (!write_digits(label, iso, time, out)) write_like(label, iso, month_first, is_narrow(table), out);
    return true;
}

/* ---- steps ---- */

int64_t time_seasons(const fgt_table *table, int64_t out[SEASONS])
{
    static const int64_t cycles[] = {DAY, 7 * DAY, 364 * DAY}; /* a year of whole weeks */
    const fgt_time_step  s        = step_of(table);
    int64_t              count    = 0;
    if (s.months && s.months < 12 && 12 % s.months == 0) out[count++] = 12 / s.months;
    for (size_t i = 0; s.milliseconds && i < sizeof cycles / sizeof *cycles; i++)
        if (s.milliseconds < cycles[i] && cycles[i] % s.milliseconds == 0)
            out[count++] = cycles[i] / s.milliseconds;
    return count;
}

bool time_step(const fgt_table *table, char out[TIME_MAX])
{
    static const struct {
        int64_t     size;
        const char *name;
    } units[]             = {{DAY, "d"}, {3600000, "h"}, {60000, "min"}, {1000, "s"}, {1, "ms"}};
    const fgt_time_step s = step_of(table);
    if (s.months) {
        snprintf(out, TIME_MAX, "%lld month%s", (long long)s.months, s.months > 1 ? "s" : "");
        return true;
    }
    for (size_t i = 0; s.milliseconds && i < sizeof units / sizeof *units; i++)
        if (s.milliseconds % units[i].size == 0) {
            snprintf(out, TIME_MAX, "%lld %s", (long long)(s.milliseconds / units[i].size), units[i].name);
            return true;
        }
    return false;
}
