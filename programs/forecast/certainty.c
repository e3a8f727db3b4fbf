/* SPDX-License-Identifier: BSD-3-Clause */
/* The uncertainty of forecasts: intervals and quantiles on the test windows. */
#include <math.h>
#include <stdlib.h>

#include "certainty.h"
#include "report_scores.h"
#include "times.h"

#include "../common/program.h"

/* The number of errors that an interval of this level needs. The next error is equally likely to have any
 * place in the order of n errors and itself. It lies between the least and the greatest of the n errors with
 * probability (n - 1) / (n + 1). The library needs at least 20 errors. */
int64_t certainty_needs(double level)
{
    const double n = ceil(2 / (1 - level) - 1e-9) - 1;
    return n > 20 ? (int64_t)n : 20;
}

/* ---- measuring ---- */

/* Measures the intervals on the test rows. Measures nothing if no errors on earlier rows are known: a loaded
 * model may have been trained on those rows. */
static bool measure_intervals(run *r)
{
    const options   *o = r->o;
    const fgt_split *s = &r->split;
    const int64_t    n = o->interval_count, h = r->info.pred_len;
    if (!n) return true;
    r->coverage = malloc((size_t)(n * h) * sizeof *r->coverage);
    if (!r->coverage) return complain("no memory");
    const fgt_status status = fgt_forecaster_evaluate_intervals(
        r->forecaster, r->table,
        &FGT_OPTS(fgt_forecast_interval_opts, .begin = s->test_begin, .end = s->test_end,
                  .levels = o->interval, .level_count = n),
        r->intervals, FGT_VIEW_OF(FGT_DTYPE_F64, r->coverage, n, h));
    if (status == FGT_E_DATA) {
        free(r->coverage);
        r->coverage = NULL;
        return true;
    }
    return status == FGT_OK || run_failed(r, o->data);
}

static bool measure_quantiles(run *r)
{
    const fgt_split *s = &r->split;
    const int64_t    n = r->info.quantile_count, h = r->info.pred_len;
    if (!n) return true;
    r->quantiles = malloc((size_t)(n * h) * sizeof *r->quantiles);
    if (!r->quantiles) return complain("no memory");
    return fgt_forecaster_evaluate_quantiles(r->forecaster, r->table, s->test_begin, s->test_end,
                                             r->quantiles) == FGT_OK ||
           run_failed(r, r->o->data);
}

bool certainty_measure(run *r)
{
    return measure_intervals(r) && measure_quantiles(r);
}

/* Adds up the measures of all steps. Does nothing if no errors were known before any of the origins. */
bool certainty_conclude(run *r, const scores *s)
{
    const int64_t n = r->o->interval_count, h = s->steps;
    int64_t       values = 0;
    for (int64_t k = 0; k < n * h; k++) {
        fgt_interval_metric       *sum = &r->intervals[k / h];
        const fgt_interval_metric *m   = &s->interval[k];
        sum->count += m->count;
        sum->inside += m->inside;
        sum->width += m->width;
        sum->score += m->score;
        values += m->count;
    }
    if (!values) return true;
    r->coverage = malloc((size_t)(n * h) * sizeof *r->coverage);
    if (!r->coverage) return complain("no memory");
    for (int64_t k = 0; k < n * h; k++)
        r->coverage[k] = (double)s->interval[k].inside / (double)s->interval[k].count;
    return true;
}

void certainty_done(run *r)
{
    free(r->coverage);
    free(r->quantiles);
}

/* The CRPS over steps first .. first+steps-1. */
static double crps(const run *r, int64_t first, int64_t steps)
{
    const int64_t       h = r->info.pred_len;
    fgt_quantile_metric all[FGT_QUANTILES_MAX];
    for (int64_t q = 0; q < r->info.quantile_count; q++)
        fgt_quantile_metric_sum(r->quantiles + q * h + first, steps, 1, &all[q]);
    return fgt_quantile_metric_get_crps(all, r->info.quantiles, r->info.quantile_count);
}

/* ---- the report ---- */

/* Finds the least and the greatest coverage of a step; NaN if no value was compared. */
static void find_range(const double *share, int64_t steps, double *least, double *most)
{
    *least = *most = NAN;
    for (int64_t h = 0; h < steps; h++) {
        *least = fmin(*least, share[h]);
        *most  = fmax(*most, share[h]);
    }
}

static void report_interval(const run *r, int64_t i, FILE *out)
{
    const fgt_interval_metric *m = &r->intervals[i];
    double                     least, most;
    if (!m->count) {
        fprintf(out,
                "intervals of %g %% were not measured: they need the errors of %lld forecasts before them\n",
                100 * r->o->interval[i], (long long)certainty_needs(r->o->interval[i]));
        return;
    }
    find_range(r->coverage + i * r->info.pred_len, r->info.pred_len, &least, &most);
    fprintf(out, "intervals of %g %% hold %.1f %% of %lld value%s (%.1f to %.1f %% by step), %.4f wide\n",
            100 * r->o->interval[i], 100 * (double)m->inside / (double)m->count, (long long)m->count,
            plural(m->count), 100 * least, 100 * most,
            m->width / (double)m->count);
}

