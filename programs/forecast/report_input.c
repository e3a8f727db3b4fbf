/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports on the rows that were read. */
#include <math.h>

#include "report_input.h"
#include "times.h"

#include "../common/numbers.h"
#include "../common/program.h"

void report_repeats(const fgt_table *table, const fgt_table_info *t, FILE *out)
{
    char        time[TIME_MAX], line[32] = "", kept[NUMBER_TEXT], dropped[NUMBER_TEXT];
    const char *name = fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, t->conflict_column);
    fprintf(out, "%lld repeated row%s removed", (long long)t->repeats, t->repeats == 1 ? " was" : "s were");
    if (t->conflict_line) snprintf(line, sizeof line, "line %lld, ", (long long)t->conflict_line);
    if (t->conflicts && fgt_table_format_time(table, t->conflict_time, time, sizeof time) == FGT_OK)
        fprintf(out, ", %lld of them with other values, the first in %stime %s%s%s: %s kept, %s dropped",
                (long long)t->conflicts, line, time, name ? ", " : "", name ? name : "",
                isnan(t->conflict_kept) ? "nothing" : number_text(t->conflict_kept, kept),
                number_text(t->conflict_dropped, dropped));
    fputc('\n', out);
}

/* Number of filled values of a column; *first: row of the first one. */
static int64_t count_filled(const fgt_table *table, int64_t column, int64_t *first)
{
    fgt_table_column_info info = {.size = sizeof info};
    if (fgt_table_get_column_info(table, column, &info) != FGT_OK) return 0;
    *first = info.first_filled;
    return info.filled;
}

void report_filled(const fgt_table *table, const char *path, FILE *out)
{
    enum { MOST = 8 };
    const int64_t columns = fgt_table_count_columns(table);
    int64_t       values = 0, count = 0, n = 0;
    char          name[PLAIN_TEXT], place[PLACE_MAX];
    for (int64_t c = 0, first; c < columns; c++) {
        const int64_t filled = count_filled(table, c, &first);
        values += filled;
        count += filled > 0;
    }
    if (!count) return;
    if (path) fprintf(out, "%s: ", plain_text(path, name, sizeof name));
    fprintf(out, "filled %lld of %lld values in %lld column%s", (long long)values,
            (long long)(fgt_table_count_rows(table) * columns), (long long)count, plural(count));
    for (int64_t c = 0, first; n < MOST && c < columns; c++) {
        const int64_t filled = count_filled(table, c, &first);
        if (!filled) continue;
        fprintf(out, "%s%s (%lld, %s", n++ ? ", " : ": ",
                plain_text(fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, c), name, sizeof name),
                (long long)filled, filled > 1 ? "the first " : "");
        fprintf(out, "%s)", plain_text(row_place(table, first, place), name, sizeof name));
    }
    if (count > n) fprintf(out, " and %lld more", (long long)(count - n));
    fputc('\n', out);
}

void report_rows(const run *r, FILE *out)
{
    const fgt_table_info *t = &r->rows;
    char                  name[PLAIN_TEXT];
    if (fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0))
        fprintf(out, "the data is in long form: a series for each %s\n",
                plain_text(fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0), name, sizeof name));
    if (t->appended) fprintf(out, "files put before or after others: %lld\n", (long long)t->appended);
    if (t->joined) fprintf(out, "files put beside others, by their times: %lld\n", (long long)t->joined);
    if (t->outside)
        fprintf(out, "%lld row%s before a series begins or after it ends, and %s not missing\n",
                (long long)t->outside, t->outside == 1 ? " lies" : "s lie", t->outside == 1 ? "is" : "are");
    if (t->missing && r->forecaster) /* without training the missing rows of each series are printed */
        fprintf(out, "%lld value%s missing\n", (long long)t->missing, t->missing == 1 ? " is" : "s are");
    report_filled(r->table, NULL, out);
    if (t->reordered) fprintf(out, "the rows were put in the order of their times\n");
    if (t->repeats) report_repeats(r->table, t, out);
    if (t->gaps)
        fprintf(out, "%lld missing row%s added\n", (long long)t->gaps, t->gaps == 1 ? " was" : "s were");
    if (t->ignored)
        fprintf(out, "%lld column%s left out, because %s texts or the numbers of the rows: ",
                (long long)t->ignored, t->ignored == 1 ? " is" : "s are",
                t->ignored == 1 ? "it is empty, or holds" : "they are empty, or hold");
    for (int64_t i = 0; i < t->ignored; i++)
        fprintf(out, "%s%s%s", i ? ", " : "",
                plain_text(fgt_table_get_name(r->table, FGT_TABLE_NAME_IGNORED, i), name, sizeof name),
                i + 1 < t->ignored ? "" : "\n");
}

json_t *report_list_ignored(const run *r)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && i < r->rows.ignored; i++)
        json_array_append_new(list, json_string(fgt_table_get_name(r->table, FGT_TABLE_NAME_IGNORED, i)));
    return list;
}

json_t *report_pack_fills(const run *r)
{
    json_t *all = json_object();
    for (int64_t c = 0, first; all && c < fgt_table_count_columns(r->table); c++) {
        const int64_t filled = count_filled(r->table, c, &first);
        if (filled)
            json_object_set_new(all, fgt_table_get_name(r->table, FGT_TABLE_NAME_COLUMN, c),
                                json_integer(filled));
    }
    return all;
}
