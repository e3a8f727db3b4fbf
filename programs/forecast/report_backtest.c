/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints errors for each origin of --backtest. */
#include <math.h>

#include "options_measure.h"
#include "report_backtest.h"
#include "report_scores.h"
#include "times.h"

#include "../common/program.h"

void report_backtest_start(const run *r, int64_t every, FILE *out)
{
    char          text[TIME_MAX];
    const int64_t count = r->o->backtest;
    fprintf(out, "%lld forecast%s, %lld row%s apart, the first from %s", (long long)count, plural(count),
            (long long)every, plural(every), row_label(r->table, r->origins[0].row, text));
    fprintf(out, ", the last from %s; ", row_label(r->table, r->origins[count - 1].row, text));
    if (r->o->load)
        fprintf(out, "the model comes from %s\n", r->o->load);
    else if (!r->forecaster)
        fprintf(out, "%seach from the rows before it\n",
                fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0) ? "from the end of each series; " : "");
    else
        fprintf(out, "a model is %s before %s\n", r->o->automatic ? "searched for" : "trained",
                r->o->mode == BACKTEST_REFIT    ? "each of them"
                : r->o->mode == BACKTEST_UPDATE ? "the first, and goes on before each other"
                                                : "the first");
    fflush(out);
}

/* MASE, or MAE if no series has a MASE. */
static double error_of(const run *r, const errors *e)
{
    return isnan(r->test.mase) ? e->mae : e->mase;
}

/* Prints how many series are forecast from the first and from the last origin: without training, short series
 * have fewer origins. */
static void report_short(const run *r, FILE *out)
{
    const int64_t all = r->info.columns, first = r->origins[0].series;
    if (!r->forecaster && first < all)
        fprintf(out,
                "from the first origin %lld of %lld series are forecast, from the last %lld; others are too "
                "short\n",
                (long long)first, (long long)all, (long long)r->origins[r->test_windows - 1].series);
}

void report_backtest(const run *r, FILE *out)
{
    char season[64];
    snprintf(season, sizeof season, "%lld row%s ago", (long long)r->season, plural(r->season));
    fprintf(out, "by origin: %s of the %s and of the baselines\n", isnan(r->test.mase) ? "MAE" : "MASE",
            r->forecaster ? "model" : "forecast");
    fprintf(out, "  %-28s %8.8s %14.14s %14.14s\n", "", run_model_name(r), r->season ? season : "",
            "last value");
    for (int64_t i = 0; i < r->test_windows; i++) {
        const origin *o = &r->origins[i];
        char          text[TIME_MAX];
        fprintf(out, "  %-28s", row_label(r->table, o->row, text));
        report_cell(out, 8, error_of(r, &o->model), 3);
        report_cell(out, 14, r->season ? error_of(r, &o->seasonal) : NAN, 3);
        report_cell(out, 14, error_of(r, &o->naive), 3);
        fputc('\n', out);
    }
    report_short(r, out);
}

static json_t *pack_origin(const run *r, const origin *o)
{
    char    text[TIME_MAX];
    json_t *j =
        json_pack("{s:o, s:I, s:I, s:f}", "time", json_out_text(row_label(r->table, o->row, text)), "row",
                  (json_int_t)o->row, "train_rows", (json_int_t)o->train_rows, "train_seconds", o->seconds);
    const bool good = j && (r->forecaster || !json_object_set_new(j, "series", json_integer(o->series))) &&
                      report_set_errors(j, "model", &o->model) &&
                      report_set_errors(j, "naive", &o->naive) &&
                      (!r->season || report_set_errors(j, "seasonal", &o->seasonal));
    if (good) return j;
    json_decref(j);
    return NULL;
}

bool report_set_backtest(json_t *object, const run *r)
{
    json_t *list = json_array();
    bool    good = list != NULL;
    for (int64_t i = 0; good && i < r->test_windows; i++)
        good = !json_array_append_new(list, pack_origin(r, &r->origins[i]));
    return !json_object_set_new(
               object, "backtest",
               json_pack("{s:s, s:o}", "mode", backtest_mode(r->o->mode), "origins", list)) &&
           good;
}
