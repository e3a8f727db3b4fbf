/* SPDX-License-Identifier: BSD-3-Clause */
/* In a file with decimal commas, a point may separate thousands, such as 1.096 beside 959. It would be read
 * as a decimal point. To detect this, all values of a column are looked at. */
#include "data/load/table_points.h"

#include <stdio.h>
#include <string.h>

#include "data/load/loader.h"
#include "data/load/table_labels.h"

#define DIGITS "0123456789"

typedef enum shape {
    OTHER,   /* not a number, or a number of at most three digits */
    LONG,    /* like 1096: shows that the column does not separate thousands */
    GROUPED, /* like 1.096: may mean 1096 */
    POINT,   /* like 0.5, 1.25, 0.096: the point does not separate thousands */
    COMMA    /* like 1,5: the comma does not separate thousands */
} shape;

/* The shape of a text. rest: the text may have a unit around the digits. */
static shape points_shape_of(const char *text, bool rest)
{
    const char  *s = text + (rest ? strcspn(text, DIGITS) : (size_t)(*text == '-' || *text == '+'));
    const size_t n = strspn(s, DIGITS), m = s[n] ? strspn(s + n + 1, DIGITS) : 0;
    const char   mark = s[n], *end = s + n + 1 + m;
    if (!n || (!mark && n < 4)) return OTHER;
    if (!mark) return LONG;
    if (mark != '.' && mark != ',') return OTHER;
    if (mark == '.' && *end == ',' && m == 3 && n <= 3 && strspn(end + 1, DIGITS)) return COMMA; /* 1.096,5 */
    if (*end && !rest && (mark == ',' || (*end != 'e' && *end != 'E'))) return OTHER;
    if (*end && strchr(".,", *end)) return OTHER;
    const bool grouped = n <= 3 && m == 3 && *s != '0' && *end != 'e' && *end != 'E';
    return mark == '.' ? (grouped ? GROUPED : POINT) : grouped || !m ? OTHER : COMMA;
}

/* Whether s is a date such as 31.1.2020. */
static bool is_dotted(const char *s)
{
    for (int i = 0; i < 3; i++) {
        const size_t n = strspn(s, DIGITS);
        if (!n || n > (i < 2 ? 2 : 4)) return false;
        s += n;
        if (i < 2 && *s++ != '.') return false;
    }
    return !*s || *s == ' ';
}

void fgti_points_begin(fgti_loader *l)
{
    fgti_points *p = &l->points;
    *p             = (fgti_points){.watch = !l->opts.decimal_comma && !l->opts.decimal_point};
    bool quoted    = false;
    for (int64_t i = 0; i < l->cells; i++) {
        p->dotted |= is_dotted(fgti_csv_cell(&l->csv, i)) || fgti_loader_is_point_month(l, i);
        quoted |= l->csv.cells[i].quoted;
    }
    /* if commas separate the cells, a decimal comma needs quotes */
    p->watch &= l->csv.delimiter != ',' || p->dotted || quoted;
}

static fgt_status keep_cell(fgti_loader *l, int64_t cell, int64_t *line, int64_t *text)
{
    *line = l->csv.line;
    *text = l->shown.count;
    return fgti_strings_add(l->ctx, &l->shown, fgti_csv_cell(&l->csv, cell), l->csv.cells[cell].size);
}

fgt_status fgti_points_look(fgti_loader *l)
{
    fgti_points *p = &l->points;
    for (int64_t i = 0; i < l->cells; i++) {
        fgti_source *source = &l->source[i];
        if (source->column < 0 && (i == l->label || i == l->id)) continue;
        if (fgti_loader_is_point_month(l, i)) continue;
        const shape s = points_shape_of(fgti_csv_cell(&l->csv, i), l->opts.spreadsheet);
        source->ungrouped |= s == LONG;
        source->point |= s == POINT;
        p->point |= s == POINT;
        if (s == GROUPED && !source->grouped_line)
            FGTI_TRY(keep_cell(l, i, &source->grouped_line, &source->grouped));
        if (s == COMMA && !p->comma_line) FGTI_TRY(keep_cell(l, i, &p->comma_line, &p->comma));
    }
    p->watch = !p->point || p->comma_line || p->dotted;
    return FGT_OK;
}

/* Writes the sign that shows that the file has decimal commas. */
static const char *name_sign(const fgti_loader *l, char buf[FGTI_HINT])
{
    const fgti_points *p = &l->points;
    char               show[FGTI_SHOW];
    if (p->comma_line)
        snprintf(buf, FGTI_HINT, "line %lld has \"%s\"", (long long)p->comma_line,
                 fgti_show(fgti_strings_get(&l->shown, p->comma), show));
    else
        snprintf(buf, FGTI_HINT, "%s",
                 p->dotted ? "dates are written with points" : "the cells are separated by semicolons");
    return buf;
}

static fgt_status judge_column(fgti_loader *l, int64_t cell)
{
    const fgti_source *source = &l->source[cell];
    const fgti_points *p      = &l->points;
    char               name[FGTI_SHOW], text[FGTI_SHOW], sign[FGTI_HINT], what[640], number[24];
    if (source->column < 0 || source->holds != FGTI_HOLDS_NUMBERS || !source->grouped_line || source->point)
        return FGT_OK;
    if (!p->comma_line && !p->dotted && (p->point || l->csv.delimiter != ';')) return FGT_OK;
    const bool sure = !p->point && !source->ungrouped;
    fgti_show(fgti_strings_get(&l->shown, source->grouped), text);
    snprintf(what, sizeof what,
             "column \"%s\": the point of \"%s\" %s separate thousands: all values with a point have three "
             "digits after it, and %s; the options `decimal_comma` and `spreadsheet` read thousands, "
             "`decimal_point` reads fractions",
             fgti_show(fgti_loader_name(l, cell, number), name), text,
             sure ? "seems to" : "is read as a decimal sign, but may", name_sign(l, sign));
    if (sure) return fgti_csv_fail(&l->csv, FGT_E_DATA, source->grouped_line, "%s", what);
    fgti_log(l->ctx, FGT_LOG_WARN, "%.200s: line %lld: %s", l->csv.path, (long long)source->grouped_line,
             what);
    return FGT_OK;
}

fgt_status fgti_points_judge(fgti_loader *l)
{
    for (int64_t i = 0; l->source && i < l->cells; i++) FGTI_TRY(judge_column(l, i));
    return FGT_OK;
}

void fgti_points_hint(fgti_loader *l, int64_t cell, char hint[FGTI_HINT])
{
    bool more = true, comma = false;
    char show[FGTI_SHOW];
    if (!l->opts.decimal_comma || points_shape_of(fgti_csv_cell(&l->csv, cell), true) != GROUPED) return;
    while (fgti_csv_next_filled(&l->csv, &more) == FGT_OK && more && l->csv.count == l->cells) {
        const char *text = fgti_csv_cell(&l->csv, cell);
        const shape s    = points_shape_of(text, true);
        comma |= s == COMMA;
        if (s != POINT) continue;
        snprintf(
            hint, FGTI_HINT,
            "; the point is a decimal point, as in \"%s\" in line %lld: leave out the option `decimal_comma`",
            fgti_show(text, show), (long long)l->csv.line);
        return;
    }
    if (comma && !l->opts.spreadsheet)
        snprintf(hint, FGTI_HINT, "; the option `spreadsheet` reads numbers as spreadsheets show them");
}
