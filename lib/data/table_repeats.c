/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that have the same time as another row: which of them is kept, and which values the dropped rows
 * had. */
#include "data/table_repeats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/text.h"
#include "data/table.h"

bool fgti_repeats_many(int64_t repeats, int64_t rows)
{
    return repeats > 2 && repeats > rows / 20;
}

/* Adds a conflict. The info describes the conflict that comes first in the file. */
void fgti_conflict_add(fgt_table_info *info, int64_t row, int64_t time, const double *kept,
                       const double *dropped, int64_t columns)
{
    int64_t c = 0;
    while (c < columns && (isnan(dropped[c]) || dropped[c] == kept[c])) c++;
    if (c == columns) return;
    if (!info->conflicts++ || row < info->conflict_row) {
        info->conflict_row     = row;
        info->conflict_time    = time;
        info->conflict_column  = c;
        info->conflict_kept    = kept[c];
        info->conflict_dropped = dropped[c];
    }
}

/* ---- error texts ---- */

static fgt_status refuse_many(const fgt_table *t, const fgti_axis *a, int64_t repeats, int64_t first)
{
    char here[FGTI_ROW_TEXT], there[FGTI_ROW_TEXT];
    return fgti_fail(
        &t->ctx->error, FGT_E_DATA,
        "%.280s: %lld of %lld rows %s the same time as another row and other values, such as %s "
        "and %s: something else than the time tells them apart",
        a->labels->what, (long long)repeats, (long long)a->rows, repeats == 1 ? "has" : "have",
        fgti_axis_row(a, first - 1, there), fgti_axis_row(a, first, here));
}

/* Writes ", 2 of them with other values: "y" is 77.5, and 12.03 in line 314". */
static const char *show_conflict(const fgt_table *t, const fgt_table_info *info, char *buf, size_t size)
{
    char name[FGTI_SHOW], row[FGTI_ROW_TEXT], kept[FGTI_NUMBER_TEXT_MAX], dropped[FGTI_NUMBER_TEXT_MAX],
        some[40] = "";
    *buf = 0;
    if (info->conflicts < info->repeats)
        snprintf(some, sizeof some, "%lld of them ", (long long)info->conflicts);
    if (info->conflicts)
        snprintf(buf, size, ", %swith other values: \"%s\" is %s, and %s in %s", some,
                 fgti_show(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, info->conflict_column), name),
                 isnan(info->conflict_kept) ? "missing" : fgti_number_text(info->conflict_kept, kept),
                 fgti_number_text(info->conflict_dropped, dropped),
                 fgti_row_text(&t->lines, info->conflict_row, NULL, row));
    return buf;
}

static fgt_status refuse_rounded(const fgt_table *t, const fgti_axis *a, const fgt_table_info *info,
                                 int64_t first)
{
    char here[FGTI_ROW_TEXT], there[FGTI_ROW_TEXT];
    return fgti_fail(
        &t->ctx->error, FGT_E_DATA,
        "%.280s: %s and %s are rounded to one time (%lld such row%s); a shorter step of the option "
        "`round` keeps them apart, or the option `repair` repeats can remove such rows",
        a->labels->what, fgti_axis_row(a, first - 1, there), fgti_axis_row(a, first, here),
        (long long)info->repeats, info->repeats == 1 ? "" : "s");
}

static fgt_status table_refuse_repeat(const fgt_table *t, const fgti_axis *a, const fgt_table_info *info,
                                      int64_t first)
{
    char here[FGTI_ROW_TEXT], there[FGTI_ROW_TEXT], conflict[256], slip[FGTI_SLIP_TEXT];
    fgti_axis_show_slip(a, first, slip);
    return fgti_fail(&t->ctx->error, FGT_E_DATA, "%.280s: %s has the time of %s (%lld such row%s%s); %s%s",
                     a->labels->what, fgti_axis_row(a, first, here),
                     fgti_row_text(a->labels->lines, a->from[first - 1], NULL, there),
                     (long long)info->repeats, info->repeats == 1 ? "" : "s",
                     show_conflict(t, info, conflict, sizeof conflict),
                     fgti_axis_is_change(a, a->time[first]) ? FGTI_AXIS_CHANGE : "",
                     *slip ? slip : "the option `repair` repeats can remove such rows");
}

/* ---- removing repeats ---- */

fgt_status fgti_table_settle_repeats(const fgt_table *t, fgti_axis *a, int32_t repair, fgt_table_info *info)
{
    int64_t first = 0;
    for (int64_t r = a->rows - 1, stays = r; r > 0; r--) {
        if (a->time[r] != a->time[r - 1]) {
            stays = r - 1;
            continue;
        }
        first = r;
        info->repeats++;
        fgti_conflict_add(info, a->from[r - 1], a->time[r], t->values + a->from[stays] * t->columns,
                          t->values + a->from[r - 1] * t->columns, t->columns);
    }
    info->conflict_line = fgti_lines_get(&t->lines, info->conflict_row);
    if (info->repeats && a->labels->round && !(repair & FGT_TABLE_REPAIR_REPEATS))
        return refuse_rounded(t, a, info, first);
    if (fgti_repeats_many(info->conflicts, a->rows)) return refuse_many(t, a, info->repeats, first);
    if (info->repeats && !(repair & FGT_TABLE_REPAIR_REPEATS)) return table_refuse_repeat(t, a, info, first);
    fgti_axis_drop_repeats(a);
    return FGT_OK;
}
