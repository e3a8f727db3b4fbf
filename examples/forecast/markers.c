/* SPDX-License-Identifier: BSD-3-Clause */
/* Many files have numbers such as -9999 where a value is missing. Nothing in the file says so. */
#include <math.h>

#include "forecast.h"

/* How far such a number lies outside of a column's other values, in multiples of what these span. */
#define FAR 3

static const double nines[] = {-999, -9999, -99999, -999999, 999, 9999, 99999, 999999};
enum { NINES = sizeof nines / sizeof *nines };

typedef struct column_values {
    double  low, high; /* of all that are none of the nines */
    int64_t cells[NINES], first[NINES];
} column_values;

static int find_nines(double v)
{
    int k = 0;
    while (k < NINES && v != nines[k]) k++;
    return k;
}

static column_values read_values(const fgt_view *values, int64_t column)
{
    column_values c = {.low = INFINITY, .high = -INFINITY};
    for (int64_t r = 0; r < values->shape[0]; r++) {
        const double v = ((const double *)values->data)[r * values->shape[1] + column];
        const int    k = find_nines(v);
        if (k < NINES && !c.cells[k]++) c.first[k] = r;
        if (k == NINES && !isnan(v)) {
            c.low  = fmin(c.low, v);
            c.high = fmax(c.high, v);
        }
    }
    return c;
}

static bool is_far(const column_values *c, double v)
{
    const double span = c->high - c->low;
    return span >= 0 && fmax(v - c->high, c->low - v) > FAR * span; /* there are others, perhaps all alike */
}

void markers_warn(const char *path, const fgt_table *table)
{
    const fgt_view values = fgt_table_get_values(table);
    for (int64_t i = 0; i < values.shape[1]; i++) {
        const column_values c = read_values(&values, i);
        for (int k = 0; k < NINES; k++) {
            const char *label = fgt_table_get_date(table, c.first[k]);
            if (!c.cells[k] || !is_far(&c, nines[k])) continue;
            fprintf(stderr,
                    "%s: warning: %s: \"%s\" is %g in %lld row%s, first in row %lld%s%s%s, and from %g to %g "
                    "elsewhere; if values are missing there, give --missing-value %g\n",
                    program_name, path, fgt_table_get_name(table, i), nines[k], (long long)c.cells[k],
                    c.cells[k] == 1 ? "" : "s", (long long)c.first[k], label ? " (" : "", label ? label : "",
                    label ? ")" : "", c.low, c.high, nines[k]);
        }
    }
}
