/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the columns of a file that label its rows. */
#include "data/load/table_labels.h"

#include <stdio.h>
#include <string.h>

#include "data/load/loader.h"
#include "data/load/table_series.h"
#include "data/load/time_names.h"
#include "data/time/scan/time_read.h"
#include "data/time/scan/time_scan.h"
#include "data/time/time_labels.h"

/* Whether a text is a time, or is probably meant as one. */
static bool label_is_time(const fgti_loader *l, const char *text)
{
    fgti_stamp            t;
    const fgti_time_found f = fgti_time_read(text, l->opts.time_form, &t);
    return f != FGTI_TIME_TEXT && f != FGTI_TIME_RANGE;
}

/* ---- one column ---- */

/* Whether the first column has the row labels although its first cell is a number. */
static bool labels_in_numbers(const fgti_loader *l)
{
    static const char *const indexes[] = {"", "index", "unnamed: 0", "row", "id", NULL};
    const char              *name = fgti_loader_header_name(l, 0), *cell = fgti_csv_cell(&l->csv, 0);
    fgti_stamp               t;
    if (fgti_name_is_sure_time(name)) return true;
    if (l->header.count && fgti_name_is_one_of(name, indexes))
        return !strcmp(cell, "0") || !strcmp(cell, "1");
    return !strchr(cell, '.') && fgti_time_read(cell, FGT_TIME_FORM_AUTO, &t) == FGTI_TIME_FOUND;
}

/* Finds the column of row labels by the first line of data. It is a column with a time in words; else a
 * column that is named like times but has no value in this line; else the first column. If the option says
 * that labels are not times, the labels may be names, and a column of times counts as texts. */
int64_t fgti_loader_find_label(fgti_loader *l)
{
    const bool        listed = fgti_loader_is_listed(l, fgti_loader_header_name(l, 0));
    const bool        labels = l->opts.date == FGT_TABLE_DATE_LABELS;
    double            ignored;
    int64_t           empty = -1;
    const fgti_number first = fgti_loader_number(l, 0, &ignored);
    if (labels && first == FGTI_NUMBER_TEXT && !listed) return 0;
    for (int64_t i = 0; i < l->cells; i++) {
        const char       *name = fgti_loader_header_name(l, i);
        const fgti_number kind = fgti_loader_number(l, i, &ignored);
        if (fgti_loader_is_listed(l, name)) continue;
        if (kind == FGTI_NUMBER_TEXT && label_is_time(l, fgti_csv_cell(&l->csv, i))) return i;
        if (kind == FGTI_NUMBER_MISSING && empty < 0 && fgti_name_is_sure_time(name)) empty = i;
    }
    if (labels) return 0;
    if (listed) return -1;
    if (empty >= 0) return empty;
    if (first == FGTI_NUMBER_TEXT) return 0;
    return l->cells > 1 && first == FGTI_NUMBER && labels_in_numbers(l) ? 0 : -1;
}

/* ---- several columns, or one of numbers ---- */

/* Whether a cell has a whole number that is at least `least` and at most `most`. */
static bool label_is_number(const fgti_loader *l, int64_t cell, int64_t least, int64_t most)
{
    const char  *s = fgti_csv_cell(&l->csv, cell);
    const size_t n = strspn(s, "0123456789");
    int64_t      v = 0;
    if (!n || n > 4 || s[n]) return false;
    for (size_t i = 0; i < n; i++) v = 10 * v + (s[i] - '0');
    return v >= least && v <= most;
}

/* Whether a text is a quarter or a week: Q1, w52, 1. Quartal. */
static bool is_period(const char *text, fgti_part part)
{
    char       date[64];
    fgti_stamp t;
    snprintf(date, sizeof date, "2020-%s", text); /* 2020 has 53 weeks, so that every week exists */
    return fgti_time_read(date, FGT_TIME_FORM_AUTO, &t) == FGTI_TIME_FOUND && fgti_stamp_has(&t, part);
}

