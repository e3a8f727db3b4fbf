/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises lines that name the columns, and rows that look like lines of names. */
#include "data/load/table_header.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/load/loader.h"
#include "data/load/time_names.h"
#include "data/time/scan/scanner.h"
#include "data/time/scan/time_read.h"
#include "data/time/scan/time_scan.h"

static bool header_is_time(const fgti_loader *l, const char *text)
{
    fgti_stamp            t;
    const fgti_time_found f = fgti_time_read(text, l->opts.time_form, &t);
    return f == FGTI_TIME_FOUND || f == FGTI_TIME_UNCLEAR || f == FGTI_TIME_CENTURY;
}

static bool header_is_number(const fgti_loader *l, const char *text)
{
    double v;
    char   unit[FGTI_UNIT];
    return fgti_number_parse(l->locale, text, (int64_t)strlen(text), &v) == FGTI_NUMBER ||
           fgti_shown_parse(l->locale, text, l->opts.decimal_comma, &v, unit);
}

/* ---- a row instead of the header ---- */

/* Reads 1949 as a year, or 194901 as a month. Returns the number of that year or of that month; 0: the text
 * is neither. */
static int64_t read_period(const char *text)
{
    const size_t  n = strlen(text);
    const int64_t v = n == 4 || n == 6 ? strtoll(text, NULL, 10) : 0, year = n == 6 ? v / 100 : v;
    if (text[strspn(text, "0123456789")] || year < 1000 || year > 2999) return 0;
    if (n == 4) return v;
    return v % 100 >= 1 && v % 100 <= 12 ? 12 * year + v % 100 : 0;
}

typedef struct names {
    int64_t numbers, texts, periods;
    bool    counting; /* the numbers may be names of columns, because they are 0, 1, 2 ... or years */
} names;

static names count_names(const fgti_loader *l)
{
    names  n = {.counting = true};
    double v, last = 0;
    for (int64_t i = 0; i < l->header.count; i++) {
        const char       *text = fgti_strings_get(&l->header, i);
        const fgti_number kind = fgti_number_parse(l->locale, text, (int64_t)strlen(text), &v);
        if (kind == FGTI_NUMBER) {
            n.counting &= !strchr(text, '.') && (n.numbers ? v == last + 1 : v == floor(v));
            last = v;
            n.numbers++;
            n.periods += read_period(text) > 0;
        } else {
            n.texts += *text && !header_is_number(l, text);
            n.numbers += header_is_number(l, text);
        }
    }
    const double first = last - (double)n.numbers + 1;
    n.counting &= n.numbers > 3 || first == 0 || first == 1 || (n.numbers > 1 && n.periods == n.numbers);
    return n;
}

/* Finds a cell that shows that the first line is a row. In such a cell the next line is like the first: both
 * have a time, or both have the same text beside numbers. -1: there is no such cell. */
static int64_t header_find_value(const fgti_loader *l, const names *n)
{
    for (int64_t i = 0; i < l->header.count; i++) {
        const char *name = fgti_strings_get(&l->header, i), *text = fgti_csv_cell(&l->csv, i);
        if (header_is_time(l, name) && header_is_time(l, text)) return i;
        if (n->numbers && *name && !strcmp(name, text) && !header_is_number(l, name)) return i;
    }
    const int64_t first = read_period(fgti_strings_get(&l->header, 0));
    const int64_t after = read_period(fgti_csv_cell(&l->csv, 0));
    return first && !n->texts && n->periods < n->numbers &&
                   strlen(fgti_csv_cell(&l->csv, 0)) == strlen(fgti_strings_get(&l->header, 0)) &&
                   llabs(after - first) == 1
               ? 0
               : -1;
}

/* Whether two neighbouring cells of the header are equal, which is typical for values. */
static bool has_repeat(const fgti_loader *l)
{
    for (int64_t i = 1; i < l->header.count; i++)
        if (!strcmp(fgti_strings_get(&l->header, i), fgti_strings_get(&l->header, i - 1))) return true;
    return false;
}

/* Writes which option may have left out the header. */
static const char *name_cause(const fgti_loader *l, char buf[FGTI_HINT])
{
    char show[FGTI_SHOW];
    *buf = 0;
    if (l->opts.skip)
        snprintf(buf, FGTI_HINT, "; the option `skip` %lld may leave out the header",
                 (long long)l->opts.skip);
    else if (l->opts.comment && l->header_line > 1)
        snprintf(buf, FGTI_HINT, "; the option `comment` \"%s\" may leave out the header",
                 fgti_show(l->opts.comment, show));
    return buf;
}

fgt_status fgti_header_check(const fgti_loader *l)
{
    char        cause[FGTI_HINT], show[FGTI_SHOW];
    const names n = count_names(l);
    if (!l->header.count) return FGT_OK;
    const int64_t at = header_find_value(l, &n);
    if (at >= 0)
        return fgti_csv_fail(&l->csv, FGT_E_DATA, l->header_line,
                             "the line is taken for the header, but \"%s\" is a value, as \"%s\" in line "
                             "%lld%s; if the file has no header, the option `no_header` says so",
                             fgti_show(fgti_strings_get(&l->header, at), show),
                             fgti_show(fgti_csv_cell(&l->csv, at), (char[FGTI_SHOW]){0}),
                             (long long)l->csv.line, name_cause(l, cause));
    if (!n.numbers || n.texts || n.counting) return FGT_OK;
    if (has_repeat(l))
        return fgti_csv_fail(&l->csv, FGT_E_DATA, l->header_line,
                             "the line is taken for the header, but has only numbers, and some twice%s; if "
                             "the file has no header, the option `no_header` says so",
                             name_cause(l, cause));
    fgti_log(l->ctx, FGT_LOG_WARN,
             "%.200s: line %lld: the line is taken for the header, though it has only numbers%s; if the "
             "file has no header, the option `no_header` says so",
             l->csv.path, (long long)l->header_line, name_cause(l, cause));
    return FGT_OK;
}

