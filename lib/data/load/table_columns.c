/* SPDX-License-Identifier: BSD-3-Clause */

/* Finds the columns of a file that become columns of the table. */

#include "data/load/table_columns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "data/load/loader.h"
#include "data/load/table_form.h"
#include "data/load/table_header.h"
#include "data/load/table_hints.h"
#include "data/load/table_labels.h"
#include "data/load/table_points.h"
#include "data/time/scan/time_read.h"
#include "data/time/time.h"

static fgt_status columns_hash_names(fgti_loader *l)
{
    char number[24];
    fgti_words_done(l->ctx, &l->names);
    if (!l->named) FGTI_TRY(FGTI_NEW(l->ctx, l->cells, "names of columns", &l->named));
    for (int64_t i = 0, at; i < l->cells; i++) {
        const char   *name  = fgti_loader_name(l, i, number);
        const int64_t count = l->names.texts.count;
        FGTI_TRY(fgti_words_add(l->ctx, &l->names, name, (int64_t)strlen(name), &at));
        if (at == count) l->named[at] = i;
    }
    return FGT_OK;
}

static fgt_status choose_label(fgti_loader *l)
{
    FGTI_TRY(fgti_loader_form(l));
    if (l->id >= 0) return FGT_OK;
    if (l->opts.time) return fgti_loader_find(l, l->opts.time, &l->label);
    if (l->opts.date != FGT_TABLE_DATE_NONE) l->label = fgti_loader_find_label(l);
    return FGT_OK;
}

/* Whether a column is reserved. Reserved columns hold times, series, or the values of a long file; they are
 * read without being listed. */
static bool is_taken(const fgti_loader *l, int64_t cell)
{
    return cell == l->label || fgti_loader_is_key(l, cell) || (l->id >= 0 && cell == l->value);
}

/* Reads a column of the file as a column of the table. */
static fgt_status columns_read(fgti_loader *l, const char *name)
{
    fgt_table *t = l->t;
    int64_t    cell;
    char       show[FGTI_SHOW];
    FGTI_TRY(fgti_loader_find(l, name, &cell));
    if (is_taken(l, cell) || l->source[cell].column >= 0)
        return fgti_fail(&l->ctx->error, FGT_E_ARG, "fgt_csv_opts: column \"%s\" %s",
                         fgti_show(name, show), cell == l->label ? "has the times"
                                                : is_taken(l, cell) ? "has the series or their values"
                                                                    : "is listed twice");
    l->source[cell].column = t->columns++;
    l->source[cell].wanted = true;
    return FGT_OK;
}

static fgt_status columns_check_list(const fgti_loader *l, const char *what, const char *const *names,
                                     int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!names[i])
            return fgti_fail(&l->ctx->error, FGT_E_ARG, "fgt_csv_opts: name %lld of %s is NULL", (long long)i,
                             what);
    return FGT_OK;
}

/* Adds an entry "name" or "name=value". If a value of a column is listed, the column is not read as
 * numbers. */
static fgt_status choose_category(fgti_loader *l, const char *entry)
{
    char        show[FGTI_SHOW];
    const char *value;
    int64_t     cell = fgti_category_source(entry, fgti_loader_find_cell, l, &value);
    if (cell < 0 && l->id >= 0)
        return FGT_OK; /* the entry may be a series, but the series are not known yet */
    if (cell < 0) return fgti_loader_find(l, entry, &cell);
    if (is_taken(l, cell))
        return fgti_fail(&l->ctx->error, FGT_E_ARG, "fgt_csv_opts: column \"%s\" has the %s",
                         fgti_show(entry, show), cell == l->label ? "times" : "series or their values");
    if (value) l->source[cell].holds = FGTI_HOLDS_TEXTS;
    return fgti_categories_add(&l->categories, cell, value);
}

/* Whether the file has the column of entry k, where k counts through the columns and then the categories. One
 * of several files may lack the column. check_found() reports entries that no file has. */
static bool is_in_this_file(fgti_loader *l, int64_t k)
{
    const fgt_csv_opts *o     = &l->opts;
    const bool          plain = k < o->column_count;
    const char         *entry = plain ? o->columns[k] : o->categories[k - o->column_count];
    const char         *value;
    const int64_t       cell = plain ? fgti_loader_find_cell(l, entry, (int64_t)strlen(entry))
                                     : fgti_category_source(entry, fgti_loader_find_cell, l, &value);
    if (cell >= 0 && l->found) l->found[k] = true;
    return cell >= 0 || !l->several;
}

/* Gives numbers to columns, for columns without a name. Reserved columns get no number, except a long file's
 * values, which come first. */
static void number_columns(fgti_loader *l)
{
    int64_t number = l->id >= 0 && l->value >= 0;
    for (int64_t i = 0; i < l->cells; i++)
        l->source[i] = (fgti_source){.column = -1, .number = is_taken(l, i) ? -1 : number++};
}

