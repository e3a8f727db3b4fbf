/* SPDX-License-Identifier: BSD-3-Clause */
/* How a file of texts is written: lines or cells, what is between the cells, what the columns are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "text/corpus_load.h"

/* What columns of classes and of texts are usually called. */
static const char *const class_names[] = {"class",    "label",     "labels",      "category",   "target",
                                          "topic",    "sentiment", "intent",      "y",          "tag",
                                          "class_id", "label_id",  "class index", "class_name", NULL};
static const char *const text_names[]  = {
     "text",    "title",    "description", "body",     "sentence", "review",  "content",  "message",
     "comment", "document", "headline",    "question", "tweet",    "subject", "abstract", NULL};

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcasecmp(name, *list)) return true;
    return false;
}

/* ---- form and delimiter ---- */

#define RECORDS_MAX 64 /* records that the delimiter is judged by */

static const char delimiters[] = "\t,;|";

/* What a delimiter makes of a record. */
typedef struct cut {
    int64_t cells;
    bool    wrong; /* another delimiter follows a closing quote */
} cut;

/* The place behind the closing quote of the cell whose opening quote is before p. */
static const char *skip_quoted(const char *p, const char *end)
{
    for (; p < end; p++)
        if (*p == '"' && (++p == end || *p != '"')) break;
    return p;
}

/* The end of the record at p. */
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

/* Whether all records of the first block have the same number of cells, and more than one. The last record
 * of several may be cut off by the end of the block. */
static bool is_steady(const fgti_csv *csv, char delimiter, bool quotes, bool *wrong)
{
    const char *p = csv->next, *end = csv->end;
    int64_t     first = 0;
    cut         c     = {0};
    for (int64_t n = 0; p < end && n < RECORDS_MAX;) {
        if (*p == '\n' || *p == '\r') {
            p++;
            continue;
        }
        p = cut_record(p, end, delimiter, quotes, &c);
        if (p == end && n) break;
        if (n++ && c.cells != first) return false;
        first = c.cells;
    }
    *wrong = c.wrong;
    return first > 1;
}

/* A tab hardly stands in texts, a comma often does. One that closing quotes speak against is taken only if
 * there is no other. */
static char find_delimiter(const fgti_csv *csv, bool quotes)
{
    char last = 0;
    bool wrong;
    for (const char *d = delimiters; *d; d++) {
        if (!is_steady(csv, *d, quotes, &wrong)) continue;
        if (!wrong) return *d;
        if (!last) last = *d;
    }
    return last;
}

/* The first line that is not blank, without the blanks before it. */
static const char *first_text(const fgti_csv *csv)
{
    const char *p = csv->next;
    while (p < csv->end && fgti_blank(*p)) p++;
    return p;
}

static bool begins_with(const fgti_csv *csv, const char *p, const char *prefix)
{
    const size_t n = strlen(prefix);
    return (size_t)(csv->end - p) >= n && !memcmp(p, prefix, n);
}

/* Whether a cell of the first line, cut at any of these, has this name; NULL: the usual one of a column. */
static bool names_column(const fgti_csv *csv, const char *cuts, const char *name)
{
    const char *p = first_text(csv);
    char        cell[256];
    while (p < csv->end && *p != '\n' && *p != '\r') {
        size_t n = 0;
        for (; p < csv->end && !strchr(cuts, *p) && *p != '\n' && *p != '\r'; p++)
            if (n + 1 < sizeof cell && *p != '"' && (n || !fgti_blank(*p))) cell[n++] = *p;
        while (n && fgti_blank(cell[n - 1])) n--;
        cell[n] = 0;
        if (name ? !strcmp(cell, name) : is_one_of(cell, class_names) || is_one_of(cell, text_names))
            return true;
        p += p < csv->end && *p != '\n' && *p != '\r';
    }
    return false;
}

/* Whether a column of classes is asked for that the file may have. Where nothing cuts the file, it has no
 * column with a number. */
