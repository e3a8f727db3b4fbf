/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast.h"

/* ---- the table of options ---- */

static const char *const tokens[] = {
    [FGT_TOKENS_PATCH] = "patch", [FGT_TOKENS_TIME] = "time", [FGT_TOKENS_VARIATE] = "variate", NULL,
};
/* Losses of forecasts: the words, and in the same order the kinds. */
static const char *const losses[]     = {"mse", "mae", "smooth-l1", "huber", "quantile", NULL};
static const int32_t     loss_kinds[] = {FGT_LOSS_MSE, FGT_LOSS_L1, FGT_LOSS_SMOOTH_L1, FGT_LOSS_HUBER,
                                         FGT_LOSS_QUANTILE};
_Static_assert(sizeof losses / sizeof *losses == sizeof loss_kinds / sizeof *loss_kinds + 1, "a kind a word");
static const char *const gaps[] = {
    [FGT_MISSING_REFUSE] = "refuse", [FGT_MISSING_MASK] = "mask", [FGT_MISSING_FORWARD_FILL] = "fill", NULL,
};

/* Characters by the words of --delimiter; auto is 0. */
static const char *const delimiters[]     = {"auto", "comma", "semicolon", "tab", "bar", NULL};
static const char        delimiter_char[] = {0, ',', ';', '\t', '|'};
_Static_assert(sizeof delimiters / sizeof *delimiters == sizeof delimiter_char + 1, "a character a word");
static const char *const time_forms[] = {
    [FGT_TIME_AUTO] = "auto", [FGT_TIME_ISO] = "iso",   [FGT_TIME_DMY] = "dmy",
    [FGT_TIME_MDY] = "mdy",   [FGT_TIME_UNIX] = "unix", NULL,
};

int32_t delimiter_of(int64_t word)
{
    return delimiter_char[word];
}

const char *tokens_name(int64_t t)
{
    return tokens[t];
}

int32_t loss_kind(int64_t word)
{
    return loss_kinds[word];
}

/* Help texts that name blocks. */
static char model_help[BLOCK_HELP], tokens_help[BLOCK_HELP], hops_help[BLOCK_HELP], heads_help[BLOCK_HELP],
    ff_help[BLOCK_HELP], graph_help[BLOCK_HELP];

static void write_help(void)
{
    blocks_init();
    blocks_help_model(model_help);
    blocks_help_list(tokens_help,
                     "patch: pieces of one series (default); time: time steps, as in the paper; variate: "
                     "whole series, not for",
                     FGT_BLOCK_HAS_ORDER);
    blocks_help_option(hops_help, FGT_BLOCK_HAS_HOPS, "hops of every layer, or of each one; default: 3");
    blocks_help_option(heads_help, FGT_BLOCK_HAS_HEADS, "attention heads; default: 4");
    blocks_help_option(ff_help, FGT_BLOCK_HAS_FF,
                       "width of the feed-forward block; default: 4 times --dim");
    blocks_help_option(graph_help, FGT_BLOCK_HAS_GRAPH,
                       "CSV file of N lines with N weights, rows are normalised; default: correlations of "
                       "variates, a chain of other tokens");
}

static bool read_hops(const char *text, options *o)
{
    const char *p = text;
    for (o->hop_count = 0; o->hop_count < MAX_HOPS;) {
        char           *end;
        const long long n = strtoll(p, &end, 10);
        if (end == p || *p == ' ' || (*end && *end != ',') || n < 1 || n > 64)
            return complain(
                "--hops takes a number from 1 to 64, or one for each layer as in 3,2, not \"%s\"", text);
        o->hops[o->hop_count++] = n;
        if (!*end) return true;
        p = end + 1;
    }
    return complain("--hops takes at most %d numbers", MAX_HOPS);
}

static bool read_split(const char *text, options *o)
{
    fgt_split_opts *s    = &o->split;
    const bool      rows = !strncmp(text, "rows:", 5);
    double          v[3];
    char            rest;
    s->size = sizeof *s;
    s->kind = rows ? FGT_SPLIT_ROWS : FGT_SPLIT_RATIO;
    if (!strcmp(text, "etth") || !strcmp(text, "ettm")) {
        s->kind = text[3] == 'h' ? FGT_SPLIT_ETTH : FGT_SPLIT_ETTM;
        return true;
    }
    if (sscanf(rows ? text + 5 : text, "%lf,%lf,%lf%c", &v[0], &v[1], &v[2], &rest) != 3)
        return complain(
            "--split is \"%s\", must be etth, ettm, ratios such as 0.7,0.1,0.2 or rows:8640,2880,2880", text);
    for (int i = 0; i < 3; i++) {
        if (rows && (v[i] != floor(v[i]) || v[i] < 0 || v[i] > BIG))
            return complain("--split %s: numbers of rows are whole and not negative", text);
        if (rows)
            s->rows[i] = (int64_t)v[i];
        else
            s->ratio[i] = v[i];
    }
    return true;
}

