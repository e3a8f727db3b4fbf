/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors by series and by step, as tables and as JSON. */
#include <math.h>

#include "columns.h"
#include "report_scores.h"
#include "scores.h"

#include "../common/program.h"

/* Number of series and steps to print; the JSON object has all of them. */
#define LINES 8
#define STEPS 4

void report_cell(FILE *out, int width, double v, int digits)
{
    if (isnan(v))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f", width, digits, v);
}

void report_line(FILE *out, const char *name, const errors *e)
{
    if (isnan(e->mse)) return;
    fprintf(out, "  %-28s", name);
    report_cell(out, 8, e->mse, 4);
    report_cell(out, 8, e->mae, 4);
    report_cell(out, 8, e->mase, 3);
    report_cell(out, 8, e->rmsse, 3);
    report_cell(out, 8, 100 * e->wape, 1);
    report_cell(out, 8, 100 * e->smape, 1);
    fputc('\n', out);
}

static void print_baselines(const run *r, FILE *out)
{
    char season[64];
    report_line(out, run_model_name(r), &r->test);
    report_line(out, "baseline: linear", &r->linear);
    snprintf(season, sizeof season, "baseline: %lld row%s ago", (long long)r->season, plural(r->season));
    report_line(out, season, &r->seasonal);
    report_line(out, "baseline: last value", &r->naive);
}

/* ---- better baselines ---- */

/* The measures as they are printed. */
static const struct {
    const char *name, *key;
    size_t      at;
    double      digits; /* units of the last digit in 1 */
} measures[] = {{"MSE", "mse", offsetof(errors, mse), 1e4},
                {"MAE", "mae", offsetof(errors, mae), 1e4},
                {"MASE", "mase", offsetof(errors, mase), 1e3},
                {"RMSSE", "rmsse", offsetof(errors, rmsse), 1e3},
                {"WAPE", "wape", offsetof(errors, wape), 1e3},
                {"sMAPE", "smape", offsetof(errors, smape), 1e3}};
enum { MEASURES = sizeof measures / sizeof *measures };

/* By which fraction the error `to` is lower than `from`, if this is visible in the printed digits; otherwise
 * 0. */
static double find_gain(const errors *from, const errors *to, int m)
{
    const double a = *(const double *)((const char *)from + measures[m].at);
    const double b = *(const double *)((const char *)to + measures[m].at), gain = 1 - b / a;
    return round(b * measures[m].digits) < round(a * measures[m].digits) && gain >= .005 ? gain : 0;
}

/* Counts the measures with a gain. A gain only in sMAPE, the last one, does not count: sMAPE is large
 * whenever values are near 0. */
static int count_gains(const errors *from, const errors *to)
{
    int count = 0;
    for (int m = 0; m < MEASURES - 1; m++) count += find_gain(from, to, m) > 0;
    return count;
}

/* The baseline that is better than the forecast in the most measures, and worse in no measure; or NULL. */
static const errors *find_better(const run *r)
{
    const errors *const all[] = {&r->naive, &r->seasonal, &r->linear};
    const errors       *best  = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int count = count_gains(&r->test, all[i]), most = best ? count_gains(&r->test, best) : 0;
        if (count_gains(all[i], &r->test)) continue;
        if (count > most || (count && count == most && all[i]->mae < best->mae)) best = all[i];
    }
    return best;
}

/* Prints what the user can try. */
static void print_advice(const run *r, const errors *better, FILE *out)
{
    const fgt_forecaster_info *i = &r->info;
    if (better == &r->linear)
        fprintf(out, "--model linear --calendar none is such a map%s\n",
                i->past || i->known || i->holidays || i->statics ? ", without other columns and holidays"
                                                                 : "");
    else if (r->forecaster)
        fputs("compare --fast --backtest 5, which trains no model, or take that value\n", out);
    else if (r->o->backtest)
        fputs("compare a trained model, --model linear, or take that value\n", out);
    else if (r->origins_fit > 1)
        fprintf(out, "one origin may be chance, and --backtest %lld measures more\n",
                (long long)(r->origins_fit < 5 ? r->origins_fit : 5));
    else
        fputs("the rows suffice for this one origin only, so it may be chance\n", out);
}

