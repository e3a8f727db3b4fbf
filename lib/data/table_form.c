/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a file is long, and which of its columns is what. */
#include <string.h>

#include "data/table_load.h"
#include "data/time/time_scan.h"

static const char *const series_names[] = {"unique_id", "item_id", NULL};
static const char *const time_names[]   = {"ds", "timestamp", "date", "time", "datetime", "date_time", NULL};
static const char *const value_names[]  = {"y", "target", "value", NULL};
static const char *const weak_names[]   = {"id", NULL};

/* The first cell whose column has one of these names; -1: there is none. */
static int64_t find_named(const fgti_loader *l, const char *const *names)
{
    for (; *names; names++)
        for (int64_t i = 0; i < l->header.count; i++)
            if (fgti_same_word(fgti_strings_get(&l->header, i), *names, strlen(*names) + 1)) return i;
    return -1;
}

/* The cell of a column that the options name, or one that is called so. */
static fgt_status choose(const fgti_loader *l, const char *name, const char *const *names, int64_t *cell)
{
    if (name) return fgti_loader_find(l, name, cell);
    *cell = find_named(l, names);
    return FGT_OK;
}

/* The first cell, but that of the series, with a time in words. */
static int64_t find_time(fgti_loader *l)
{
    double     ignored;
    fgti_stamp t;
    for (int64_t i = 0; i < l->cells; i++) {
        if (i == l->id || fgti_loader_number(l, i, &ignored) != FGTI_NUMBER_TEXT) continue;
        const fgti_time_found f = fgti_time_read(fgti_csv_cell(&l->csv, i), l->opts.time_form, &t);
        if (f != FGTI_TIME_TEXT && f != FGTI_TIME_RANGE) return i;
    }
    return -1;
}

/* A column that is called id may also number the rows. If it holds text, it names series. */
static bool is_weak(fgti_loader *l)
{
    double ignored;
    return l->id >= 0 && fgti_loader_number(l, l->id, &ignored) == FGTI_NUMBER_TEXT && l->value >= 0;
}

static fgt_status find_columns(fgti_loader *l, bool must)
{
    FGTI_TRY(choose(l, l->opts.id, series_names, &l->id));
    FGTI_TRY(choose(l, l->opts.value, value_names, &l->value));
    if (l->id < 0) {
        l->id = find_named(l, weak_names);
        if (!must && !is_weak(l)) l->id = -1;
    }
    FGTI_TRY(choose(l, l->opts.time, time_names, &l->label));
    if (l->label < 0) l->label = find_time(l);
    if (l->label < 0 && l->id >= 0) l->label = fgti_loader_find_year(l);
    return FGT_OK;
}

fgt_status fgti_loader_form(fgti_loader *l)
{
    const bool  must = l->opts.form == FGT_TABLE_LONG || l->opts.id;
    fgti_error *err  = &l->ctx->error;
    l->id = l->value = l->label = -1;
    if (l->opts.form == FGT_TABLE_WIDE || l->opts.date != FGT_DATE_AUTO) return FGT_OK;
    FGTI_TRY(find_columns(l, must));
    if (l->id >= 0 && l->label >= 0 && l->id != l->label && l->id != l->value && l->value != l->label)
        return FGT_OK;
    if (must && l->id < 0)
        return fgti_fail(err, FGT_E_NAME,
                         "%.300s: no column is called unique_id, item_id or id, and the "
                         "option `id` names none",
                         l->csv.path);
    if (must && l->label < 0)
        return fgti_fail(err, FGT_E_NAME, "%.300s: the file is in long form, but no column has the times",
                         l->csv.path);
    if (must)
        return fgti_fail(err, FGT_E_ARG, "%.300s: one column cannot have two of series, times and values",
                         l->csv.path);
    l->id = l->value = l->label = -1;
    return FGT_OK;
}
