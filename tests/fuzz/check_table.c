/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of every table that was read. */
#include <stdlib.h>

#include <fighter/table.h>
#include <fighter/time.h>

#include "fuzz.h"

void fuzz_check_table(const fgt_table *table)
{
    const fgt_view times = fgt_table_get_times(table);
    const int64_t *t     = times.data;
    fgt_table_info info  = {.size = sizeof info};
    if (fgt_table_get_info(table, &info) || info.columns < 1 || info.series > info.columns) abort();
    if (info.missing < 0 || info.outside < 0) abort();
    if (!fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, info.columns - 1)) abort();
    if (info.ignored && !fgt_table_get_name(table, FGT_TABLE_NAME_IGNORED, info.ignored - 1)) abort();
    if (times.shape[0] && times.shape[0] != info.rows) abort();
    if (fgt_table_get_name(table, FGT_TABLE_NAME_ID, 0) && !times.shape[0]) abort();
    if (times.shape[0]) {
        char             text[64];
        const fgt_status s = fgt_table_format_time(table, t[0], text, sizeof text);
        if (s != FGT_E_DATA && (s != FGT_OK || !*text)) abort();
    }
    /* one step apart; a month's last day may stand for an earlier day of longer months */
    for (int64_t r = 1; r < times.shape[0]; r++) {
        int64_t past;
        if (fgt_time_add(t[r - 1], &info.step, 1, &past)) abort();
        past -= t[r];
        if (past && (!info.step.months || past < 0 || past > 3 * INT64_C(86400000))) abort();
    }
}
