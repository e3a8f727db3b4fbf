/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out whether a file has the long form, and which of its columns hold series, times and values. */
#include "data/load/table_form.h"

#include <string.h>

#include "data/load/loader.h"
#include "data/load/table_labels.h"
#include "data/load/time_names.h"
#include "data/time/scan/scanner.h"
#include "data/time/scan/time_read.h"

static const char *const series_names[] = {"unique_id", "item_id", NULL};
static const char *const time_names[]   = {"ds", "timestamp", "date", "time", "datetime", "date_time", NULL};
static const char *const value_names[]  = {"y", "target", "value", NULL};
static const char *const weak_names[]   = {"id", NULL};

/* The first column that has one of these names; -1: no column has one. */
static int64_t find_named(const fgti_loader *l, const char *const *names)
{
    for (; *names; names++)
        for (int64_t i = 0; i < l->header.count; i++)
            if (fgti_same_word(fgti_strings_get(&l->header, i), *names, strlen(*names) + 1)) return i;
    return -1;
}

/* Finds the column that the option names. Without the option, finds a column with one of these names. */
static fgt_status choose_form_column(const fgti_loader *l, const char *name, const char *const *names,
                                     int64_t *cell)
{
    if (name) return fgti_loader_find(l, name, cell);
    *cell = find_named(l, names);
    return FGT_OK;
}

/* Makes l->id the only key, or leaves no key if l->id is -1. */
static void set_key(fgti_loader *l)
{
    l->key[0] = l->id;
    l->keys   = l->id >= 0;
}

static fgt_status add_key(fgti_loader *l, const char *name)
{
    fgti_error *err = &l->ctx->error;
    int64_t     cell;
    FGTI_TRY(fgti_loader_find(l, name, &cell));
    if (fgti_loader_is_key(l, cell))
        return fgti_fail(err, FGT_E_ARG, "%.300s: a column names the series twice", l->csv.path);
    if (l->keys == FGTI_KEYS)
        return fgti_fail(err, FGT_E_ARG, "%.300s: at most %d columns name the series together", l->csv.path,
                         FGTI_KEYS);
    l->key[l->keys++] = cell;
    return FGT_OK;
}

/* Splits a list of columns such as "store+product" into its columns. */
static fgt_status split_keys(fgti_loader *l, const char *names)
{
    fgti_strings one = {0};
    fgt_status   s   = FGT_OK;
    for (const char *p = names; s == FGT_OK && p; p = strchr(p, '+'), p = p ? p + 1 : NULL) {
        one.count = one.used = 0;
        s                    = fgti_strings_add(l->ctx, &one, p, (int64_t)strcspn(p, "+"));
        if (s == FGT_OK) s = add_key(l, fgti_strings_get(&one, 0));
    }
    fgti_strings_done(l->ctx, &one);
    return s;
}

/* Finds the one column that the option names, or several columns joined by +. If a column has exactly the
 * name in the option, it is used. */
static fgt_status choose_keys(fgti_loader *l)
{
    const char      *id = l->opts.id;
    const fgt_status s  = choose_form_column(l, id, series_names, &l->id);
    if (s != FGT_OK) FGTI_TRY(strchr(id, '+') ? split_keys(l, id) : s);
    if (l->keys)
        l->id = l->key[0];
    else
        set_key(l);
    return FGT_OK;
}

/* The first column that does not name series and has a time in words, or a month such as 01.2012. */
static int64_t table_form_find_time(fgti_loader *l)
{
    double     ignored;
    fgti_stamp t;
    for (int64_t i = 0; i < l->cells; i++) {
        const char *name = fgti_loader_header_name(l, i), *text = fgti_csv_cell(&l->csv, i);
        if (fgti_loader_is_key(l, i)) continue;
        if (fgti_loader_is_time_name(name, strlen(name)) && fgti_time_is_point_month(text)) return i;
        if (fgti_loader_number(l, i, &ignored) != FGTI_NUMBER_TEXT) continue;
        const fgti_time_found f = fgti_time_read(text, l->opts.time_form, &t);
        if (f != FGTI_TIME_TEXT && f != FGTI_TIME_RANGE) return i;
    }
    return -1;
}

/* Whether a column named `id` names series. With texts it does, if there is also a value. Without texts it
 * may number the rows. */
