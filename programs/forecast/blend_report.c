/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the members of the blend that --predict writes, and its errors. */
#include <stdlib.h>

#include "blend_report.h"
#include "columns.h"
#include "fast.h"
#include "fast_members.h"
#include "fast_outliers.h"
#include "report_scores.h"
#include "times.h"

#include "../common/insight.h"
#include "../common/program.h"

static const char *members_text(const run *r, char text[MEMBERS_TEXT])
{
    enum { SHOWN = 6 };
    const fast f = {.count = r->info.columns, .weights = r->weights};
    return fast_members_text(&f, SHOWN, text);
}

static double share_inside(const run *r, int64_t i)
{
    return (double)r->judged.inside[i] / (double)r->judged.values[i];
}

/* ---- print ---- */

static void print_coverage(const run *r, FILE *out)
{
    const long long steps = (long long)(r->o->horizon ? r->o->horizon : r->info.pred_len);
    for (int64_t i = 0; i < r->o->interval_count; i++)
        if (r->judged.values[i])
            fprintf(out,
                    "intervals of %g %% of the blend hold %.1f %% of %lld value%s: the last %lld row%s, "
                    "forecast from the rows before\n",
                    100 * r->o->interval[i], 100 * share_inside(r, i), (long long)r->judged.values[i],
                    plural(r->judged.values[i]), steps, plural(steps));
}

void blend_print(const run *r, FILE *out)
{
    const blend_quality *q = &r->judged;
    char                 text[MEMBERS_TEXT];
    fprintf(out,
            "the forecast of --predict is a blend, the weighted mean: %s\n"
            "the errors and intervals above belong to the model without the blend;\n"
            "--model %s forecasts without it\n",
            members_text(r, text), run_model_name(r));
    if (q->origins) {
        fprintf(out,
                "errors of the blend and of its parts, forecasts from %lld origin%s of the newest rows; "
                "other rows chose the weights\n",
                (long long)q->origins, plural(q->origins));
        snprintf(text, sizeof text, "only %s", run_model_name(r));
        report_line(out, "blend", &q->blend);
        report_line(out, text, &q->model);
        report_line(out, "only local forecasters", &q->local);
    }
    print_coverage(r, out);
}

/* ---- JSON ---- */

static json_t *pack_coverage(const run *r)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && i < r->o->interval_count; i++) {
        json_t *one = json_pack("{s:f, s:o, s:I}", "level", r->o->interval[i], "coverage",
                                json_out_real(share_inside(r, i)), "values",
                                (json_int_t)r->judged.values[i]);
        if (json_array_append_new(list, one)) return NULL;
    }
    return list;
}

bool blend_report(const run *r, json_t *all)
{
    const blend_quality *q = &r->judged;
    if (!r->blend) return true;
    const fast f    = {.r = (run *)r, .count = r->info.columns, .weights = r->weights};
    json_t    *own  = json_pack("{s:I, s:o, s:o, s:o, s:o}", "origins", (json_int_t)q->origins, "blend",
                               report_pack_errors(&q->blend), "model", report_pack_errors(&q->model), "local",
                               report_pack_errors(&q->local), "intervals", pack_coverage(r));
    const bool good = !json_object_set_new(all, "members", fast_describe_members(&f)) &&
                      !json_object_set_new(all, "shifted", fast_describe_rows(&f, r->shifted)) &&
                      !json_object_set_new(all, "stuck", fast_describe_rows(&f, r->stuck));
    return own && !json_object_set_new(all, "blend", own) && good;
}

/* ---- the page ---- */

static bool add_facts(const run *r)
{
    const blend_quality *q = &r->judged;
    char                 text[MEMBERS_TEXT];
    if (!insight_fact(r->page, "forecast of --predict", "a blend, the weighted mean of %s",
                      members_text(r, text)))
        return false;
    if (q->origins &&
        !insight_fact(r->page, "errors of the blend",
                      "MSE %.3f in standard deviations; the model by itself has %.3f, the local forecasters "
                      "%.3f (forecasts from %lld origin%s of the newest rows; other rows chose the "
                      "weights)",
                      q->blend.mse, q->model.mse, q->local.mse, (long long)q->origins, plural(q->origins)))
        return false;
    if (!r->o->interval_count || !r->judged.values[0]) return true;
    return insight_fact(r->page, "interval of the blend",
                        "of %g %%: holds %.1f %% of the values of the last rows",
                        100 * r->o->interval[0], 100 * share_inside(r, 0));
}

/* Adds a window to the page: the forecast of one series and the rows before it. */
static bool add_window(const run *r, int64_t series, int64_t column, int64_t end)
{
    const int64_t  h = r->o->horizon ? r->o->horizon : r->info.pred_len, c = r->info.columns;
    const int64_t  n = r->info.input_len < end ? r->info.input_len : end;
    const int64_t  shown = r->o->interval_count ? 3 : 1;
    const fgt_view values = fgt_table_get_values(r->table);
    double        *v     = malloc((size_t)(n + shown * h) * sizeof *v);
    char           name[PLAIN_TEXT + 8], begin[TIME_MAX], from[TIME_MAX], band[40];
    if (!v) return complain("no memory");
    for (int64_t t = 0; t < n; t++)
        v[t] = ((const double *)values.data)[(end - n + t) * values.shape[1] + column];
    for (int64_t k = 0; k < shown * h; k++) v[n + k] = r->blend[k * c + series];
    snprintf(name, sizeof name, "%.*s, blend", PLAIN_TEXT - 1, run_name(r, series));
    snprintf(band, sizeof band, "%g %% interval", 100 * r->o->interval[0]);
    const fgt_view low            = *FGT_VIEW_OF(FGT_DTYPE_F64, v + n + h, h),
                   high           = *FGT_VIEW_OF(FGT_DTYPE_F64, v + n + 2 * h, h);
    time_style              style = time_style_find(r->table, r->table);
    fgt_report_window       w     = {.size     = sizeof w,
                                     .name     = name,
                                     .input    = FGT_VIEW_OF(FGT_DTYPE_F64, v, n),
                                     .forecast = FGT_VIEW_OF(FGT_DTYPE_F64, v + n, h),
                                     .begin    = row_label(r->table, end - n, begin),
                                     .from     = time_after(&style, end - 1, 1, from) ? from : NULL};
    if (shown > 1) {
        w.low  = &low;
        w.high = &high;
        w.band = band;
    }
    const bool good = fgt_report_add_window(r->page, &w) == FGT_OK || insight_failed(r->ctx);
    free(v);
    return good;
}

bool blend_page(const run *r)
{
    enum { MOST = 6 };
    int64_t        count;
    if (!r->blend) return true;
    const int64_t end     = fgt_forecaster_find_row(r->forecaster, r->table);
    int64_t      *columns = run_columns(r), *series = columns_to_plot(r, &count);
    bool          good    = columns && series && add_facts(r);
    for (int64_t k = 0; good && k < count && k < MOST; k++)
        good = add_window(r, series[k], columns[series[k]], end);
    free(columns);
    free(series);
    return good;
}
