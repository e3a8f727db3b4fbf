/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/series/series.h"

#include <math.h>

#include "core/opts.h"
#include "data/table.h"
#include "data/time/step.h"

#define LARGEST 1e150 /* largest value that fgt_forecast_local() accepts */

/* ---- series with a longer step ---- */

/* Number of values if no two of them are in neighbouring rows; 0: two are, or times are not known. */
static int64_t count_apart(const fgt_table *t, int64_t column)
{
    int64_t values = 0, last = -2;
    for (int64_t row = 0; t->times && row < t->rows; row++) {
        if (isnan(t->values[row * t->columns + column])) continue;
        if (row == last + 1) return 0;
        last = row;
        values++;
    }
    return values;
}

/* Makes a table of the rows with a value, `count` of them. Times that are not evenly spaced give no table. */
static fgt_status make_axis(const fgt_table *t, int64_t column, int64_t count, fgt_table **out)
{
    double    *values = NULL;
    int64_t   *times = NULL, n = 0;
    fgt_status s = FGTI_NEW(t->ctx, count, "series", &values);
    if (s == FGT_OK) s = FGTI_NEW(t->ctx, count, "series", &times);
    for (int64_t row = 0; s == FGT_OK && n < count; row++) {
        values[n] = t->values[row * t->columns + column];
        if (!isnan(values[n])) times[n++] = t->times[row];
    }
    if (s == FGT_OK) s = fgt_table_create(t->ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, values, count, 1), out);
    if (s == FGT_OK)
        s = fgt_table_set_times(*out, FGT_VIEW_OF(FGT_DTYPE_I64, times, count), FGT_TABLE_REPAIR_GAPS);
    if (s != FGT_OK) fgt_table_destroy(out);
    fgti_free(t->ctx, values);
    fgti_free(t->ctx, times);
    return s == FGT_E_DATA ? FGT_OK : s;
}

fgt_status fgt_table_create_own_step(const fgt_table *table, int64_t column, fgt_table **own)
{
    enum { ENOUGH = 4, HOLES = 5 };
    if (own) *own = NULL;
    if (!table) return FGT_E_ARG;
    fgti_error *err = &table->ctx->error;
    FGTI_TRY(fgti_table_check_loaded(err, "series", table));
    if (!own || column < 0 || column >= table->columns)
        return fgti_fail(err, FGT_E_ARG,
                         "series: column is out of range, or own is NULL (got %lld, need 0 .. %lld)",
                         (long long)column, (long long)table->columns - 1);
    const int64_t count = count_apart(table, column);
    if (count < ENOUGH) return FGT_OK;
    FGTI_TRY(make_axis(table, column, count, own));
    const fgt_table *axis = *own;
    if (axis && (HOLES * axis->info.gaps > axis->rows || fgti_step_same(&axis->info.step, &table->info.step)))
        fgt_table_destroy(own);
    return FGT_OK;
}

/* ---- one series ---- */

/* Finds the rows from the first value to the last one. */
static fgt_status series_find(const fgt_table *table, int64_t column, fgti_one_series *one)
{
    int64_t begin, end;
    fgti_table_span(table, column, &begin, &end);
    one->info = (fgt_series_info){.size   = sizeof one->info,
                                  .name   = fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, column),
                                  .column = column,
                                  .axis   = table,
                                  .end    = end,
                                  .rows   = end - begin};
    if (!table->form.count || begin == end) return FGT_OK;
    FGTI_TRY(fgt_table_create_own_step(table, column, &one->own));
    if (one->own) one->info.axis = one->own;
    if (one->own) one->info.end = one->info.rows = one->own->rows;
    return FGT_OK;
}

static fgt_status series_copy(fgt_context *ctx, fgti_one_series *one)
{
    fgt_series_info *i      = &one->info;
    const fgt_table *axis   = i->axis;
    const int64_t    column = one->own ? 0 : i->column, first = i->end - i->rows;
    char             show[FGTI_SHOW], place[FGTI_ROW_TEXT];
    FGTI_TRY(FGTI_NEW(ctx, i->rows, "series", &i->values));
    for (int64_t k = 0; k < i->rows; k++) {
        const double v = axis->values[(first + k) * axis->columns + column];
        i->values[k]   = v;
        i->late        = isnan(v) ? i->late + 1 : 0;
        i->holes += isnan(v);
        if (fabs(v) > LARGEST)
            return fgti_fail(&ctx->error, FGT_E_DATA,
                             "\"%s\": %g in %s is too large (values need to be within 1e150)",
                             fgti_show(i->name, show), v, fgti_table_row(axis, first + k, place));
    }
    i->holes -= i->late;
    return FGT_OK;
}