static void print_better(const run *r, FILE *out)
{
    const errors *better = find_better(r);
    const char   *before = "";
    if (!better) return;
    if (better == &r->seasonal)
        fprintf(out, "the value %lld row%s ago", (long long)r->season, plural(r->season));
    else
        fputs(better == &r->linear ? "the linear baseline" : "the last value", out);
    fprintf(out, " is better than the %s:", r->forecaster ? "model" : "forecast");
    for (int m = 0; m < MEASURES; m++) {
        const double gain = find_gain(&r->test, better, m);
        if (gain > 0) fprintf(out, "%s %s %.0f %%", before, measures[m].name, 100 * gain);
        if (gain > 0) before = ",";
    }
    fputs(" lower; ", out);
    print_advice(r, better, out);
}

/* Prints a linear model that has the same name as the baseline, but other errors. */
static void print_linear(const run *r, FILE *out)
{
    const fgt_forecaster_info *i = &r->info;
    const bool known = i->calendar || i->holidays, more = i->past || i->known || i->statics;
    const bool trained = r->o->automatic ? r->search.best_epochs : r->report.best_epoch;
    if (isnan(r->linear.mse) || !i->linear || trained || !(known || more)) return;
    fprintf(out,
            "the linear baseline is a map of each target's own rows, and the model also knows %s%s%s\n",
            known ? "the calendar" : "", known && more ? " and " : "", more ? "other columns" : "");
}

/* Prints the first step, the last one, and steps between them. */
static void print_steps(const run *r, FILE *out)
{
    const scores *s    = &r->scores;
    int64_t       last = 0;
    fprintf(out, "by step\n");
    for (int64_t k = 0; k <= STEPS; k++) {
        char          name[32];
        const int64_t step = k ? (k * s->steps + STEPS - 1) / STEPS : 1;
        const errors  e    = scores_errors(s, step - 1, 1);
        if (step == last) continue;
        last = step;
        snprintf(name, sizeof name, "%lld", (long long)step);
        report_line(out, name, &e);
    }
}

/* A measure over steps first .. first+steps-1 of all series. */
static double in_units(const scores *s, int64_t first, int64_t steps, int32_t measure)
{
    fgt_forecast_metric m;
    fgt_forecast_metric_sum(s->cell + first * s->series, steps * s->series, 1, &m);
    return fgt_forecast_metric_get_measure(&m, measure, NULL);
}

static void print_units_line(const scores *s, const char *name, int64_t first, int64_t steps, FILE *out)
{
    fprintf(out, "  %-28s", name);
    report_cell(out, 8, in_units(s, first, steps, FGT_FORECAST_MEASURE_MAE), 3);
    report_cell(out, 8, in_units(s, first, steps, FGT_FORECAST_MEASURE_RMSE), 3);
    report_cell(out, 8, 100 * in_units(s, first, steps, FGT_FORECAST_MEASURE_MAPE), 2);
    fputc('\n', out);
}

/* Prints errors in units, if the series have the same unit. */
static void print_units(const run *r, FILE *out)
{
    const scores *s = &r->scores;
    fprintf(out, "all series by step, in units of the file\n  %-28s %8s %8s %8s\n", "", "MAE", "RMSE",
            "MAPE %");
    for (int64_t k = 1; k <= STEPS && s->steps >= STEPS; k++) {
        char          name[32];
        const int64_t step = (k * s->steps + STEPS - 1) / STEPS;
        snprintf(name, sizeof name, "%lld", (long long)step);
        print_units_line(s, name, step - 1, 1, out);
    }
    print_units_line(s, "all", 0, s->steps, out);
}

static double of_series(const scores *s, int64_t c, int32_t measure)
{
    return scores_of_series(s, c, 0, s->steps, measure);
}

static int64_t count_values(const scores *s, int64_t c)
{
    fgt_forecast_metric m;
    fgt_forecast_metric_sum(s->cell + c, s->steps, s->series, &m);
    return m.count;
}

/* Whether a series has no errors for a known reason: without training it may be too short, which does not
 * mean that a value is missing. */
static bool is_left_out(const run *r, int64_t c)
{
    return columns_is_absent(r, c) || (!r->forecaster && !count_values(&r->scores, c));
}

