/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/size.h"

fgt_status fgti_view_check_rows(fgti_error *err, const char *what, const fgt_view *v, int64_t begin,
                                int64_t end)
{
    FGTI_TRY(fgti_view_check_number(err, what, v, 2, (const int64_t[]){-1, -1}));
    if (v->shape[0] < 1 || v->shape[1] < 1)
        return fgti_fail(err, FGT_E_SHAPE,
                         "%s has the wrong shape (got [%lld,%lld], need at least 1 row and 1 column)", what,
                         (long long)v->shape[0], (long long)v->shape[1]);
    if (begin < 0 || begin >= end || end > v->shape[0])
        return fgti_fail(err, FGT_E_ARG, "%s: begin %lld, end %lld is not a range of its %lld rows", what,
                         (long long)begin, (long long)end, (long long)v->shape[0]);
    return FGT_OK;
}

static fgt_status add_names(fgt_table *t, const char *const *names)
{
    fgt_context *ctx = t->ctx;
    int64_t      twice;
    for (int64_t i = 0; i < t->columns; i++) {
        if (!names)
            FGTI_TRY(fgti_strings_add_number(ctx, &t->names, i));
        else if (names[i])
            FGTI_TRY(fgti_strings_add(ctx, &t->names, names[i], (int64_t)strlen(names[i])));
        else
            return fgti_fail(&ctx->error, FGT_E_ARG, "table: the name of column %lld is NULL", (long long)i);
    }
    FGTI_TRY(fgti_strings_find_double(ctx, &t->names, 0, &twice));
    if (twice < 0) return FGT_OK;
    char show[FGTI_SHOW];
    return fgti_fail(&ctx->error, FGT_E_FORMAT, "table: two columns are named \"%s\"",
                     fgti_show(fgti_strings_get(&t->names, twice), show));
}

static fgt_status table_add_values(fgt_table *t, const fgt_view *values)
{
    fgt_context *ctx = t->ctx;
    t->capacity      = fgt_view_count(values);
    FGTI_TRY(FGTI_NEW(ctx, t->capacity, "table", &t->values));
    for (int64_t i = 0; i < t->capacity; i++) {
        t->values[i] = fgti_view_get(values, i);
        if (isinf(t->values[i]))
            return fgti_fail(&ctx->error, FGT_E_DATA, "table: row %lld, column %lld is not finite",
                             (long long)(i / t->columns), (long long)(i % t->columns));
    }
    return FGT_OK;
}

fgt_status fgt_table_create(fgt_context *ctx, const char *const *names, const fgt_view *values,
                            fgt_table **table)
{
    if (table) *table = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!table) return fgti_fail(&ctx->error, FGT_E_ARG, "table: the result pointer is NULL");
    FGTI_TRY(fgti_view_check_rows(&ctx->error, "values", values, 0, values ? values->shape[0] : 0));
    FGTI_TRY(FGTI_NEW(ctx, 1, "table", table));
    fgt_table *t = *table;
    t->ctx       = ctx;
    t->rows      = values->shape[0];
    t->columns   = values->shape[1];
    fgt_status s = add_names(t, names);
    if (s == FGT_OK) s = table_add_values(t, values);
    if (s == FGT_OK) s = fgti_table_hash_names(t);
    if (s != FGT_OK) fgt_table_destroy(table);
    return s;
}

/* Copies everything of a table except its columns. */
static fgt_status copy_labels(const fgt_table *table, fgt_table *t)
{
    fgt_context *ctx = t->ctx;
    if (!table->labels) return FGT_OK;
    const char *name = fgti_strings_get(&table->names, 0);
    FGTI_TRY(fgti_strings_add(ctx, &t->names, name, (int64_t)strlen(name)));
    for (int64_t r = 0; r < table->rows; r++) {
        const char *date = fgti_strings_get(&table->dates, r);
        FGTI_TRY(fgti_strings_add(ctx, &t->dates, date, (int64_t)strlen(date)));
    }
    return FGT_OK;
}

