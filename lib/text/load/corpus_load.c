/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads the rows of files of texts. */

#include "text/load/corpus_load.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "data/csv/number.h"
#include "text/corpus_rows.h"
#include "text/load/corpus_form.h"
#include "text/load/corpus_hints.h"
#include "text/load/corpus_loader.h"
#include "text/load/corpus_shape.h"

/* ---- one row ---- */

/* Returns a cell of the current row. first: the current row is the first line, which was kept. */
static const char *cell_at(const fgti_corpus_loader *l, bool first, int64_t i, int64_t *size)
{
    *size = first ? fgti_strings_size(&l->first, i) : l->csv.cells[i].size;
    return first ? fgti_strings_get(&l->first, i) : fgti_csv_cell(&l->csv, i);
}

static fgt_status read_cells(fgti_corpus_loader *l, bool first)
{
    int64_t size;
    fgti_text_rows_begin(&l->rows);
    for (int64_t i = 0; i < l->text_count; i++) {
        const char *text = cell_at(l, first, l->text[i], &size);
        FGTI_TRY(fgti_text_rows_text(&l->rows, text, size));
    }
    if (l->rows.opts.no_classes) return fgti_text_rows_end(&l->rows, NULL, 0);
    const char *label = cell_at(l, first, l->class_column, &size);
    return fgti_text_rows_end(&l->rows, label, size);
}

/* Reads the labels at the start of a line into l->labels, with blanks between them. *text becomes the rest of
 * the line. */
static fgt_status read_labels(fgti_corpus_loader *l, const char **text)
{
    fgt_context *ctx    = l->rows.ctx;
    const size_t prefix = sizeof FGTI_LABEL - 1;
    const char  *at     = *text;
    l->labels.used      = 0;
    for (int64_t count = 0; !strncmp(at, FGTI_LABEL, prefix); count++) {
        const char *label = at + prefix, *end = label;
        while (*end && !fgti_blank(*end)) end++;
        if (count && l->rows.opts.form != FGT_CORPUS_FORM_LABELS)
            return fgti_fail(&ctx->error, FGT_E_FORMAT,
                             "the line has a second label, but a text has one class");
        if (count) FGTI_TRY(fgti_bytes_add(ctx, &l->labels, " ", 1));
        if (end == label && l->rows.opts.form == FGT_CORPUS_FORM_LABELS)
            return fgti_fail(&ctx->error, FGT_E_DATA, "a label is empty");
        FGTI_TRY(fgti_bytes_add(ctx, &l->labels, label, end - label));
        for (at = end; fgti_blank(*at);) at++;
    }
    while (fgti_blank(*at)) at++;
    *text = at;
    return FGT_OK;
}

static fgt_status corpus_read_line(fgti_corpus_loader *l)
{
    const bool    plain = l->rows.opts.no_classes;
    const char   *line = fgti_csv_cell(&l->csv, 0), *text = line;
    const int64_t size = l->csv.cells[0].size;
    char          hint[FGTI_CORPUS_HINT];
    if (strncmp(line, FGTI_LABEL, sizeof FGTI_LABEL - 1) != 0 && !plain)
        return fgti_fail(&l->rows.ctx->error, FGT_E_FORMAT,
                         "the line does not begin with \"" FGTI_LABEL "\"%s",
                         fgti_corpus_hint(l, l->csv.line, line, hint));
    FGTI_TRY(read_labels(l, &text));
    fgti_text_rows_begin(&l->rows);
    FGTI_TRY(fgti_text_rows_text(&l->rows, text, line + size - text));
    return fgti_text_rows_end(&l->rows, plain ? NULL : l->labels.used ? l->labels.s : "", l->labels.used);
}

