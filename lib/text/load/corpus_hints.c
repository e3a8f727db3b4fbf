/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints in error texts about lines that are probably not rows: the option that skips them. */
#include "text/load/corpus_hints.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "text/load/corpus_loader.h"

const char *fgti_corpus_mark(const char *p, const char *end)
{
    static const char *const marks[] = {"#", "%", "//"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t n = strlen(marks[i]);
        if ((size_t)(end - p) >= n && !memcmp(p, marks[i], n)) return marks[i];
    }
    return NULL;
}

const char *fgti_corpus_hint(const fgti_corpus_loader *l, int64_t line, const char *text,
                             char buf[FGTI_CORPUS_HINT])
{
    const bool  top  = line <= l->titles + 1 && l->titles;
    const char *mark = fgti_corpus_mark(text, text + strlen(text));
    if (!mark && top) mark = l->mark;
    *buf = 0;
    if (mark && !l->rows.opts.comment)
        snprintf(buf, FGTI_CORPUS_HINT,
                 "; if lines that begin with %s are comments, the option `comment` \"%s\" leaves them out",
                 mark, mark);
    else if (top)
        snprintf(buf, FGTI_CORPUS_HINT, "; the option `skip` %lld leaves out the line%s above line %lld",
                 (long long)l->titles, l->titles == 1 ? "" : "s", (long long)l->titles + 1);
    return buf;
}

fgt_status fgti_corpus_refuse_cells(const fgti_corpus_loader *l)
{
    const int64_t line = l->csv.line, count = l->csv.count;
    char          hint[FGTI_CORPUS_HINT];
    return fgti_csv_fail(&l->csv, FGT_E_FORMAT, line, "wrong number of cells (got %lld, need %lld)%s",
                         (long long)count, (long long)l->cells,
                         fgti_corpus_hint(l, line, fgti_csv_cell(&l->csv, 0), hint));
}

/* ---- lines that are probably not rows ---- */

/* Whether a cell names a type or a role of its column: "[class]", "string". */
static bool is_unit(const char *cell)
{
    static const char *const kinds[] = {"string",   "str",         "text",   "char", "varchar", "int",
                                        "integer",  "int64",       "bool",   "utf8", "utf-8",   "object",
                                        "category", "categorical", "factor", "-"};
    const size_t             n       = strlen(cell);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcasecmp(cell, kinds[i])) return true;
    return n > 2 && ((*cell == '[' && cell[n - 1] == ']') || (*cell == '(' && cell[n - 1] == ')'));
}

void fgti_corpus_warn_units(const fgti_corpus_loader *l)
{
    const fgti_csv *csv  = &l->csv;
    const char     *cell = fgti_csv_cell(csv, 0);
    const bool      tab  = csv->delimiter == '\t';
    char            show[FGTI_SHOW];
    if (l->cells < 2 || csv->count != l->cells || l->rows.opts.comment || csv->cells[0].quoted) return;
    for (int64_t i = 0; i < csv->count; i++)
        if (!is_unit(fgti_csv_cell(csv, i))) return;
    fgti_log(l->rows.ctx, FGT_LOG_WARN,
             "%.200s: line %lld: the line seems to say how the columns are written; if it is no row, the "
             "option `comment` \"%s%.*s\" leaves it out",
             csv->path, (long long)csv->line, fgti_show(cell, show), !tab, &csv->delimiter);
}

void fgti_corpus_count_mark(fgti_corpus_loader *l)
{
    const char *cell = fgti_csv_cell(&l->csv, 0);
    if (l->class_column || l->rows.opts.comment || fgti_form_has_lines(l->rows.opts.form)) return;
    const char *mark = fgti_corpus_mark(cell, cell + strlen(cell));
    if (!mark || l->csv.cells[0].quoted) return;
    if (!l->marked++) l->marked_line = l->csv.line;
    l->mark = mark;
}

void fgti_corpus_warn_marks(const fgti_corpus_loader *l, int64_t rows)
{
    if (!l->marked || l->marked > rows / 20) return;
    fgti_log(l->rows.ctx, FGT_LOG_WARN,
             "%.200s: line %lld: the class begins with %s, as %s; if the line is a comment, the option "
             "`comment` \"%s\" leaves it out",
             l->csv.path, (long long)l->marked_line, l->mark,
             l->marked == 1 ? "no other does" : "few others do", l->mark);
}
