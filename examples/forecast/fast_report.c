/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors and outputs of forecasts without training. */
#include <math.h>
#include <stdlib.h>

#include "fast.h"

enum { K = FGT_LOCAL_MEMBERS };

/* ---- errors ---- */

static double deviation(const double *y, int64_t n)
{
    double mean = 0, square = 0, count = 0;
    for (int64_t t = 0; t < n; t++) {
        if (isnan(y[t])) continue;
        const double e = y[t] - mean;
        mean += e / ++count;
        square += e * (y[t] - mean);
    }
    return count > 1 ? sqrt(square / count) : 0;
}

/* Of the values a season before, in the first n rows. */
static fgt_forecast_metric season_metric(const double *y, int64_t n, int64_t season)
{
    fgt_forecast_metric m = {0};
    for (int64_t t = season; t < n; t++) {
        const double e = y[t - season] - y[t];
        if (isnan(e)) continue;
        m.count++;
        m.absolute += fabs(e);
        m.square += e * e;
    }
    return m;
}

/* The forecast of the last rows of series i: of the value `back` rows before, or with 0 the hindcast. */
static double forecast_of(const fast *f, int64_t i, int64_t t, int64_t back)
{
    const double *y = f->values[i] + f->rows[i] - f->steps;
    if (isnan(f->hindcast[i * f->steps + t]) || back > f->rows[i] - f->steps) return NAN;
    return back ? y[t % back - back] : f->hindcast[i * f->steps + t];
}

static bool measure(const fast *f, scores *s, int64_t back, errors *out)
{
    const int64_t h = s->steps, c = s->series;
    double       *v = malloc((size_t)(2 * h * c) * sizeof *v);
    if (!v) return complain("no memory");
    for (int64_t k = 0; k < h * c; k++) {
        const int64_t i = k % c, t = k / c;
        v[k]            = forecast_of(f, i, t, back);
        v[h * c + k]    = isnan(v[k]) ? NAN : f->values[i][f->rows[i] - h + t];
        s->cell[k]      = (fgt_forecast_metric){0};
    }
    const fgt_status status = fgt_forecast_metric_add(f->r->ctx, FGT_VIEW_OF(FGT_F64, v, h, c),
                                                      FGT_VIEW_OF(FGT_F64, v + h * c, h, c), s->cell);
    free(v);
    if (status != FGT_OK) return run_failed(f->r, f->r->o->data);
    *out = scores_errors(s, 0, h);
    return true;
}

bool fast_measure(fast *f)
{
    run          *r = f->r;
    const size_t  c = (size_t)f->count;
    const int64_t m = f->seasons[0] > 1 ? f->seasons[0] : 1;
    scores        s = {.steps = f->steps, .series = f->count, .season = m};
    s.cell          = calloc((size_t)f->steps * c, sizeof *s.cell);
    s.naive         = calloc(c, sizeof *s.naive);
    s.scale         = calloc(c, sizeof *s.scale);
    bool good       = (s.cell && s.naive && s.scale) || complain("no memory");
    for (int64_t i = 0; good && i < f->count; i++) {
        if (isnan(f->hindcast[i * f->steps])) continue;
        s.naive[i]         = season_metric(f->values[i], f->rows[i] - f->steps, m);
        const double scale = deviation(f->values[i], f->rows[i] - f->steps);
        s.scale[i]         = scale > 0 ? scale : 1; /* as a scaler has it */
        f->measured++;
    }
    for (int64_t i = 0; good && i < f->count; i++)
        if (s.scale[i] == 0) s.scale[i] = 1;
    r->val = r->linear = r->seasonal = NO_ERRORS;
    r->season                        = m > 1 ? m : 0;
    r->predict_us                    = NAN;
    good = good && measure(f, &s, 0, &r->test) && measure(f, &s, 1, &r->naive) &&
           (m == 1 || measure(f, &s, m, &r->seasonal));
    scores_done(&s);
    return good;
}

/* ---- outputs ---- */

static int64_t find_level(const fast *f, double level)
{
    int64_t k = 0;
    while (fabs(f->level[k] - level) >= 1e-12) k++;
    return k;
}

/* Planes [planes,steps,series] of the file. */
static void fill_plane(const fast *f, int64_t level, double *plane)
{
    for (int64_t i = 0; i < f->count; i++)
        for (int64_t t = 0; t < f->steps; t++) {
            const int64_t at = i * f->steps + t;
            const double  v  = level < 0 ? f->forecast[at] : f->quantiles[at * f->levels + level];
            plane[t * f->count + i] = f->r->o->non_negative ? fmax(v, 0) : v;
        }
}

