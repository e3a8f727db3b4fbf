/* SPDX-License-Identifier: BSD-3-Clause */
/* The series that are forecast without training, each with its own beginning, end and step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fast_series.h"
#include "predict.h"

#include "../common/numbers.h"
#include "../common/program.h"

/* ---- series ---- */

static bool allocate(fast *f)
{
    const size_t n = (size_t)f->count;
    f->name        = calloc(n, sizeof *f->name);
    f->axis        = calloc(n, sizeof *f->axis);
    f->end         = calloc(n, sizeof *f->end);
    f->rows        = calloc(n, sizeof *f->rows);
    f->holes       = calloc(n, sizeof *f->holes);
    f->late        = calloc(n, sizeof *f->late);
    f->values      = calloc(n, sizeof *f->values);
    f->of          = calloc(n, sizeof *f->of);
    f->group       = calloc((size_t)f->groups, sizeof *f->group);
    return (f->name && f->axis && f->end && f->rows && f->holes && f->late && f->values && f->of &&
            f->group) ||
           complain("no memory");
}

void fast_series_done(fast *f)
{
    void *const all[] = {(void *)f->name, (void *)f->axis, f->end, f->rows, f->holes,
                         f->late,         f->values,       f->of,  f->group};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    fgt_series_destroy(&f->series);
    f->r->names = NULL;
}

/* Names series without any value, which are not forecast. */
static void warn_of_empty(const char *first, int64_t count)
{
    if (count == 1) warn("%s is not forecast: it has no value", first);
    if (count > 1) warn("%s and %lld more are not forecast: they have no value", first, (long long)count - 1);
}

const char *fast_place(const fast *f, int64_t series, int64_t k, char out[PLACE_MAX])
{
    const int64_t row = f->end[series] - f->rows[series] + k;
    char          text[TIME_MAX];
    if (f->axis[series] == f->r->table) return row_place(f->r->table, row, out);
    snprintf(out, PLACE_MAX, "at %s", row_label_of(f->r->table, f->axis[series], row, text));
    return out;
}

bool fast_check_negative(const fast *f)
{
    char place[PLACE_MAX], name[PLAIN_TEXT], number[NUMBER_TEXT];
    for (int64_t i = 0; f->r->o->model.output.non_negative && i < f->count; i++)
        for (int64_t k = 0; k < f->rows[i]; k++)
            if (f->values[i][k] < 0)
                return complain("%s: \"%s\": %s %s is negative, which --non-negative rules out",
                                f->r->o->data, plain_text(f->name[i], name, sizeof name),
                                number_text(f->values[i][k], number), fast_place(f, i, k, place));
    return true;
}

/* Copies the properties of the series to the arrays. A season of the options replaces the seasons that the
 * step shows. */
static bool take_properties(fast *f)
{
    fgt_status s = FGT_OK;
    f->count     = fgt_series_count(f->series);
    f->groups    = fgt_series_count_groups(f->series);
    f->main.size = sizeof f->main;
    if (!allocate(f)) return false;
    for (int64_t i = 0; s == FGT_OK && i < f->count; i++) {
        fgt_series_info one = {.size = sizeof one};
        s                   = fgt_series_get_info(f->series, i, &one);
        f->name[i]          = one.name;
        f->axis[i]          = one.axis;
        f->end[i]           = one.end;
        f->rows[i]          = one.rows;
        f->holes[i]         = one.holes;
        f->late[i]          = one.late;
        f->values[i]        = one.values;
        f->of[i]            = one.group;
    }
    for (int64_t g = -1; s == FGT_OK && g < f->groups; g++) {
        fgt_series_group *group = g < 0 ? &f->main : &f->group[g];
        group->size             = sizeof *group;
        s                       = fgt_series_get_group(f->series, g, group);
        if (!f->r->o->season) continue;
        group->seasons[0] = f->r->o->season;
        group->seasons[1] = group->seasons[2] = 0;
    }
    return s == FGT_OK || run_failed(f->r, f->r->o->data);
}

