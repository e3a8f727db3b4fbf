/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors by series and step, and the forecasts themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "moments.h"
#include "scores.h"
#include "times.h"

#include "../common/output.h"
#include "../common/program.h"

bool scores_allocate(scores *s, const run *r, int64_t season)
{
    *s                     = (scores){.steps = r->info.pred_len, .series = r->info.columns, .season = season};
    s->cell                = calloc((size_t)(s->steps * s->series), sizeof *s->cell);
    s->naive               = calloc((size_t)s->series, sizeof *s->naive);
    s->scale               = calloc((size_t)s->series, sizeof *s->scale);
    s->interval            = calloc((size_t)(s->steps * r->o->interval_count + 1), sizeof *s->interval);
    for (int64_t c = 0; s->scale && c < s->series; c++) s->scale[c] = 1;
    return (s->cell && s->naive && s->scale && s->interval) || complain("no memory");
}

bool scores_init(scores *s, const run *r, int64_t season, const scores *same)
{
    const fgt_split *split = &r->split;
    if (!scores_allocate(s, r, season)) return false;
    const double *scale = moments_of(r->forecaster).scale;
    for (int64_t c = 0; c < s->series; c++) s->scale[c] = scale[c];
    if (same) memcpy(s->naive, same->naive, (size_t)s->series * sizeof *s->naive);
    if (same) return true;
    return fgt_forecaster_compute_naive_errors(r->forecaster, r->table, split->train_begin, split->train_end,
                                               season, cluster_collective(), s->naive) == FGT_OK ||
           run_failed(r, r->o->data);
}

void scores_done(scores *s)
{
    free(s->cell);
    free(s->naive);
    free(s->scale);
    free(s->interval);
    *s = (scores){0};
}

/* ---- forecasts ---- */

void forecasts_head(const run *r, FILE *out)
{
    char name[64];
    output_names(out, "series,origin,step,time,forecast,truth");
    for (int64_t q = 0; q < r->info.quantile_count; q++) {
        snprintf(name, sizeof name, ",q%g", r->info.quantiles[q]);
        output_names(out, name);
    }
    for (int64_t i = 0; i < r->o->interval_count; i++) {
        snprintf(name, sizeof name, ",lo-%g,hi-%g", 100 * r->o->interval[i], 100 * r->o->interval[i]);
        output_names(out, name);
    }
    fputc('\n', out);
}

/* Writes a number; unknown numbers become empty cells. */
static void put_number(double v, FILE *out)
{
    output_separate(out);
    output_number(out, v);
}

static void put_window(const run *r, const fgt_forecast_window *w, const series_rows *rows, FILE *out)
{
    const double *forecast = w->forecast.data, *truth = w->truth.data;
    const int64_t steps = r->info.pred_len, series = r->info.columns;
    char          text[TIME_MAX];
    for (int64_t c = 0; c < series; c++) {
        const fgt_table *axis  = rows ? rows->axis[c] : r->table;
        const int64_t    first = rows ? rows->row[c] : w->row;
        for (int64_t h = 0; first >= 0 && !columns_is_absent(r, c) && h < steps; h++) {
            output_cell(out, run_name(r, c));
            output_separate(out);
            output_cell(out, row_label_of(r->table, axis, first - 1, text));
            output_separate(out);
            fprintf(out, "%lld", (long long)h + 1);
            output_separate(out);
            output_cell(out, row_label_of(r->table, axis, first + h, text));
            put_number(forecast[h * series + c], out);
            put_number(truth[h * series + c], out);
            for (int64_t q = 0; q < w->quantiles.shape[0]; q++)
                put_number(((const double *)w->quantiles.data)[(q * steps + h) * series + c], out);
            for (int64_t i = 0; i < w->low.shape[0]; i++) {
                put_number(((const double *)w->low.data)[(i * steps + h) * series + c], out);
                put_number(((const double *)w->high.data)[(i * steps + h) * series + c], out);
            }
            fputc('\n', out);
        }
    }
}

typedef struct visit {
    const run *r;
    scores    *s;
    FILE      *out;
    bool       good;
} visit;

