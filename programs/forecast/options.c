/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "options.h"

#include "../common/journal.h"
#include "../common/loaded.h"

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

static const char *const first[] = {"data",      "target",  "known", "pred",
                                    "intervals", "predict", "save",  "load", NULL};

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

/* ---- the command line ---- */

/* Options that the file of --load determines, and options that only a training needs. Other options that the
 * file determines, such as --model, may be given if they are the same. */
/* clang-format off */
static const char *const of_model[] = {"columns", "target", "known", "past", "calendar", "hops", "graph",
                                       "auto", "budget", "budget-epochs", "members", "pretrain-masked",
                                       "mask-share", "probe"};
/* clang-format on */
static const char *const of_training[] = {"shards"};

static bool check_load(const options *o)
{
    static const char *const may_repeat[] = {"model", "tokens", "input", "pred", "non-negative", NULL};
    const char              *model[LIBRARY_MOST + sizeof of_model / sizeof *of_model];
    const char              *training[LIBRARY_MOST + sizeof of_training / sizeof *of_training];
    memcpy(model, of_model, sizeof of_model);
    memcpy(training, of_training, sizeof of_training);
    library_names(fgt_forecaster_get_option, may_repeat, model, sizeof of_model / sizeof *of_model);
    library_names(fgt_forecaster_get_fit_option, may_repeat, training,
                  sizeof of_training / sizeof *of_training);
    return loaded_check(o->load, o->update || o->adapter.adapt, model, training);
}

/* With --predict-all the program only forecasts. */
static bool check_predict_all(const options *o)
{
    if (!o->load) return complain("--predict-all is for a model of --load FILE");
    if (o->cluster.mpi) return complain("--predict-all is for one process, without --mpi");
    return !(o->predict || o->save || o->forecasts || o->plot || o->report || o->update || o->backtest ||
             o->convert || o->horizon || o->interval_count || o->features || o->season || o->has_split ||
             o->describe) ||
           complain("--predict-all stands beside --load, --data and --every, and writes no other file; "
                    "--intervals, --static, --season, --split and --describe are not for it");
}

/* An update uses all new windows, and trains layers and linear map together. */
static bool check_update(const options *o)
{
    const char *given = loaded_given_selection();
    if (!given) given = command_line_given((const char *const[]){"apart", NULL});
    if (given)
        return complain("--update neither chooses samples nor trains apart, so --%s is not for it", given);
    return o->save || o->predict || o->plot || o->report || o->checkpoint.write ||
           complain("--update trains the model of %s further, and nothing keeps or uses the result; add "
                    "--save FILE or --predict FILE.csv",
                    o->load);
}

/* An adapter is trained in the same way as a model, on the training rows of --data. */
static bool check_adapters(const options *o)
{
    if (o->adapter.adapt && (o->update || o->backtest || o->predict_all || o->report))
        return complain("--adapt trains an adapter; --update, --backtest, --predict-all and --report are for "
                        "a model that is there, with --adapter FOLDER");
    if (o->adapter.use && o->update)
        return complain("--update goes on with the model itself, and --adapter leaves it as it is");
    return adapter_check(&o->adapter, o->load, o->data, "data FILE");
}

#define LENGTH(list) (int64_t)(sizeof(list) / sizeof *(list))

/* A model may replace the file of --load, and a checkpoint the file of --resume or --moments. */
static bool check_files(const options *o)
{
    const char *const outputs[] = {o->save,      o->predict,          o->plot,   o->convert, o->predict_all,
                                   o->forecasts, o->checkpoint.write, o->report};
    const char *const inputs[]  = {o->future, o->holidays, o->features,
                                   options_learn_graph(o) ? NULL : o->graph};
    const char *const trained[] = {o->checkpoint.resume, o->moments};
    if (!outputs_check(outputs, LENGTH(outputs), inputs, LENGTH(inputs))) return false;
    if (!journal_spares(o->predict_all, o->files, o->file_count) ||
        !journal_spares(o->predict_all, inputs, LENGTH(inputs)) ||
        !journal_spares(o->predict_all, &o->load, 1))
        return false;
    return outputs_spare(outputs, LENGTH(outputs), NULL, o->files, o->file_count) &&
           outputs_spare(outputs, LENGTH(outputs), o->save, &o->load, 1) &&
           outputs_spare(outputs, LENGTH(outputs), o->checkpoint.write, trained, LENGTH(trained));
}

bool options_given(const char *name)
{
    return command_line_given((const char *const[]){name, NULL});
}

bool options_check_horizon(const options *o)
{
    if (o->horizon && o->interval_count)
        return complain("--intervals come from errors of forecasts of --pred rows, and forecasts of "
                        "--horizon rows have none; %s--pred %lld %s",
                        o->load ? "a model that is trained with " : "", (long long)o->horizon,
                        o->load ? "has them, and so has --fast without --load"
                                : "in place of --horizon has them");
    return !o->horizon || !o->plot ||
           complain("--plot draws forecasts of --pred rows, not of --horizon rows");
}

static bool check_together(const options *o)
{
    if (!fast_check(o) || !options_check_data(o)) return false;
    if (o->load && !check_load(o)) return false;
    if (!options_check_model(o) || !options_check_measure(o)) return false;
    if (o->plot_series && !o->plot) return complain("--plot-series %s is for --plot", o->plot_series);
    if (o->update && (!o->load || o->backtest))
        return complain("--update is for a model of --load FILE, and not for --backtest");
    if (o->update && !check_update(o)) return false;
    if (!check_adapters(o)) return false;
    if (o->holdout && (o->load || !(o->predict || o->save)))
        return complain("--holdout is for a model that is trained for --predict or --save");
    if (o->moments && !o->update) return complain("--moments %s is for --update", o->moments);
    if (o->horizon && !o->predict) return complain("--horizon %lld is for --predict", (long long)o->horizon);
    if (!fast_may(o) && !options_check_horizon(o)) return false;
    if (o->predict_all && !check_predict_all(o)) return false;
    if (o->future && !o->predict) return complain("--future %s is for --predict", o->future);
    if (o->future && !o->load && !o->known && !o->plot)
        return complain("--future %s has the columns of --known, and none is given", o->future);
    if (!check_files(o)) return false;
    if (o->automatic && o->cluster.mpi)
        return complain("--auto tries models in one process; --mpi is for one model");
    if (!cluster_check(&o->cluster)) return false;
    return selection_check(&o->selection, o->pretrain) &&
           checkpoint_check(&o->checkpoint, !o->load || o->update || o->adapter.adapt) &&
           (!o->plot || plot_check(o->plot)) && (!o->report || output_check_page(o->report));
}

/* Clears the output files of this process, because only the first process writes. */
static void leave_files(options *o)
{
    o->save = o->predict = o->plot = o->plot_series = o->forecasts = o->report = o->checkpoint.write = NULL;
    o->future = NULL;
    o->horizon = 0;
}

bool options_read(int argc, char **argv, options *o)
{
    *o = (options){.split = {.size = sizeof o->split}};
    if (!command_line_read(options_command(), argc, argv, o)) return false;
    if (o->help || o->version) return true;
    if (!o->has_seed) o->seed = 1;
    if (!o->members) o->members = 1;
    options_set_space(o);
    if (!check_together(o)) return false;
    o->predicts = o->predict;
    o->refits   = (o->predict || o->save) && !o->load && !o->holdout;
    output_escape_formulas(o->escape_formulas);
    output_decimal_comma(o->decimal_comma);
    if (!cluster_leads()) leave_files(o);
    return true;
}
