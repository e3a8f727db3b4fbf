/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/context.h"
#include "data/csv.h"
#include "text/corpus.h"

typedef struct loader {
    fgti_rows rows;
    fgti_csv  csv;
    int64_t   cells;              /* in the first line, and so in every line; 0: no line was read yet */
    int64_t   bad_rows, bad_line; /* rows with invalid UTF-8: their number, the line of the first */
} loader;

/* ---- one line ---- */

/* Checks that the first line has the columns that the options name. */
static fgt_status check_columns(const loader *l)
{
    const fgt_corpus_opts *o    = &l->rows.opts;
    int64_t                last = o->class_column;
    for (int64_t i = 0; i < o->text_count; i++)
        if (o->text_columns[i] > last) last = o->text_columns[i];
    if (last >= l->cells)
        return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->csv.line, "%lld cells, but column %lld is asked for",
                             (long long)l->cells, (long long)last);
    if (o->text_count || l->cells > 1) return FGT_OK;
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->csv.line, "1 cell, expected a class and a text");
}

static fgt_status read_cells(loader *l)
{
    const fgt_corpus_opts *o     = &l->rows.opts;
    const fgti_csv        *csv   = &l->csv;
    const int64_t          count = o->text_count ? o->text_count : csv->count;
    fgti_rows_begin(&l->rows);
    for (int64_t i = 0; i < count; i++) {
        const int64_t column = o->text_count ? o->text_columns[i] : i;
        if (!o->text_count && column == o->class_column) continue;
        FGTI_TRY(fgti_rows_text(&l->rows, fgti_csv_cell(csv, column), csv->cells[column].size));
    }
    return fgti_rows_end(&l->rows, fgti_csv_cell(csv, o->class_column), csv->cells[o->class_column].size);
}

#define LABEL "__label__"

static fgt_status read_line(loader *l)
{
    fgti_error   *err    = &l->rows.ctx->error;
    const char   *line   = fgti_csv_cell(&l->csv, 0);
    const int64_t size   = l->csv.cells[0].size;
    const size_t  prefix = sizeof LABEL - 1;
    if (strncmp(line, LABEL, prefix) != 0)
        return fgti_fail(err, FGT_E_FORMAT, "the line does not begin with \"" LABEL "\"");
    const char *label = line + prefix, *end = label;
    while (*end && !fgti_blank(*end)) end++;
    const char *text = end;
    while (fgti_blank(*text)) text++;
    if (!strncmp(text, LABEL, prefix))
        return fgti_fail(err, FGT_E_FORMAT, "the line has a second label, but a text has one class");
    fgti_rows_begin(&l->rows);
    FGTI_TRY(fgti_rows_text(&l->rows, text, line + size - text));
    return fgti_rows_end(&l->rows, label, end - label);
}

static fgt_status read_row(loader *l)
{
    const fgt_corpus *c        = l->rows.corpus;
    const int64_t     replaced = c->replaced;
    const fgt_status  s        = l->rows.opts.form == FGT_CORPUS_LINES ? read_line(l) : read_cells(l);
    if (s == FGT_E_DATA || s == FGT_E_FORMAT)
        fgti_error_prefix(&c->ctx->error, "%.200s: line %lld", l->csv.path, (long long)l->csv.line);
    if (c->replaced > replaced && !l->bad_rows++) l->bad_line = l->csv.line;
    return s;
}

/* ---- all lines ---- */

static bool is_blank(const fgti_csv *csv)
{
    return csv->count == 1 && csv->cells[0].size == 0 && !csv->cells[0].quoted;
}

static fgt_status next_line(loader *l, bool *more)
{
    do FGTI_TRY(fgti_csv_next(&l->csv, more));
    while (*more && is_blank(&l->csv));
    if (!*more || l->cells == l->csv.count) return FGT_OK;
    if (l->cells)
        return fgti_csv_fail(&l->csv, FGT_E_FORMAT, l->csv.line, "%lld cells, expected %lld",
                             (long long)l->csv.count, (long long)l->cells);
    l->cells = l->csv.count;
    return l->rows.opts.form == FGT_CORPUS_CSV ? check_columns(l) : FGT_OK;
}

static fgt_status read_all(loader *l)
{
    const fgt_corpus_opts *o = &l->rows.opts;
    const fgt_corpus      *c = l->rows.corpus;
    bool                   more;
    FGTI_TRY(next_line(l, &more));
    if (more && o->header && o->form == FGT_CORPUS_CSV) FGTI_TRY(next_line(l, &more));
    while (more) {
        FGTI_TRY(read_row(l));
        if (c->rows == o->max_rows) break;
        FGTI_TRY(next_line(l, &more));
    }
    if (c->rows) return FGT_OK;
    return fgti_fail(&c->ctx->error, FGT_E_DATA, "%.300s: the file has no rows", l->csv.path);
}

static fgt_status load(loader *l, fgt_context *ctx, const char *path, fgt_corpus **corpus)
{
    const bool lines = l->rows.opts.form == FGT_CORPUS_LINES;
    FGTI_TRY(fgti_csv_open(ctx, path, lines ? 0 : (char)l->rows.opts.delimiter, &l->csv));
    FGTI_TRY(read_all(l));
    FGTI_TRY(fgti_rows_finish(&l->rows, corpus));
    if ((*corpus)->replaced)
        fgti_log(ctx, FGT_LOG_WARN,
                 "%.200s: %lld characters are not UTF-8 and were replaced by U+FFFD, in %lld of %lld rows; "
                 "the first is in line %lld",
                 path, (long long)(*corpus)->replaced, (long long)l->bad_rows, (long long)(*corpus)->rows,
                 (long long)l->bad_line);
    return FGT_OK;
}

fgt_status fgt_corpus_load(fgt_context *ctx, const char *path, const fgt_corpus_opts *opts,
                           fgt_corpus **corpus)
{
    fgt_corpus_opts o;
    loader          l = {.csv = {.ctx = ctx}};
    if (corpus) *corpus = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!corpus || !path) return fgti_fail(&ctx->error, FGT_E_ARG, "corpus: path or result pointer is NULL");
    FGTI_TRY(fgti_corpus_opts_read(&ctx->error, opts, &o));
    const bool lines = o.form == FGT_CORPUS_LINES;
    fgt_status s     = fgti_rows_init(ctx, &o, lines ? FGT_CLASS_NAME : FGT_CLASS_NUMBER, &l.rows);
    if (s == FGT_OK) s = load(&l, ctx, path, corpus);
    fgti_csv_close(&l.csv);
    fgti_rows_done(&l.rows);
    return s;
}
