/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences about what is no row and no number, with the option that helps. */
#include <stdio.h>
#include <string.h>

#include "data/table_load.h"

/* ---- lines ---- */

static bool is_mark(char c)
{
    return c && strchr("#%!", c);
}

const char *fgti_loader_hint_line(const fgti_loader *l, int64_t line, const char *text, char buf[FGTI_HINT])
{
    const bool top  = l->taken + l->t->rows == 0 || line == l->first_line;
    const char mark = is_mark(*text) ? *text : top && is_mark(l->mark) ? l->mark : 0;
    *buf            = 0;
    if (mark && !l->opts.comment)
        snprintf(buf, FGTI_HINT,
                 "; if lines that begin with %c are comments, the option `comment` \"%c\" leaves "
                 "them out",
                 mark, mark);
    else if (top && l->titles)
        snprintf(buf, FGTI_HINT,
                 "; if the header is line %lld, the option `skip` %lld leaves out the lines before "
                 "it",
                 (long long)l->titles + 1, (long long)l->titles);
    else if (line == l->first_line && l->no_numbers && !l->opts.units && !l->opts.no_header)
        snprintf(buf, FGTI_HINT,
                 "; if line %lld has the units of the columns, the option `units` leaves it out",
                 (long long)line);
    return buf;
}

fgt_status fgti_loader_refuse_cells(const fgti_loader *l)
{
    char hint[FGTI_HINT];
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->csv.line, "%lld cell%s, expected %lld%s",
                         (long long)l->csv.count, l->csv.count == 1 ? "" : "s", (long long)l->cells,
                         fgti_loader_hint_line(l, l->csv.line, fgti_csv_cell(&l->csv, 0), hint));
}

/* The first column of texts shows what the file has instead of numbers. */
fgt_status fgti_loader_refuse_all(const fgti_loader *l)
{
    char    hint[FGTI_HINT], name[FGTI_SHOW], text[FGTI_SHOW], number[24], found[200] = "";
    int64_t i = 0;
    while (i < l->cells && !l->source[i].text_line) i++;
    if (i < l->cells)
        snprintf(found, sizeof found, "; column \"%s\" begins with \"%s\" in line %lld",
                 fgti_show(fgti_loader_name(l, i, number), name),
                 fgti_show(fgti_strings_get(&l->shown, l->source[i].text), text),
                 (long long)l->source[i].text_line);
    return fgti_fail(&l->ctx->error, FGT_E_DATA, "%.200s: there is no column of numbers%s%s", l->csv.path,
                     found, fgti_loader_hint_line(l, l->first_line, "", hint));
}

/* ---- numbers ---- */

static bool is_plain(const fgti_loader *l, const char *text, char point)
{
    char   copy[64];
    double ignored;
    if (strlen(text) >= sizeof copy || strchr(text, point == ',' ? '.' : ',')) return false;
    strcpy(copy, text);
    char *comma = strchr(copy, ',');
    if (comma) *comma = '.';
    return fgti_number_parse(l->locale, copy, (int64_t)strlen(copy), &ignored) == FGTI_NUMBER;
}

const char *fgti_loader_hint_number(const fgti_loader *l, const char *text, char buf[FGTI_HINT])
{
    const bool comma = l->opts.decimal_comma, shown = l->opts.spreadsheet;
    double     ignored;
    char       unit[FGTI_UNIT];
    const bool as_given = !shown && fgti_shown_parse(l->locale, text, comma, &ignored, unit);
    const bool other    = fgti_shown_parse(l->locale, text, !comma, &ignored, unit);
    *buf                = 0;
    if (!comma && is_plain(l, text, ',')) /* 1,234 may be either */
        snprintf(buf, FGTI_HINT, "; if its comma is a decimal point, the option `decimal_comma` says so%s",
                 as_given ? "; if it separates thousands, `spreadsheet`" : "");
    else if (as_given)
        snprintf(buf, FGTI_HINT, "; the option `spreadsheet` reads numbers as spreadsheets show them");
    else if (other && !comma)
        snprintf(buf, FGTI_HINT, "; if its comma is a decimal point, the option%s `decimal_comma`%s",
                 shown ? "" : "s", shown ? " says so" : " and `spreadsheet` read it");
    else if (other)
        snprintf(buf, FGTI_HINT,
                 "; it has a decimal point, but numbers have a decimal comma by `decimal_comma`");
    else if (!strpbrk(text, "0123456789"))
        snprintf(buf, FGTI_HINT, "; if it stands for a missing value, the option `missing_text` says so");
    return buf;
}