static void print_series(const run *r, FILE *out)
{
    const scores *s     = &r->scores;
    int64_t       count = 0;
    fprintf(out, "by series, in units of the file\n  %-28s %8s %8s %8s %8s %8s %8s\n", "", "RMSE", "MAE",
            "MASE", "RMSSE", "WAPE %", "sMAPE %");
    for (int64_t c = 0; c < s->series; c++) {
        char name[PLAIN_TEXT];
        if (is_left_out(r, c) || count++ >= LINES) continue;
        fprintf(out, "  %-28.28s %8.4g %8.4g", plain_text(run_name(r, c), name, sizeof name),
                of_series(s, c, FGT_FORECAST_MEASURE_RMSE), of_series(s, c, FGT_FORECAST_MEASURE_MAE));
        report_cell(out, 8, of_series(s, c, FGT_FORECAST_MEASURE_MASE), 3);
        report_cell(out, 8, of_series(s, c, FGT_FORECAST_MEASURE_RMSSE), 3);
        report_cell(out, 8, 100 * of_series(s, c, FGT_FORECAST_MEASURE_WAPE), 1);
        report_cell(out, 8, 100 * of_series(s, c, FGT_FORECAST_MEASURE_SMAPE), 1);
        fputc('\n', out);
    }
    if (count > LINES) fprintf(out, "  and %lld more, which --json has\n", (long long)(count - LINES));
}

/* Prints why there is no number; out NULL: only counts. Returns 1 if a number is missing. */
static int64_t print_zero(const run *r, int64_t c, FILE *out)
{
    const scores       *s = &r->scores;
    fgt_forecast_metric m;
    fgt_forecast_metric_sum(s->cell + c, s->steps, s->series, &m);
    const bool                mase = s->naive[c].absolute > 0, wape = !m.count || m.truth > 0;
    char                      name[PLAIN_TEXT];
    if (is_left_out(r, c) || (mase && wape && m.count)) return 0;
    if (!out) return 1;
    plain_text(run_name(r, c), name, sizeof name);
    if (!mase)
        fprintf(out, "no MASE of %s: in the %s %s\n", name, r->forecaster ? "training rows" : "rows before",
                s->naive[c].count ? "it is what it was a season before"
                                  : "no two values are a season apart");
    if (!wape)
        fprintf(out, "no WAPE of %s: it is 0 in all %s rows\n", name, r->forecaster ? "test" : "last");
    if (!m.count) fprintf(out, "%s has no value in the test rows\n", name);
    return 1;
}

static void print_zeros(const run *r, FILE *out)
{
    int64_t count = 0, c = 0;
    for (; c < r->scores.series && count < LINES; c++) count += print_zero(r, c, out);
    for (count = 0; c < r->scores.series; c++) count += print_zero(r, c, NULL);
    if (count) fprintf(out, "%lld more series lack%s a number\n", (long long)count, count == 1 ? "s" : "");
}

static void report_head(const run *r, FILE *out)
{
    if (r->o->backtest)
        fprintf(out, "errors of %lld forecast%s", (long long)r->test_windows, plural(r->test_windows));
    else if (r->forecaster)
        fprintf(out, r->test_windows > 1 ? "errors on all %lld test windows" : "errors on %lld test window",
                (long long)r->test_windows);
    else
        fprintf(out, "errors of forecasts of the last %lld row%s, from the rows before",
                (long long)r->scores.steps, plural(r->scores.steps));
    fprintf(out,
            "; MSE and MAE standardised, MASE and RMSSE in errors of %lld row%s ago\n"
            "  %-28s %8s %8s %8s %8s %8s %8s\n",
            (long long)r->scores.season, plural(r->scores.season), "", "MSE", "MAE", "MASE", "RMSSE",
            "WAPE %", "sMAPE %");
}

void report_scores(const run *r, FILE *out)
{
    report_head(r, out);
    print_baselines(r, out);
    print_linear(r, out);
    print_better(r, out);
    if (r->scores.steps > 1) print_steps(r, out);
    if (r->o->model.inputs.shared_scale) print_units(r, out);
    print_series(r, out);
    print_zeros(r, out);
}

/* ---- JSON ---- */

