/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts: targets whose values are all whole and not negative. */
#include <math.h>
#include <stdlib.h>

#include "forecast.h"

static bool is_count(const fgt_table *table, int64_t column)
{
    const fgt_view v    = fgt_table_get_values(table);
    const double  *at   = v.data;
    int64_t        some = 0;
    for (int64_t r = 0; r < v.shape[0]; r++) {
        const double value = at[r * v.shape[1] + column];
        if (isnan(value)) continue;
        if (value < 0 || value != floor(value)) return false;
        some++;
    }
    return some > 0;
}

/* Returns how many forecasts of a target, and ends of its intervals, were below 0. */
static int64_t raise_to_0(const run *r, double *values, int64_t target, int64_t rows)
{
    int64_t changed = 0;
    for (int64_t i = target; i < predict_planes(r) * rows * r->info.columns; i += r->info.columns)
        if (values[i] < 0) {
            values[i] = 0;
            changed++;
        }
    return changed;
}

bool counts_settle(const run *r, double *values, int64_t rows)
{
    int64_t changed = 0, targets = 0, first = 0;
    if (r->o->negative) return true;
    int64_t *columns = run_columns(r);
    for (int64_t c = 0; columns && c < r->info.columns; c++) {
        if (!is_count(r->table, columns[c])) continue;
        const int64_t n = raise_to_0(r, values, c, rows);
        if (n && !targets++) first = c;
        changed += n;
    }
    if (changed)
        warn("%lld forecast%s and ends of intervals of \"%.200s\"%s below 0 are written as 0, because all "
             "its values are whole numbers from 0 on; --allow-negative keeps them",
             (long long)changed, plural(changed), fgt_forecaster_get_name(r->forecaster, first),
             targets > 1 ? " and other counts" : "");
    free(columns);
    return columns != NULL;
}
