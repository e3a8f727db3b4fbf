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
static int64_t time_by_step(const fgt_table *table, const fgt_time_step *step, int64_t last, int64_t k)
{
    const int64_t *t = fgt_table_get_times(table).data;
    char           next[TIME_MAX];
    for (int64_t r = last; step->months && r >= 0; r--) {
        if (fgt_time_format(t[r] + DAY, next, sizeof next) < 0 || !strncmp(next + 8, "01", 2)) continue;
        return fgt_time_add(t[r], step, last - r + k);
    }
    return fgt_time_add(t[last], step, k);
}

int64_t time_of_row_after(const fgt_table *table, int64_t last, int64_t k)
{
    const fgt_time_step step = step_of(table);
    return time_by_step(table, &step, last, k);
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

/* Numbers of `iso`, "2016-07-01 13:00:00", in the places of a label: 1.7.2016 13:00, 20160701 13. */
static void write_dated(const time_style *s, const char *iso, char *out)
{
    static const int orders[][6] = {[FGT_TIME_ISO] = {0, 5, 8, 11, 14, 17},
                                    [FGT_TIME_DMY] = {8, 5, 0, 11, 14, 17},
                                    [FGT_TIME_MDY] = {5, 8, 0, 11, 14, 17}};
    const char      *label       = s->label;
    const char      *end         = out + TIME_MAX - 5;
    int              field       = 0;
    if (s->form == FGT_TIME_ISO && count_digits(label) == 8) {
        out += sprintf(out, "%.4s%.2s%.2s", iso, iso + 5, iso + 8);
        label += 8;
        field = 3;
    }
    while (*label && out < end) {
        const size_t n = count_digits(label);
        if (!n || field == 6) {
            *out++ = *label++;
            continue;
        }
        const int   from = orders[s->form][field];
        const char *p    = iso + from;
        const int   w = from ? 2 : 4, skip = w == 2 && s->narrow && field < 4 && *p == '0';
        memcpy(out, p + skip, (size_t)(w - skip));
        out += w - skip;
        field++;
        label += n;
    }
    *out = 0;
}

/* A number since 1970, in the unit that the label's size shows (fgt_time_form), with as many decimals. */
static void write_unix(const char *label, int64_t time, char *out)
{
    const size_t n       = count_digits(label + (*label == '-'));
    const char  *point   = strchr(label, '.');
    const bool   seconds = n <= 11;
    char         decimals[40];
    snprintf(out, TIME_MAX, "%lld%s", (long long)(seconds ? time / 1000 : time),
             n <= 14   ? ""
             : n <= 17 ? "000"
                       : "000000");
    if (!point) return;
    snprintf(decimals, sizeof decimals, ".%03d%020d", seconds ? (int)(time % 1000) : 0, 0);
    strncat(out, decimals, strlen(point));
}

static void write_time(const time_style *s, int64_t time, const char *iso, char out[TIME_MAX])
{
    if (!s->label)
        strcpy(out, iso);
    else if (s->form == FGT_TIME_UNIX)
        write_unix(s->label, time, out);
    else
        write_dated(s, iso, out);
}

/* Whether the label of a row is its time in this form. */
static bool reads_as(const time_style *s, int64_t row, int32_t form)
{
    int64_t time, read;
    return fgt_table_get_time(s->table, row, &time) == FGT_OK &&
           fgt_time_parse(s->ctx, fgt_table_get_date(s->table, row), form, &read) == FGT_OK && read == time;
}

/* The form of a row's label. Where day and month are one number, as in 7/7/2016, an earlier row tells. */
static int32_t find_form(const time_style *s, int64_t row, int64_t given)
{
    if (reads_as(s, row, FGT_TIME_ISO)) return FGT_TIME_ISO;
    if (reads_as(s, row, FGT_TIME_UNIX)) return FGT_TIME_UNIX;
    for (; row >= 0; row--) {
        const bool dmy = reads_as(s, row, FGT_TIME_DMY), mdy = reads_as(s, row, FGT_TIME_MDY);
        if (dmy != mdy) return dmy ? FGT_TIME_DMY : FGT_TIME_MDY;
    }
    return given == FGT_TIME_MDY ? FGT_TIME_MDY : FGT_TIME_DMY;
}

time_style time_style_find(fgt_context *ctx, const fgt_table *table, int64_t form)
{
    const int64_t last  = fgt_table_count_rows(table) - 1;
    const char   *label = fgt_table_get_date(table, last);
    time_style    s     = {.ctx = ctx, .table = table, .step = step_of(table)};
    if (!label || !fgt_table_get_times(table).data) return s;
    /* an offset to UTC, half a day, parts of a second: the number alone would be wrong */
    if (strpbrk(label, "+APap") || strchr(label, ',') || strlen(label) > 20) return s;
    s.label  = label;
    s.form   = find_form(&s, last, form);
    s.narrow = is_narrow(table);
    return s;
}

/* The time k rows after another row; false: it is not known, or too far for a calendar. */
static bool find_time(const time_style *s, int64_t last, int64_t k, int64_t *time, char iso[TIME_MAX])
{
    const int64_t *times = fgt_table_get_times(s->table).data;
    if (!s->step.milliseconds && !s->step.months) return false;
    *time = time_by_step(s->table, &s->step, last, k);
    return *time > times[last] && fgt_time_format(*time, iso, TIME_MAX) > 0;
}

bool time_style_fits(const time_style *s, int64_t last, int64_t k)
{
    char    iso[TIME_MAX], text[TIME_MAX];
    int64_t time, read;
    if (!s->label || !find_time(s, last, k, &time, iso)) return true;
    write_time(s, time, iso, text);
    return fgt_time_parse(s->ctx, text, s->form, &read) == FGT_OK && read == time;
}

bool time_after(const time_style *s, int64_t last, int64_t k, char out[TIME_MAX])
{
    char    iso[TIME_MAX];
    int64_t time;
    if (!find_time(s, last, k, &time, iso)) return false;
    write_time(s, time, iso, out);
    return true;
}

/* ---- steps ---- */

/* Rows in a day or in whole weeks; 0: the step does not divide them. */
static int64_t rows_of_days(const fgt_time_step *s, int64_t days)
{
    int64_t open = 0;
    for (int32_t w = s->weekdays ? s->weekdays : 127; w; w &= w - 1) open++;
    if (s->day_rows) return s->day_rows * (days > 1 ? days / 7 * open : 1);
    if (s->weekdays) return days > 1 ? days / 7 * open : 1;
    return days * DAY % s->milliseconds ? 0 : days * DAY / s->milliseconds;
}

int64_t time_seasons(const fgt_table *table, int64_t out[SEASONS])
{
    static const int64_t cycles[] = {1, 7, 364}; /* days; a year of whole weeks */
    const fgt_time_step  s        = step_of(table);
    int64_t              count    = 0;
    if (s.months && s.months < 12 && 12 % s.months == 0) out[count++] = 12 / s.months;
    for (size_t i = 0; s.milliseconds && i < sizeof cycles / sizeof *cycles; i++) {
        const int64_t rows = rows_of_days(&s, cycles[i]);
        if (rows > 1) out[count++] = rows;
    }
    return count;
}

int64_t time_horizon(const fgt_table *table)
{
    enum { LEAST = 4, SHARE = 10 }; /* as many validation rows has the default of --split */
    const fgt_time_step s    = step_of(table);
    const int64_t       size = s.milliseconds, most = fgt_table_count_rows(table) / SHARE;
    int64_t             rows;
    if (s.months)
        rows = 12 / s.months;
    else if (size >= 7 * DAY)
        rows = 8 * 7 * DAY / size;
    else if (size >= DAY)
        rows = s.weekdays ? rows_of_days(&s, 14) : 14 * DAY / size;
    else if (size >= DAY / 24)
        rows = s.day_rows ? 2 * s.day_rows : 2 * DAY / size;
    else
        return 0;
    if (rows < LEAST) rows = LEAST;
    if (rows > most) rows = most;
    return rows > 1 ? rows : 1;
}

/* " of Mo Tu We": 21 characters for six days. */
static void write_weekdays(int32_t weekdays, char *out)
{
    static const char *const names[] = {"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"};
    strcpy(out, " of");
    for (int i = 0; i < 7; i++)
        if (weekdays >> i & 1) strcat(strcat(out, " "), names[i]);
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
            const int n = snprintf(out, TIME_MAX, "%lld %s", (long long)(s.milliseconds / units[i].size),
                                   units[i].name);
            if (s.weekdays) write_weekdays(s.weekdays, out + n);
            return true;
        }
    return false;
}
