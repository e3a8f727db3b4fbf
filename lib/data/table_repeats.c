/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table that have the time of another one: which of them stays, and what goes with the others. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "core/sort.h"
#include "core/text.h"
#include "data/table.h"

bool fgti_repeats_many(int64_t repeats, int64_t rows)
{
    return repeats > 2 && repeats > rows / 20;
}

/* A conflict is named by the row that comes first in the file. */
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

/* ---- what tells such rows apart ---- */

static int compare_numbers(const void *a, const void *b, const void *arg)
{
    const double x = *(const double *)a, y = *(const double *)b;
    (void)arg;
    return (x > y) - (x < y);
}

/* Sorts v [n] and counts how many numbers differ; n + 1: some number is no whole one. */
static int64_t count_different(double *v, int64_t n)
{
    int64_t count = 1;
    for (int64_t i = 0; i < n; i++)
        if (isnan(v[i]) || v[i] != floor(v[i])) return n + 1;
    fgti_sort(v, n, sizeof *v, compare_numbers, NULL);
    for (int64_t i = 1; i < n; i++) count += v[i] != v[i - 1];
    return count;
}

/* Whether a column has few whole numbers, and each of them once at most at one time: a shop, or an hour. */
static bool tells_apart(const fgt_table *t, const fgti_axis *a, int64_t column, double *spare)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < a->rows; r++) spare[r] = t->values[a->from[r] * t->columns + column];
    for (int64_t r = 0, end; r < a->rows; r = end) {
        for (end = r + 1; end < a->rows && a->time[end] == a->time[r];) end++;
        if (count_different(spare + r, end - r) != end - r) return false;
        if (end - r > longest) longest = end - r;
    }
    return count_different(spare, a->rows) <= 2 * longest;
}

/* A column of texts that was left out, or one of numbers, which is *column, else -1; NULL: there is none. */
static fgt_status find_apart(const fgt_table *t, const fgti_axis *a, const char **name, int64_t *column)
{
    double *spare;
    *column = -1;
    *name   = t->ignored.count ? fgti_strings_get(&t->ignored, 0) : NULL;
    if (*name) return FGT_OK;
    FGTI_TRY(FGTI_NEW(t->ctx, a->rows, "values of a column", &spare));
    for (int64_t c = 0; c < t->columns && !*name; c++) {
        if (!tells_apart(t, a, c, spare)) continue;
        *column = c;
        *name   = fgt_table_get_name(t, c);
    }
    fgti_free(t->ctx, spare);
    return FGT_OK;
}

static bool is_clock(const fgti_axis *a, const char *name)
{
    static const char *const names[] = {"time",    "hour",   "hours", "hr",    "he",   "clock",
                                        "uhrzeit", "stunde", "zeit",  "heure", "hora", "ora"};
    for (int64_t r = 0; r < a->rows; r++)
        if (a->time[r] % FGTI_DAY) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i])) return true;
    return false;
}

/* ---- sentences ---- */

static fgt_status refuse_many(const fgt_table *t, const fgti_axis *a, int64_t repeats, int64_t first,
                              const char *apart, int64_t column)
{
    char here[FGTI_ROW_TEXT], there[FGTI_ROW_TEXT], id[FGTI_SHOW], label[FGTI_SHOW], value[FGTI_SHOW],
        why[400];
    const int64_t of = column == 0 && t->columns > 1;
    if (!apart)
        snprintf(why, sizeof why, "no column tells them apart");
    else if (is_clock(a, apart))
        snprintf(why, sizeof why,
                 "the column \"%s\" has the time of the day; one column must have both, as 2016-07-31 13:00",
                 fgti_show(apart, id));
    else
        snprintf(why, sizeof why,
                 "it looks like long form: the option `form` %s,%s,%s (id, time, value) would say so",
                 fgti_show(apart, id), fgti_show(t->labels ? fgt_table_get_date_name(t) : "time", label),
                 fgti_show(fgt_table_get_name(t, of), value));
    return fgti_fail(
        &t->ctx->error, FGT_E_DATA,
        "%.280s: %lld of %lld rows have the same time as another row and other values, such as %s "
        "and %s: %s",
        a->labels->what, (long long)repeats, (long long)a->rows, fgti_axis_row(a, first - 1, there),
        fgti_axis_row(a, first, here), why);
}

/* ", 2 of them with other values: "y" is 77.5, and 12.03 in line 314". */
static const char *show_conflict(const fgt_table *t, const fgt_table_info *info, char *buf, size_t size)
{
    char name[FGTI_SHOW], row[FGTI_ROW_TEXT], kept[FGTI_NUMBER_TEXT_MAX], dropped[FGTI_NUMBER_TEXT_MAX],
        some[40] = "";
    *buf = 0;
    if (info->conflicts < info->repeats)
        snprintf(some, sizeof some, "%lld of them ", (long long)info->conflicts);
    if (info->conflicts)
        snprintf(buf, size, ", %swith other values: \"%s\" is %s, and %s in %s", some,
                 fgti_show(fgt_table_get_name(t, info->conflict_column), name),
                 isnan(info->conflict_kept) ? "missing" : fgti_number_text(info->conflict_kept, kept),
                 fgti_number_text(info->conflict_dropped, dropped),
                 fgti_row_text(&t->lines, info->conflict_row, NULL, row));
    return buf;
}

static fgt_status refuse_repeat(const fgt_table *t, const fgti_axis *a, const fgt_table_info *info,
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

/* ---- all of it ---- */

fgt_status fgti_table_settle_repeats(const fgt_table *t, fgti_axis *a, int32_t repair, fgt_table_info *info)
{
    const char *apart = NULL;
    int64_t     first = 0, column;
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
    if (info->conflicts && fgti_repeats_many(info->repeats, a->rows)) {
        FGTI_TRY(find_apart(t, a, &apart, &column));
        if (apart || fgti_repeats_many(info->conflicts, a->rows))
            return refuse_many(t, a, info->repeats, first, apart, column);
    }
    if (info->repeats && !(repair & FGT_REPAIR_REPEATS)) return refuse_repeat(t, a, info, first);
    fgti_axis_drop_repeats(a);
    return FGT_OK;
}
