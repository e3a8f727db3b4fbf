/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the program, and its help. */
#include <string.h>

#include "options_data.h"
#include "options_measure.h"
#include "options_model.h"

#include "../common/adapter.h"
#include "../common/checkpoint.h"
#include "../common/cluster.h"
#include "../common/option.h"
#include "../common/output.h"
#include "../common/program.h"
#include "../common/selection.h"

static const opt rows[] = {
    {"seed", COUNT, AT(seed), AT(has_seed), 0, BIG, NULL, "N",
     "of first weights, dropout and order; default: 1"},
    {"threads", COUNT, AT(threads), 0, 1, 1024, NULL, "N",
     "results do not depend on it; default: one for each processor that it may use"},
    {"products", WORD, AT(products), 0, 0, 0, program_products, "WHAT",
     "auto (default) or blis: which loops may multiply matrices"},
    {"exact", FLAG, AT(exact), 0, 0, 0, NULL, NULL,
     "forecast with the bits of the model's own passes, which is slower;\n"
     "by default products of weights are computed once for all"},
    {"precision", WORD, AT(precision), 0, 0, 0, program_precisions, "WHAT",
     "f32 (default) or bf16: in large products training multiplies\n"
     "numbers that are rounded to 16 bits; sums keep 32 bits, and results\n"
     "differ"},
    {"describe", FLAG, AT(describe), 0, 0, 0, NULL, NULL, "print a table of the model's layers"},
    {"save", TEXT, AT(save), 0, 0, 0, NULL, "FILE", "write the model, with scaler, windows and names"},
    {"load", TEXT, AT(load), 0, 0, 0, NULL, "FILE",
     "read such a model instead of training one; it says itself what it\n"
     "is, so options such as --target and --dim are refused"},
    {"holdout", FLAG, AT(holdout), 0, 0, 0, NULL, NULL,
     "leave the model of --save and --predict as it was measured: it knows\n"
     "only the training rows. By default it is fitted again to all rows,\n"
     "after its errors were measured"},
    {"update", FLAG, AT(update), 0, 0, 0, NULL, NULL,
     "go on training the model of --load with the rows of --data that\n"
     "are newer than those it was trained on, after measuring it; 3\n"
     "epochs with --lr 2e-4 by default. --save writes the result"},
    {"moments", TEXT, AT(moments), 0, 0, 0, NULL, "FILE",
     "let --update go on with the optimiser of this checkpoint, which the\n"
     "training of the model wrote, or its last update; without it the\n"
     "optimiser begins anew"},
    {"predict", TEXT, AT(predict), 0, 0, 0, NULL, "FILE",
     "write the forecast after the last row with a target, as CSV. A model\n"
     "that no option describes is weighed against local forecasters"},
    {"predict-all", TEXT, AT(predict_all), 0, 0, 0, NULL, "FILE",
     "with --load: write the forecast after the last row of each file of\n"
     "--data, in their order, as CSV; each file is a table of its own.\n"
     "With --every from rows of it that lie so far apart. A run that was\n"
     "interrupted goes on where it was"},
    {"horizon", COUNT, AT(horizon), 0, 1, BIG, NULL, "N",
     "number of rows that --predict writes; default: as many as --pred.\n"
     "A model forecasts further rows from its own forecasts, which adds\n"
     "up the errors; without training this is the same as --pred"},
    {"future", TEXT, AT(future), 0, 0, 0, NULL, "FILE",
     "CSV file with the known columns of the rows to predict; without\n"
     "it they are in the rows of --data after the last target"},
    {"forecasts", TEXT, AT(forecasts), 0, 0, 0, NULL, "FILE",
     "write every forecast of the test rows, without training of the\n"
     "last rows or from each --backtest origin, as CSV: series, origin\n"
     "(the last row before it), step, time, forecast, truth, the\n"
     "quantiles that the model has, and the ends of --intervals"},
    {"plot", TEXT, AT(plot), 0, 0, 0, NULL, "FILE",
     "draw some test windows, errors by step and losses by epoch, with\n"
     "--predict also what follows the data; without training the last\n"
     "rows and what follows; as .svg or .png"},
    {"plot-series", TEXT, AT(plot_series), 0, 0, 0, NULL, "all|A,B,...",
     "the targets that --plot draws; default: up to three"},
    {"report", TEXT, AT(report), 0, 0, 0, NULL, "FILE.html",
     "write a page that shows what the model sees: the forecast of the\n"
     "last test window, or of what follows the data, the attention that\n"
     "led to it, by epoch, the losses, and which hops and tokens count in\n"
     "Fighter layers; without training the last rows, what follows, and\n"
     "the weights of the members"},
    {"escape-formulas", FLAG, AT(escape_formulas), 0, 0, 0, NULL, NULL, ESCAPE_FORMULAS_HELP},
    {"json", FLAG, AT(json), 0, 0, 0, NULL, NULL,
     "print one JSON object; all other output goes to standard error"},
    {"help", MAYBE, AT(topic), AT(help), 0, 0, NULL, "TOPIC",
     "print how to begin and the topics; the options of a topic; what\n"
     "an option does; or, with all, everything"},
    {"version", FLAG, AT(version), 0, 0, 0, NULL, NULL, "print the version, and which kernels run"},
};

