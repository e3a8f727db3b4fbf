/* SPDX-License-Identifier: BSD-3-Clause */
/* Several CSV files, in wide and in long form. The first byte chooses options; the rest are the files, with a
 * 0x1e (record separator) between them. */
#include <string.h>

#include <fighter/base.h>
#include <fighter/table.h>

#include "fuzz.h"

enum { FILES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char  *paths[FILES];
    int64_t      count = 0;
    fgt_context *ctx   = fuzz_context();
    if (size < 1 || !ctx) return 0;
    for (size_t at = 1; at <= size && count < FILES; count++) {
        const uint8_t *end = at < size ? memchr(data + at, 0x1e, size - at) : NULL;
        const size_t   n   = end ? (size_t)(end - data) - at : size - at;
        paths[count]       = fuzz_file_number((int)count, data + at, n);
        if (!paths[count]) return 0;
        at += n + 1;
    }
    const int    bits  = data[0];
    fgt_csv_opts opts  = {.size = sizeof opts};
    fgt_table   *table = NULL;
    opts.missing       = bits % 4;
    opts.repair        = bits / 3 % 8;
    opts.form          = bits / 24 % 3;
    opts.id            = bits / 72 == 1 ? "a" : NULL;
    opts.value         = bits / 72 == 2 ? "b" : NULL;
    if (fgt_table_load_files(ctx, paths, count, &opts, &table) == FGT_OK) fuzz_check_table(table);
    fgt_table_destroy(&table);
    return 0;
}
