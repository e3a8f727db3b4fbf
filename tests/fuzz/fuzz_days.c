/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of days from CSV files. The first byte chooses the form of the dates; the rest is the file. */
#include <stdlib.h>
#include <string.h>

#include <fighter/time.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const char  *path = fuzz_file(data + 1, size - 1);
    fgt_context *ctx  = fuzz_context();
    fgt_days    *days = NULL;
    if (!path || !ctx) return 0;
    if (fgt_days_load(ctx, path, data[0] % 6, &days) == FGT_OK && fgt_days_count_entries(days) < 1) abort();
    for (int64_t i = 1; i < fgt_days_count_entries(days); i++) { /* in order, and none twice */
        const char *m, *n;
        int64_t     a, b;
        if (fgt_days_get_entry(days, i - 1, &a, &m) || fgt_days_get_entry(days, i, &b, &n)) abort();
        if (a > b || (a == b && (!n || (m && !strcmp(m, n))))) abort();
    }
    fgt_days_destroy(&days);
    return 0;
}
