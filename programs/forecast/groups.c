/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "groups.h"
#include "moments.h"

#include "../common/program.h"

/* Groups of windows, for strategies that weight groups. The measure is the standard deviation of a series in
 * the window divided by its standard deviation in the training rows, averaged over the series. Windows that
 * vary more are harder to forecast. A window is calm below CALM, medium below LIVELY, otherwise lively. With
 * --by-group the group is the series with the largest measure, on ties the first. */
#define CALM   0.5
#define LIVELY 1.0
enum { KINDS = 3 };

/* For each window: the sum of its measures, or the largest one and its series. */
typedef struct measures {
    double  *value;
    int64_t *group;
    bool     by_series;
} measures;

/* Cumulative sums of one series: element k is the sum over the first k training rows. */
typedef struct sums {
    double *value, *square;
} sums;

static void add_up(const run *r, int64_t column, double mean, const sums *s)
{
    const fgt_view values = fgt_table_get_values(r->table);
    const int64_t  begin = r->split.train_begin, rows = r->split.train_end - begin;
    s->value[0] = s->square[0] = 0;
    for (int64_t k = 0; k < rows; k++) {
        const double v = ((const double *)values.data)[(begin + k) * values.shape[1] + column];
        const double e = isnan(v) ? 0 : v - mean;
        s->value[k + 1]  = s->value[k] + e;
        s->square[k + 1] = s->square[k] + e * e;
    }
}

/* Adds the relative standard deviation of series c in each window. */
static void add_deviations(const run *r, int64_t c, double scale, const sums *s, const measures *m)
{
    const int64_t l = r->info.input_len;
    for (int64_t i = 0; i < r->train_windows; i++) {
        const double mean     = (s->value[i + l] - s->value[i]) / (double)l;
        const double variance = (s->square[i + l] - s->square[i]) / (double)l - mean * mean;
        const double one      = variance > 0 && scale > 0 ? sqrt(variance) / scale : 0;
        if (!m->by_series) {
            m->value[i] += one;
        } else if (one > m->value[i]) {
            m->value[i] = one;
            m->group[i] = c;
        }
    }
}

static void measure(const run *r, const int64_t *columns, const sums *s, const measures *m)
{
    const moments of = moments_of(r->forecaster);
    for (int64_t c = 0; c < r->info.columns; c++) {
        add_up(r, columns[c], of.mean[c], s);
        add_deviations(r, c, of.scale[c], s, m);
    }
}

static void sort_by_kind(const run *r, const measures *m)
{
    for (int64_t i = 0; i < r->train_windows; i++) {
        const double d = m->value[i] / (double)r->info.columns;
        m->group[i]    = d < CALM ? 0 : d < LIVELY ? 1 : 2;
    }
}

int64_t *groups_of_windows(const run *r, int64_t *groups)
{
    const bool by_series = r->o->selection.by_group;
    if (by_series && r->info.columns < 2) {
        complain("--by-group: the groups are the series, and %s has one to forecast", r->o->data);
        return NULL;
    }
    const size_t   rows    = (size_t)(r->split.train_end - r->split.train_begin) + 1;
    const size_t   windows = (size_t)r->train_windows;
    int64_t       *columns = run_columns(r);
    const measures m = {calloc(windows, sizeof *m.value), calloc(windows, sizeof *m.group), by_series};
    const sums     s = {malloc(rows * sizeof(double)), malloc(rows * sizeof(double))};
    const bool     good = columns && m.group && m.value && s.value && s.square;
    if (good) measure(r, columns, &s, &m);
    if (good && !by_series) sort_by_kind(r, &m);
    if (!good && columns) complain("no memory");
    free(s.square);
    free(s.value);
    free(m.value);
    free(columns);
    *groups = by_series ? r->info.columns : KINDS;
    if (good) return m.group;
    free(m.group);
    return NULL;
}
