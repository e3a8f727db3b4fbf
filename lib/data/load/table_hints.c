/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints in error texts, which name an option that helps. They are about lines that are not rows and about
 * texts that are not numbers. */
#include "data/load/table_hints.h"

#include <stdio.h>
#include <string.h>

#include "data/csv/first_block.h"
#include "data/load/loader.h"
#include "data/load/table_load.h"
#include "data/load/table_opts.h"
#include "data/time/scan/time_read.h"
#include "data/time/time_labels.h"

/* ---- lines ---- */

static bool hint_is_mark(char c)
{
    return c && strchr("#%!", c);
}

/* Whether the first line after the header seems to have units although the option `units` is not set. */
static bool has_units(const fgti_loader *l)
{
    return l->no_numbers && !l->opts.units && !l->opts.no_header;
}

/* Whether rows with numbers are read with these options. */
static bool opts_help(const fgti_loader *l, fgt_csv_opts opts)
{
    enum { TRIED = 16 }; /* rows */
    const fgt_log_fn log = l->ctx->log;
    fgti_loader      next;
    bool             numbers = false;
    if (fgti_reader_progress(l->csv.reader) <= 0) return true; /* a pipe cannot be read twice */
    opts.max_rows = TRIED;
    l->ctx->log   = NULL;
    fgt_status s  = fgti_loader_init(l->ctx, &opts, &next);
    if (s == FGT_OK) s = fgti_long_init(l->ctx, &next.rows, 1);
    if (s == FGT_OK) {
        next.trial = true;
        fgti_loader_open(&next, l->csv.path);
        for (int64_t i = 0; next.source && i < next.cells; i++)
            numbers |= next.source[i].column >= 0 && next.source[i].holds == FGTI_HOLDS_NUMBERS;
        numbers &= next.t && next.t->rows;
        fgti_loader_close(&next);
        fgt_table_destroy(&next.t);
        fgti_long_done(&next.rows);
    }
    fgti_loader_done(&next);
    l->ctx->log = log;
    return numbers;
}

const char *fgti_loader_hint_line(const fgti_loader *l, int64_t line, const char *text, char buf[FGTI_HINT])
{
    const bool top  = l->taken + l->t->rows == 0 || line == l->first_line || line <= l->titles + 2;
    const char   mark = hint_is_mark(*text) ? *text : top && hint_is_mark(l->mark) ? l->mark : 0;
    fgt_csv_opts skip = l->opts, units = l->opts;
    skip.skip   = l->titles;
    units.units = 1;
    *buf        = 0;
    if (l->trial) return buf;
    if (mark && !l->opts.comment)
        snprintf(buf, FGTI_HINT,
                 "; if lines that begin with %c are comments, the option `comment` \"%c\" leaves "
                 "them out",
                 mark, mark);
    else if (top && l->titles && opts_help(l, skip))
        snprintf(buf, FGTI_HINT,
                 "; if the header is line %lld, the option `skip` %lld leaves out the lines before "
                 "it",
                 (long long)l->titles + 1, (long long)l->titles);
    else if (line == l->first_line && has_units(l) && opts_help(l, units))
        snprintf(buf, FGTI_HINT,
                 "; if line %lld has the units of the columns, the option `units` leaves it out",
                 (long long)line);
    return buf;
}

/* Whether the rows have times. The first row shows this, or the second row if the first has units. */
static bool has_times(const fgti_loader *l)
{
    const int64_t row = has_units(l) ? 1 : 0;
    fgti_stamp    t;
    return l->label >= 0 && !l->joined && l->t->dates.count > row &&
           fgti_time_read(fgti_strings_get(&l->t->dates, row), l->opts.time_form, &t) != FGTI_TIME_TEXT;
}

/* Whether the current line may be a row. If rows have times, it must have a time, or a text that may be meant
 * as a time and a number in another cell. If rows have no times, it must have a number. */
static bool is_row(fgti_loader *l)
{
    double     ignored;
    fgti_stamp t;
    int64_t    i = 0;
    if (l->csv.count != l->cells) return false;
    if (has_times(l)) {
        const char *label = fgti_csv_cell(&l->csv, l->label);
        if (fgti_time_read(label, l->opts.time_form, &t) != FGTI_TIME_TEXT) return true;
        if (fgti_label_is_note(label)) return false;
        while (i < l->cells && (i == l->label || !strpbrk(fgti_csv_cell(&l->csv, i), "0123456789"))) i++;
        return i < l->cells;
    }
    for (bool number = false;; i++) {
        if (i == l->cells) return number;
        const fgti_number kind = fgti_loader_number(l, i, &ignored);
        if (kind == FGTI_NUMBER_TEXT && l->source[i].holds == FGTI_HOLDS_NUMBERS) return false;
        number |= kind == FGTI_NUMBER && i != l->label;
    }
}

/* Most lines of a footer. A longer rest of the file is not a footer. */
#define FOOTER_MOST 64

const char *fgti_loader_hint_end(fgti_loader *l, char buf[FGTI_HINT])
{
    const int64_t rows = l->taken + l->t->rows;
    char          word[24], show[FGTI_SHOW];
    int64_t       lines = 0;
    bool          more  = true;
    *buf                = 0;
    if (!rows) return buf;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(fgti_csv_cell(&l->csv, 0), " "),
             fgti_csv_cell(&l->csv, 0));
    for (; more && lines < FOOTER_MOST; lines++)
        if (is_row(l) || fgti_csv_next_filled(&l->csv, &more) != FGT_OK) return buf;
    if (more) return buf;
    if (has_units(l) && rows > 1) {
        snprintf(buf, FGTI_HINT,
                 "; if the table ends before this line and line %lld has the units of the columns, the "
                 "options `units` and `max_rows` %lld read the rows between them",
                 (long long)l->first_line, (long long)rows - 1);
        return buf;
    }
    const int n = snprintf(buf, FGTI_HINT,
                           "; if the table ends before this line, the option `max_rows` %lld reads the rows "
                           "before it",
                           (long long)rows);
    if (lines == 1 && *word && strlen(word) < sizeof word - 1)
        snprintf(buf + n, FGTI_HINT - (size_t)n, ", and `comment` \"%s\" leaves out lines that begin so",
                 fgti_show(word, show));
    return buf;
}