static bool read_intervals(const char *text, options *o)
{
    const char *p = text;
    for (o->interval_count = 0; o->interval_count < MAX_INTERVALS;) {
        char        *end;
        const double level = strtod(p, &end);
        if (end == p || *p == ' ' || (*end && *end != ',') || !(level >= 1 && level <= 99.9)) break;
        o->interval[o->interval_count++] = level / 100;
        if (!*end) return true;
        p = end + 1;
    }
    return complain("--intervals takes up to %d numbers from 1 to 99.9 with commas between them, not \"%s\"",
                    MAX_INTERVALS, text);
}

typedef struct part {
    const char *word;
    int64_t     number;
} part;

/* Adds up the numbers of words with commas between them. */
static bool read_parts(const char *option, const char *text, const part *parts, size_t count, int64_t *sum)
{
    *sum = 0;
    for (const char *p = text;; p++) {
        const size_t n = strcspn(p, ",");
        size_t       i = 0;
        while (i < count && (strlen(parts[i].word) != n || strncmp(parts[i].word, p, n) != 0)) i++;
        if (i == count) {
            fprintf(stderr, "%s: --%s takes", program_name, option);
            for (i = 0; i < count; i++) fprintf(stderr, "%s %s", i ? "," : "", parts[i].word);
            fprintf(stderr, " (with commas between them), not \"%s\"\n", text);
            return false;
        }
        *sum |= parts[i].number;
        p += n;
        if (!*p) return true;
    }
}

static const part repairs[] = {{"order", FGT_REPAIR_ORDER}, {"repeats", FGT_REPAIR_REPEATS},
                               {"gaps", FGT_REPAIR_GAPS},   {"all", FGT_REPAIR_ALL},
                               {"ignore", -1}};
static const part calendars[] = {{"auto", FGT_CALENDAR_AUTO},   {"none", FGT_CALENDAR_NONE},
                                 {"day", FGT_CALENDAR_DAY},     {"week", FGT_CALENDAR_WEEK},
                                 {"month", FGT_CALENDAR_MONTH}, {"year", FGT_CALENDAR_YEAR}};

enum { HOPS = OWN, SPLIT, REPAIR, CALENDAR, INTERVALS };

static bool read_own(int kind, const char *text, void *base)
{
    options *o = base;
    switch (kind) {
    case HOPS: return read_hops(text, o);
    case SPLIT: return read_split(text, o);
    case INTERVALS: return read_intervals(text, o);
    case REPAIR: return read_parts("repair", text, repairs, sizeof repairs / sizeof *repairs, &o->repair);
    default:
        return read_parts("calendar", text, calendars, sizeof calendars / sizeof *calendars, &o->calendar) &&
               (o->calendar == FGT_CALENDAR_NONE || !(o->calendar & FGT_CALENDAR_NONE) ||
                complain("--calendar %s: none stands alone", text));
    }
}

#define AT(field) offsetof(options, field)