json_t *report_pack_errors(const errors *e)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "mse", json_out_real(e->mse), "mae",
                     json_out_real(e->mae), "mase", json_out_real(e->mase), "rmsse", json_out_real(e->rmsse),
                     "wape", json_out_real(e->wape), "smape", json_out_real(e->smape));
}

bool report_set_errors(json_t *object, const char *name, const errors *e)
{
    json_t     *all  = report_pack_errors(e), *value;
    bool        good = all != NULL;
    const char *measure;
    json_object_foreach(all, measure, value)
    {
        char key[32];
        snprintf(key, sizeof key, "%s_%s", name, measure);
        good = !json_object_set(object, key, value) && good;
    }
    json_decref(all);
    return good;
}

static json_t *pack_series(const run *r, int64_t c)
{
    static const struct {
        const char *name;
        int32_t     measure;
    } units[]           = {{"rmse", FGT_FORECAST_MEASURE_RMSE},   {"mae", FGT_FORECAST_MEASURE_MAE},
                           {"bias", FGT_FORECAST_MEASURE_BIAS},   {"mase", FGT_FORECAST_MEASURE_MASE},
                           {"rmsse", FGT_FORECAST_MEASURE_RMSSE}, {"wape", FGT_FORECAST_MEASURE_WAPE},
                           {"smape", FGT_FORECAST_MEASURE_SMAPE}, {"mape", FGT_FORECAST_MEASURE_MAPE}};
    const scores *s = &r->scores;
    const double  naive = fgt_forecast_metric_get_measure(&s->naive[c], FGT_FORECAST_MEASURE_MAE, NULL);
    json_t       *o     = json_pack("{s:s, s:I, s:o}", "series", run_name(r, c), "count",
                                    (json_int_t)count_values(s, c), "naive_mae", json_out_real(naive));
    for (size_t k = 0; o && k < sizeof units / sizeof *units; k++)
        if (json_object_set_new(o, units[k].name, json_out_real(of_series(s, c, units[k].measure)))) {
            json_decref(o);
            return NULL;
        }
    return o;
}

static bool set_units(json_t *step, const scores *s, int64_t h)
{
    return !json_object_set_new(step, "unit_mae",
                                json_out_real(in_units(s, h, 1, FGT_FORECAST_MEASURE_MAE))) &&
           !json_object_set_new(step, "unit_rmse",
                                json_out_real(in_units(s, h, 1, FGT_FORECAST_MEASURE_RMSE))) &&
           !json_object_set_new(step, "mape", json_out_real(in_units(s, h, 1, FGT_FORECAST_MEASURE_MAPE)));
}

/* Null if no baseline is better. */
static bool set_better(json_t *object, const run *r)
{
    const errors *better = find_better(r);
    json_t       *lower  = better ? json_object() : NULL;
    bool          good   = lower || !better;
    for (int m = 0; lower && m < MEASURES; m++) {
        const double gain = find_gain(&r->test, better, m);
        if (gain > 0) good = !json_object_set_new(lower, measures[m].key, json_real(gain)) && good;
    }
    json_t *value = better ? json_pack("{s:s, s:o}", "baseline",
                                       better == &r->linear     ? "linear"
                                       : better == &r->seasonal ? "seasonal"
                                                                : "naive",
                                       "lower_by", lower)
                           : json_null();
    return !json_object_set_new(object, "better_baseline", value) && good;
}

bool report_set_scores(json_t *object, const run *r)
{
    const scores *s      = &r->scores;
    json_t       *series = json_array(), *steps = json_array();
    bool          good = series && steps;
    for (int64_t c = 0; good && c < s->series; c++) good = !json_array_append_new(series, pack_series(r, c));
    for (int64_t h = 0; good && h < s->steps; h++) {
        const errors e    = scores_errors(s, h, 1);
        json_t      *step = report_pack_errors(&e);
        good              = step && !json_object_set_new(step, "step", json_integer(h + 1)) &&
               set_units(step, s, h);
        good              = !json_array_append_new(steps, step) && good;
    }
    good = set_better(object, r) && good;
    good = !json_object_set_new(object, "scale_season", json_integer(s->season)) && good;
    good = !json_object_set_new(object, "by_series", series) && good;
    return !json_object_set_new(object, "by_step", steps) && good;
}