/* ---- all of them ---- */

static void add_to_group(fgt_series *all, fgt_series_info *i)
{
    int64_t g = 0;
    while (g < all->groups && !fgti_step_same(&i->axis->info.step, &all->group[g].axis->info.step)) g++;
    if (g == all->groups) {
        all->group[g] = (fgt_series_group){.size = sizeof *all->group, .axis = i->axis, .index = g};
        fgt_table_find_seasons(i->axis, all->group[g].seasons);
        all->groups++;
    }
    i->group = g;
    if (++all->group[g].count > all->group[all->main].count) all->main = g;
}

static fgt_status find_all(const fgt_table *table, const int64_t *columns, int64_t count, fgt_series *all)
{
    int64_t last = 0;
    FGTI_TRY(FGTI_NEW(all->ctx, count, "series", &all->one));
    FGTI_TRY(FGTI_NEW(all->ctx, count, "series", &all->group));
    for (int64_t k = 0; k < count; k++) {
        fgti_one_series *one = &all->one[all->count];
        if (columns[k] < 0 || columns[k] >= table->columns)
            return fgti_fail(&all->ctx->error, FGT_E_ARG,
                             "series: column is out of range (got %lld, need 0 .. %lld)",
                             (long long)columns[k], (long long)table->columns - 1);
        FGTI_TRY(series_find(table, columns[k], one));
        if (one->info.end > last) last = one->info.end;
        all->count += one->info.rows > 0;
    }
    for (int64_t k = 0; k < all->count; k++) {
        fgt_series_info *i = &all->one[k].info;
        if (!table->form.count) i->rows += last - i->end;
        if (!table->form.count) i->end = last;
        FGTI_TRY(series_copy(all->ctx, &all->one[k]));
        add_to_group(all, i);
    }
    return all->count ? FGT_OK : fgti_fail(&all->ctx->error, FGT_E_DATA, "table: no series has a value");
}

fgt_status fgt_series_create(const fgt_table *table, const int64_t *columns, int64_t count,
                             fgt_series **series)
{
    fgt_series *all;
    if (series) *series = NULL;
    if (!table) return FGT_E_ARG;
    fgt_context *ctx = table->ctx;
    FGTI_TRY(fgti_table_check_loaded(&ctx->error, "series", table));
    if (!columns || count < 1 || !series)
        return fgti_fail(
            &ctx->error, FGT_E_ARG,
            "series: columns or series is NULL, or count is out of range (got %lld, need at least 1)",
            (long long)count);
    FGTI_TRY(FGTI_NEW(ctx, 1, "series", &all));
    all->ctx           = ctx;
    const fgt_status s = find_all(table, columns, count, all);
    if (s == FGT_OK)
        *series = all;
    else
        fgt_series_destroy(&all);
    return s;
}

void fgt_series_destroy(fgt_series **series)
{
    if (!series || !*series) return;
    fgt_series *all = *series;
    for (int64_t k = 0; k < all->count; k++) {
        fgti_free(all->ctx, all->one[k].info.values);
        fgt_table_destroy(&all->one[k].own);
    }
    fgti_free(all->ctx, all->one);
    fgti_free(all->ctx, all->group);
    fgti_free(all->ctx, all);
    *series = NULL;
}

/* ---- properties ---- */

int64_t fgt_series_count(const fgt_series *series)
{
    return series ? series->count : 0;
}

int64_t fgt_series_count_groups(const fgt_series *series)
{
    return series ? series->groups : 0;
}

fgt_status fgt_series_get_info(const fgt_series *series, int64_t index, fgt_series_info *info)
{
    if (!series) return FGT_E_ARG;
    fgti_error *err = &series->ctx->error;
    if (!info || index < 0 || index >= series->count)
        return fgti_fail(err, FGT_E_ARG,
                         "series: index is out of range, or info is NULL (got %lld, need 0 .. %lld)",
                         (long long)index, (long long)series->count - 1);
    const fgt_series_info *i = &series->one[index].info;
    return fgti_result_write(err, "fgt_series_info", i, sizeof *i, info);
}

fgt_status fgt_series_get_group(const fgt_series *series, int64_t index, fgt_series_group *group)
{
    if (!series) return FGT_E_ARG;
    fgti_error *err = &series->ctx->error;
    if (!group || index < -1 || index >= series->groups)
        return fgti_fail(err, FGT_E_ARG,
                         "series: index is out of range, or group is NULL (got %lld, need -1 .. %lld)",
                         (long long)index, (long long)series->groups - 1);
    const fgt_series_group *g = &series->group[index < 0 ? series->main : index];
    return fgti_result_write(err, "fgt_series_group", g, sizeof *g, group);
}
