/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the command line, and checks that its options can be combined. */
#include <string.h>

#include "fast_choice.h"
#include "options_data.h"
#include "options_measure.h"
#include "options_model.h"
#include "options_read.h"
#include "plot.h"

#include "../common/journal.h"
#include "../common/loaded.h"
#include "../common/output.h"
#include "../common/program.h"

/* Options that the file of --load determines, and options that only a training needs. Other options that the
 * file determines, such as --model, may be given if they are the same. */
/* clang-format off */
static const char *const of_model[] = {"columns", "target", "known", "past", "calendar", "hops", "graph",
                                       "auto", "budget", "budget-epochs", "members", "pretrain-masked",
                                       "mask-share", "probe"};
/* clang-format on */
static const char *const of_training[] = {"seed", "precision", "shards"};

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
    const char *const outputs[] = {o->save,      o->predict,          o->plot,  o->convert, o->predict_all,
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

bool options_check_horizon(const options *o)
{
    const char *what = o->interval_count ? "intervals" : o->quantile_count ? "quantiles" : NULL;
    if (o->horizon && what)
        return complain("--%s are found for forecasts of --pred rows, and forecasts of --horizon rows have "
                        "none; %s--pred %lld %s%s",
                        what, o->load ? "a model that is trained with " : "", (long long)o->horizon,
                        o->load ? "has them" : "in place of --horizon has them",
                        o->load && o->interval_count ? ", and so has --fast without --load" : "");
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

    o->future  = NULL;
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
