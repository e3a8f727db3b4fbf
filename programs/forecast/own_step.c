/* SPDX-License-Identifier: BSD-3-Clause */
/* Series of a long file with a longer step than the file, such as months among days. */
#include <math.h>
#include <stdlib.h>

#include "columns.h"
#include "fast_choice.h"
#include "own_step.h"
#include "times.h"

#include "../common/program.h"

bool own_step_same(const fgt_time_step *a, const fgt_time_step *b)
{
    return a->milliseconds == b->milliseconds && a->months == b->months && a->weekdays == b->weekdays &&
           a->day_rows == b->day_rows && a->day_begin == b->day_begin;
}

fgt_table_info own_step_info(const fgt_table *table)
{
    fgt_table_info info = {.size = sizeof info};
    return fgt_table_get_info(table, &info) == FGT_OK ? info : (fgt_table_info){0};
}

/* A column of a table. */
typedef struct column {
    const double  *value; /* value of row 0; rows are `wide` apart */
    const int64_t *time;
    int64_t        rows, wide;
} column;

static double get(const column *c, int64_t row)
{
    return c->value[row * c->wide];
}

/* Number of values if no two of them are in neighbouring rows; 0: two are, or times are not known. */
static int64_t count_apart(const column *c)
{
    int64_t values = 0, last = -2;
    for (int64_t row = 0; c->time && row < c->rows; row++) {
        if (isnan(get(c, row))) continue;
        if (row == last + 1) return 0;
        last = row;
        values++;
    }
    return values;
}

/* Makes a table of the rows with a value, `values` of them. */
static fgt_table *make_axis(const run *r, const column *c, int64_t values)
{
    double    *v     = malloc((size_t)values * sizeof *v);
    int64_t   *times = malloc((size_t)values * sizeof *times), n = 0;
    fgt_table *table = NULL;
    for (int64_t row = 0; v && times && row < c->rows; row++) {
        v[n] = get(c, row);
        if (!isnan(v[n])) times[n++] = c->time[row];
        if (n == values) break;
    }
    if (n && fgt_table_create(r->ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, v, n, 1), &table) == FGT_OK &&
        fgt_table_set_times(table, FGT_VIEW_OF(FGT_DTYPE_I64, times, n), FGT_TABLE_REPAIR_GAPS) != FGT_OK)
        fgt_table_destroy(&table);
    free(v);
    free(times);
    return table;
}

fgt_table *own_step_find(const run *r, int64_t series)
{
    enum { ENOUGH = 4, HOLES = 5 };
    const fgt_view v = fgt_table_get_values(r->table), t = fgt_table_get_times(r->table);
    const column   c = {(const double *)v.data + series, t.shape[0] ? t.data : NULL, v.shape[0], v.shape[1]};
    const int64_t  values = count_apart(&c);
    if (values < ENOUGH) return NULL;
    fgt_table           *axis = make_axis(r, &c, values);
    const fgt_table_info info = axis ? own_step_info(axis) : (fgt_table_info){0};
    if (axis && (HOLES * info.gaps > info.rows || own_step_same(&info.step, &r->rows.step)))
        fgt_table_destroy(&axis);
    return axis;
}

/* ---- for models ---- */

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
        fgt_table *axis = own_step_find(r, series);
        if (!axis) continue;
        if (count++) {
            fgt_table_destroy(&axis);
            continue;
        }
        name  = c.target.name[i];
        first = axis;
    }
    if (count) good = refuse(r, name, first, count, c.target.count);
    fgt_table_destroy(&first);
    columns_done(&c);
    return good;
}