static fgt_status copy_columns(const fgt_table *table, const int64_t *columns, fgt_table *t)
{
    fgt_context *ctx = t->ctx;
    int64_t      twice;
    for (int64_t c = 0; c < t->columns; c++) {
        const char *name = fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, columns[c]);
        if (!name)
            return fgti_fail(&ctx->error, FGT_E_ARG,
                             "table: column is out of range (got %lld, need 0 .. %lld)",
                             (long long)columns[c], (long long)table->columns - 1);
        FGTI_TRY(fgti_strings_add(ctx, &t->names, name, (int64_t)strlen(name)));
    }
    FGTI_TRY(fgti_strings_find_double(ctx, &t->names, t->labels, &twice));
    if (twice >= 0)
        return fgti_fail(&ctx->error, FGT_E_ARG, "table: column %lld is listed twice",
                         (long long)columns[twice - t->labels]);
    t->capacity = table->rows * t->columns; /* this is enough, because no column is listed twice */
    FGTI_TRY(FGTI_NEW(ctx, t->capacity, "table", &t->values));
    for (int64_t r = 0; r < table->rows; r++)
        for (int64_t c = 0; c < t->columns; c++)
            t->values[r * t->columns + c] = table->values[r * table->columns + columns[c]];
    return FGT_OK;
}

/* Copies the form of a long file. If a covariate comes before a series, the two cannot be told apart, so the
 * subset counts as a wide table. */
static fgt_status table_copy_form(const fgt_table *table, const int64_t *columns, fgt_table *t)
{
    int64_t series = 0;
    while (series < t->columns && columns[series] < table->info.series) series++;
    for (int64_t c = series; c < t->columns; c++)
        if (columns[c] < table->info.series) return FGT_OK;
    t->info.series = series;
    return fgti_strings_append(t->ctx, &t->form, &table->form);
}

static void copy_conflict(const fgt_table *table, const int64_t *columns, fgt_table *t)
{
    t->info.conflict_column = -1;
    for (int64_t c = 0; c < t->columns; c++)
        if (columns[c] == table->info.conflict_column) t->info.conflict_column = c;
}

static fgt_status copy_times(const fgt_table *from, fgt_table *to)
{
    to->ragged      = from->ragged;
    to->info.unread = from->info.unread;
    if (!from->times) return FGT_OK;
    FGTI_TRY(FGTI_NEW(to->ctx, from->rows, "times of rows", &to->times));
    memcpy(to->times, from->times, (size_t)from->rows * sizeof *to->times);
    to->info    = from->info;
    to->written = from->written;
    FGTI_TRY(fgti_clock_copy(to->ctx, &from->clock, from->rows, &to->clock));
    to->info.series = 0; /* the caller sets it */
    return FGT_OK;
}

fgt_status fgt_table_create_subset(const fgt_table *table, const int64_t *columns, int64_t count,
                                   fgt_table **subset)
{
    if (subset) *subset = NULL;
    if (!table) return FGT_E_ARG;
    fgt_context *ctx = table->ctx;
    if (!subset || !columns || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG, "table: count is below 1, or a pointer is NULL");
    FGTI_TRY(fgti_table_check_loaded(&ctx->error, "subset", table));
    FGTI_TRY(FGTI_NEW(ctx, 1, "table", subset));
    fgt_table *t = *subset;
    t->ctx       = ctx;
    t->rows      = table->rows;
    t->columns   = count;
    t->labels    = table->labels;
    fgt_status s = copy_labels(table, t);
    if (s == FGT_OK) s = copy_columns(table, columns, t);
    if (s == FGT_OK) s = copy_times(table, t);
    for (int64_t r = 0; s == FGT_OK && r < table->lines.rows; r++)
        s = fgti_lines_add(ctx, &t->lines, fgti_lines_get(&table->lines, r));
    if (s == FGT_OK) s = table_copy_form(table, columns, t);
    if (s == FGT_OK && t->info.conflicts) copy_conflict(table, columns, t);
    if (s == FGT_OK) s = fgti_table_hash_names(t);
    if (s != FGT_OK) fgt_table_destroy(subset);
    return s;
}

void fgt_table_destroy(fgt_table **table)
{
    if (!table || !*table) return;
    fgt_table   *t   = *table;
    fgt_context *ctx = t->ctx;
    fgti_strings_done(ctx, &t->dates);
    fgti_strings_done(ctx, &t->names);
    fgti_words_done(ctx, &t->column);
    fgti_strings_done(ctx, &t->ignored);
    fgti_strings_done(ctx, &t->empty);
    fgti_strings_done(ctx, &t->form);
    fgti_lines_done(ctx, &t->lines);
    fgti_store_close(ctx, &t->store);
    fgti_clock_done(ctx, &t->clock);
    fgti_free(ctx, t->times);
    fgti_free(ctx, t->fills);
    fgti_free(ctx, t->values);
    fgti_free(ctx, t);
    *table = NULL;
}

int64_t fgt_table_count_rows(const fgt_table *table)
{
    return table ? table->rows : 0;
}

