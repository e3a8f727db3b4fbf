/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "data/table_load.h"
#include "data/time.h"

/* With decimal commas a point would separate thousands, or be a mistake: 1.500 is no number then. */
fgti_number fgti_loader_number(fgti_loader *l, int64_t cell, double *value)
{
    char         *text = l->csv.text + l->csv.cells[cell].begin, *comma = NULL;
    const int64_t size = l->csv.cells[cell].size;
    if (l->opts.decimal_comma) {
        if (strchr(text, '.')) return FGTI_NUMBER_TEXT;
        comma = strchr(text, ',');
    }
    if (comma) *comma = '.';
    const fgti_number n = fgti_number_parse(l->locale, text, size, value);
    if (comma) *comma = ',';
    return n;
}

static const char *header_name(const fgti_loader *l, int64_t cell)
{
    return cell < l->header.count ? fgti_strings_get(&l->header, cell) : "";
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcasecmp(name, *list)) return true;
    return false;
}

/* Whether the first column labels the rows, although its first cell is a number. */
static bool labels_in_numbers(const fgti_loader *l)
{
    static const char *const times[]   = {"date", "time", "datetime", "date_time", "timestamp", "ds", NULL};
    static const char *const indexes[] = {"", "index", "unnamed: 0", "row", "id", NULL};
    const char              *name = header_name(l, 0), *cell = fgti_csv_cell(&l->csv, 0);
    int64_t                  t;
    if (is_one_of(name, times)) return true;
    if (l->header.count && is_one_of(name, indexes)) return !strcmp(cell, "0") || !strcmp(cell, "1");
    return !strchr(cell, '.') && fgti_time_read(cell, FGT_TIME_AUTO, &t) == FGTI_TIME_FOUND;
}

static bool is_listed(const fgti_loader *l, const char *name)
{
    for (int64_t i = 0; i < l->opts.column_count; i++)
        if (l->opts.columns[i] && !strcmp(l->opts.columns[i], name)) return true;
    return false;
}

/* The cell of the row labels, judged by the first line of data: times in words, or else the first column. */
static int64_t find_label(fgti_loader *l)
{
    const bool  listed = is_listed(l, header_name(l, 0));
    double      ignored;
    int64_t     t;
    fgti_number kind;
    for (int64_t i = 0; i < l->cells; i++) {
        if (fgti_loader_number(l, i, &ignored) != FGTI_NUMBER_TEXT || is_listed(l, header_name(l, i)))
            continue;
        const fgti_time_found f = fgti_time_read(fgti_csv_cell(&l->csv, i), l->opts.time_form, &t);
        if (f == FGTI_TIME_FOUND || f == FGTI_TIME_UNCLEAR) return i;
    }
    if (l->opts.date == FGT_DATE_LABELS) return 0;
    if (listed) return -1;
    kind = fgti_loader_number(l, 0, &ignored);
    if (kind == FGTI_NUMBER_TEXT) return 0;
    return l->cells > 1 && kind == FGTI_NUMBER && labels_in_numbers(l) ? 0 : -1;
}

/* The cell with this name. Columns without one are called by their place in the file. */
static fgt_status find_cell(const fgti_loader *l, const char *name, int64_t *cell)
{
    char number[24], show[FGTI_SHOW];
    for (*cell = 0; *cell < l->cells; ++*cell) {
        snprintf(number, sizeof number, "%lld", (long long)*cell);
        const char *own = header_name(l, *cell);
        if (!strcmp(*own ? own : number, name)) return FGT_OK;
    }
    return fgti_fail(&l->ctx->error, FGT_E_NAME, "%.300s: there is no column \"%s\"", l->csv.path,
                     fgti_show(name, show));
}

static fgt_status choose_label(fgti_loader *l)
{
    l->label = -1;
    if (l->opts.time) return find_cell(l, l->opts.time, &l->label);
    if (l->opts.date != FGT_DATE_NONE) l->label = find_label(l);
    return FGT_OK;
}

static fgt_status choose_columns(fgti_loader *l)
{
    fgt_table *t = l->t;
    FGTI_TRY(FGTI_NEW(l->ctx, l->cells, "columns", &l->column));
    t->columns = 0;
    for (int64_t i = 0; i < l->cells; i++)
        l->column[i] = i == l->label || l->opts.columns ? -1 : t->columns++;
    for (; t->columns < l->opts.column_count; t->columns++) {
        const char *name = l->opts.columns[t->columns];
        int64_t     cell;
        char        show[FGTI_SHOW];
        if (!name)
            return fgti_fail(&l->ctx->error, FGT_E_ARG, "fgt_csv_opts: name %lld of columns is NULL",
                             (long long)t->columns);
        FGTI_TRY(find_cell(l, name, &cell));
        if (cell == l->label || l->column[cell] >= 0)
            return fgti_fail(&l->ctx->error, FGT_E_ARG, "fgt_csv_opts: column \"%s\" is %s",
                             fgti_show(name, show), cell == l->label ? "that of the times" : "listed twice");
        l->column[cell] = t->columns;
    }
    if (t->columns) return FGT_OK;
    return fgti_fail(&l->ctx->error, FGT_E_DATA, "%.300s: there is no column of numbers", l->csv.path);
}

/* Columns with an empty name are named by their number, as in a table without a header. */
static fgt_status name_columns(fgti_loader *l)
{
    fgti_strings *names = &l->t->names;
    if (l->label >= 0) {
        const char *name = header_name(l, l->label);
        if (!*name && l->opts.no_header) name = "date";
        FGTI_TRY(fgti_strings_add(l->ctx, names, name, (int64_t)strlen(name)));
    }
    for (int64_t i = 0; i < l->opts.column_count; i++)
        FGTI_TRY(fgti_strings_add(l->ctx, names, l->opts.columns[i], (int64_t)strlen(l->opts.columns[i])));
    for (int64_t i = 0; !l->opts.columns && i < l->cells; i++) {
        const char *name = header_name(l, i);
        if (l->column[i] < 0) continue;
        FGTI_TRY(*name ? fgti_strings_add(l->ctx, names, name, (int64_t)strlen(name))
                       : fgti_strings_add_number(l->ctx, names, l->column[i]));
    }
    return FGT_OK;
}

fgt_status fgti_loader_columns(fgti_loader *l)
{
    fgt_table *t = l->t;
    int64_t    twice;
    char       show[FGTI_SHOW];
    FGTI_TRY(choose_label(l));
    FGTI_TRY(choose_columns(l));
    t->labels = l->label >= 0;
    FGTI_TRY(name_columns(l));
    FGTI_TRY(fgti_strings_find_double(l->ctx, &t->names, t->labels, &twice));
    if (twice < 0) return FGT_OK;
    return fgti_fail(&l->ctx->error, FGT_E_FORMAT, "%.300s: two columns are named \"%s\"", l->csv.path,
                     fgti_show(fgti_strings_get(&t->names, twice), show));
}

fgt_status fgti_loader_header(fgti_loader *l)
{
    for (int64_t i = 0; i < l->csv.count; i++)
        FGTI_TRY(fgti_strings_add(l->ctx, &l->header, fgti_csv_cell(&l->csv, i), l->csv.cells[i].size));
    return FGT_OK;
}