static bool label_is_part(const fgti_loader *l, int64_t cell, fgti_part part)
{
    const char *text = fgti_csv_cell(&l->csv, cell);
    switch (part) {
    case FGTI_PART_YEAR: return label_is_number(l, cell, 1000, 2999);
    case FGTI_PART_MONTH: return label_is_number(l, cell, 1, 12) || fgti_time_is_month(text);
    case FGTI_PART_QUARTER: return label_is_number(l, cell, 1, 4) || is_period(text, FGTI_PART_QUARTER);
    case FGTI_PART_WEEK: return label_is_number(l, cell, 1, 53) || is_period(text, FGTI_PART_WEEK);
    case FGTI_PART_DAY: return label_is_number(l, cell, 1, 31);
    case FGTI_PART_HOUR: return label_is_number(l, cell, 0, 24) || fgti_time_is_clock(text);
    default: return label_is_number(l, cell, 0, 59);
    }
}

/* The first column that is named like this part of a time and has a valid value for it; -1: there is no such
 * column. */
static int64_t label_find_part(const fgti_loader *l, fgti_part part)
{
    static const char *const names[][12] = {
        [FGTI_PART_YEAR]    = {"year", "yr", "yyyy", "jahr", "annee",
                               "ann\xc3\xa9"
                                  "e",
                               "ano", "a\xc3\xb1o", "anno", "jaar"},
        [FGTI_PART_MONTH]   = {"month", "mon", "mo", "monat", "mois", "mes", "mese", "maand",
                               "m\xc3\xaa"
                                 "s"},
        [FGTI_PART_QUARTER] = {"quarter", "qtr", "quartal", "trimestre", "kwartaal"},
        [FGTI_PART_WEEK]    = {"week", "wk", "woche", "kw", "semaine", "semana", "settimana"},
        [FGTI_PART_DAY]     = {"day", "dy", "tag", "jour", "dia",
                               "d\xc3\xad"
                                   "a",
                               "giorno", "dag"},
        [FGTI_PART_HOUR] = {"hour", "hr", "time", "stunde", "uhrzeit", "zeit", "heure", "hora", "ora", "uur",
                            "tijd"},
        [FGTI_PART_MINUTE] = {"minute", "minuto", "minuut"}};
    for (int64_t i = 0; i < l->cells; i++) {
        const char *name = fgti_loader_header_name(l, i);
        if (fgti_loader_is_key(l, i) || i == l->value || fgti_loader_is_listed(l, name)) continue;
        if (fgti_name_is_one_of(name, names[part]) && label_is_part(l, i, part)) return i;
    }
    return -1;
}

static void add_part(fgti_loader *l, int64_t cell)
{
    l->part[l->parts++] = cell;
}

/* Adds the time of day to the parts: a column with such a name, or the column after the date. */
static void add_clock(fgti_loader *l)
{
    const int64_t hour = label_find_part(l, FGTI_PART_HOUR), next = l->label + 1;
    add_part(l, l->label);
    if (hour >= 0 && hour != l->label)
        add_part(l, hour);
    else if (next < l->cells && !fgti_loader_is_key(l, next) && next != l->value &&
             fgti_time_is_clock(fgti_csv_cell(&l->csv, next)))
        add_part(l, next);
    else
        l->parts = 0;
    l->dated = 1;
}

/* Adds the columns for Year, Month, Day, Hour and Minute that exist, or the columns for Year and Quarter, or
 * for Year and Week. */