int64_t fgt_table_count_columns(const fgt_table *table)
{
    return table ? table->columns : 0;
}

static const char *table_name_of(const fgti_strings *names, int64_t i, int64_t count)
{
    return i >= 0 && i < count ? fgti_strings_get(names, i) : NULL;
}

const char *fgt_table_get_name(const fgt_table *table, int32_t kind, int64_t index)
{
    const fgt_table *t = table;
    if (!t || index < 0) return NULL;
    switch (kind) {
    case FGT_TABLE_NAME_COLUMN:
        return index < t->columns ? fgti_strings_get(&t->names, t->labels + index) : NULL;
    case FGT_TABLE_NAME_ROW: return table_name_of(&t->dates, index, t->dates.count);
    case FGT_TABLE_NAME_LABELS: return table_name_of(&t->names, index, t->labels);
    case FGT_TABLE_NAME_ID: return index ? NULL : table_name_of(&t->form, 0, t->form.count);
    case FGT_TABLE_NAME_VALUE: return index ? NULL : table_name_of(&t->form, 1, t->form.count);
    case FGT_TABLE_NAME_IGNORED: return table_name_of(&t->ignored, index, t->ignored.count);
    default: return NULL;
    }
}

fgt_view fgt_table_get_values(const fgt_table *table)
{
    fgt_view v = {.rank = 2, .dtype = FGT_DTYPE_F64};
    if (!table || !table->values) return v;
    v.data     = table->values;
    v.shape[0] = table->rows;
    v.shape[1] = table->columns;
    return v;
}

fgt_status fgti_table_hash_names(fgt_table *t)
{
    int64_t column;
    for (int64_t i = t->labels; i < t->names.count; i++)
        FGTI_TRY(fgti_words_add(t->ctx, &t->column, fgti_strings_get(&t->names, i),
                                fgti_strings_size(&t->names, i), &column));
    return FGT_OK;
}

int64_t fgti_table_time(const fgt_table *t, int64_t row)
{
    if (!t->store) return t->times[row];
    const fgti_store_head *h = fgti_store_get_head(t->store);
    return fgti_time_add(h->first, &h->step, row);
}

fgt_status fgti_table_check_loaded(fgti_error *err, const char *what, const fgt_table *table)
{
    if (!table->store) return FGT_OK;
    return fgti_fail(err, FGT_E_UNSUPPORTED,
                     "%s: the table stays on disk; fgt_table_create_range() reads the rows that are needed",
                     what);
}

/* The arrays whose size depends on the number of columns. */
typedef struct wider {
    fgti_strings names;
    fgti_words   column;
    double      *values;
    fgti_fills  *fills;
} wider;

static fgt_status make_wider(const fgt_table *t, const fgti_strings *names, wider *w)
{
    fgt_context  *ctx     = t->ctx;
    const int64_t columns = t->columns + names->count, cells = fgti_mul(t->rows, columns);
    int64_t       column;
    FGTI_TRY(fgti_strings_append(ctx, &w->names, &t->names));
    FGTI_TRY(fgti_strings_append(ctx, &w->names, names));
    for (int64_t i = t->labels; i < w->names.count; i++)
        FGTI_TRY(fgti_words_add(ctx, &w->column, fgti_strings_get(&w->names, i),
                                fgti_strings_size(&w->names, i), &column));
    if (t->fills) FGTI_TRY(FGTI_NEW(ctx, columns, "filled values", &w->fills));
    FGTI_TRY(fgti_alloc_dirty(ctx, cells, sizeof *w->values, "table", (void **)&w->values));
    for (int64_t i = 0; i < cells; i++) {
        const int64_t c = i % columns;
        w->values[i]    = c < t->columns ? t->values[i / columns * t->columns + c] : NAN;
    }
    for (int64_t c = 0; t->fills && c < t->columns; c++) w->fills[c] = t->fills[c];
    return FGT_OK;
}

fgt_status fgti_table_add_absent(fgt_table *t, const fgti_strings *names)
{
    wider            w = {0};
    const fgt_status s = make_wider(t, names, &w);
    if (s == FGT_OK) {
        const wider old = {t->names, t->column, t->values, t->fills};
        t->names        = w.names;
        t->column       = w.column;
        t->values       = w.values;
        t->fills        = w.fills;
        t->columns += names->count;
        t->absent += names->count;
        t->capacity = t->rows * t->columns;
        t->room     = 0;
        w           = old;
    }
    fgti_strings_done(t->ctx, &w.names);
    fgti_words_done(t->ctx, &w.column);
    fgti_free(t->ctx, w.values);
    fgti_free(t->ctx, w.fills);
    return s;
}