static const opt model_options[] = {
    {"data", TEXT, AT(data), 0, 0, 0, NULL, "FILE",
     "CSV file, may be gzip-compressed, with a column of times"},
    {"time", TEXT, AT(time), 0, 0, 0, NULL, "COL|none|auto",
     "the column of times; none: all columns are series; auto (default):\n"
     "the first column with times, or the first one if it is called so"},
    {"time-form", WORD, AT(time_form), 0, 0, 0, time_forms, "FORM",
     "auto (default), iso: 2016-07-31, dmy: 31/7/2016, mdy: 7/31/2016,\n"
     "unix: seconds since 1970"},
    {"repair", REPAIR, 0, 0, 0, 0, NULL, "HOW,...",
     "what may be done to rows whose times do not rise by equal steps:\n"
     "order (sort them), repeats (keep the last of a time), gaps (add\n"
     "rows of missing values), all; ignore: take the rows as they\n"
     "stand; default: refuse them"},
    {"delimiter", WORD, AT(delimiter), 0, 0, 0, delimiters, "WHAT",
     "between cells: comma, semicolon, tab, bar; auto (default)"},
    {"decimal-comma", FLAG, AT(decimal_comma), 0, 0, 0, NULL, NULL, "numbers are written 3,14"},
    {"columns", TEXT, AT(columns), 0, 0, 0, NULL, "A,B,...", "the columns to use, by name; default: all"},
    {"target", TEXT, AT(target), 0, 0, 0, NULL, "all|A,B,...",
     "forecast these columns from all; default: all that are not known\n"
     "or past"},
    {"known", TEXT, AT(known), 0, 0, 0, NULL, "A,B,...",
     "columns whose values are known in advance, as prices or holidays"},
    {"past", TEXT, AT(past), 0, 0, 0, NULL, "A,B,...",
     "columns that are looked at, but not forecast; default with\n"
     "--target: all others"},
    {"calendar", CALENDAR, 0, 0, 0, 0, NULL, "WHAT,...",
     "what the model knows of the time: day (the hour), week, month,\n"
     "year, none; auto (default): of day, week and year those that the\n"
     "training rows go through twice"},
    {"missing", WORD, AT(missing), 0, 0, 0, gaps, "HOW",
     "empty and NaN cells: refuse, mask out of loss and errors, or fill\n"
     "with the last value of the column; default: refuse"},
    {"missing-value", REAL, AT(missing_value), AT(has_missing_value), -INFINITY, INFINITY, NULL, "V",
     "a number that stands for a missing value, such as -9999"},
    {"split", SPLIT, 0, AT(has_split), 0, 0, NULL, "HOW",
     "etth, ettm, ratios as 0.7,0.1,0.2 (default) or\n"
     "rows:8640,2880,2880: training, validation, test"},
    {"input", COUNT, AT(input), 0, 1, BIG, NULL, "L", "rows of input; default: 96"},
    {"pred", COUNT, AT(pred), 0, 1, BIG, NULL, "H", "rows to forecast; default: 96"},
    {"intervals", INTERVALS, 0, 0, 0, 0, NULL, "80,95",
     "intervals that hold so many per cent of the values, from the\n"
     "errors of the last four weeks: measured on the test rows, and\n"
     "written with --predict as columns -lo-80 and -hi-80"},
    {"season", COUNT, AT(season), 0, 1, BIG, NULL, "ROWS",
     "of the seasonal-naive baseline; default: a day, a week or a year,\n"
     "whichever was best on the validation rows"},
    {"no-baselines", FLAG, AT(no_baselines), 0, 0, 0, NULL, NULL,
     "measure only the model, and do not train the linear baseline"},
    {"model", WORD, AT(block), AT(has_block), 0, 0, block_names, "NAME", model_help},
    {"tokens", WORD, AT(tokens), AT(has_tokens), 0, 0, tokens, "WHAT", tokens_help},
    {"hops", HOPS, 0, 0, 0, 0, NULL, "K|K,K,...", hops_help},
    {"heads", COUNT, AT(heads), 0, 1, BIG, NULL, "N", heads_help},
    {"ff", COUNT, AT(ff), 0, 1, BIG, NULL, "N", ff_help},
    {"dim", COUNT, AT(dim), 0, 1, BIG, NULL, "N",
     "width of a token, and of recurrent layers; default: 32"},
    {"layers", COUNT, AT(layers), 0, 1, MAX_HOPS, NULL, "N", "default: as many as --hops has numbers"},
    {"patch", COUNT, AT(patch), 0, 1, BIG, NULL, "ROWS", "in a patch; default: 24, or L"},
    {"stride", COUNT, AT(stride), 0, 1, BIG, NULL, "ROWS",
     "from one patch to the next; default: half a patch"},
    {"graph", TEXT, AT(graph), 0, 0, 0, NULL, "FILE", graph_help},
    {"revin", FLAG, AT(revin), 0, 0, 0, NULL, NULL, "reversible instance normalisation around the model"},
    {"dropout", REAL, AT(dropout), AT(has_dropout), 0, 0.95, NULL, "P", "in training; default: 0.2"},
    {"epochs", COUNT, AT(epochs), 0, 1, BIG, NULL, "N", "at most; default: 10"},
    {"patience", COUNT, AT(patience), 0, -1, BIG, NULL, "N",
     "stop after N epochs without progress; -1: never; default: 3"},
    {"batch", COUNT, AT(batch), 0, 1, BIG, NULL, "N", "windows in a step; default: 32"},
    {"lr", REAL, AT(lr), 0, 1e-12, 1e3, NULL, "F",
     "first learning rate, which falls to 0; default: 0.001"},
    {"loss", WORD, AT(loss), 0, 0, 0, losses, "NAME", "mse (default), mae, smooth-l1, huber or quantile"},
    {"quantile", REAL, AT(quantile), AT(has_quantile), 0.001, 0.999, NULL, "Q",
     "of --loss quantile: the share of values that shall lie below\n"
     "the forecast; default: 0.5"},
};

