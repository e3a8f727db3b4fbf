/* SPDX-License-Identifier: BSD-3-Clause */
/* Size, times and origin of a table, of its rows and of its columns. */
#include <math.h>

#include "core/context.h"
#include "core/opts.h"
#include "data/table.h"

/* Counts values that are missing because their column has not begun yet or has already ended. */
static int64_t count_outside(const fgt_table *t)
{
    int64_t count = 0, begin, end;
    for (int64_t c = 0; t->ragged && c < t->columns; c++) {
        fgti_table_span(t, c, &begin, &end);
        count += t->rows - (end - begin);
    }
    return count;
}

fgt_status fgt_table_get_info(const fgt_table *table, fgt_table_info *info)
{
    if (!table) return FGT_E_ARG;
    fgti_error *err = &table->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "table: info is NULL");
    fgt_table_info all = table->info;
    all.size           = sizeof all;
    all.rows           = table->rows;
    all.columns        = table->columns;
    all.ignored        = table->ignored.count;
    all.unseen         = table->unseen;
    all.outside        = count_outside(table);
    all.missing        = -all.outside;
    for (int64_t i = 0; table->values && i < all.rows * all.columns; i++)
        all.missing += isnan(table->values[i]);
    if (table->store) all.missing = fgti_store_count_missing(fgti_store_get_head(table->store));
    all.stored = table->store != NULL;
    for (int64_t c = 0; table->fills && c < table->columns; c++) all.filled += table->fills[c].count;
    return fgti_result_write(err, "fgt_table_info", &all, sizeof all, info);
}

fgt_status fgt_table_get_row_info(const fgt_table *table, int64_t row, fgt_table_row_info *info)
{
    if (!table) return FGT_E_ARG;
    fgti_error *err = &table->ctx->error;
    if (!info || row < 0 || row >= table->rows)
        return fgti_fail(err, FGT_E_ARG,
                         "table: row is out of range, or info is NULL (got %lld, need 0 .. %lld)",
                         (long long)row, (long long)table->rows - 1);
    const bool               timed = fgti_table_has_times(table);
    const fgt_table_row_info all   = {.size     = sizeof all,
                                      .time     = timed ? fgti_table_time(table, row) : 0,
                                      .line     = fgti_lines_get(&table->lines, row),
                                      .has_time = timed};
    return fgti_result_write(err, "fgt_table_row_info", &all, sizeof all, info);
}

/* Finds the least and the greatest value of a column. Both stay NaN if the column has no value. */
static void find_range(const fgt_table *t, int64_t column, double *least, double *most)
{
    for (int64_t r = 0; r < t->rows; r++) {
        const double v = t->values[r * t->columns + column];
        *least         = fmin(*least, v); /* fmin() of NaN and a number is the number */
        *most          = fmax(*most, v);
    }
}

static void find_stored_range(const fgt_table *t, int64_t column, double *least, double *most)
{
    const fgti_store_head *h   = fgti_store_get_head(t->store);
    fgti_chunk_moments     all = {.count = 0};
    for (int64_t b = 0; b < fgti_store_blocks(h); b++)
        fgti_chunk_merge(&all, &h->moments[b * h->columns + column]);
    if (!all.count) return;
    *least = (double)all.least;
    *most  = (double)all.most;
}

fgt_status fgt_table_get_column_info(const fgt_table *table, int64_t column, fgt_table_column_info *info)
{
    if (!table) return FGT_E_ARG;
    fgti_error *err = &table->ctx->error;
    if (!info || column < 0 || column >= table->columns)
        return fgti_fail(err, FGT_E_ARG,
                         "table: column is out of range, or info is NULL (got %lld, need 0 .. %lld)",
                         (long long)column, (long long)table->columns - 1);
    const fgti_fills     *fills = table->fills ? &table->fills[column] : NULL;
    fgt_table_column_info all   = {
          .size = sizeof all, .least = NAN, .most = NAN, .filled = fills ? fills->count : 0};
    all.first_filled = all.filled ? fills->first : -1;
    (table->store ? find_stored_range : find_range)(table, column, &all.least, &all.most);
    return fgti_result_write(err, "fgt_table_column_info", &all, sizeof all, info);
}
