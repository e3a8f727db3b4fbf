/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV reader. The first byte chooses options, the rest is the file. */
#include <fighter/base.h>
#include <fighter/data.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const char  *path = fuzz_file(data + 1, size - 1);
    fgt_context *ctx  = fuzz_context();
    if (!path || !ctx) return 0;

    const int    bits  = data[0];
    fgt_csv_opts opts  = {.size = sizeof opts};
    fgt_table   *table = NULL;
    opts.missing       = bits & 3; /* 3 is no such way: must be refused */
    opts.no_header     = bits >> 2 & 1;
    opts.date          = bits >> 3 & 3;
    opts.has_marker    = bits >> 5 & 1;
    opts.delimiter     = bits & 64 ? ';' : 0;
    opts.max_rows      = bits & 128 ? 3 : 0;
    if (fgt_table_load(ctx, path, &opts, &table) == FGT_OK && fgt_table_count_columns(table) > 0)
        fgt_table_get_name(table, fgt_table_count_columns(table) - 1);
    fgt_table_destroy(&table);
    return 0;
}