static bool table_has_name(const fgt_table *table, const char *name, int64_t size, int64_t *column)
{
    const int64_t found = fgti_words_find(&table->column, name, size);
    if (found >= 0) *column = found;
    return found >= 0;
}

fgt_status fgti_table_find(fgti_error *err, const fgt_table *table, const char *name, int64_t *column)
{
    if (table_has_name(table, name, (int64_t)strlen(name), column)) return FGT_OK;
    char show[FGTI_SHOW], names[360];
    for (int64_t i = 0; i < table->empty.count; i++)
        if (!strcmp(fgti_strings_get(&table->empty, i), name))
            return fgti_fail(err, FGT_E_NAME, "column \"%s\" is empty: no row has a value in it",
                             fgti_show(name, show));
    for (int64_t i = 0; i < table->ignored.count; i++)
        if (!strcmp(fgti_strings_get(&table->ignored, i), name))
            return fgti_fail(err, FGT_E_NAME,
                             "column \"%s\" holds no numbers; one of texts can be read as a category",
                             fgti_show(name, show));
    return fgti_fail(err, FGT_E_NAME, "there is no column \"%s\"; the columns are %s", fgti_show(name, show),
                     fgti_strings_list(&table->names, table->labels, names, sizeof names));
}

fgt_status fgt_table_get_column(const fgt_table *table, const char *name, int64_t *column)
{
    if (!table) return FGT_E_ARG;
    fgti_error *err = &table->ctx->error;
    if (!name || !column) return fgti_fail(err, FGT_E_ARG, "table: name or result pointer is NULL");
    return fgti_table_find(err, table, name, column);
}

bool fgti_table_is_part(const char *column, const char *covariate)
{
    const size_t n = strlen(covariate), all = strlen(column);
    return all > n + 1 && !strncmp(column, covariate, n) && column[n] == '[' && column[all - 1] == ']';
}

/* Finds the column of a covariate for one series, named name[series]. A series may also have such a name, so
 * only columns after the series count as covariates. If two covariates match, the longer name is taken: c=A
 * and c=A[new] both match c=A[new][s]. */
fgt_status fgti_table_find_part(fgti_error *err, const fgt_table *t, const char *name, int64_t *column)
{
    const int64_t size = (int64_t)strlen(name);
    if (table_has_name(t, name, size, column)) return FGT_OK;
    int64_t longest = -1, found;
    if (t->form.count && size && name[size - 1] == ']')
        for (const char *cut = strchr(name, '['); cut; cut = strchr(cut + 1, '['))
            if (table_has_name(t, name, cut - name, &found) && found >= t->info.series) longest = found;
    if (longest < 0) return fgti_table_find(err, t, name, column);
    *column = longest;
    return FGT_OK;
}

/* A table of series that hardly overlap in time has mostly missing values. Up to EASY cells, 8 MB, this is
 * allowed. A larger table may have at most MOST cells for each value of the files. */
enum { EASY = 1 << 20, MOST = 64 };

fgt_status fgti_table_check_size(fgti_error *err, const char *what, int64_t rows, int64_t columns,
                                 int64_t values)
{
    int64_t cells;
    if (fgti_size_mul(rows, columns, &cells) && (cells <= EASY || cells / MOST <= values)) return FGT_OK;
    return fgti_fail(err, FGT_E_SIZE,
                     "%.300s: %lld columns over %lld rows would be a table of mostly missing values: the "
                     "series hardly overlap in time",
                     what, (long long)columns, (long long)rows);
}

const char *fgti_table_row(const fgt_table *t, int64_t row, char buf[FGTI_ROW_TEXT])
{
    const char *label = fgt_table_get_name(t, FGT_TABLE_NAME_ROW, row);
    char        time[24];
    if (t && !label && fgti_table_has_times(t) && row < t->rows) {
        fgti_time_format(fgti_table_time(t, row), time, sizeof time);
        label = time;
    }
    return fgti_row_text(t ? &t->lines : NULL, row, label, buf);
}

void fgti_table_span(const fgt_table *t, int64_t column, int64_t *begin, int64_t *end)
{
    const double *v = t->values + column;
    *begin          = 0;
    *end            = t->rows;
    while (*end && isnan(v[(*end - 1) * t->columns])) --*end;
    while (*begin < *end && isnan(v[*begin * t->columns])) ++*begin;
}