static void add_date(fgti_loader *l)
{
    static const fgti_part order[FGTI_LABEL_PARTS] = {FGTI_PART_YEAR, FGTI_PART_MONTH, FGTI_PART_DAY,
                                                      FGTI_PART_HOUR, FGTI_PART_MINUTE};
    for (int i = 0; i < FGTI_LABEL_PARTS; i++) {
        const int64_t cell = label_find_part(l, order[i]);
        if (cell < 0) break;
        add_part(l, cell);
        l->dated += order[i] < FGTI_PART_HOUR;
    }
    const int64_t quarter = label_find_part(l, FGTI_PART_QUARTER), week = label_find_part(l, FGTI_PART_WEEK);
    if (l->parts != 1 || (quarter < 0 && week < 0)) return;
    l->letter = quarter < 0 ? 'W' : 'Q';
    l->dated  = 2;
    add_part(l, quarter < 0 ? week : quarter);
}

/* Adds one column of numbers that may be times: a column that is named like times, the first column if it has
 * months such as 201201, or a column with months such as 01.2012. */
static void label_add_number(fgti_loader *l)
{
    fgti_stamp t;
    double     ignored;
    int64_t    unnamed = -1;
    for (int64_t i = 0; i < l->cells && !l->parts; i++) {
        const char *name = fgti_loader_header_name(l, i), *text = fgti_csv_cell(&l->csv, i);
        const bool  point = fgti_time_is_point_month(text);
        const bool  six   = !i && strlen(text) == 6;
        const bool  month =
            point ? text[2] == '.' : six && fgti_time_read(text, FGT_TIME_FORM_ISO, &t) == FGTI_TIME_FOUND;
        if (i == l->label || fgti_loader_is_listed(l, name) ||
            (!point && fgti_loader_number(l, i, &ignored) != FGTI_NUMBER))
            continue;
        if (fgti_loader_is_time_name(name, strlen(name)))
            add_part(l, i);
        else if (month && unnamed < 0)
            unnamed = i;
    }
    if (!l->parts && unnamed >= 0) add_part(l, unnamed);
    l->dated = l->parts;
}

bool fgti_loader_is_point_month(const fgti_loader *l, int64_t cell)
{
    return (cell == l->label || (l->parts == 1 && cell == l->part[0])) &&
           fgti_time_is_point_month(fgti_csv_cell(&l->csv, cell));
}

int64_t fgti_loader_find_year(const fgti_loader *l)
{
    return label_find_part(l, FGTI_PART_YEAR);
}

void fgti_loader_find_parts(fgti_loader *l)
{
    fgti_stamp t;
    l->parts = l->dated = l->letter = 0;
    l->joined                       = false;
    if (l->opts.date != FGT_TABLE_DATE_AUTO || l->cells < 2) return;
    const char     *label = l->label < 0 ? "" : fgti_csv_cell(&l->csv, l->label);
    fgti_time_found found = fgti_time_read(label, l->opts.time_form, &t);
    if (found == FGTI_TIME_UNCLEAR)
        found = fgti_time_read(label, FGT_TIME_FORM_DMY, &t); /* any order of day and month serves here */
    if (found == FGTI_TIME_FOUND) {
        if (!fgti_stamp_has(&t, FGTI_PART_HOUR) && !fgti_stamp_has(&t, FGTI_PART_UNIX)) add_clock(l);
        return;
    }
    if (l->opts.time) return;
    add_date(l);
    if (!l->parts && l->id < 0) label_add_number(l);
}

/* Joins the parts of a row into one label, such as 2024-01-31 23:59. */
static fgt_status join_parts(const fgti_loader *l, bool names, fgti_strings *list)
{
    char   text[256];
    size_t n = 0;
    for (int i = 0; i < l->parts; i++) {
        const char *cell =
            names ? fgti_loader_header_name(l, l->part[i]) : fgti_csv_cell(&l->csv, l->part[i]);
        const size_t size = strlen(cell);
        if (n + size + 3 > sizeof text) continue; /* a longer text is not a time */
        if (i) text[n++] = i < l->dated ? '-' : i == l->dated ? ' ' : ':';
        if (i && l->letter && !names && !cell[strspn(cell, "0123456789")]) text[n++] = l->letter;
        memcpy(text + n, cell, size);
        n += size;
    }
    return fgti_strings_add(l->ctx, list, text, (int64_t)n);
}

