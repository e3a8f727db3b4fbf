/* SPDX-License-Identifier: BSD-3-Clause */
/* Times and numbers below a panel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_axis.h"
#include "times.h"

#define MOST    7 /* most labels below a panel */
#define SECOND  INT64_C(1000)
#define MINUTE  (60 * SECOND)
#define HOUR    (60 * MINUTE)
#define DAY     (24 * HOUR)
#define MONDAY  (4 * DAY) /* 5 January 1970 */
#define TICKS_X 64

static void label_below(const panel *p, double place, const char *text)
{
    panel_below(p, place, 0.5, text);
    canvas_pen(p->cr, canvas_pale, 1);
    cairo_move_to(p->cr, panel_x(p, place), p->y + p->h);
    cairo_line_to(p->cr, panel_x(p, place), p->y + p->h + 4);
    cairo_stroke(p->cr);
}

static int64_t floor_to(int64_t v, int64_t unit)
{
    const int64_t rest = v % unit;
    return v - rest - (rest < 0 ? unit : 0);
}

/* ---- times ---- */

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* Months since January 1970, and the text 2016-07-01 13:00:00 of a time. */
static int64_t month_of(int64_t time, char iso[TIME_MAX])
{
    if (fgt_time_format(time, iso, TIME_MAX) != FGT_OK) return 0;
    return 12 * (strtol(iso, NULL, 10) - 1970) + strtol(iso + 5, NULL, 10) - 1;
}

/* Writes 13:00, 1 Jul, Jul 2016 or 2016, so that neighbouring labels differ. */
static void write_label(int64_t time, const fgt_time_step *unit, char text[TIME_MAX])
{
    char          iso[TIME_MAX] = "1970-01-01 00:00:00";
    const int64_t month         = month_of(time, iso);
    const char   *name          = months[month - floor_to(month, 12)];
    if (unit->months >= 12)
        snprintf(text, TIME_MAX, "%.4s", iso);
    else if (unit->months)
        snprintf(text, TIME_MAX, "%s %.4s", name, iso);
    else if (!strncmp(iso + 11, "00:00:00", 8))
        snprintf(text, TIME_MAX, "%ld %s", strtol(iso + 8, NULL, 10), name);
    else
        snprintf(text, TIME_MAX, "%.*s", unit->milliseconds < MINUTE ? 8 : 5, iso + 11);
}

/* The smallest unit that divides the span into few enough labels. A month counts as 30 days. */
static fgt_time_step choose_unit(int64_t span)
{
    static const int64_t short_units[] = {
        SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE,
        HOUR,   3 * HOUR,   6 * HOUR,    12 * HOUR,   DAY,    2 * DAY,    7 * DAY,     14 * DAY};
    static const int64_t long_units[] = {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200};
    for (size_t i = 0; i < sizeof short_units / sizeof *short_units; i++)
        if (span / short_units[i] < MOST) return (fgt_time_step){.milliseconds = short_units[i]};
    for (size_t i = 0; i < sizeof long_units / sizeof *long_units; i++)
        if (span / (long_units[i] * 30 * DAY) < MOST) return (fgt_time_step){.months = long_units[i]};
    return (fgt_time_step){.months = 12000};
}

/* The last multiple of the unit that is not later than a time; weeks begin on Mondays. */
static int64_t align(int64_t time, const fgt_time_step *unit)
{
    char iso[TIME_MAX];
    if (unit->months) {
        const fgt_time_step one = {.months = 1};
        return time_add(0, &one, floor_to(month_of(time, iso), unit->months));
    }
    const int64_t begin = unit->milliseconds >= 7 * DAY ? MONDAY : 0;
    return begin + floor_to(time - begin, unit->milliseconds);
}

/* The position of a time among rows that begin at `first`. */
static double place_of(int64_t time, int64_t first, const fgt_time_step *step)
{
    char    iso[TIME_MAX];
    int64_t row = 0;
    if (step->weekdays || step->day_rows) {
        while (time_add(first, step, row) < time) row++;
        return (double)row;
    }
    if (step->milliseconds) return (double)(time - first) / (double)step->milliseconds;
    return (double)(month_of(time, iso) - month_of(first, iso)) / (double)step->months;
}

void axis_times(const panel *p, int64_t first, const fgt_time_step *step)
{
    const int64_t last = time_add(first, step, (int64_t)p->last);
    fgt_time_step unit = choose_unit(last - first);
    if (step->months > unit.months) unit = *step;
    int64_t time = align(first, &unit);
    for (int k = 0; k < TICKS_X && time <= last; k++, time = time_add(time, &unit, 1)) {
        char         text[TIME_MAX];
        const double place = place_of(time, first, step);
        /* keeps a distance from the labels of the next panel */
        if (place < 0.02 * p->last || place > 0.98 * p->last) continue;
        write_label(time, &unit, text);
        label_below(p, place, text);
    }
}

/* ---- numbers ---- */

void axis_numbers(const panel *p, int64_t from)
{
    const ticks t = canvas_ticks((double)from, (double)from + fmax(p->last, 1), 6);
    for (int k = 0; t.first + k * t.step <= (double)from + p->last; k++) {
        const double v = t.first + k * t.step;
        char         text[32];
        if (v != floor(v)) continue;
        snprintf(text, sizeof text, "%.0f", v);
        label_below(p, v - (double)from, text);
    }
}
