/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV reader. The first byte chooses options, and the length of the file others; the rest is the file. */
#include <stdlib.h>

#include <fighter/base.h>
#include <fighter/data.h>

#include "fuzz.h"

/* Times are one step apart. */
static void check(const fgt_table *table)
{
    const fgt_view times = fgt_table_get_times(table);
    const int64_t *t     = times.data;
    fgt_table_info info  = {.size = sizeof info};
    if (fgt_table_get_info(table, &info) || info.columns < 1) abort();
    if (!fgt_table_get_name(table, info.columns - 1)) abort();
    if (info.ignored && !fgt_table_get_ignored(table, info.ignored - 1)) abort();
    if (times.shape[0] && times.shape[0] != info.rows) abort();
    for (int64_t r = 1; r < times.shape[0]; r++)
        if (fgt_time_add(t[r - 1], &info.step, 1) != t[r]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const char  *path = fuzz_file(data + 1, size - 1);
    fgt_context *ctx  = fuzz_context();
    if (!path || !ctx) return 0;

    static const char *const categories[] = {"a", "b=x"};
    const int    bits  = data[0];
    fgt_csv_opts opts  = {.size = sizeof opts};
    fgt_table   *table = NULL;
    opts.missing       = bits & 3; /* 3 is no such way: must be refused */
    opts.no_header     = bits >> 2 & 1;
    opts.date          = bits >> 3 & 3;
    opts.has_marker    = bits >> 5 & 1;
    opts.delimiter     = bits & 64 ? ';' : 0;
    opts.max_rows      = bits & 128 ? 3 : 0;
    opts.repair        = (int32_t)(size % 9); /* 8 is no repair */
    opts.time_form     = (int32_t)(size / 9 % 5);
    opts.decimal_comma = size / 45 % 4 == 3;
    if (size % 2) {
        opts.categories     = categories;
        opts.category_count = 1 + (int64_t)(size / 2 % 2);
    }
    if (fgt_table_load(ctx, path, &opts, &table) == FGT_OK) check(table);
    fgt_table_destroy(&table);
    return 0;
}