static fgt_status columns_choose(fgti_loader *l)
{
    const fgt_csv_opts *o = &l->opts;
    fgt_table          *t = l->t;
    FGTI_TRY(FGTI_NEW(l->ctx, l->cells, "columns", &l->source));
    FGTI_TRY(columns_check_list(l, "columns", o->columns, o->column_count));
    FGTI_TRY(columns_check_list(l, "categories", o->categories, o->category_count));
    number_columns(l);
    FGTI_TRY(columns_hash_names(l));
    l->categories.series = l->id >= 0 ? &l->rows.series : NULL;
    if (l->id >= 0 && l->value >= 0) {
        l->source[l->value].column = t->columns++;
        l->source[l->value].wanted = true;
    }
    for (int64_t i = 0; i < o->category_count; i++)
        if (is_in_this_file(l, o->column_count + i)) FGTI_TRY(choose_category(l, o->categories[i]));
    for (int64_t i = 0; i < o->column_count; i++)
        if (is_in_this_file(l, i)) FGTI_TRY(columns_read(l, o->columns[i]));
    for (int64_t i = 0; i < l->cells; i++) {
        const bool category = fgti_categories_find(&l->categories, i) != NULL;
        if (l->source[i].column < 0 && !is_taken(l, i) && (!o->columns || category))
            l->source[i].column = t->columns++;
    }
    return t->columns ? FGT_OK : fgti_loader_refuse_all(l);
}

/* Adds the name of a column to `names`, or `other` if the column has no name. */
static fgt_status add_header(const fgti_loader *l, int64_t cell, const char *other, fgti_strings *names)
{
    const char *own = fgti_loader_header_name(l, cell), *name = *own || l->header.count ? own : other;
    return fgti_strings_add(l->ctx, names, name, (int64_t)strlen(name));
}

/* Adds the names of a long file's reserved columns: series, times and, if the file has them, values. */
static fgt_status name_form(const fgti_loader *l)
{
    if (l->keys > 1)
        FGTI_TRY(fgti_strings_add(l->ctx, &l->t->form, l->opts.id, (int64_t)strlen(l->opts.id)));
    else
        FGTI_TRY(add_header(l, l->id, "unique_id", &l->t->form));
    if (l->value < 0) return FGT_OK;
    FGTI_TRY(add_header(l, l->value, "y", &l->t->form));
    return add_header(l, l->value, "y", &l->t->names);
}

/* Adds the names of the table's columns, in their order. */
static fgt_status columns_name(fgti_loader *l)
{
    fgti_strings *names = &l->t->names;
    char          number[24];
    if (l->label >= 0) FGTI_TRY(add_header(l, l->label, "date", names));
    if (l->id >= 0) FGTI_TRY(name_form(l));
    for (int64_t i = 0; i < l->opts.column_count; i++)
        if (is_in_this_file(l, i))
            FGTI_TRY(fgti_strings_add(l->ctx, names, l->opts.columns[i],
                                      (int64_t)strlen(l->opts.columns[i])));
    for (int64_t i = 0; i < l->cells; i++) {
        const fgti_source *source = &l->source[i];
        if (source->column < 0 || source->wanted) continue;
        const char *name = fgti_loader_name(l, i, number);
        FGTI_TRY(fgti_strings_add(l->ctx, names, name, (int64_t)strlen(name)));
    }
    return FGT_OK;
}

fgt_status fgti_loader_check_names(const fgti_loader *l)
{
    const fgt_table *t = l->t;
    int64_t          twice;
    char             show[FGTI_SHOW];
    FGTI_TRY(fgti_strings_find_double(l->ctx, &t->names, t->labels, &twice));
    if (twice < 0) return FGT_OK;
    return fgti_fail(&l->ctx->error, FGT_E_FORMAT, "%.300s: two columns are named \"%s\"", l->csv.path,
                     fgti_show(fgti_strings_get(&t->names, twice), show));
}

/* Whether a line has texts but neither a number nor a time, as a line of units. */
static bool has_no_numbers(fgti_loader *l)
{
    double     ignored;
    fgti_stamp t;
    int64_t    texts = 0;
    for (int64_t i = 0; i < l->cells; i++) {
        const fgti_number kind = fgti_loader_number(l, i, &ignored);
        if (kind == FGTI_NUMBER || kind == FGTI_NUMBER_INFINITE) return false;
        if (kind != FGTI_NUMBER_TEXT) continue;
        if (fgti_time_read(fgti_csv_cell(&l->csv, i), l->opts.time_form, &t) == FGTI_TIME_FOUND) return false;
        texts++;
    }
    return texts;
}

fgt_status fgti_loader_columns(fgti_loader *l)
{
    l->first_line = l->csv.line;
    l->no_numbers = has_no_numbers(l);
    FGTI_TRY(fgti_header_check(l));
    FGTI_TRY(columns_hash_names(l));
    FGTI_TRY(choose_label(l));
    fgti_loader_find_parts(l);
    fgti_points_begin(l);
    FGTI_TRY(fgti_header_check_across(l));
    FGTI_TRY(columns_choose(l));
    l->t->labels = l->label >= 0;
    FGTI_TRY(columns_name(l));
    return fgti_loader_check_names(l);
}

fgt_status fgti_loader_header(fgti_loader *l)
{
    for (int64_t i = 0; i < l->csv.count; i++)
        FGTI_TRY(fgti_strings_add(l->ctx, &l->header, fgti_csv_cell(&l->csv, i), l->csv.cells[i].size));
    return FGT_OK;
}
