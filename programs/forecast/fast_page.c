/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of --report without training: the accuracy of the forecasts, their members, and pictures. */
#include <math.h>
#include <stdlib.h>

#include "columns.h"
#include "fast_measure.h"
#include "fast_members.h"
#include "fast_page.h"
#include "fast_plot.h"
#include "insight_quality.h"

#include "../common/insight.h"
#include "../common/program.h"

static const char about[] =
    "Each series is forecast by simple forecasters, its members, and the forecast is their weighted mean. A "
    "member has a high weight where its errors on earlier rows were small.";

static bool add_members(const fast *f)
{
    enum { SHOWN = 8 };
    char text[MEMBERS_TEXT];
    return insight_fact(f->r->page, "weighted mean of", "%s", fast_members_text(f, SHOWN, text));
}

/* Adds one series with its rows before an origin; v [history]. */
static bool add_window(const fast *f, const fast_forecast *g, int64_t series, int64_t history)
{
    const run     *r   = f->r;
    const int64_t  h = f->steps, end = f->rows[series] - g->back, row = f->end[series] - g->back;
    const int64_t  n = history < end ? history : end, levels = f->levels;
    const double   low = r->o->interval_count ? (1 - r->o->interval[0]) / 2 : .1;
    double        *ends = malloc((size_t)(2 * h) * sizeof *ends);
    char           begin[TIME_MAX], from[TIME_MAX], band[40];
    const fgt_view truth = *FGT_VIEW_OF(FGT_DTYPE_F64, (void *)(f->values[series] + end), h);
    if (!ends) return complain("no memory");
    for (int64_t t = 0; t < h; t++) {
        const double *q = g->quantiles + (series * h + t) * levels;
        ends[t]         = q[fast_find_level(f, low)];
        ends[h + t]     = q[fast_find_level(f, 1 - low)];
    }
    snprintf(band, sizeof band, "%g %% interval", 100 - 200 * low);
    time_style        style = time_style_find(r->table, f->axis[series]);
    fgt_report_window w     = {.size = sizeof w, .name = f->name[series], .band = band};
    w.input                 = FGT_VIEW_OF(FGT_DTYPE_F64, (void *)(f->values[series] + end - n), n);
    w.forecast              = FGT_VIEW_OF(FGT_DTYPE_F64, (void *)(g->mean + series * h), h);
    w.low                   = FGT_VIEW_OF(FGT_DTYPE_F64, ends, h);
    w.high                  = FGT_VIEW_OF(FGT_DTYPE_F64, ends + h, h);
    w.begin                 = row_label_of(r->table, f->axis[series], row - n, begin);
    if (g->back) {
        w.truth = &truth;
        w.from  = row_label_of(r->table, f->axis[series], row, from);
    } else if (time_after(&style, row - 1, 1, from)) {
        w.from = from;
    }
    const bool good = fgt_report_add_window(r->page, &w) == FGT_OK || insight_failed(r->ctx);
    free(ends);
    return good;
}

/* A page shows at most 16 windows. */
static bool add_windows(const fast *f)
{
    enum { MOST = 8 };
    int64_t       count;
    int64_t      *series  = columns_to_plot(f->r, &count);
    const int64_t history = fast_find_history(f);
    bool          good    = series;
    for (int64_t k = 0; good && k < count && k < MOST; k++) {
        if (!isnan(f->last.mean[series[k] * f->steps])) good = add_window(f, &f->last, series[k], history);
        good = good && add_window(f, &f->next, series[k], history);
    }
    free(series);
    return good;
}

bool fast_page(const fast *f)
{
    run                  *r = f->r;
    char                  title[256];
    const fgt_report_opts o = {.size = sizeof o, .title = title, .about = about};
    snprintf(title, sizeof title, "%s, forecast without training", r->dataset);
    if (fgt_report_create(r->ctx, &o, &r->page) != FGT_OK) return insight_failed(r->ctx);
    return insight_add_quality(r) &&
           insight_fact(r->page, "series", "%lld; errors are known of %lld", (long long)f->count,
                        (long long)f->measured) &&
           insight_fact(r->page, "forecast", "%lld row%s", (long long)f->steps, plural(f->steps)) &&
           add_members(f) && add_windows(f) &&
           (fgt_report_save(r->page, FGT_TO_FILE(r->o->report)) == FGT_OK || insight_failed(r->ctx));
}
