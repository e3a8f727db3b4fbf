/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run: its rows, columns and names, and its errors. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"
#include "times.h"

#include "../common/blocks.h"
#include "../common/program.h"

bool run_split(run *r)
{
    const options   *o = r->o;
    const fgt_status s = fgt_split_compute(r->ctx, fgt_table_count_rows(r->table), &o->split, &r->split);
    if (s != FGT_OK) return run_failed(r, o->data);
    return o->season <= r->split.test_begin ||
           complain("--season %lld is longer than the %lld row%s before the test", (long long)o->season,
                    (long long)r->split.test_begin, plural(r->split.test_begin));
}

int64_t *run_columns(const run *r)
{
    int64_t *columns = malloc((size_t)r->info.columns * sizeof *columns);
    for (int64_t c = 0; columns && c < r->info.columns; c++)
        if (fgt_table_get_column(r->table, fgt_forecaster_get_name(r->forecaster, c), &columns[c]) !=
            FGT_OK) {
            run_failed(r, r->o->data);
            free(columns);
            return NULL;
        }
    if (!columns) complain("no memory");
    return columns;
}

const char *run_name(const run *r, int64_t series)
{
    return r->forecaster ? fgt_forecaster_get_name(r->forecaster, series) : r->names[series];
}

const char *run_model_name(const run *r)
{
    return r->forecaster ? block_names[r->info.block] : "forecast";
}

fgt_table *run_recent(const run *r)
{
    return r->tail ? r->tail : r->table;
}

void run_warn_of_seen_rows(run *r)
{
    const fgt_forecaster_info *i = &r->info;
    char                       first[TIME_MAX], last[TIME_MAX];
    int64_t                    t;
    r->seen_rows = 0;
    if (!r->o->load || !i->seen_rows || (!i->seen_first && !i->seen_last)) return;
    for (int64_t row = r->split.test_begin; row < r->split.test_end; row++)
        if (time_of_row(r->table, row, &t)) r->seen_rows += t >= i->seen_first && t <= i->seen_last;
    if (!r->seen_rows) return;
    time_text(r->table, i->seen_first, first);
    time_text(r->table, i->seen_last, last);
    warn("%lld of %lld test rows are of the time that the model was trained on, %s to %s: "
         "its errors there are no test",
         (long long)r->seen_rows, (long long)(r->split.test_end - r->split.test_begin), first, last);
}

/* Whether an error begins with the path of a data file. */
static bool names_file(const options *o, const char *text)
{
    for (int64_t i = 0; i < o->file_count; i++)
        if (!strncmp(text, o->files[i], strlen(o->files[i]))) return true;
    return false;
}

bool run_failed_with(const run *r, const char *path, const char *end)
{
    const struct {
        const char *part, *path;
    } files[]        = {{"future: ", r->o->future}, {"static features: ", r->o->features}};
    const char *text = fgt_context_get_error(r->ctx);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].path && !strncmp(text, files[i].part, strlen(files[i].part))) {
            path = files[i].path;
            text += strlen(files[i].part);
        }
    if (!strncmp(text, "the option", 10)) path = NULL;
    if (path && strncmp(text, path, strlen(path)) != 0 && !names_file(r->o, text))
        return complain("%s: %s%s", path, text, end);
    return complain("%s%s", text, end);
}

bool run_failed(const run *r, const char *path)
{
    return run_failed_with(r, path, "");
}

bool table_is_stored(const fgt_table *table)
{
    return !fgt_table_get_values(table).data;
}
