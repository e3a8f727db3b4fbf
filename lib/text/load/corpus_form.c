/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out how a file of texts is written: as lines or cells, and with which delimiter. */
#include "text/load/corpus_form.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "data/csv/first_block.h"
#include "text/load/corpus_hints.h"
#include "text/load/corpus_loader.h"
#include "text/load/corpus_shape.h"

static bool begins_with(const fgti_csv *csv, const char *p, const char *prefix)
{
    const size_t n = strlen(prefix);
    return (size_t)(csv->end - p) >= n && !memcmp(p, prefix, n);
}

/* Goes from the start of a line to the start of the next line that is neither empty nor a comment. */
static const char *skip_lines(const fgti_csv *csv, const char *p)
{
    for (;; p++) {
        if (csv->comment && begins_with(csv, p, csv->comment))
            while (p < csv->end && *p != '\n' && *p != '\r') p++;
        if (p == csv->end || (*p != '\n' && *p != '\r')) return p;
    }
}

/* Goes from the start of a line to the first character of the next text, and skips blanks. */
static const char *next_text(const fgti_csv *csv, const char *p)
{
    for (;;) {
        p = skip_lines(csv, p);
        while (p < csv->end && fgti_blank(*p) && *p != '\n' && *p != '\r') p++;
        if (p == csv->end || (*p != '\n' && *p != '\r')) return p;
    }
}

static const char *first_text(const fgti_csv *csv)
{
    return next_text(csv, csv->next);
}

#define RECORDS_MAX 64 /* records that are looked at to find the delimiter */

static const char delimiters[] = "\t,;|";

/* The number of cells of a record if a delimiter cuts it. */
typedef struct cut {
    int64_t cells;
    bool    wrong; /* another delimiter follows a closing quote */
} cut;

/* Returns the end of a quoted cell, after its closing quote; p is after the opening quote. */
static const char *skip_quoted(const char *p, const char *end)
{
    for (; p < end; p++)
        if (*p == '"' && (++p == end || *p != '"')) break;
    return p;
}

/* Counts the cells of the record at p and returns its end. */
static const char *cut_record(const char *p, const char *end, char delimiter, bool quotes, cut *c)
{
    for (c->cells = 1;; c->cells++, p++) {
        if (quotes && p < end && *p == '"') {
            p = skip_quoted(p + 1, end);
            while (p < end && *p == ' ') p++;
            c->wrong |= p < end && *p && *p != delimiter && strchr(delimiters, *p);
        }
        while (p < end && *p != delimiter && *p != '\n' && *p != '\r') p++;
        if (p == end || *p != delimiter) return p;
    }
}

/* Whether all records of the first block have the same number of cells, more than one. The last record may be
 * cut off by the end of the block, and then does not count unless it is the only one. */
static bool is_steady(const fgti_csv *csv, char delimiter, bool quotes, bool *wrong)
{
    const char *p = csv->next, *end = csv->end;
    int64_t     first = 0;
    cut         c     = {0};
    for (int64_t n = 0; n < RECORDS_MAX;) {
        p = skip_lines(csv, p);
        if (p == end) break;
        p = cut_record(p, end, delimiter, quotes, &c);
        if (p == end && n) break;
        if (n++ && c.cells != first) return false;
        first = c.cells;
    }
    *wrong = c.wrong;
    return first > 1;
}

/* Finds the delimiter. Delimiters are tried in order: tabs are rare in texts, commas are frequent. A
 * delimiter that contradicts closing quotes is taken only if no other one fits. *quotes becomes false if tabs
 * fit only when quotes are taken as characters of the text. */
static char find_delimiter(const fgti_csv *csv, bool *quotes)
{
    char last = 0;
    bool wrong;
    for (const char *d = delimiters; *d; d++) {
        if (!is_steady(csv, *d, *quotes, &wrong)) {
            if (*d != '\t' || !*quotes || !is_steady(csv, *d, false, &wrong)) continue;
            *quotes = false;
            return *d;
        }
        if (!wrong) return *d;
        if (!last) last = *d;
    }
    return last;
}

static bool in_line(const fgti_csv *csv, const char *p)
{
    return p < csv->end && *p != '\n' && *p != '\r';
}

#define CELL 256

/* Copies the cell at p, without its quotes and without blanks around it. The cell ends at any of the
 * characters of `cuts`. Returns the start of the next cell. */
static const char *take_cell(const fgti_csv *csv, const char *cuts, const char *p, char cell[CELL])
{
    size_t n = 0;
    for (; in_line(csv, p) && !strchr(cuts, *p); p++)
        if (n + 1 < CELL && *p != '"' && (n || !fgti_blank(*p))) cell[n++] = *p;
    while (n && fgti_blank(cell[n - 1])) n--;
    cell[n] = 0;
    return p + in_line(csv, p);
}

/* Whether a cell of the first line has this name; name NULL: a usual name of a column of classes or texts.
 * The line is cut at the characters of `cuts`. */
