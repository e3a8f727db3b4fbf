/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of forecasts without training: the last rows with their forecast, and the forecast of the next
 * rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fast_measure.h"
#include "fast_plot.h"
#include "plot.h"

#include "../common/program.h"

int64_t fast_find_history(const fast *f)
{
    enum { FORECASTS = 3, SEASONS_SHOWN = 2, MOST = 10 };
    const int64_t season  = f->main.seasons[0];
    int64_t       longest = 0, rows = FORECASTS * f->steps;
    for (int64_t i = 0; i < f->count; i++) longest = f->rows[i] > longest ? f->rows[i] : longest;
    if (rows < SEASONS_SHOWN * season) rows = SEASONS_SHOWN * season;
    if (rows > MOST * f->steps) rows = MOST * f->steps;
    return rows < longest ? rows : longest;
}

static void add_window(const fast *f, const fast_forecast *g, int64_t history, double *values, int64_t *row)
{
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t first = f->rows[i] - g->back - history;
        row[i]              = isnan(g->mean[i * f->steps]) ? -1 : f->end[i] - g->back;
        for (int64_t k = 0; k < history + f->steps; k++) {
            const int64_t at         = first + k;
            values[k * f->count + i] = at >= 0 && at < f->rows[i] ? f->values[i][at] : NAN;
        }
    }
}

bool fast_plot(const fast *f)
{
    const options       *o = f->r->o;
    const fast_forecast *shown[] = {&f->last, &f->next};
    const int64_t        first = f->measured ? 0 : 1, count = 2 - first, history = fast_find_history(f);
    const size_t  window = (size_t)((history + f->steps) * f->count);
    const size_t  planes = (size_t)(1 + o->quantile_count + 2 * o->interval_count);
    const size_t  size   = planes * (size_t)(f->steps * f->count);
    plot_data     d      = {.history  = history,
                            .windows  = count,
                            .planes   = (int64_t)planes,
                            .axis     = f->axis,
                            .values   = malloc((size_t)count * window * sizeof *d.values),
                            .forecast = malloc((size_t)count * size * sizeof *d.forecast),
                            .row      = malloc((size_t)(count * f->count) * sizeof *d.row)};
    bool          good   = (d.values && d.forecast && d.row) || complain("no memory");
    for (int64_t w = 0; good && w < count; w++) {
        double *g = fast_planes(f, shown[first + w], false);
        if (!(good = g)) break;
        memcpy(d.forecast + (size_t)w * size, g, size * sizeof *g);
        add_window(f, shown[first + w], history, d.values + (size_t)w * window, d.row + w * f->count);
        free(g);
    }
    good = good && plot_draw(f->r, o->plot, &d);
    free(d.values);
    free(d.forecast);
    free(d.row);
    return good;
}
