/* SPDX-License-Identifier: BSD-3-Clause */
/* Options about measuring. */
#include <stdlib.h>
#include <string.h>

#include "options_measure.h"
#include "options_model.h"

#include "../common/program.h"

/* The library keeps at most 1008 errors, which are enough for 99.8 %. */
static bool read_intervals(int kind, const char *text, void *base)
{
    options    *o = base;
    const char *p = text;
    (void)kind;
    for (o->interval_count = 0; o->interval_count < MAX_INTERVALS;) {
        char        *end;
        const double level = strtod(p, &end);
        if (end == p || *p == ' ' || (*end && *end != ',') || !(level >= 1 && level <= 99.8)) break;
        for (int64_t k = 0; k < o->interval_count; k++)
            if (o->interval[k] == level / 100) return complain("--intervals names %g twice", level);
        o->interval[o->interval_count++] = level / 100;
        if (!*end) return true;
        p = end + 1;
    }
    const double share = strtod(text, NULL);
    char         meant[64] = "";
    if (share > 0 && share < 1) snprintf(meant, sizeof meant, "; did you mean %g, in per cent?", 100 * share);
    return complain("--intervals takes up to %d numbers from 1 to 99.8 with commas between them, not "
                    "\"%s\"%s",
                    MAX_INTERVALS, text, meant);
}

enum { INTERVALS = OWN };

static const char *const modes[] = {[BACKTEST_REFIT] = "refit", [BACKTEST_KEEP] = "keep",
                                     [BACKTEST_UPDATE] = "update", NULL};

const char *backtest_mode(int64_t mode)
{
    return modes[mode];
}

bool options_check_measure(const options *o)
{
    if (!o->backtest && o->mode) return complain("--mode is for --backtest");
    if (!o->backtest && !o->predict_all && o->every)
        return complain("--every is for --backtest and --predict-all");
    if (!o->backtest) return true;
    if (o->load && o->mode != BACKTEST_KEEP)
        return complain("--load %s: a loaded model is not trained, so --backtest needs --mode keep", o->load);
    if (o->mode == BACKTEST_UPDATE && o->model.block.kind == FGT_BLOCK_LINEAR && !o->model.output.no_linear &&
        !options_counts(o) && !o->quantile_count && !o->model.inputs.mask)
        return complain("--mode update: --model linear is a map in closed form, which has nothing to train; "
                        "use refit");
    if (o->checkpoint.write || o->checkpoint.resume)
        return complain("--backtest trains several models, so --checkpoint and --resume are not for it");
    return true;
}

static const opt rows[] = {
    {"intervals", INTERVALS, 0, 0, 0, 0, NULL, "80,95",
     "intervals that hold so many per cent of the values, from the\n"
     "errors of the last four weeks: measured on the test rows or from\n"
     "the origins of --backtest, written with --predict as columns\n"
     "-lo-80 and -hi-80, with --forecasts as lo-80 and hi-80"},
    {"backtest", COUNT, AT(backtest), 0, 1, BIG, NULL, "N",
     "forecast from N origins at the end of the data instead of the\n"
     "test rows, each with a model trained on the rows before it;\n"
     "without training from N origins at the end of each series"},
    {"every", COUNT, AT(every), 0, 1, BIG, NULL, "ROWS",
     "from one origin of --backtest or --predict-all to the next; default\n"
     "for --backtest: --pred"},
    {"mode", WORD, AT(mode), 0, 0, 0, modes, "WHEN",
     "refit (default): before each origin of --backtest a new model is\n"
     "trained; keep: one before the first origin; update: that one goes\n"
     "on with the rows up to each further origin"},
    {"season", COUNT, AT(season), 0, 1, BIG, NULL, "ROWS",
     "of the seasonal-naive baseline; default: a day, a week or a year,\n"
     "whichever was best on the validation rows"},
    {"no-baselines", FLAG, AT(no_baselines), 0, 0, 0, NULL, NULL,
     "measure only the model, and do not train the linear baseline"},
};

const opt_group options_measure = {rows, sizeof rows / sizeof *rows, 0, read_intervals,
                                   "Errors, intervals and backtests", "measuring"};
