/* SPDX-License-Identifier: BSD-3-Clause */
/* The series that are forecast without training, each with its own beginning, end and step. */
#include <math.h>
#include <stdlib.h>

#include "fast_series.h"
#include "own_step.h"
#include "predict.h"

#include "../common/numbers.h"
#include "../common/program.h"

#define LARGEST 1e150 /* largest value that fgt_forecast_local() accepts */

/* ---- steps ---- */

static double value_of(const fgt_table *table, int64_t row, int64_t column)
{
    const fgt_view v = fgt_table_get_values(table);
    return ((const double *)v.data)[row * v.shape[1] + column];
}

/* Makes a separate table for a series with a longer step. */
static void find_own_step(fast *f, int64_t series)
{
    fgt_table *axis = own_step_find(f->r, f->column[series]);
    if (!axis) return;
    f->axis[series]   = axis;
    f->column[series] = 0;
    f->end[series] = f->rows[series] = fgt_table_count_rows(axis);
}

static void find_group(fast *f, int64_t series)
{
    const fgt_table    *axis = f->axis[series];
    const fgt_time_step step = axis == f->r->table ? f->r->rows.step : own_step_info(axis).step;
    int64_t             g    = 0;
    while (g < f->groups && !own_step_same(&step, &f->group[g].step)) g++;
    if (g == f->groups) f->group[f->groups++] = (fast_group){.axis = axis, .step = step};
    f->of[series] = g;
    if (++f->group[g].count > f->group[f->main].count) f->main = g;
}

/* ---- series ---- */

static bool allocate(fast *f, int64_t count)
{
    const size_t n = (size_t)count;
    f->name        = calloc(n, sizeof *f->name);
    f->column      = calloc(n, sizeof *f->column);
    f->axis        = calloc(n, sizeof *f->axis);
    f->end         = calloc(n, sizeof *f->end);
    f->rows        = calloc(n, sizeof *f->rows);
    f->holes       = calloc(n, sizeof *f->holes);
    f->late        = calloc(n, sizeof *f->late);
    f->own         = calloc(n, sizeof *f->own);
    f->values      = calloc(n, sizeof *f->values);
    f->of          = calloc(n, sizeof *f->of);
    f->group       = calloc(n, sizeof *f->group);
    return (f->name && f->column && f->axis && f->end && f->rows && f->holes && f->late && f->own &&
            f->values && f->of && f->group) ||
           complain("no memory");
}

void fast_series_done(fast *f)
{
    void *const all[] = {f->name, f->column, f->end, f->rows, f->holes, f->late, f->values, f->of, f->group};
    for (int64_t i = 0; f->axis && f->own && i < f->count; i++) {
        fgt_table *own = f->axis[i] == f->r->table ? NULL : (fgt_table *)f->axis[i];
        fgt_table_destroy(&own);
        free(f->own[i]);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free((void *)f->axis);
    free(f->own);
    f->r->names = NULL;
}

/* Finds the rows from the first value to the last one. */
static void find_span(fast *f, int64_t series)
{
    const fgt_table *table  = f->r->table;
    const int64_t    column = f->column[series];
    int64_t          begin = 0, end = fgt_table_count_rows(table);
    while (end > 0 && isnan(value_of(table, end - 1, column))) end--;
    while (begin < end && isnan(value_of(table, begin, column))) begin++;
    f->end[series]  = end;
    f->rows[series] = end - begin;
    f->axis[series] = table;
}

/* Names series without any value, which are not forecast. */
static void warn_of_empty(const char *first, int64_t count)
{
    if (count == 1) warn("%s is not forecast: it has no value", first);
    if (count > 1)
        warn("%s and %lld more are not forecast: they have no value", first, (long long)count - 1);
}

const char *fast_place(const fast *f, int64_t series, int64_t k, char out[PLACE_MAX])
{
    const int64_t row = f->end[series] - f->rows[series] + k;
    char          text[TIME_MAX];
    if (f->axis[series] == f->r->table) return row_place(f->r->table, row, out);
    snprintf(out, PLACE_MAX, "at %s", row_label_of(f->r->table, f->axis[series], row, text));
    return out;
}

static bool copy_values(fast *f, int64_t i)
{
    char place[PLACE_MAX], name[PLAIN_TEXT], number[NUMBER_TEXT];
    f->values[i] = f->own[i] = malloc((size_t)f->rows[i] * sizeof *f->own[i]);
    if (!f->own[i]) return complain("no memory");
    for (int64_t k = 0; k < f->rows[i]; k++) {
        const double v = value_of(f->axis[i], f->end[i] - f->rows[i] + k, f->column[i]);
        f->own[i][k]   = v;
        f->late[i]     = isnan(v) ? f->late[i] + 1 : 0;
        f->holes[i] += isnan(v);
        if (fabs(v) > LARGEST)
            return complain("%s: \"%s\": %s %s is too large (values need to be within 1e150)", f->r->o->data,
                            plain_text(f->name[i], name, sizeof name), number_text(v, number),
                            fast_place(f, i, k, place));
    }
    f->holes[i] -= f->late[i];
    return true;
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

/* Finds the targets that have values. In a long file each series ends with its own last row. In other files
 * all columns end in the last row that has a value. */
bool fast_find_series(fast *f, const column_roles *c)
{
    const run  *r     = f->r;
    const bool  apart = fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0);
    const char *first = NULL;
    int64_t     empty = 0, last = 0;
    if (!allocate(f, c->target.count)) return false;
    for (int64_t i = 0; i < c->target.count; i++) {
        const int64_t k = f->count;
        if (fgt_table_get_column(r->table, c->target.name[i], &f->column[k]) != FGT_OK)
            return columns_failed(r, r->o->data, r->table);
        f->name[k] = c->target.name[i];
        find_span(f, k);
        if (f->end[k] > last) last = f->end[k];
        if (!f->rows[k] && !empty++) first = c->target.name[i];
        if (apart && f->rows[k]) find_own_step(f, k);
        f->count += f->rows[k] > 0;
    }
    warn_of_empty(first, empty);
    for (int64_t i = 0; i < f->count; i++) {
        if (!apart) f->rows[i] += last - f->end[i];
        if (!apart) f->end[i] = last;
        if (!copy_values(f, i)) return false;
        find_group(f, i);
    }
    return f->count > 0 || complain("%s: no series has a value", r->o->data);
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