static fgt_status corpus_read_row(fgti_corpus_loader *l, bool first)
{
    const fgt_corpus *c        = l->rows.corpus;
    const int64_t     replaced = c->replaced, line = first ? l->first_line : l->csv.line;
    l->rows.at.path            = l->csv.path;
    l->rows.at.number          = line;
    const fgt_status s = fgti_form_has_lines(l->rows.opts.form) ? corpus_read_line(l) : read_cells(l, first);
    if (s == FGT_E_DATA || s == FGT_E_FORMAT)
        fgti_error_prefix(&c->ctx->error, "%.200s: line %lld", l->csv.path, (long long)line);
    if (c->replaced > replaced && !l->bad_rows++) l->bad_line = line;
    return s == FGT_OK && l->tell && c->rows % l->every == 0 ? l->tell(l) : s;
}

/* Whether a line looks like a row: it has as many cells as a row, and the name of a class in the column of
 * the class. */
static bool is_like_row(const fgti_corpus_loader *l, const char *line, const char *end)
{
    int64_t     cells = 1;
    const char *p = line, *from = NULL, *to = NULL;
    for (;; p++) {
        if (p != end && *p != l->csv.delimiter) continue;
        if (cells - 1 == l->class_column) to = p;
        if (p == end) break;
        if (cells++ == l->class_column) from = p + 1;
    }
    if (l->class_column == 0) from = line;
    if (cells != l->cells || !from || !to) return false;
    while (from < to && fgti_blank(*from)) from++;
    while (from < to && fgti_blank(to[-1])) to--;
    return fgti_words_find(&l->rows.corpus->classes, from, to - from) >= 0;
}

/* Warns if a quoted text contains a line that looks like a row: a stray quote may have joined rows. */
static void look_for_rows(fgti_corpus_loader *l)
{
    const fgti_csv *csv = &l->csv;
    for (int64_t i = 0; i < csv->count && !l->swallowed; i++) {
        const char *cell = fgti_csv_cell(csv, i), *end = cell + csv->cells[i].size;
        for (const char *p = memchr(cell, '\n', (size_t)(end - cell)); p && !l->swallowed;) {
            const char *line = p + 1;
            p                = memchr(line, '\n', (size_t)(end - line));
            if (is_like_row(l, line, p ? p : end)) l->swallowed = csv->line;
        }
    }
}

/* ---- all lines ---- */

static bool corpus_is_blank(const fgti_csv *csv)
{
    return csv->count == 1 && csv->cells[0].size == 0 && !csv->cells[0].quoted;
}

/* Skips blank lines, unless each line is a text to be classified. */
static fgt_status corpus_next_line(fgti_corpus_loader *l, bool *more)
{
    const fgt_corpus_opts *o = &l->rows.opts;
    do FGTI_TRY(fgti_csv_next(&l->csv, more));
    while (*more && corpus_is_blank(&l->csv) && !(o->no_classes && fgti_form_has_lines(o->form)));
    return FGT_OK;
}

static fgt_status check_cells(const fgti_corpus_loader *l)
{
    if (fgti_form_has_lines(l->rows.opts.form) || l->cells == l->csv.count) return FGT_OK;
    return fgti_corpus_refuse_cells(l);
}

/* Keeps the columns of the first file. Later files must have the same columns. */
static fgt_status keep_columns(fgti_corpus_loader *l, bool header)
{
    l->header = header;
    for (int64_t i = 0; i < l->cells; i++)
        FGTI_TRY(fgti_strings_add(l->rows.ctx, &l->columns, header ? fgti_strings_get(&l->first, i) : "",
                                  header ? fgti_strings_size(&l->first, i) : 0));
    return FGT_OK;
}

static fgt_status check_columns(const fgti_corpus_loader *l, bool header)
{
    char show[FGTI_SHOW], other[FGTI_SHOW];
    if (l->cells != l->columns.count)
        return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line,
                             "wrong number of columns (got %lld, need %lld as in the first file)",
                             (long long)l->cells, (long long)l->columns.count);
    if (header != l->header)
        return fgti_csv_fail(&l->csv, FGT_E_NAME, l->first_line,
                             header ? "the line names the columns, but the first file does not name them"
                                    : "the line does not name the columns, but the first file names them");
    for (int64_t i = 0; header && i < l->cells; i++)
        if (strcmp(fgti_strings_get(&l->first, i), fgti_strings_get(&l->columns, i)) != 0)
            return fgti_csv_fail(
                &l->csv, FGT_E_NAME, l->first_line,
                "column %lld has the wrong name (got \"%s\", need \"%s\" as in the first file)", (long long)i,
                fgti_show(fgti_strings_get(&l->first, i), show),
                fgti_show(fgti_strings_get(&l->columns, i), other));
    return FGT_OK;
}