static bool names_column(const fgti_csv *csv, const char *cuts, const char *name)
{
    const char *p = first_text(csv);
    char        cell[CELL];
    while (in_line(csv, p)) {
        p = take_cell(csv, cuts, p, cell);
        if (name ? !strcmp(cell, name) : fgti_corpus_names_class(cell) || fgti_corpus_names_text(cell))
            return true;
    }
    return false;
}

/* Whether the option class_column fits the file. If there is no delimiter, the file has no columns with
 * numbers. */
static bool corpus_form_has_class(const fgti_corpus_loader *l, const char *cuts)
{
    const fgt_corpus_opts *o   = &l->rows.opts;
    const fgti_csv        *csv = &l->csv;
    cut                    c   = {0};
    if (!o->class_column) return false;
    if (!fgti_is_column_number(o->class_column))
        return names_column(csv, *cuts ? cuts : delimiters, o->class_column);
    if (!*cuts) return false;
    cut_record(first_text(csv), csv->end, *cuts, !o->no_quotes, &c);
    return strtoll(o->class_column, NULL, 10) < c.cells;
}

/* Whether the file begins with a quoted cell. A text may also begin with a quotation, which is no quoted
 * cell. */
static bool begins_quoted(const fgti_csv *csv, char delimiter)
{
    const char *p = first_text(csv);
    if (p == csv->end || *p++ != '"') return false;
    for (; p < csv->end; p++) {
        if (*p != '"') continue;
        if (p + 1 == csv->end || p[1] == '\n' || p[1] == '\r') return true;
        if (p[1] != '"') return delimiter && p[1] == delimiter;
        p++;
    }
    return false;
}

/* Without classes, a file is taken for lines unless an option or the file itself shows columns. */
static bool corpus_form_is_plain(const fgti_corpus_loader *l, char delimiter)
{
    const fgt_corpus_opts *o       = &l->rows.opts;
    const fgti_csv        *csv     = &l->csv;
    const char             cuts[2] = {delimiter};
    return o->no_classes && !o->delimiter && !o->text_columns && o->header != FGT_CORPUS_HEADER_YES &&
           delimiter != '\t' && !begins_quoted(csv, delimiter) && !names_column(csv, cuts, NULL) &&
           !corpus_form_has_class(l, cuts);
}

/* Whether all complete lines of the first block have `delimiter`, and no blank, after the label. */
static bool is_glued(const fgti_csv *csv, char delimiter)
{
    int64_t lines = 0;
    for (const char *p = first_text(csv); p < csv->end; lines++) {
        const char *end = p, *found = NULL;
        while (end < csv->end && !fgti_blank(*end)) end++;
        if (begins_with(csv, p, FGTI_LABEL)) found = memchr(p, delimiter, (size_t)(end - p));
        p = memchr(end, '\n', (size_t)(csv->end - end));
        if (!p) p = csv->end;
        if (p == csv->end && lines > 1) break;
        if (!found || found + 1 == end) return false;
        p = next_text(csv, p);
    }
    return lines > 1;
}

static fgt_status check_glued(const fgti_corpus_loader *l)
{
    const fgti_csv *csv = &l->csv;
    for (const char *d = ",;|"; *d; d++)
        if (is_glued(csv, *d))
            return fgti_csv_fail(csv, FGT_E_FORMAT, csv->next_line,
                                 "no blank is after the class, but \"%c\", as in the lines after it; "
                                 "put a blank there, or let the option `form` say that it belongs to "
                                 "the class",
                                 *d);
    return FGT_OK;
}

/* Whether a quoted cell contains a line break and a tab after it. Then two rows were read as one. */
static bool corpus_form_has_row(const fgti_csv *csv)
{
    for (int64_t i = 0; i < csv->count; i++) {
        const char *line = csv->cells[i].quoted ? strpbrk(fgti_csv_cell(csv, i), "\n\r") : NULL;
        if (line && strchr(line, '\t')) return true;
    }
    return false;
}

/* Reads the whole file to see whether quotes enclose cells. *marks becomes false if they do not. */
static fgt_status check_quotes(const fgti_corpus_loader *l, bool *marks)
{
    const int64_t most = l->rows.opts.max_rows;
    fgti_csv      csv;
    bool          more = true;
    fgt_status    s    = fgti_csv_open(l->rows.ctx, l->csv.path, '\t', &csv);
    if (s == FGT_OK) s = fgti_csv_skip(&csv, l->rows.opts.skip, l->rows.opts.comment);
    for (int64_t n = 0; s == FGT_OK && more && *marks && (!most || n <= most); n++) {
        s = fgti_csv_next(&csv, &more);
        if (s == FGT_OK) *marks = !corpus_form_has_row(&csv);
    }
    if (s == FGT_E_FORMAT) {
        *marks                     = !csv.bad_quote;
        l->rows.ctx->error.text[0] = 0; /* other errors are reported later, when the file is read */
        s                          = FGT_OK;
    }
    fgti_csv_close(&csv);
    return s;
}

/* ---- lines above the header ---- */

/* Whether a line has a usual name of a class and a usual name of a text, and the next line has as many
 * cells. */