static const char *show_delimiter(char d, char buf[8])
{
    snprintf(buf, 8, d == '\t' ? "a tab" : "\"%c\"", d);
    return buf;
}

/* Writes a hint at another delimiter that would cut the line into the expected number of cells. */
static const char *hint_mixed(const fgti_loader *l, char buf[FGTI_HINT])
{
    char here[8], before[8];
    *buf = 0;
    for (const char *d = ",;\t|"; l->csv.count == 1 && *d; d++) {
        int64_t n = 0;
        for (const char *p = fgti_csv_cell(&l->csv, 0); *p; p++) n += *p == *d;
        if (n + 1 == l->cells)
            snprintf(
                buf, FGTI_HINT,
                "; it has %s between its cells, the first line has %s: lines of one delimiter can be in a "
                "file of their own, as several files are read together",
                show_delimiter(*d, here), show_delimiter(l->csv.delimiter, before));
    }
    return buf;
}

fgt_status fgti_loader_refuse_cells(fgti_loader *l)
{
    const int64_t line = l->csv.line, count = l->csv.count;
    char          hint[FGTI_HINT];
    if (!*hint_mixed(l, hint) && !*fgti_loader_hint_line(l, line, fgti_csv_cell(&l->csv, 0), hint))
        fgti_loader_hint_end(l, hint);
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, line, "wrong number of cells (got %lld, need %lld)%s",
                         (long long)count, (long long)l->cells, hint);
}

fgt_status fgti_loader_refuse_blank(fgti_loader *l, int64_t line)
{
    char hint[FGTI_HINT];
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, line, "the line is blank (got 0 cells, need %lld)%s",
                         (long long)l->cells, fgti_loader_hint_end(l, hint));
}

fgt_status fgti_loader_check_delimiter(const fgti_loader *l)
{
    char other[8], own[8];
    if (l->cells > 1 || !l->other || l->other == l->csv.delimiter || !l->opts.delimiter) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->csv.line,
                         "the cells seem to be separated by %s, but the option `delimiter` asks for %s; "
                         "without it the delimiter is found",
                         show_delimiter(l->other, other), show_delimiter(l->csv.delimiter, own));
}

void fgti_loader_change_delimiter(fgti_loader *l)
{
    char rows[8], own[8];
    fgti_log(l->ctx, FGT_LOG_WARN,
             "%.200s: line %lld: the header has %s between its cells, and the rows have %s; both are read",
             l->csv.path, (long long)l->header_line, show_delimiter(l->csv.delimiter, own),
             show_delimiter(l->rows_delimiter, rows));
    fgti_csv_set_delimiter(&l->csv, l->rows_delimiter);
}

/* Refuses a file without a column of numbers. The error text shows the first column of texts. */
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

static bool hint_is_plain(const fgti_loader *l, const char *text, char point)
{
    char   copy[64];
    double ignored;
    if (strlen(text) >= sizeof copy || strchr(text, point == ',' ? '.' : ',')) return false;
    strcpy(copy, text);
    char *comma = strchr(copy, ',');
    if (comma) *comma = '.';
    return fgti_number_parse(l->locale, copy, (int64_t)strlen(copy), &ignored) == FGTI_NUMBER;
}

const char *fgti_loader_hint_notation(const fgti_loader *l, const char *text, char buf[FGTI_HINT])
{
    const bool comma = l->opts.decimal_comma, shown = l->opts.spreadsheet;
    double     ignored;
    char       unit[FGTI_UNIT];
    const bool as_given = !shown && fgti_shown_parse(l->locale, text, comma, &ignored, unit);
    const bool other    = fgti_shown_parse(l->locale, text, !comma, &ignored, unit);
    *buf                = 0;
    if (comma && as_given && other) { /* 48.821 */
        snprintf(buf, FGTI_HINT,
                 "; if its point separates thousands, the option `spreadsheet` says so; if it is a decimal "
                 "point, leave out `decimal_comma`");
        return buf;
    }
    if (!comma &&
        hint_is_plain(l, text, ',')) /* 1,234 may have a decimal comma or a separator of thousands */
        snprintf(buf, FGTI_HINT, "; if its comma is a decimal point, the option `decimal_comma` says so%s",
                 as_given ? "; if it separates thousands, `spreadsheet`" : "");
    else if (as_given)
        snprintf(buf, FGTI_HINT, "; the option `spreadsheet` reads numbers as spreadsheets show them");
    else if (other && !comma)
        snprintf(buf, FGTI_HINT, "; if %s, the option%s `decimal_comma`%s",
                 strchr(text, ',') ? "its comma is a decimal point" : "its points separate thousands",
                 shown ? "" : "s", shown ? " says so" : " and `spreadsheet` read it");
    else if (other)
        snprintf(buf, FGTI_HINT,
                 "; it has a decimal point, but numbers have a decimal comma by `decimal_comma`");
    return buf;
}

const char *fgti_loader_hint_missing(const char *text, char buf[FGTI_HINT])
{
    *buf = 0;
    if (!strpbrk(text, "0123456789"))
        snprintf(buf, FGTI_HINT, "; if it stands for a missing value, the option `missing_text` says so");
    return buf;
}