static void add_interval(fgt_interval_metric *m, double level, double low, double high, double truth,
                         double scale)
{
    if (isnan(low) || isnan(truth)) return;
    const double outside = truth < low ? low - truth : truth > high ? truth - high : 0;
    m->count++;
    m->inside += outside == 0;
    m->width += (high - low) / scale;
    m->score += (high - low + 2 / (1 - level) * outside) / scale;
}

static void add_intervals(const scores *s, const double *levels, const fgt_forecast_window *w)
{
    const double *low = w->low.data, *high = w->high.data, *truth = w->truth.data;
    const int64_t cells = s->steps * s->series;
    for (int64_t i = 0; i < w->low.shape[0]; i++)
        for (int64_t k = 0; k < cells; k++)
            add_interval(&s->interval[i * s->steps + k / s->series], levels[i], low[i * cells + k],
                         high[i * cells + k], truth[k], s->scale[k % s->series]);
}

bool scores_add(scores *s, const run *r, const fgt_forecast_window *w, const series_rows *rows, FILE *out)
{
    if (fgt_forecast_metric_add(r->ctx, &w->forecast, &w->truth, s->cell) != FGT_OK)
        return run_failed(r, r->o->data);
    add_intervals(s, r->o->interval, w);
    if (out) put_window(r, w, rows, out);
    return true;
}

void scores_sum(scores *s, const scores *one)
{
    for (int64_t i = 0; i < s->steps * s->series; i++) {
        const fgt_forecast_metric both[] = {s->cell[i], one->cell[i]};
        fgt_forecast_metric_sum(both, 2, 1, &s->cell[i]);
    }
}

static fgt_status take(void *user, const fgt_forecast_window *w)
{
    visit *v = user;
    v->good  = scores_add(v->s, v->r, w, NULL, v->out);
    return v->good ? FGT_OK : FGT_E_CANCELLED;
}

bool scores_take(scores *s, const run *r, fgt_forecaster *f, fgt_forecast_visit_opts o, FILE *out)
{
    visit v = {.r = r, .s = s, .out = out, .good = true};
    o.size  = sizeof o;
    if (out || r->o->backtest) {
        o.levels      = o.season || !r->o->interval_count ? NULL : r->o->interval;
        o.level_count = o.levels ? r->o->interval_count : 0;
    }
    const fgt_status status = fgt_forecaster_visit(f, r->table, &o, take, &v);
    return v.good && (status == FGT_OK || run_failed(r, r->o->data));
}

/* ---- measures ---- */

double scores_of_series(const scores *s, int64_t series, int64_t first, int64_t steps, int32_t measure)
{
    fgt_forecast_metric m;
    fgt_forecast_metric_sum(s->cell + first * s->series + series, steps, s->series, &m);
    return fgt_forecast_metric_get_measure(&m, measure, &s->naive[series]);
}

/* The mean over the series that have a value. */
static double mean(const scores *s, int64_t first, int64_t steps, int32_t measure)
{
    double  sum   = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < s->series; c++) {
        const double v = scores_of_series(s, c, first, steps, measure);
        if (isnan(v)) continue;
        sum += v;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

errors scores_errors(const scores *s, int64_t first, int64_t steps)
{
    double  square = 0, absolute = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < s->series; c++) {
        fgt_forecast_metric m;
        fgt_forecast_metric_sum(s->cell + first * s->series + c, steps, s->series, &m);
        square += m.square / (s->scale[c] * s->scale[c]);
        absolute += m.absolute / s->scale[c];
        count += m.count;
    }
    return (errors){.mse   = count ? square / (double)count : NAN,
                    .mae   = count ? absolute / (double)count : NAN,
                    .mase  = mean(s, first, steps, FGT_FORECAST_MEASURE_MASE),
                    .rmsse = mean(s, first, steps, FGT_FORECAST_MEASURE_RMSSE),
                    .wape  = mean(s, first, steps, FGT_FORECAST_MEASURE_WAPE),
                    .smape = mean(s, first, steps, FGT_FORECAST_MEASURE_SMAPE)};
}