static const opt run_options[] = {
    {"seed", COUNT, AT(seed), AT(has_seed), 0, BIG, NULL, "N",
     "of first weights, dropout and order; default: 1"},
    {"threads", COUNT, AT(threads), 0, 1, 1024, NULL, "N",
     "results do not depend on it; default: one for each processor"},
    {"products", WORD, AT(products), 0, 0, 0, program_products, "WHAT",
     "auto (default) or blis: which loops may multiply matrices"},
    {"describe", FLAG, AT(describe), 0, 0, 0, NULL, NULL, "print a table of the model's layers"},
    {"save", TEXT, AT(save), 0, 0, 0, NULL, "FILE", "write the model, with scaler, windows and names"},
    {"load", TEXT, AT(load), 0, 0, 0, NULL, "FILE", "read such a model instead of training one"},
    {"predict", TEXT, AT(predict), 0, 0, 0, NULL, "FILE",
     "write the forecast after the last row with a target, as CSV"},
    {"future", TEXT, AT(future), 0, 0, 0, NULL, "FILE",
     "CSV file with the known columns of the rows to predict; without\n"
     "it they are in the rows of --data after the last target"},
    {"plot", TEXT, AT(plot), 0, 0, 0, NULL, "FILE", "draw some test windows, as .svg or .png"},
    {"json", FLAG, AT(json), 0, 0, 0, NULL, NULL,
     "print one JSON object; all other output goes to standard error"},
    {"help", FLAG, AT(help), 0, 0, 0, NULL, NULL, "print this"},
};

static const opt_group groups[] = {
    {model_options, sizeof model_options / sizeof *model_options, 0, read_own},
    {selection_options, SELECTION_OPTIONS, AT(selection), selection_read_own},
    {checkpoint_options, CHECKPOINT_OPTIONS, AT(checkpoint), NULL},
    {run_options, sizeof run_options / sizeof *run_options, 0, NULL},
};
#define GROUPS (sizeof groups / sizeof *groups)

void options_help(FILE *out)
{
    fputs("usage: forecast --data FILE.csv [options]\n"
          "Trains a forecaster on the series of a CSV file, measures it on all test windows beside three\n"
          "simple baselines, and saves, draws or uses it. The groups of --group-weights are calm, medium\n"
          "and lively windows: their standard deviation is below half of that of the training rows, below\n"
          "all of it, or above.\n\n",
          out);
    command_line_help(groups, GROUPS, out);
}

/* ---- the command line ---- */

/* Options that the chosen block does not take; with --load the file says which block it is. */
static bool check_model(const options *o)
{
    if (o->load) return true;
    if (o->graph && !blocks_check_option("graph", o->block, FGT_BLOCK_HAS_GRAPH)) return false;
    if (o->hop_count && !blocks_check_option("hops", o->block, FGT_BLOCK_HAS_HOPS)) return false;
    if (o->heads && !blocks_check_option("heads", o->block, FGT_BLOCK_HAS_HEADS)) return false;
    if (o->ff && !blocks_check_option("ff", o->block, FGT_BLOCK_HAS_FF)) return false;
    if (o->tokens == FGT_TOKENS_VARIATE && block_has(o->block, FGT_BLOCK_HAS_ORDER))
        return complain("--tokens variate: %s reads its tokens in order, and variates have none; use "
                        "patch or time",
                        block_names[o->block]);
    return true;
}

/* Commas with a name on both sides. */
static bool check_list(const char *option, const char *list)
{
    const size_t n = list ? strlen(list) : 1;
    if (!list || (list[0] != ',' && list[n - 1] != ',' && !strstr(list, ",,"))) return true;
    return complain("--%s %s: a name between two commas is empty", option, list);
}

static bool check_together(const options *o)
{
    const char *const outputs[] = {o->save, o->predict, o->plot, o->checkpoint.write};
    const int         count     = sizeof outputs / sizeof *outputs;
    if (!o->data) return complain("--data FILE.csv is missing; see --help");
    if (o->repair && o->time && !strcmp(o->time, "none"))
        return complain("--repair needs times, and --time none says that there are none");
    if (!check_list("columns", o->columns) || !check_list("target", o->target) ||
        !check_list("known", o->known) || !check_list("past", o->past) || !check_model(o))
        return false;
    if (o->future && !o->predict) return complain("--future %s is for --predict", o->future);
    if (o->has_quantile && loss_kind(o->loss) != FGT_LOSS_QUANTILE)
        return complain("--quantile is for --loss quantile, not %s", losses[o->loss]);
    for (int i = 0; i < count; i++) {
        if (!outputs[i]) continue;
        if (!output_check(outputs[i])) return false;
        for (int k = 0; k < i; k++)
            if (outputs[k] && !strcmp(outputs[k], outputs[i]))
                return complain("%s: two outputs have the same file", outputs[i]);
        if (!strcmp(outputs[i], o->data)) return complain("%s: the data would be overwritten", o->data);
    }
    return selection_check(&o->selection) && checkpoint_check(&o->checkpoint, !o->load) &&
           (!o->plot || plot_check(o->plot));
}

bool options_read(int argc, char **argv, options *o)
{
    *o = (options){.split = {.size = sizeof o->split}};
    write_help();
    if (!command_line_read(groups, GROUPS, argc, argv, o)) return false;
    if (o->help) return true;
    if (!o->has_seed) o->seed = 1;
    return check_together(o);
}
