/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether forecasts are made without training. */
#include <string.h>

#include <fighter/experimental/table_file.h>

#include "fast_choice.h"

#include "../common/program.h"

/* Options that have an effect without training. All other options are about training, or need a model. */
static const char *const of_fast[] = {"fast",      "data",          "long",         "time",
                                      "time-form", "zone",          "repair",       "round",
                                      "delimiter", "decimal-comma", "spreadsheet",  "skip",
                                      "no-header", "units",         "max-rows",     "decimal-point",
                                      "comment",   "columns",       "target",       "missing",
                                      "pred",      "missing-value", "season",       "keep-outliers",
                                      "quantiles", "intervals",     "seed",         "threads",
                                      "predict",   "products",      "non-negative", "escape-formulas",
                                      "json",      "forecasts",     "horizon",      "backtest",
                                      "every",     "plot",          "plot-series",  "report",
                                      NULL};

bool fast_takes(const char *option)
{
    for (int k = 0; of_fast[k]; k++)
        if (!strcmp(option, of_fast[k])) return true;
    return false;
}

const char *fast_blocked_by(void)
{
    return command_line_given_other(of_fast, NULL);
}

bool fast_beside(void)
{
    static const char *const data[] = {"past", "known", "future", "holidays", "static", NULL};
    return !command_line_given_other(of_fast, data);
}

bool fast_check(const options *o)
{
    const char *other = fast_blocked_by();
    return !o->fast || !other ||
           complain("--fast forecasts without training a model, and --%s is for a model; leave out one of "
                    "them",
                    other);
}

bool fast_may(const options *o)
{
    return !fast_blocked_by() && fgt_file_get_kind(o->data) != FGT_FILE_KIND_TABLE;
}

/* Whether nothing is trained by default: for a long file, which usually has many short series, and for a
 * table of few rows. A model has too little data there to learn from. */
static bool is_default(const run *r)
{
    enum { FEW = 500 }; /* a model trained on fewer rows is less accurate (docs/results/panels.md) */
    return fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0) || fgt_table_count_rows(r->table) < FEW;
}

bool fast_wanted(const run *r)
{
    return fast_may(r->o) && (r->o->fast || is_default(r));
}

void fast_say_why_not(const run *r, FILE *out)
{
    if (r->o->save && is_default(r) && !command_line_has("model"))
        fputs("a model is trained, because --save is for one; without it each series is forecast by itself, "
              "see --help fast\n",
              out);
}