/* ---- times in the header ---- */

/* Reads a name that is a time, as a number that increases with the time. *time is 0 if day and month may come
 * in either order. */
static bool read_across(const fgti_loader *l, const char *name, int64_t *time)
{
    const int64_t period = read_period(name), year = strlen(name) == 6 ? (period - 1) / 12 : period;
    fgti_stamp    t;
    *time = period;
    if (period) return year >= 1700 && year <= 2299;
    if (fgti_time_is_point_month(name)) return true;
    if (!header_is_time(l, name)) return false;
    if (fgti_time_read(name, l->opts.time_form, &t) == FGTI_TIME_FOUND) *time = t.time;
    return true;
}

/* Names of columns that are times or parts of times. times: number of names that are times; first, last:
 * cells of the first and the last such name. parts: number of names that are months or times of day. ordered:
 * the times rise, or fall. */
typedef struct across {
    int64_t times, parts, first, last;
    bool    ordered;
} across;

static across find_across(const fgti_loader *l)
{
    across  a  = {.first = -1, .ordered = true};
    int64_t up = 0, down = 0, before = 0, time;
    for (int64_t i = 0; i < l->header.count; i++) {
        const char *name = fgti_strings_get(&l->header, i);
        const bool  part = fgti_time_is_month(name) || fgti_time_is_clock(name);
        a.parts += part;
        if (part || !read_across(l, name, &time)) continue;
        up += a.times && time >= before;
        down += a.times && time <= before;
        before = time;
        if (!a.times++) a.first = i;
        a.last = i;
    }
    a.ordered = up + 1 >= a.times || down + 1 >= a.times;
    return a;
}

/* Whether the current line has a time. */
static bool has_time(const fgti_loader *l)
{
    if (l->parts || l->label < 0) return l->parts;
    const char *name = fgti_loader_header_name(l, l->label), *text = fgti_csv_cell(&l->csv, l->label);
    return header_is_time(l, text) ||
           (header_is_number(l, text) && fgti_loader_is_time_name(name, strlen(name)));
}

fgt_status fgti_header_check_across(const fgti_loader *l)
{
    enum { LEAST = 3 };
    char         from[FGTI_SHOW], to[FGTI_SHOW];
    const across a     = find_across(l);
    const bool   times = has_time(l);
    if (l->id >= 0 || l->opts.date != FGT_TABLE_DATE_AUTO) return FGT_OK;
    if (times && a.parts >= LEAST && 2 * a.parts > l->header.count)
        fgti_log(l->ctx, FGT_LOG_WARN,
                 "%.200s: line %lld: names of columns are months or hours, and each of them is read as a "
                 "series; a table with a row for each month or hour has them as one series",
                 l->csv.path, (long long)l->header_line);
    const bool most = a.times >= LEAST && 2 * a.times > l->header.count && a.times < l->header.count;
    if (times || !most || !a.ordered) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_DATA, l->header_line,
                         "names of columns are times, from \"%s\" to \"%s\", so each row is a series, but a "
                         "row must be a time: transpose the table, with a row for each time and a column for "
                         "each series",
                         fgti_show(fgti_strings_get(&l->header, a.first), from),
                         fgti_show(fgti_strings_get(&l->header, a.last), to));
}

/* ---- a row instead of units ---- */

fgt_status fgti_header_check_units(const fgti_loader *l)
{
    int64_t filled = 0, numbers = 0, at = -1;
    char    show[FGTI_SHOW];
    for (int64_t i = 0; i < l->csv.count; i++) {
        const char *text = fgti_csv_cell(&l->csv, i);
        const bool  time  = header_is_time(l, text),
                   number = header_is_number(l, text) && strcmp(text, "1") != 0;
        filled += *text != 0;
        numbers += number || time;
        if (time || (number && at < 0)) at = i;
        if (time) numbers = l->csv.count;
    }
    if (at < 0 || 2 * numbers < filled) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_DATA, l->csv.line,
                         "\"%s\" is a value, so the line has no units; without the option `units` it is read",
                         fgti_show(fgti_csv_cell(&l->csv, at), show));
}

/* ---- the header once more ---- */

bool fgti_header_repeats(const fgti_loader *l)
{
    bool texts = false;
    if (l->csv.count != l->header.count) return false;
    for (int64_t i = 0; i < l->csv.count; i++) {
        const char *name = fgti_strings_get(&l->header, i);
        if (!fgti_same_word(fgti_csv_cell(&l->csv, i), name, strlen(name) + 1)) return false;
        texts |= *name && !header_is_number(l, name);
    }
    return texts;
}

bool fgti_header_is_other(const fgti_loader *l)
{
    int64_t i = 0;
    while (i < l->csv.count &&
           fgti_words_find(&l->names, fgti_csv_cell(&l->csv, i), l->csv.cells[i].size) >= 0)
        i++;
    return l->header.count && i == l->csv.count;
}

void fgti_header_warn(const fgti_loader *l)
{
    if (!l->repeats) return;
    fgti_log(l->ctx, FGT_LOG_WARN, "%.200s: line %lld repeats the header%s; %s left out", l->csv.path,
             (long long)l->repeat_line, l->repeats > 1 ? ", as later lines do" : "",
             l->repeats > 1 ? "they are" : "it is");
}