static bool names_both(const fgti_csv *csv, const char *p, char delimiter)
{
    const char  cuts[2] = {delimiter};
    char        cell[CELL];
    bool        label = false, text = false;
    int64_t     n = 0;
    cut         here = {0}, after = {0};
    const char *end = cut_record(p, csv->end, delimiter, true, &here);
    cut_record(next_text(csv, end), csv->end, delimiter, true, &after);
    for (; in_line(csv, p); n++) {
        p = take_cell(csv, cuts, p, cell);
        label |= fgti_corpus_names_class(cell);
        text |= fgti_corpus_names_text(cell);
    }
    return label && text && n == here.cells && n == after.cells;
}

/* Whether a line names the columns if one of the delimiters cuts it. */
static bool is_header(const fgti_csv *csv, const char *p)
{
    bool names = false;
    for (const char *d = delimiters; *d; d++) names |= names_both(csv, p, *d);
    return names;
}

/* Goes from any position in a line to the start of the next line. */
static const char *corpus_form_skip_line(const fgti_csv *csv, const char *p)
{
    while (in_line(csv, p)) p++;
    if (p + 1 < csv->end && *p == '\r' && p[1] == '\n') p++;
    return p + (p < csv->end);
}

#define LOOKED_AT 64

/* Returns the number of lines before the first header, or before the first line with a label's mark. 0: there
 * is no such line. */
static int64_t count_before(const fgti_csv *csv, bool header)
{
    const char *p = csv->next;
    for (int64_t i = 0; i < LOOKED_AT && p < csv->end; i++, p = corpus_form_skip_line(csv, p))
        if (header ? is_header(csv, p) : begins_with(csv, p, FGTI_LABEL)) return i;
    return 0;
}

/* Looks for title lines above the header or above the first text. A line that names both columns is the
 * header, so lines above it are not rows. */
static fgt_status find_titles(fgti_corpus_loader *l)
{
    const fgt_corpus_opts *o       = &l->rows.opts;
    const fgti_csv        *csv     = &l->csv;
    const char            *text    = first_text(csv);
    const bool header = o->header == FGT_CORPUS_HEADER_AUTO && !names_column(csv, delimiters, NULL);
    const char             said[2] = {(char)o->delimiter};
    int64_t                above   = csv->next_line - 1, n = 0;
    char                   hint[FGTI_CORPUS_HINT];
    l->mark   = fgti_corpus_mark(text, csv->end);
    l->titles = 0;
    if (begins_with(csv, text, FGTI_LABEL)) return FGT_OK;
    if (header && !fgti_form_has_lines(o->form)) n = count_before(csv, true);
    const bool named = n > 0;
    if (!n && o->form != FGT_CORPUS_FORM_CSV) n = count_before(csv, false);
    if (!n) n = fgti_csv_count_titles(csv, *said ? said : delimiters, NULL) - above;
    l->titles = n > 0 ? above + n : 0;
    for (const char *p = csv->next; (p = corpus_form_skip_line(csv, p)) <= text && p < csv->end;) above++;
    if (l->titles <= above) l->titles = 0; /* there are only blank lines and comments above */
    if (!named) return FGT_OK;
    return fgti_csv_fail(csv, FGT_E_FORMAT, above + 1,
                         "the line does not name the columns, but line %lld does%s", (long long)l->titles + 1,
                         fgti_corpus_hint(l, above + 1, "", hint));
}

fgt_status fgti_corpus_form(fgti_corpus_loader *l)
{
    fgt_corpus_opts *o      = &l->rows.opts;
    fgti_csv        *csv    = &l->csv;
    bool             quotes = !o->no_quotes;
    char             d      = (char)o->delimiter;
    FGTI_TRY(fgti_csv_skip(csv, o->skip, o->comment));
    if (o->form == FGT_CORPUS_FORM_AUTO && begins_with(csv, first_text(csv), FGTI_LABEL)) {
        FGTI_TRY(check_glued(l));
        o->form = FGT_CORPUS_FORM_LINES;
    }
    if (!fgti_form_has_lines(o->form)) FGTI_TRY(fgti_csv_check_text(csv));
    const char said = fgti_form_has_lines(o->form) ? 0 : fgti_csv_take_separator(csv);
    FGTI_TRY(find_titles(l));
    if (!d) d = said;
    if (!fgti_form_has_lines(o->form) && !d) d = find_delimiter(csv, &quotes);
    if (o->form == FGT_CORPUS_FORM_AUTO)
        o->form = !said && corpus_form_is_plain(l, d) ? FGT_CORPUS_FORM_LINES : FGT_CORPUS_FORM_CSV;
    if (fgti_form_has_lines(o->form)) return FGT_OK;
    /* a pipe has no known size and cannot be read twice, so it is not checked */
    if (d == '\t' && quotes && fgti_reader_progress(csv->reader) > 0) FGTI_TRY(check_quotes(l, &quotes));
    o->no_quotes = !quotes;
    if (d) {
        csv->delimiter              = d;
        csv->stop[(unsigned char)d] = true;
    } else {
        fgti_csv_detect(csv, ",;\t|");
    }
    csv->no_quotes = o->no_quotes;
    o->delimiter   = csv->delimiter;
    return FGT_OK;
}
