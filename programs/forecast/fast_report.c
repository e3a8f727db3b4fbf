/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs of forecasts without training. */
#include <math.h>
#include <stdlib.h>

#include "certainty.h"
#include "fast_measure.h"
#include "fast_members.h"
#include "fast_outliers.h"
#include "fast_report.h"
#include "fast_series.h"
#include "predict_file.h"
#include "report.h"
#include "report_backtest.h"
#include "report_input.h"
#include "report_scores.h"
#include "report_settings.h"

#include "../common/program.h"

enum { K = FGT_LOCAL_MEMBERS };

static predict_file file_of(const fast *f, const double *values)
{
    const options *o = f->r->o;
    return (predict_file){f->r->table, f->count,          f->steps, f->name, o->quantiles, o->quantile_count,
                          o->interval, o->interval_count, values,   f->end,  f->axis};
}

bool fast_check_names(const fast *f)
{
    const predict_file file = file_of(f, NULL);
    return !f->r->o->predict || predict_file_check(&file, f->r->o->predict);
}

bool fast_write(const fast *f)
{
    double            *values = fast_planes(f, &f->next, false);
    const predict_file file   = file_of(f, values);
    const bool         good   = values && predict_file_write(&file, f->r->o->predict);
    free(values);
    return good;
}

static void print_rows(const fast *f, FILE *out)
{
    const int64_t season = f->main.seasons[0];
    int64_t       least = f->rows[0], most = f->rows[0];
    char    name[PLAIN_TEXT];
    for (int64_t i = 1; i < f->count; i++) {
        if (f->rows[i] < least) least = f->rows[i];
        if (f->rows[i] > most) most = f->rows[i];
    }
    fprintf(out, "%s: %lld series of ", plain_text(f->r->dataset, name, sizeof name), (long long)f->count);
    if (least < most) fprintf(out, "%lld to ", (long long)least);
    fprintf(out, "%lld row%s; %lld to forecast", (long long)most, plural(most), (long long)f->steps);
    if (season > 1) fprintf(out, ", a season has %lld", (long long)season);
    fputs("\neach series is forecast without training (--fast), from all of its rows; --model fighter trains "
          "a model\n",
          out);
}

/* Whether a series was forecast for its last rows and has a value in one of them. */
static bool has_truth(const fast *f, int64_t series)
{
    const double *last = f->values[series] + f->rows[series] - f->steps;
    bool          any  = false;
    for (int64_t t = 0; t < f->steps; t++) any |= !isnan(last[t]);
    return any;
}

/* Names series whose last rows were forecast but have no values to compare. */
static void print_empty(const fast *f, FILE *out)
{
    char    name[PLAIN_TEXT];
    int64_t count = 0, first = 0;
    for (int64_t i = 0; i < f->count; i++)
        if (!isnan(f->last.mean[i * f->steps]) && !has_truth(f, i) && !count++) first = i;
    if (count)
        fprintf(out, "no errors of %lld of %lld series (%s%s): %s no value in the last %lld row%s\n",
                (long long)count, (long long)f->count, plain_text(f->name[first], name, sizeof name),
                count > 1 ? ", ..." : "", count == 1 ? "it has" : "they have", (long long)f->steps,
                plural(f->steps));
}

/* Prints which intervals are missing in the file of --predict, and which intervals were not measured. */
static void print_unmeasured(const fast *f, FILE *out)
{
    char    name[PLAIN_TEXT];
    int64_t count = 0, first = 0;
    if (!f->levels) return;
    for (int64_t i = 0; i < f->count; i++)
        if (isnan(f->next.quantiles[i * f->steps * f->levels]) && !count++) first = i;
    if (count)
        fprintf(out,
                "no intervals or quantiles of %lld of %lld series (%s%s): %s one value, and none has 5\n",
                (long long)count, (long long)f->count, plain_text(f->name[first], name, sizeof name),
                count > 1 ? ", ..." : "", count == 1 ? "it has" : "they have");
    if (count < f->count && !f->r->test_windows)
        fputs("intervals and quantiles were not measured: no series is long enough for errors\n", out);
}

static void print_errors(const fast *f, FILE *out)
{
    if (f->measured < f->count && !f->r->o->backtest)
        fprintf(out, "no errors of %lld of %lld series: %s too short to forecast %lld row%s that %s known\n",
                (long long)(f->count - f->measured), (long long)f->count,
                f->count - f->measured == 1 ? "it is" : "they are", (long long)f->steps, plural(f->steps),
                f->steps == 1 ? "is" : "are");
    if (!f->r->o->backtest) print_empty(f, out);
    print_unmeasured(f, out);
    if (!f->r->test_windows) return;
    report_scores(f->r, out);
    if (f->r->o->backtest) report_backtest(f->r, out);
    report_certainty(f->r, out);
}

