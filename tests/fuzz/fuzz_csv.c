/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV reader. The first byte chooses options, and the length of the file others; the rest is the file. */
#include <fighter/base.h>
#include <fighter/table.h>
#include <fighter/time.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const char  *path = fuzz_file(data + 1, size - 1);
    fgt_context *ctx  = fuzz_context();
    if (!path || !ctx) return 0;

    static const char *const categories[] = {"a", "b=x"};
    static const fgt_time_step business     = {.milliseconds = 86400000, .weekdays = 31};
    const int    bits  = data[0];
    fgt_csv_opts opts  = {.size = sizeof opts};
    fgt_table   *table = NULL;
    opts.missing       = bits & 3;
    opts.step          = size % 7 ? NULL : &business;
    opts.no_header     = bits >> 2 & 1;
    opts.date          = bits >> 3 & 3;
    opts.has_marker    = bits >> 5 & 1;
    opts.delimiter     = bits & 64 ? ';' : 0;
    opts.max_rows      = bits & 128 ? 3 : 0;
    opts.repair        = (int32_t)(size % 9); /* 8 is no repair */
    opts.time_form     = (int32_t)(size / 9 % 5);
    opts.decimal_comma = size / 45 % 4 == 3;
    opts.spreadsheet   = size % 4 == 2;
    opts.comment       = size % 8 > 4 ? "#" : NULL;
    opts.missing_text  = size % 3 ? NULL : "x";
    opts.skip          = size % 16 == 9;
    opts.units         = size % 16 == 12;
    opts.decimal_point = size % 5 == 1 && !opts.decimal_comma;
    if (size % 2) {
        opts.categories     = categories;
        opts.category_count = 1 + (int64_t)(size / 2 % 2);
    }
    if (fgt_table_load(ctx, path, &opts, &table) == FGT_OK) fuzz_check_table(table);
    fgt_table_destroy(&table);
    return 0;
}