static const char *const first[] = {"data",    "target", "known", "pred", "intervals",
                                    "predict", "save",   "load",  NULL};

static const char by_data[] =
    "a column for each series\t--data FILE.csv\n"
    "a row for each series and time\t--long ID,TIME,VALUE\n"
    "columns known in advance (price, holiday)\t--known price,holiday\n"
    "and their coming values in another file\t--future FILE.csv\n"
    "sales, counts and others never below 0\t--non-negative\n"
    "empty cells\t--missing mask, or --missing fill, or --missing zero\n"
    "rows that are missing or repeated\t--repair gaps,repeats\n"
    "days written 31/7/2016 or 7/31/2016\t--time-form dmy, or --time-form mdy\n"
    "numbers written 3,14\t--decimal-comma\n"
    "rows without times\t--time none\n"
    "more rows than the memory holds\t--convert FILE.fgt, then --data FILE.fgt\n"
    "many files for one saved model\t--load FILE --data A --data B --predict-all P.csv\n";

const command *options_command(void)
{
    static opt_group groups[8];
    static command   c = {
          "fighter-forecast",
          "forecast time series",
          "--data FILE.csv [options]\n"
            "--load FILE --data FILE.csv --predict FILE.csv [options]\n"
            "--load FILE --data FILE.csv --predict-all FILE.csv [options]\n"
            "--load FILE --data FILE.csv --adapt FOLDER [options]\n"
            "--data FILE.csv --convert FILE.fgt [options]",
          "Trains a forecaster on the series of a CSV file, measures it on all test windows beside three\n"
            "simple baselines, and saves, draws or uses it.",
          "The groups of --group-weights are calm, medium and lively windows: their standard deviation is\n"
            "below half of the training rows' standard deviation, below all of it, or above.",
          "fighter-forecast --data sales.csv --target sales --known price,holiday --save sales.safetensors\n"
            "fighter-forecast --load sales.safetensors --data sales.csv --future next_week.csv "
            "--intervals 80,95 --predict next.csv",
          by_data,
          first,
          groups,
          sizeof groups / sizeof *groups,
          false,
    };
    const opt_group all[] = {
        options_data,
        options_model(),
        {selection_options, SELECTION_OPTIONS, AT(selection), selection_read_own, "Choosing samples",
         "samples"},
        {adapter_options, ADAPTER_OPTIONS, AT(adapter), NULL, "Adapters (LoRA)", "adapters"},
        {checkpoint_options, CHECKPOINT_OPTIONS, AT(checkpoint), NULL, "Interrupting and resuming",
         "resuming"},
        {cluster_options, CLUSTER_OPTIONS, AT(cluster), NULL, "Several processes", "processes"},
        options_measure,
        {rows, sizeof rows / sizeof *rows, 0, NULL, "Running, files of models and forecasts", "output"},
    };
    _Static_assert(sizeof all == sizeof groups, "a place for each group");
    memcpy(groups, all, sizeof all);
    return &c;
}