bool fast_write(const fast *f)
{
    const options *o      = f->r->o;
    const int64_t  plane  = f->steps * f->count, planes = 1 + o->quantile_count + 2 * o->interval_count;
    double        *values = malloc((size_t)(planes * plane) * sizeof *values), *at = values;
    if (!values) return complain("no memory");
    fill_plane(f, -1, at);
    for (int64_t i = 0; i < o->quantile_count; i++)
        fill_plane(f, find_level(f, o->quantiles[i]), at += plane);
    for (int64_t i = 0; i < o->interval_count; i++) {
        fill_plane(f, find_level(f, (1 - o->interval[i]) / 2), at += plane);
        fill_plane(f, find_level(f, (1 + o->interval[i]) / 2), at += plane);
    }
    const predict_file file = {f->r->table, f->count,          f->steps,    f->name,
                               o->quantiles, o->quantile_count, o->interval, o->interval_count,
                               values,       f->end};
    const bool         good = predict_file_write(&file, o->predict);
    free(values);
    return good;
}

/* Mean weights of the members [K], and their order. */
static void find_members(const fast *f, double *mean, int *order)
{
    for (int k = 0; k < K; k++) {
        int at  = k;
        mean[k] = 0;
        for (int64_t i = 0; i < f->count; i++) mean[k] += f->weights[i * K + k] / (double)f->count;
        for (; at > 0 && mean[order[at - 1]] < mean[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
}

static void print_rows(const fast *f, FILE *out)
{
    int64_t least = f->rows[0], most = f->rows[0];
    char    name[PLAIN_TEXT];
    for (int64_t i = 1; i < f->count; i++) {
        if (f->rows[i] < least) least = f->rows[i];
        if (f->rows[i] > most) most = f->rows[i];
    }
    fprintf(out, "%s: %lld series of ", plain_text(f->r->dataset, name, sizeof name), (long long)f->count);
    if (least < most) fprintf(out, "%lld to ", (long long)least);
    fprintf(out, "%lld row%s; %lld to forecast", (long long)most, plural(most), (long long)f->steps);
    if (f->seasons[0] > 1) fprintf(out, ", a season has %lld", (long long)f->seasons[0]);
    fputs("\nforecast without training (--fast), to the last row; --model fighter trains a model\n", out);
}

static void print_error(const char *name, const errors *e, FILE *out)
{
    if (isnan(e->mae)) return;
    fprintf(out, "  %-24s", name);
    report_cell(out, 8, e->mse, 4);
    report_cell(out, 8, e->mae, 4);
    report_cell(out, 8, e->mase, 3);
    report_cell(out, 8, 100 * e->smape, 1);
    fputc('\n', out);
}

static void print_errors(const fast *f, FILE *out)
{
    const run *r = f->r;
    if (!f->measured) {
        fprintf(out, "no errors are known: the series %s too short to forecast %lld row%s that are known\n",
                f->count == 1 ? "is" : "are", (long long)f->steps, plural(f->steps));
        return;
    }
    fprintf(out,
            "errors of forecasts of the last %lld row%s, from the rows before, of %lld of %lld series; MSE "
            "and MAE standardised\n",
            (long long)f->steps, plural(f->steps), (long long)f->measured, (long long)f->count);
    fprintf(out, "  %-24s %8s %8s %8s %8s\n", "", "MSE", "MAE", "MASE", "sMAPE %");
    print_error("forecast", &r->test, out);
    print_error("value a season before", &r->seasonal, out);
    print_error("last value", &r->naive, out);
    if (isnan(r->test.mase))
        fputs("no MASE: the series are what they were a season before, or no longer than one\n", out);
}

void fast_print(const fast *f, FILE *out)
{
    enum { SHOWN = 6 };
    double mean[K];
    int    order[K];
    print_rows(f, out);
    report_rows(f->r, out);
    find_members(f, mean, order);
    fputs("the forecast is a weighted mean:", out);
    for (int k = 0; k < SHOWN; k++)
        fprintf(out, " %s %.0f %%,", fgt_local_get_member_name(order[k]), 100 * mean[order[k]]);
    fprintf(out, " and %d more\n", K - SHOWN);
    print_errors(f, out);
}

bool fast_print_json(const fast *f)
{
    double  mean[K];
    int     order[K];
    json_t *members = json_object(), *all = report_describe_errors(f->r);
    find_members(f, mean, order);
    for (int k = 0; members && k < K; k++)
        json_object_set_new(members, fgt_local_get_member_name(order[k]), json_real(mean[order[k]]));
    json_t *own = json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:I}", "dataset", f->r->dataset, "model", "local",
                            "columns", (json_int_t)f->count, "pred_len", (json_int_t)f->steps,
                            "measured_series", (json_int_t)f->measured, "members", members, "threads",
                            (json_int_t)f->r->build.threads);
    if (!all || !own || json_object_update(all, own)) {
        json_decref(all);
        all = NULL;
    }
    json_decref(own);
    return json_out_print(all, stdout);
}