static void report_unmeasured(const run *r, FILE *out)
{
    char last[TIME_MAX];
    fputs("intervals were not measured: ", out);
    time_text(r->table, r->info.seen_last, last);
    if (!r->forecaster)
        fputs("no series is long enough for errors before the last rows; --backtest 1 measures the "
              "intervals of a file that ends there",
              out);
    else if (r->seen_rows)
        fprintf(out, "the model was trained on %lld of the test rows; rows after %s measure them",
                (long long)r->seen_rows, last);
    else
        fprintf(out, "before %s enough forecasts could be compared",
                r->o->backtest ? "no origin" : "no test window");
    /* the errors in the file of a model were measured before it was trained on their rows */
    if (r->o->load && r->o->predict)
        fputs(". The intervals of --predict come from errors that were measured before, and kept in the "
              "model",
              out);
    fputc('\n', out);
}

void report_certainty(const run *r, FILE *out)
{
    const int64_t h = r->info.pred_len;
    if (r->o->interval_count && !r->coverage && r->test_windows) report_unmeasured(r, out);
    for (int64_t i = 0; r->coverage && i < r->o->interval_count; i++) report_interval(r, i, out);
    if (!r->quantiles) return;
    fprintf(out, "quantiles, standardised: CRPS");
    report_cell(out, 1, crps(r, 0, h), 4);
    fprintf(out, "\n  %-28s %8s %8s\n", "", "below %", "pinball");
    for (int64_t q = 0; q < r->info.quantile_count; q++) {
        fgt_quantile_metric m;
        fgt_quantile_metric_sum(r->quantiles + q * h, h, 1, &m);
        const double n = (double)m.count;
        fprintf(out, "  %-28g", r->info.quantiles[q]);
        report_cell(out, 8, 100 * (double)m.below / n, 1);
        report_cell(out, 8, m.loss / n, 4);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

static json_t *pack_reals(const double *v, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(list, json_out_real(v[i]));
    return list;
}

static json_t *pack_interval(const run *r, int64_t i)
{
    const fgt_interval_metric *m     = &r->intervals[i];
    const double               n     = (double)m->count;
    const double              *share = r->coverage + i * r->info.pred_len;
    double                     least, most;
    find_range(share, r->info.pred_len, &least, &most);
    return json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "level", r->o->interval[i], "coverage",
                     json_out_real((double)m->inside / n), "least_coverage", json_out_real(least),
                     "most_coverage", json_out_real(most), "width", json_out_real(m->width / n), "score",
                     json_out_real(m->score / n), "coverage_by_step", pack_reals(share, r->info.pred_len));
}

static json_t *pack_quantile(const run *r, int64_t q)
{
    const int64_t              h     = r->info.pred_len;
    const fgt_quantile_metric *steps = r->quantiles + q * h;
    json_t                    *list  = json_array();
    fgt_quantile_metric        m;
    fgt_quantile_metric_sum(steps, h, 1, &m);
    for (int64_t k = 0; k < h; k++)
        json_array_append_new(list, json_out_real(steps[k].loss / (double)steps[k].count));
    return json_pack("{s:f, s:o, s:o, s:o}", "quantile", r->info.quantiles[q], "below",
                     json_out_real((double)m.below / (double)m.count), "pinball",
                     json_out_real(m.loss / (double)m.count), "pinball_by_step", list);
}

static bool set_quantiles(json_t *object, const run *r)
{
    const int64_t h    = r->info.pred_len;
    json_t       *list = json_array(), *steps = json_array();
    bool          good = true;
    for (int64_t q = 0; q < r->info.quantile_count; q++)
        good = !json_array_append_new(list, pack_quantile(r, q)) && good;
    for (int64_t k = 0; k < h; k++) json_array_append_new(steps, json_out_real(crps(r, k, 1)));
    good = !json_object_set_new(object, "quantiles", list) && good;
    return !json_object_set_new(object, "crps_by_step", steps) && good &&
           !json_object_set_new(object, "crps", json_out_real(crps(r, 0, h)));
}

bool report_set_certainty(json_t *object, const run *r)
{
    bool good = true;
    if (r->o->interval_count) {
        json_t *list = json_array();
        for (int64_t i = 0; r->coverage && i < r->o->interval_count; i++)
            good = !json_array_append_new(list, pack_interval(r, i)) && good;
        good = !json_object_set_new(object, "intervals", list) && good;
    }
    return r->quantiles ? set_quantiles(object, r) && good : good;
}