/* Checks the guess that the first line names the columns: a name in it that is a class of later rows is no
 * column name. */
static fgt_status check_guess(const fgti_corpus_loader *l)
{
    char show[FGTI_SHOW];
    if (!l->guessed || l->class_column < 0) return FGT_OK;
    const char *name = fgti_strings_get(&l->first, l->class_column);
    if (fgti_words_find(&l->rows.corpus->classes, name, (int64_t)strlen(name)) < 0) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_DATA, l->first_line,
                         "the line seems to name the columns, but \"%s\" is also the class of rows; the "
                         "option `header` says whether it does: yes or no",
                         fgti_show(name, show));
}

/* Warns if the first line was taken for names of columns, but contains a sentence or a mark of a missing
 * value. */
static void warn_of_guess(const fgti_corpus_loader *l)
{
    char show[FGTI_SHOW];
    for (int64_t i = 0; l->guessed && i < l->cells; i++) {
        const char *text   = fgti_strings_get(&l->first, i);
        int64_t     blanks = 0;
        for (const char *p = text; *p; p++) blanks += *p == ' ';
        if (blanks < 3 && !fgti_number_is_gap(text) && strcasecmp(text, "null") != 0 &&
            strcasecmp(text, "na") != 0)
            continue;
        fgti_log(l->rows.ctx, FGT_LOG_WARN,
                 "%.200s: line %lld: the line is taken for the names of the columns, though it has \"%s\"; "
                 "if it is a row, the option `header` no says so",
                 l->csv.path, (long long)l->first_line, fgti_show(text, show));
        return;
    }
}

/* Keeps the first line of a CSV file, which may name the columns. Reads the second line to decide whether it
 * does. */
static fgt_status read_first(fgti_corpus_loader *l, bool *more)
{
    l->cells      = l->csv.count;
    l->first_line = l->csv.line;
    for (int64_t i = 0; i < l->cells; i++)
        FGTI_TRY(fgti_strings_add(l->rows.ctx, &l->first, fgti_csv_cell(&l->csv, i), l->csv.cells[i].size));
    FGTI_TRY(corpus_next_line(l, more));
    const bool header = fgti_corpus_header(l, *more);
    l->guessed        = header && fgti_corpus_guesses(l);
    warn_of_guess(l);
    FGTI_TRY(l->files ? check_columns(l, header) : keep_columns(l, header));
    FGTI_TRY(fgti_corpus_columns(l, header));
    if (header && !l->files) FGTI_TRY(fgti_corpus_name_columns(l));
    if (header && *more) fgti_corpus_warn_units(l);
    return header ? FGT_OK : corpus_read_row(l, true);
}

static fgt_status corpus_read_rows(fgti_corpus_loader *l)
{
    const fgt_corpus_opts *o      = &l->rows.opts;
    const fgt_corpus      *c      = l->rows.corpus;
    const int64_t          before = c->rows;
    bool                   more;
    FGTI_TRY(corpus_next_line(l, &more));
    if (more && o->form == FGT_CORPUS_FORM_CSV) FGTI_TRY(read_first(l, &more));
    while (more && (!o->max_rows || c->rows < o->max_rows)) {
        FGTI_TRY(check_cells(l));
        if (!l->swallowed && l->csv.next_line > l->csv.line + 1) look_for_rows(l);
        FGTI_TRY(corpus_read_row(l, false));
        fgti_corpus_count_mark(l);
        if (c->rows != o->max_rows) FGTI_TRY(corpus_next_line(l, &more));
    }
    fgti_corpus_warn_marks(l, c->rows - before);
    if (c->rows > before) return check_guess(l);
    return fgti_fail(&c->ctx->error, FGT_E_DATA, "%.300s: the file has no rows", l->csv.path);
}

