/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables whose values stay on disk. */
#include <fighter/experimental/table_file.h>

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/opts.h"
#include "data/store/store_cache.h"
#include "data/table.h"

#define RESIDENT     (128 << 20)
#define LEAST_CACHE  (1 << 20)
#define MOST_CACHE   0x1p50
#define ROWS_OF_COPY INT64_C(1024)

/* ---- writing ---- */

static fgt_status table_copy_names(const fgt_table *t, bool has_times, fgti_strings *names)
{
    for (int64_t c = has_times ? -1 : 0; c < t->columns; c++) {
        const char *name = c >= 0      ? fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, c)
                           : t->labels ? fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0)
                                       : "date";
        FGTI_TRY(fgti_strings_add(t->ctx, names, name, (int64_t)strlen(name)));
    }
    return FGT_OK;
}

/* Checks the time of a row. The file keeps only the time of row 0, so all other times must follow from it. */
static fgt_status check_time(const fgt_table *t, int64_t row)
{
    char first[FGTI_ROW_TEXT];
    if (!t->times || fgti_time_add(t->times[0], &t->info.step, row) == t->times[row]) return FGT_OK;
    return fgti_fail(&t->ctx->error, FGT_E_DATA,
                     "not the last day of a month, as %s is; the table can be saved without the rows before "
                     "this one",
                     fgti_table_row(t, 0, first));
}

fgt_status fgt_table_save(const fgt_table *table, const char *path)
{
    const fgt_table *t = table;
    if (!t) return FGT_E_ARG;
    if (!path) return fgti_fail(&t->ctx->error, FGT_E_ARG, "table: path is NULL");
    FGTI_TRY(fgti_table_check_loaded(&t->ctx->error, "save", t));
    fgti_store_head   head = {.columns   = t->columns,
                              .has_times = t->times != NULL,
                              .first     = t->times ? t->times[0] : 0,
                              .step      = t->times ? t->info.step : (fgt_time_step){0}};
    fgti_store_writer w    = {0};
    char              text[FGTI_ROW_TEXT];
    fgt_status        s = table_copy_names(t, head.has_times, &head.names);
    if (s == FGT_OK)
        s = fgti_store_begin(t->ctx, path, &head, &w);
    else
        fgti_strings_done(t->ctx, &head.names);
    for (int64_t r = 0; s == FGT_OK && r < t->rows; r++) {
        s = check_time(t, r);
        if (s == FGT_OK) s = fgti_store_add(&w, t->values + r * t->columns, false);
        if (s == FGT_E_DATA) fgti_error_prefix(&t->ctx->error, "save: %s", fgti_table_row(t, r, text));
    }
    if (s == FGT_OK) s = fgti_store_end(&w);
    fgti_store_abandon(&w);
    return s;
}

/* ---- reading ---- */

fgt_status fgt_table_open(fgt_context *ctx, const char *path, const fgt_table_open_opts *opts,
                          fgt_table **table)
{
    static const fgti_opt field[] = {
        FGTI_FIELD(fgt_table_open_opts, resident, I64, LEAST_CACHE, MOST_CACHE, RESIDENT),
        {0},
    };
    fgt_table_open_opts o;
    if (table) *table = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!path || !table) return fgti_fail(err, FGT_E_ARG, "table: path or result pointer is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_table_open_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(err, "fgt_table_open_opts", field, &o));
    FGTI_TRY(FGTI_NEW(ctx, 1, "table", table));
    fgt_table *t = *table;
    t->ctx       = ctx;
    fgt_status s = fgti_store_open(ctx, path, o.resident, &t->store);
    if (s == FGT_OK) {
        const fgti_store_head *h = fgti_store_get_head(t->store);
        t->rows                  = h->rows;
        t->columns               = h->columns;
        t->labels                = h->has_times;
        t->info.step             = h->step;
        s                        = fgti_strings_append(ctx, &t->names, &h->names);
        if (s == FGT_OK) s = fgti_table_hash_names(t);
    }
    if (s != FGT_OK) fgt_table_destroy(table);
    return s;
}

static fgt_status read_values(const fgt_table *table, int64_t begin, fgt_table *t)
{
    const int64_t n = t->columns;
    int64_t      *columns;
    float        *piece = NULL;
    fgti_cache   *cache = NULL;
    FGTI_TRY(FGTI_NEW(t->ctx, n, "columns", &columns));
    for (int64_t c = 0; c < n; c++) columns[c] = c;
    const fgti_cache_opts o = {.count = n, .columns = columns};
    fgt_status            s = fgti_cache_new(t->ctx, table->store, &o, &cache);
    if (s == FGT_OK) s = FGTI_NEW(t->ctx, ROWS_OF_COPY * n, "rows", &piece);
    for (int64_t r = 0, m; s == FGT_OK && r < t->rows; r += m) {
        m = t->rows - r < ROWS_OF_COPY ? t->rows - r : ROWS_OF_COPY;
        s = fgti_cache_get(cache, begin + r, m, piece);
        for (int64_t i = 0; s == FGT_OK && i < m * n; i++) t->values[r * n + i] = (double)piece[i];
    }
    fgti_cache_done(&cache);
    fgti_free(t->ctx, piece);
    fgti_free(t->ctx, columns);
    return s;
}

static fgt_status set_times(const fgt_table *table, int64_t begin, fgt_table *t)
{
    char text[24];
    if (!t->labels) return FGT_OK;
    FGTI_TRY(FGTI_NEW(t->ctx, t->rows, "times of rows", &t->times));
    for (int64_t r = 0; r < t->rows; r++) {
        t->times[r]        = fgti_table_time(table, begin + r);
        const int64_t size = fgti_time_format(t->times[r], text, sizeof text);
        FGTI_TRY(fgti_strings_add(t->ctx, &t->dates, text, size));
    }
    t->info.step = t->rows > 1 ? table->info.step : (fgt_time_step){0};
    return FGT_OK;
}

fgt_status fgt_table_create_range(const fgt_table *table, int64_t begin, int64_t end, fgt_table **rows)
{
    if (rows) *rows = NULL;
    if (!table) return FGT_E_ARG;
    fgt_context *ctx = table->ctx;
    if (!rows) return fgti_fail(&ctx->error, FGT_E_ARG, "table: the result pointer is NULL");
    if (!table->store) return fgti_fail(&ctx->error, FGT_E_ARG, "read: the table is in memory");
    if (begin < 0 || begin >= end || end > table->rows)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "read: rows %lld..%lld are not a range of the table's %lld rows", (long long)begin,
                         (long long)end - 1, (long long)table->rows);
    FGTI_TRY(FGTI_NEW(ctx, 1, "table", rows));
    fgt_table *t = *rows;
    t->ctx       = ctx;
    t->rows      = end - begin;
    t->columns   = table->columns;
    t->labels    = table->labels;
    fgt_status s = fgti_strings_append(ctx, &t->names, &table->names);
    if (s == FGT_OK) s = fgti_table_hash_names(t);
    if (s == FGT_OK && !fgti_size_mul(t->rows, t->columns, &t->capacity))
        s = fgti_fail(&ctx->error, FGT_E_SIZE, "read: %lld rows are too many", (long long)t->rows);
    if (s == FGT_OK) s = FGTI_NEW(ctx, t->capacity, "table", &t->values);
    if (s == FGT_OK) s = set_times(table, begin, t);
    if (s == FGT_OK) s = read_values(table, begin, t);
    if (s != FGT_OK) fgt_table_destroy(rows);
    return s;
}
