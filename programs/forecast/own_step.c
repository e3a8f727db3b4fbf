/* SPDX-License-Identifier: BSD-3-Clause */
/* Series of a long file with a longer step than the file, such as months among days. */
#include <fighter/experimental/series.h>

#include "columns.h"
#include "fast_choice.h"
#include "own_step.h"
#include "times.h"

#include "../common/program.h"

static bool refuse(const run *r, const char *name, const fgt_table *axis, int64_t count, int64_t all)
{
    char        plain[PLAIN_TEXT], own[TIME_MAX] = "another step", step[TIME_MAX] = "another";
    const char *option = fast_blocked_by();
    time_step(axis, own);
    time_step(r->table, step);
    return complain("%s: %lld of %lld series ha%s rows further apart than the file, as \"%s\" (got %s, need "
                    "%s): a model has one step; put series of one step into a file of their own%s%s%s",
                    r->o->data, (long long)count, (long long)all, count == 1 ? "s" : "ve",
                    plain_text(name, plain, sizeof plain), own, step,
                    option ? ", or leave out options of a model (--" : "", option ? option : "",
                    option ? "): without training each series is forecast in its own step" : "");
}

bool own_step_check(const run *r)
{
    column_roles c;
    const char  *name  = NULL;
    fgt_table   *first = NULL;
    int64_t      count = 0, series;
    if (!fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0) || table_is_stored(r->table)) return true;
    bool good = columns_find(r, &c);
    for (int64_t i = 0; good && i < c.target.count; i++) {
        if (fgt_table_get_column(r->table, c.target.name[i], &series) != FGT_OK)
            continue; /* reported elsewhere */
        fgt_table *axis;
        good = fgt_table_create_own_step(r->table, series, &axis) == FGT_OK || run_failed(r, r->o->data);
        if (!axis) continue;
        if (count++) {
            fgt_table_destroy(&axis);
            continue;
        }
        name  = c.target.name[i];
        first = axis;
    }
    if (good && count) good = refuse(r, name, first, count, c.target.count);
    fgt_table_destroy(&first);
    columns_done(&c);
    return good;
}