/* Names series with a longer step than the file. */
static void print_steps(const fast *f, FILE *out)
{
    char    name[PLAIN_TEXT], step[TIME_MAX];
    int64_t count = 0, first = 0;
    for (int64_t i = 0; i < f->count; i++)
        if (f->axis[i] != f->r->table && !count++) first = i;
    if (count && time_step(f->axis[first], step))
        fprintf(out,
                "%lld of %lld series ha%s rows further apart than the file (%s: %s); each is forecast in its "
                "own step and season\n",
                (long long)count, (long long)f->count, count == 1 ? "s" : "ve",
                plain_text(f->name[first], name, sizeof name), step);
}

/* Returns the sum of f->holes or f->late over all series. */
static int64_t sum(const fast *f, const int64_t *rows)
{
    int64_t all = 0;
    for (int64_t i = 0; i < f->count; i++) all += rows[i];
    return all;
}

/* Prints the missing rows inside of the series. */
static void print_holes(const fast *f, FILE *out)
{
    char    name[PLAIN_TEXT], place[PLACE_MAX];
    int64_t holes = sum(f, f->holes), count = 0, first = 0, row = 0;
    for (int64_t i = 0; i < f->count; i++)
        if (f->holes[i] && !count++) first = i;
    if (!holes) return;
    while (!isnan(f->values[first][row])) row++;
    fprintf(out,
            "%lld row%s of %lld series ha%s no value; straight lines between the neighbours fill %s (%s%s ",
            (long long)holes, plural(holes), (long long)count, holes == 1 ? "s" : "ve",
            holes == 1 ? "it" : "them", holes > 1 ? "the first of " : "",
            plain_text(f->name[first], name, sizeof name));
    fprintf(out, "%s)\n", plain_text(fast_place(f, first, row, place), name, sizeof name));
}

void fast_print_start(const fast *f, FILE *out)
{
    print_rows(f, out);
    report_rows(f->r, out);
    print_steps(f, out);
    print_holes(f, out);
    fflush(out);
}

void fast_print(const fast *f, FILE *out)
{
    enum { SHOWN = 6 };
    char   text[MEMBERS_TEXT];
    double mean[K];
    int    order[K];
    const int count = fast_find_members(f, mean, order);
    if (count == K - 1 && mean[order[0]] - mean[order[count - 1]] < 1e-9) /* all members except a trained
                                                                           * model */
        fputs("the forecast is the plain mean of all members: no rows are known that could weigh them\n",
              out);
    else
        fprintf(out, "the forecast is a weighted mean: %s%s\n", fast_members_text(f, SHOWN, text),
                f->r->o->backtest ? "; forecasts of the backtest have weights of their own, from the rows "
                                    "before each"
                                  : "");
    print_errors(f, out);
}

/* Number of values that are treated as missing. */
static int64_t count_left_out(const fast *f)
{
    int64_t count = 0;
    for (int64_t k = 0; k < f->count * FGT_LEFT_OUT; k++) count += f->left_out[k] >= 0;
    return count;
}

bool fast_print_json(const fast *f)
{
    json_t *members = fast_describe_members(f), *all = report_describe_errors(f->r);
    json_t *shifted = fast_describe_rows(f, f->shifted), *stuck = fast_describe_rows(f, f->stuck);
    json_t *own = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:I}", "dataset",
                            f->r->dataset, "model", "local", "columns", (json_int_t)f->count, "pred_len",
                            (json_int_t)f->steps, "holes", (json_int_t)sum(f, f->holes), "late",
                            (json_int_t)sum(f, f->late), "test_windows", (json_int_t)f->r->test_windows,
                            "measured_series", (json_int_t)f->measured, "values_left_out",
                            (json_int_t)count_left_out(f), "shifted", shifted, "stuck", stuck, "members",
                            members, "threads", (json_int_t)f->r->build.threads);
    if (!all || !own || json_object_update(all, own)) {
        json_decref(all);
        all = NULL;
    }
    json_decref(own);
    if (all && !report_set_settings(all, f->r)) {
        json_decref(all);
        all = NULL;
    }
    return json_out_print(all, stdout);
}
