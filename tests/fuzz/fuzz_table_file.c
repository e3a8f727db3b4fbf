/* SPDX-License-Identifier: BSD-3-Clause */
/* Table files: hashes are made to fit, so that damaged numbers and values are looked at. */
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/table_file.h>

#include "block_file.h"
#include "fuzz.h"

enum { MOST = 4096, MOST_ROWS = 1 << 16 };

static void look_at(const fgt_table *t)
{
    fgt_table_column_info column = {.size = sizeof column};
    fgt_table_info        info   = {.size = sizeof info};
    fgt_table            *rows;
    const int64_t  n = fgt_table_count_rows(t);
    if (fgt_table_get_info(t, &info) || info.rows != n || info.missing < 0 || n < 1) abort();
    if (!fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, fgt_table_count_columns(t) - 1)) abort();
    if (fgt_table_get_column_info(t, fgt_table_count_columns(t) - 1, &column)) abort();
    const fgt_status s = fgt_table_create_range(t, n > MOST_ROWS ? n - MOST_ROWS : 0, n, &rows);
    if (s == FGT_OK && fgt_table_count_rows(rows) < 1) abort();
    fgt_table_destroy(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[MOST];
    fgt_table     *t = NULL;
    if (size > MOST) return 0;
    memcpy(copy, data, size);
    fuzz_sign_chunks(copy, size);
    fuzz_sign_index(copy, size);
    const char  *path = fuzz_file(copy, size);
    fgt_context *ctx  = fuzz_context();
    if (!path || !ctx) return 0;
    const fgt_status s = fgt_table_open(ctx, path, NULL, &t);
    fuzz_count(s == FGT_OK);
    if (s == FGT_OK) look_at(t);
    fgt_table_destroy(&t);
    return 0;
}
