/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/series.h>

#include "times.h"

#define DAY INT64_C(86400000) /* milliseconds */

static fgt_time_step step_of(const fgt_table *table)
{
    fgt_table_info info = {.size = sizeof info};
    return fgt_table_get_info(table, &info) == FGT_OK ? info.step : (fgt_time_step){0};
}

int64_t time_add(int64_t time, const fgt_time_step *step, int64_t n)
{
    int64_t sum;
    return fgt_time_add(time, step, n, &sum) == FGT_OK ? sum : time;
}

bool time_of_row(const fgt_table *table, int64_t row, int64_t *time)
{
    fgt_table_row_info info = {.size = sizeof info};
    if (fgt_table_get_row_info(table, row, &info) != FGT_OK || !info.has_time) return false;
    *time = info.time;
    return true;
}

/* ---- times in the format of the table ---- */

/* The time k rows after another row; false: it is not known, or too far for a calendar. */
static bool find_time(const time_style *s, int64_t last, int64_t k, int64_t *time)
{
    return fgt_table_compute_time(s->axis, last, k, time) == FGT_OK;
}

time_style time_style_find(const fgt_table *table, const fgt_table *axis)
{
    return (time_style){.table = table, .axis = axis};
}

bool time_style_fits(const time_style *s, int64_t last, int64_t k)
{
    char    text[TIME_MAX];
    int64_t time;
    return !find_time(s, last, k, &time) || fgt_table_format_time(s->table, time, text, TIME_MAX) == FGT_OK;
}

bool time_after(const time_style *s, int64_t last, int64_t k, char out[TIME_MAX])
{
    int64_t time;
    if (!find_time(s, last, k, &time)) return false;
    return (s->plain ? fgt_time_format(time, out, TIME_MAX)
                     : fgt_table_format_time(s->table, time, out, TIME_MAX)) == FGT_OK;
}

/* ---- steps ---- */

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
        snprintf(out, TIME_MAX, "%lld %s%s", (long long)s.months, s.weekdays ? "business month end" : "month",
                 s.months > 1 ? "s" : "");
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

void time_text(const fgt_table *table, int64_t time, char out[TIME_MAX])
{
    if (fgt_table_format_time(table, time, out, TIME_MAX) != FGT_OK &&
        fgt_time_format(time, out, TIME_MAX) != FGT_OK)
        *out = 0;
}

const char *row_place(const fgt_table *table, int64_t row, char out[PLACE_MAX])
{
    fgt_table_row_info info  = {.size = sizeof info};
    const char        *label = fgt_table_get_name(table, FGT_TABLE_NAME_ROW, row);
    char               text[TIME_MAX];
    const int64_t      line = fgt_table_get_row_info(table, row, &info) == FGT_OK ? info.line : 0;
    if (!label && info.has_time && fgt_time_format(info.time, text, TIME_MAX) == FGT_OK) label = text;
    if (line)
        snprintf(out, PLACE_MAX, "in line %lld%s%s%s", (long long)line, label ? " (" : "", label ? label : "",
                 label ? ")" : "");
    else if (label)
        snprintf(out, PLACE_MAX, "at %s", label);
    else
        snprintf(out, PLACE_MAX, "in row %lld, counted from 0", (long long)row);
    return out;
}

const char *row_label(const fgt_table *table, int64_t row, char text[TIME_MAX])
{
    const char *date = fgt_table_get_name(table, FGT_TABLE_NAME_ROW, row);
    int64_t     time;
    snprintf(text, TIME_MAX, "%lld", (long long)row + 1);
    if (!date && time_of_row(table, row, &time) && fgt_time_format(time, text, TIME_MAX) == FGT_OK)
        return text;
    return date ? date : text;
}

const char *row_label_of(const fgt_table *table, const fgt_table *axis, int64_t row, char text[TIME_MAX])
{
    int64_t time;
    return axis != table && time_of_row(axis, row, &time) &&
                   fgt_table_format_time(table, time, text, TIME_MAX) == FGT_OK
               ? text
               : row_label(axis, row, text);
}