bool fast_find_series(fast *f, const column_roles *c)
{
    const run    *r       = f->r;
    const int64_t count   = c->target.count;
    int64_t      *columns = malloc((size_t)count * sizeof *columns), empty = 0;
    const char   *first = NULL;
    bool          good  = columns || complain("no memory");
    for (int64_t i = 0; good && i < count; i++)
        good = fgt_table_get_column(r->table, c->target.name[i], &columns[i]) == FGT_OK ||
               columns_failed(r, r->o->data, r->table);
    if (good)
        good = fgt_series_create(r->table, columns, count, &f->series) == FGT_OK || run_failed(r, r->o->data);
    free(columns);
    if (!good || !take_properties(f)) return false;
    for (int64_t i = 0; i < count; i++) {
        const int64_t k = i - empty;
        if ((k >= f->count || strcmp(f->name[k], c->target.name[i]) != 0) && !empty++)
            first = c->target.name[i];
    }
    warn_of_empty(first, empty);
    return true;
}

/* ---- warnings ---- */

/* Warns if series end in different rows, because the forecast of each series begins after its own last
 * value. */
static void warn_of_ends(const fast *f)
{
    char    place[PLACE_MAX], end[PLACE_MAX];
    int64_t count = 0, first = -1, last = 0;
    for (int64_t i = 0; i < f->count; i++)
        if (f->axis[i] == f->r->table && f->end[i] > last) last = f->end[i];
    for (int64_t i = 0; i < f->count; i++)
        if (f->axis[i] == f->r->table && f->end[i] < last && !count++) first = i;
    if (!count) return;
    row_place(f->r->table, last - 1, place);
    row_place(f->r->table, f->end[first] - 1, end);
    warn("%lld of %lld series end%s before the last row, %s; %s ends %s; each forecast follows the last "
         "row of its series",
         (long long)count, (long long)f->count, count == 1 ? "s" : "", place, f->name[first], end);
}

/* Checks columns that end early. All columns of such a file end in the same row, so these columns have no
 * value in the last rows. At most as many rows as are forecast may be missing. */
static bool check_late(const fast *f)
{
    int64_t count = 0, first = 0, most = 0;
    bool   *over = calloc((size_t)f->count, sizeof *over), any = false;
    if (!over) return complain("no memory");
    for (int64_t i = 0; i < f->count; i++) {
        if (f->late[i] && !count++) first = i;
        over[i] = f->late[i] > f->steps;
        if (over[i] && !any) most = i;
        any |= over[i];
    }
    const bool good =
        !any || predict_refuse_over(f->r, over, most, f->end[most] - 1 - f->late[most], f->late[most]);
    free(over);
    const predict_late late = {count, f->name[first], f->end[first] - 1 - f->late[first]};
    if (good) predict_warn_late(f->r, &late, "the last value of each column stands in the rows after it");
    return good;
}

/* Warns of series whose values are at irregular times, not at a step. */
static void warn_of_holes(const fast *f)
{
    int64_t count = 0, first = 0;
    for (int64_t i = 0; i < f->count; i++)
        if (2 * f->holes[i] > f->rows[i] && !count++) first = i;
    if (count)
        warn("%lld of %lld series ha%s more rows without a value than with one: %s lacks %lld of %lld; "
             "straight lines fill them, and the forecast has all rows",
             (long long)count, (long long)f->count, count == 1 ? "s" : "ve", f->name[first],
             (long long)f->holes[first], (long long)f->rows[first]);
}

bool fast_warn(const fast *f)
{
    if (fgt_table_get_name(f->r->table, FGT_TABLE_NAME_ID, 0))
        warn_of_ends(f);
    else if (!check_late(f))
        return false;
    warn_of_holes(f);
    columns_warn(f->r, NULL);
    return true;
}