fgt_status fgti_loader_add_label(fgti_loader *l, bool empty)
{
    fgt_table *t = l->t;
    if (l->parts)
        FGTI_TRY(empty ? fgti_strings_add(l->ctx, l->joined ? &t->dates : &l->labels, "", 0)
                       : join_parts(l, false, l->joined ? &t->dates : &l->labels));
    if (!t->labels || l->joined) return FGT_OK;
    if (empty) return fgti_strings_add(l->ctx, &t->dates, "", 0);
    return fgti_strings_add(l->ctx, &t->dates, fgti_csv_cell(&l->csv, l->label), l->csv.cells[l->label].size);
}

/* Whether the joined parts are the times of the rows. Most of them must be times, and they must go in one
 * direction; in rows of several series they may go to and fro. The labels of a single column must fit worse:
 * they are not times, or they repeat. */
static fgt_status labels_are_times(fgti_loader *l, bool *times)
{
    const fgti_labels_fit all  = fgti_labels_judge(&l->labels, l->opts.time_form, FGTI_LABELS_NAMED);
    const int64_t         most = all.up > all.down ? all.up : all.down;
    *times                     = false;
    if (2 * all.found <= l->labels.count) return FGT_OK;
    if (l->t->labels) {
        const fgti_labels_fit one = fgti_labels_judge(&l->t->dates, l->opts.time_form, FGTI_LABELS_NAMED);
        *times                    = one.same && all.same < one.same;
        if (2 * one.found > l->t->dates.count) return FGT_OK;
    }
    *times = l->id >= 0 || (most > 0 && 4 * most >= 3 * (l->labels.count - 1));
    return *times ? FGT_OK : fgti_loader_find_panel(l, times);
}

/* Sets the names of the columns. The first name belongs to the joined labels. */
static fgt_status name_labels(fgti_loader *l)
{
    fgti_strings names = {0}, *old = &l->t->names;
    fgt_status   s =
        l->header.count ? join_parts(l, true, &names) : fgti_strings_add(l->ctx, &names, "date", 4);
    for (int64_t i = l->t->labels; s == FGT_OK && i < old->count; i++)
        s = fgti_strings_add(l->ctx, &names, fgti_strings_get(old, i), fgti_strings_size(old, i));
    if (s != FGT_OK) {
        fgti_strings_done(l->ctx, &names);
        return s;
    }
    fgti_strings_done(l->ctx, old);
    *old         = names;
    l->t->labels = 1;
    return FGT_OK;
}

/* Lists the column of the labels that were replaced as left out, unless it is one of the parts. */
static fgt_status leave_other(fgti_loader *l)
{
    const char *name = l->t->labels ? fgti_strings_get(&l->t->names, 0) : NULL;
    for (int i = 0; i < l->parts; i++)
        if (l->part[i] == l->label) name = NULL;
    return name ? fgti_strings_add(l->ctx, &l->t->ignored, name, (int64_t)strlen(name)) : FGT_OK;
}

fgt_status fgti_loader_settle_labels(fgti_loader *l)
{
    fgt_table *t = l->t;
    if (!l->parts || l->joined) return FGT_OK;
    FGTI_TRY(labels_are_times(l, &l->joined));
    if (!l->joined) {
        l->parts = 0;
        fgti_strings_done(l->ctx, &l->labels);
        return FGT_OK;
    }
    FGTI_TRY(leave_other(l));
    FGTI_TRY(name_labels(l));
    fgti_strings_done(l->ctx, &l->given);
    l->given      = t->dates;
    l->given_cell = l->label;
    t->dates      = l->labels;
    l->labels = (fgti_strings){0};
    l->label  = l->part[0];
    for (int i = 0; i < l->parts; i++) {
        l->source[l->part[i]].holds = FGTI_HOLDS_TEXTS;
        l->source[l->part[i]].label = true;
    }
    return FGT_OK;
}