static bool is_weak(fgti_loader *l)
{
    double ignored;
    return l->id >= 0 && fgti_loader_number(l, l->id, &ignored) == FGTI_NUMBER_TEXT && l->value >= 0;
}

static fgt_status table_form_find_columns(fgti_loader *l, bool must)
{
    FGTI_TRY(choose_keys(l));
    FGTI_TRY(choose_form_column(l, l->opts.value, value_names, &l->value));
    if (l->id < 0) {
        l->id = find_named(l, weak_names);
        if (!must && !is_weak(l)) l->id = -1;
        set_key(l);
    }
    FGTI_TRY(choose_form_column(l, l->opts.time, time_names, &l->label));
    if (l->label < 0) l->label = table_form_find_time(l);
    if (l->label < 0 && l->id >= 0) l->label = fgti_loader_find_year(l);
    return FGT_OK;
}

fgt_status fgti_loader_form(fgti_loader *l)
{
    const bool  must = l->opts.form == FGT_TABLE_FORM_LONG || l->opts.id;
    fgti_error *err  = &l->ctx->error;
    l->id = l->value = l->label = -1;
    l->keys                     = 0;
    if (l->opts.form == FGT_TABLE_FORM_WIDE || l->opts.date != FGT_TABLE_DATE_AUTO) return FGT_OK;
    FGTI_TRY(table_form_find_columns(l, must));
    if (l->id >= 0 && l->label >= 0 && !fgti_loader_is_key(l, l->label) && !fgti_loader_is_key(l, l->value) &&
        l->value != l->label)
        return FGT_OK;
    if (must && l->id < 0)
        return fgti_fail(err, FGT_E_NAME,
                         "%.300s: no column is called unique_id, item_id or id, and the "
                         "option `id` is not given",
                         l->csv.path);
    if (must && l->label < 0)
        return fgti_fail(err, FGT_E_NAME, "%.300s: the file is in long form, but no column has the times",
                         l->csv.path);
    if (must)
        return fgti_fail(err, FGT_E_ARG, "%.300s: one column cannot have two of series, times and values",
                         l->csv.path);
    l->id = l->value = l->label = -1;
    l->keys                     = 0;
    return FGT_OK;
}

/* ---- the series of a row ---- */

fgt_status fgti_loader_refuse_nameless(const fgti_loader *l, int64_t cell, int64_t line)
{
    char show[FGTI_SHOW], number[24];
    return fgti_csv_fail(&l->csv, FGT_E_DATA, line, "column \"%s\": the row has no series: the cell is empty",
                         fgti_show(l->header.count ? fgti_loader_name(l, cell, number) : "unique_id", show));
}

/* Checks the name of key i. Joined names must be separable again, so only the last key may contain a +. */
static fgt_status check_key(const fgti_loader *l, int i)
{
    const int64_t cell = l->key[i];
    char          show[FGTI_SHOW], name[FGTI_SHOW], number[24];
    if (!l->csv.cells[cell].size) return fgti_loader_refuse_nameless(l, cell, l->csv.line);
    if (i == l->keys - 1 || !strchr(fgti_csv_cell(&l->csv, cell), '+')) return FGT_OK;
    return fgti_csv_fail(
        &l->csv, FGT_E_DATA, l->csv.line,
        "column \"%s\": \"%s\" has a +, which stands between the names of a series: the option "
        "`id` can name this column last",
        fgti_show(fgti_loader_name(l, cell, number), name), fgti_show(fgti_csv_cell(&l->csv, cell), show));
}

fgt_status fgti_loader_add_series(fgti_loader *l)
{
    const fgti_csv *csv  = &l->csv;
    fgti_strings   *name = &l->joint;
    for (int i = 0; i < l->keys; i++) FGTI_TRY(check_key(l, i));
    if (l->keys == 1) return fgti_long_add(&l->rows, fgti_csv_cell(csv, l->id), csv->cells[l->id].size);
    name->count = name->used = 0;
    for (int i = 0; i < l->keys; i++) {
        FGTI_TRY(fgti_strings_add(l->ctx, name, fgti_csv_cell(csv, l->key[i]), csv->cells[l->key[i]].size));
        name->bytes[name->used - 1] = '+'; /* replaces the NUL at the end of the name */
    }
    return fgti_long_add(&l->rows, name->bytes, name->used - 1);
}