static bool has_class(const fgti_corpus_loader *l, const char *cuts)
{
    const fgt_corpus_opts *o   = &l->rows.opts;
    const fgti_csv        *csv = &l->csv;
    cut                    c   = {0};
    if (!o->class_column) return false;
    if (!fgti_class_is_number(o->class_column))
        return names_column(csv, *cuts ? cuts : delimiters, o->class_column);
    if (!*cuts) return false;
    cut_record(first_text(csv), csv->end, *cuts, !o->no_quotes, &c);
    return strtoll(o->class_column, NULL, 10) < c.cells;
}

/* Whether the file begins with a cell in quotes, and not with a text that begins with a quotation. */
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

/* Texts without classes are lines, unless something says that they have columns. */
static bool is_plain(const fgti_corpus_loader *l, char delimiter)
{
    const fgt_corpus_opts *o       = &l->rows.opts;
    const fgti_csv        *csv     = &l->csv;
    const char             cuts[2] = {delimiter};
    return o->no_classes && !o->delimiter && !o->text_columns && o->header != FGT_HEADER_YES &&
           delimiter != '\t' && !begins_quoted(csv, delimiter) && !names_column(csv, cuts, NULL) &&
           !has_class(l, cuts);
}

void fgti_corpus_form(fgti_corpus_loader *l)
{
    fgt_corpus_opts *o      = &l->rows.opts;
    fgti_csv        *csv    = &l->csv;
    const bool       quotes = !o->no_quotes;
    char             d      = (char)o->delimiter;
    if (o->form == FGT_CORPUS_AUTO && begins_with(csv, first_text(csv), FGTI_LABEL))
        o->form = FGT_CORPUS_LINES;
    if (o->form != FGT_CORPUS_LINES && !d) d = find_delimiter(csv, quotes);
    if (o->form == FGT_CORPUS_AUTO) o->form = is_plain(l, d) ? FGT_CORPUS_LINES : FGT_CORPUS_CSV;
    if (o->form == FGT_CORPUS_LINES) return;
    if (d) {
        csv->delimiter              = d;
        csv->stop[(unsigned char)d] = true;
    } else {
        fgti_csv_detect(csv, ",;\t|");
    }
    csv->no_quotes = o->no_quotes;
    o->delimiter   = csv->delimiter;
}

/* ---- the header ---- */

static int64_t find_name(const fgti_corpus_loader *l, const char *name)
{
    for (int64_t i = 0; i < l->first.count; i++)
        if (!strcmp(fgti_strings_get(&l->first, i), name)) return i;
    return -1;
}

/* The first column with a usual name. */
static int64_t find_usual(const fgti_corpus_loader *l, const char *const *list)
{
    for (int64_t i = 0; i < l->first.count; i++)
        if (is_one_of(fgti_strings_get(&l->first, i), list)) return i;
    return -1;
}

/* A column that is asked for by a name, not by a number, needs a header. */
static bool asks_for_names(const fgt_corpus_opts *o)
{
    bool names = o->class_column && !fgti_class_is_number(o->class_column);
    for (int64_t i = 0; i < o->text_count; i++) names |= !fgti_class_is_number(o->text_columns[i]);
    return names;
}

/* Where nobody asks for the column of the class and no header names it: the first column, or the last one if
 * that alone is a number in the first row of data. */
static int64_t guess_class(const fgti_corpus_loader *l, bool header)
{
    const int64_t last = l->first.count - 1;
    if (l->rows.opts.class_kind == FGT_CLASS_NAME || (header && l->csv.count <= last)) return 0;
    const char *a = header ? fgti_csv_cell(&l->csv, 0) : fgti_strings_get(&l->first, 0);
    const char *b = header ? fgti_csv_cell(&l->csv, last) : fgti_strings_get(&l->first, last);
    return !fgti_class_is_number(a) && fgti_class_is_number(b) ? last : 0;
}

/* Whether a column has a text in the first line and the number of a class in the second. A number that is
 * none of a class, because it is too large or has a sign, is no name either. */