#define QUOTES "; if quotes are part of the texts, the option `no_quotes` says so"

static const char *const forms[] = {"", "lines", "cells", "lines of labels"};

static fgt_status corpus_read_file(fgti_corpus_loader *l, const char *path)
{
    fgt_corpus_opts  *o        = &l->rows.opts;
    const fgt_corpus *c        = l->rows.corpus;
    const int64_t     replaced = c->replaced, before = c->rows;
    if (fgti_text_store_is(path))
        return fgti_fail(&c->ctx->error, FGT_E_FORMAT,
                         "%.300s: it is a corpus file (fgt_corpus_open() opens it), not a file of lines",
                         path);
    FGTI_TRY(fgti_csv_open(c->ctx, path, 0, &l->csv));
    FGTI_TRY(fgti_corpus_form(l));
    if (l->files && o->form != l->form)
        return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "%.300s: the file has %s, but the first one has %s",
                         path, forms[o->form], forms[l->form]);
    l->form = o->form;
    if (!l->files)
        l->rows.open = o->form == FGT_CORPUS_FORM_CSV && o->class_kind == FGT_CLASS_KIND_AUTO && !o->classes;
    const fgt_status s = corpus_read_rows(l);
    if (s != FGT_OK && l->csv.bad_quote) {
        char        *text = c->ctx->error.text;
        const size_t n    = strlen(text);
        snprintf(text + n, sizeof c->ctx->error.text - n, QUOTES);
    }
    FGTI_TRY(s);
    if (l->swallowed)
        fgti_log(c->ctx, FGT_LOG_WARN,
                 "%.200s: line %lld: a text in quotes has a line that looks like a row" QUOTES,
                 path, (long long)l->swallowed);
    const int64_t bad = c->replaced - replaced;
    if (bad)
        fgti_log(c->ctx, FGT_LOG_WARN,
                 "%.200s: %lld character%s not UTF-8 and %s replaced by U+FFFD, in %lld of %lld rows; "
                 "the first is in line %lld",
                 path, (long long)bad, bad == 1 ? " is" : "s are", bad == 1 ? "was" : "were",
                 (long long)l->bad_rows,
                 (long long)(c->rows - before), (long long)l->bad_line);
    return FGT_OK;
}

fgt_status fgti_corpus_loader_read(fgti_corpus_loader *l, const char *path)
{
    l->csv             = (fgti_csv){.ctx = l->rows.ctx};
    const fgt_status s = corpus_read_file(l, path);
    fgti_csv_close(&l->csv);
    fgti_strings_done(l->rows.ctx, &l->first);
    fgti_free(l->rows.ctx, l->text);
    l->text       = NULL;
    l->text_count = l->cells = l->bad_rows = l->swallowed = l->marked = 0;
    l->guessed                                            = false;
    l->files++;
    return s;
}

void fgti_corpus_loader_done(fgti_corpus_loader *l)
{
    fgti_strings_done(l->rows.ctx, &l->columns);
    fgti_bytes_done(l->rows.ctx, &l->labels);
    fgti_text_rows_done(&l->rows);
}

fgt_status fgt_corpus_load(fgt_context *ctx, const char *path, const fgt_corpus_opts *opts,
                           fgt_corpus **corpus)
{
    fgt_corpus_opts    o;
    fgti_corpus_loader l = {0};
    if (corpus) *corpus = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!corpus || !path) return fgti_fail(&ctx->error, FGT_E_ARG, "corpus: path or result pointer is NULL");
    FGTI_TRY(fgti_corpus_opts_read(&ctx->error, opts, &o));
    fgt_status s = fgti_text_rows_init(ctx, &o, &l.rows);
    if (s == FGT_OK) s = fgti_corpus_loader_read(&l, path);
    if (s == FGT_OK) s = fgti_text_rows_finish(&l.rows, corpus);
    fgti_corpus_loader_done(&l);
    return s;
}
