/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes isolated values missing before a training, and names them. */
#include <stdlib.h>

#include <fighter/experimental/series.h>

#include "columns.h"
#include "markers.h"
#include "outliers.h"
#include "times.h"
#include "value_list.h"

#include "../common/program.h"

typedef struct search {
    const run  *r;
    fgt_table  *table;
    const bool *marked; /* [columns]: whether the column has a number such as -9999 */
    int64_t     seasons[FGT_SEASONS];
} search;

/* Finds and removes values. from: the table, or a copy of its column. */
static bool find_wild(const search *s, fgt_table *from, const char *name, value_list *l)
{
    int64_t column, count, row[FGT_LEFT_OUT];
    double  value[FGT_LEFT_OUT];
    char    place[PLACE_MAX];
    if (fgt_table_get_column(from, name, &column) != FGT_OK) return true; /* reported elsewhere */
    if (fgt_table_leave_out(from, column, s->seasons[0], s->seasons[1], row, value, &count) != FGT_OK)
        return run_failed(s->r, s->r->o->data);
    for (int64_t i = 0; i < count; i++) value_list_add(l, name, value[i], row_place(s->table, row[i], place));
    return true;
}

/* Removes values of a column. A number such as -9999 that another column has too often is kept here as well,
 * because it is a case for --missing-value. */
static bool leave_out(const search *s, const char *name, value_list *l)
{
    int64_t column;
    if (fgt_table_get_column(s->table, name, &column) == FGT_OK && s->marked[column]) return true;
    return find_wild(s, s->table, name, l);
}

/* Known columns keep such values, because they may be real. */
static bool find_in_known(const search *s, const char *name, value_list *l)
{
    fgt_table *copy;
    int64_t    column;
    if (fgt_table_get_column(s->table, name, &column) != FGT_OK) return true; /* reported elsewhere */
    if (fgt_table_create_subset(s->table, &column, 1, &copy) != FGT_OK)
        return run_failed(s->r, s->r->o->data);
    const bool good = find_wild(s, copy, name, l);
    fgt_table_destroy(&copy);
    return good;
}

/* Checks the targets and past columns of a model, or of the options if there is no model. */
static bool leave_out_all(const search *s, value_list *l, value_list *kept)
{
    const run    *r      = s->r;
    const int64_t inputs = r->info.columns + r->info.past;
    column_roles  c      = {0};
    bool          good   = true;
    for (int64_t i = 0; good && r->forecaster && i < inputs; i++)
        good = leave_out(s, fgt_forecaster_get_name(r->forecaster, i), l);
    for (int64_t i = 0; good && r->forecaster && i < r->info.known; i++)
        good = find_in_known(s, fgt_forecaster_get_name(r->forecaster, inputs + i), kept);
    if (r->forecaster) return good;
    good = columns_find(r, &c);
    for (int64_t i = 0; good && i < c.target.count; i++) good = leave_out(s, c.target.name[i], l);
    for (int64_t i = 0; good && i < c.past.count; i++) good = leave_out(s, c.past.name[i], l);
    for (int64_t i = 0; good && i < c.known.count; i++) good = find_in_known(s, c.known.name[i], kept);
    columns_done(&c);
    return good;
}

static search new_search(const run *r, fgt_table *table, const bool *marked)
{
    search s = {.r = r, .table = table, .marked = marked};
    if (fgt_table_find_seasons(table, s.seasons) && !r->o->season) return s;
    s.seasons[0] = r->o->season;
    s.seasons[1] = 0;
    return s;
}

bool outliers_leave_out(const run *r, const char *path, fgt_table *table)
{
    value_list l = {0}, kept = {0};
    if (r->o->keep_outliers || table_is_stored(table)) return true;
    bool *marked = calloc((size_t)fgt_table_count_columns(table), sizeof *marked);
    bool  good   = marked || complain("no memory");
    if (good && (good = markers_find(r, path, table, marked))) {
        const search s = new_search(r, table, marked);
        good           = leave_out_all(&s, &l, &kept);
    }
    free(marked);
    if (!good) return false;
    value_list_warn_left_out(path, &l);
    value_list_warn(
        path, &kept, "",
        "the model reads it, as a known value may have a reason; where it is wrong, an empty cell and "
        "--missing mask are better",
        "the model reads them, as known values may have a reason; where they are wrong, empty cells and "
        "--missing mask are better");
    return true;
}