static bool is_name_above_number(const fgti_corpus_loader *l, int64_t column)
{
    if (column >= l->first.count || column >= l->csv.count) return false;
    const char *name = fgti_strings_get(&l->first, column);
    return name[strspn(name, "+-.0123456789")] && fgti_class_is_number(fgti_csv_cell(&l->csv, column));
}

bool fgti_corpus_header(const fgti_corpus_loader *l, bool second)
{
    const fgt_corpus_opts *o = &l->rows.opts;
    if (o->header != FGT_HEADER_AUTO) return o->header == FGT_HEADER_YES;
    if (asks_for_names(o) || find_usual(l, class_names) >= 0 || find_usual(l, text_names) >= 0) return true;
    if (!second || o->class_kind == FGT_CLASS_NAME) return false;
    if (o->class_column) return is_name_above_number(l, strtoll(o->class_column, NULL, 10));
    if (o->no_classes) return false;
    return is_name_above_number(l, 0) || is_name_above_number(l, l->first.count - 1);
}

/* ---- columns ---- */

/* "a, b, c", cut off where the buffer ends. */
static const char *list_columns(const fgti_corpus_loader *l, char *buf, size_t size)
{
    char   show[FGTI_SHOW];
    size_t at = 0;
    buf[0]    = 0;
    for (int64_t i = 0; i < l->first.count && at + FGTI_SHOW + 8 < size; i++)
        at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "",
                               fgti_show(fgti_strings_get(&l->first, i), show));
    return buf;
}

/* A column by its name, or by its number. */
static fgt_status find_column(const fgti_corpus_loader *l, bool header, const char *name, int64_t *column)
{
    char show[FGTI_SHOW], list[360];
    *column = header ? find_name(l, name) : -1;
    if (*column >= 0) return FGT_OK;
    const bool number = fgti_class_is_number(name);
    if (number) *column = strtoll(name, NULL, 10);
    if (number && *column < l->first.count) return FGT_OK;
    if (!header || number)
        return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line,
                             "%lld cells, but column \"%s\" is asked for; they are counted from 0",
                             (long long)l->first.count, fgti_show(name, show));
    return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line, "there is no column \"%s\"; the columns are %s",
                         fgti_show(name, show), list_columns(l, list, sizeof list));
}

static fgt_status find_class_column(fgti_corpus_loader *l, bool header)
{
    const fgt_corpus_opts *o      = &l->rows.opts;
    const char            *column = o->class_column;
    fgt_status             s      = FGT_OK;
    if (l->files) return FGT_OK; /* it is that of the first file, which has the same columns */
    l->class_column = header ? find_usual(l, class_names) : -1;
    /* texts alone: the first column is not that of the class, whatever its number in other files */
    if (o->no_classes && l->cells == 1 && column && fgti_class_is_number(column)) column = NULL;
    if (column) s = find_column(l, header, column, &l->class_column);
    if (!o->no_classes) {
        if (l->class_column < 0) l->class_column = guess_class(l, header);
        return s;
    }
    if (s == FGT_OK) return FGT_OK;
    l->class_column            = -1; /* where no class is needed, its column need not be there */
    l->rows.ctx->error.text[0] = 0;
    return FGT_OK;
}

fgt_status fgti_corpus_columns(fgti_corpus_loader *l, bool header)
{
    const fgt_corpus_opts *o = &l->rows.opts;
    FGTI_TRY(find_class_column(l, header));
    FGTI_TRY(FGTI_NEW(l->rows.ctx, o->text_count + l->cells, "columns of a text", &l->text));
    for (int64_t i = 0; i < o->text_count; i++)
        FGTI_TRY(find_column(l, header, o->text_columns[i], &l->text[l->text_count++]));
    for (int64_t i = 0; !o->text_count && i < l->cells; i++)
        if (i != l->class_column) l->text[l->text_count++] = i;
    if (l->text_count) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->first_line,
                         o->no_classes ? "1 cell, which is the class, and no text"
                                       : "1 cell, expected a class and a text");
}
