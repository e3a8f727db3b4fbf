/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the command line, and checks that its options can be combined. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "options_read.h"
#include "pictures.h"

#include "../common/blocks.h"
#include "../common/journal.h"
#include "../common/loaded.h"
#include "../common/ntk_track.h"
#include "../common/output.h"
#include "../common/program.h"

/* of_model lists options that the file of --load determines, of_training options that only a training needs.
 * --model is in neither list: it may be given if it names the loaded model. */
static const char *const of_model[] = {
    "ngrams",     "buckets", "prefix", "punctuation", "letters", "pretrain-masked", "pretrain-texts",
    "mask-share", "members", "batch",  "pretrained",  "probe",   "patch",           "whole"};
static const char *const of_training[] = {"seed", "precision", "validation", "channels", "shards"};

static bool check_load(const options *o)
{
    static const char *const may_repeat[] = {"model", NULL};
    static const char *const may_be[]     = {"batch", "shift", "flip", NULL};
    const char              *model[LIBRARY_MOST + sizeof of_model / sizeof *of_model];
    const char              *training[LIBRARY_MOST + sizeof of_training / sizeof *of_training];
    memcpy(model, of_model, sizeof of_model);
    memcpy(training, of_training, sizeof of_training);
    library_names(fgt_classifier_get_option, may_repeat, model, sizeof of_model / sizeof *of_model);
    library_names(fgt_classifier_get_fit_option, may_be, training, sizeof of_training / sizeof *of_training);
    return loaded_check(o->load, o->adapter.adapt, model, training);
}

/* Checks that --data is given only with another option that uses it. */
static bool check_data(const options *o)
{
    if (o->convert &&
        (o->train || o->images || o->test || o->load || o->save || o->predict || o->report || o->predict_all))
        return complain("--convert takes --data, and neither trains nor predicts");
    if (o->convert && o->cluster.mpi) return complain("--convert is for one process, without --mpi");
    if (o->predict_all && (!o->load || o->test || o->test_images || o->predict || o->report))
        return complain("--predict-all takes --load and --data, and no --test, --predict or --report");
    if (o->predict_all && o->cluster.mpi) return complain("--predict-all is for one process, without --mpi");
    if ((o->convert || o->predict_all) && !o->file_count) return complain("--data FILE is missing");
    return !o->file_count || o->convert || o->predict_all ||
           complain("--data is for --convert and --predict-all; --train takes texts to learn from");
}

static bool check_adapters(const options *o)
{
    if (o->adapter.adapt && o->members > 1)
        return complain("--adapt: is for one model (got --members %lld, need 1)", (long long)o->members);
    return o->images ? adapter_check(&o->adapter, o->load, o->images, "images PATH")
                     : adapter_check(&o->adapter, o->load, o->train, "train FILE");
}

static bool check_masked(const options *o)
{
    if (o->images && (o->more_texts || o->mask_share > 0))
        return complain("--pretrain-texts and --mask-share are for texts");
    if (o->masked && selection_pretrains(&o->selection) && selection_needs_groups(&o->selection) &&
        (o->labelled || o->more_texts))
        return complain("--attent-in: groups are classes, at which pre-training with --labelled or "
                        "--pretrain-texts does not look; choose by losses");
    if (!o->masked) return !(o->mask_share > 0) || complain("--mask-share is for --pretrain-masked");
    if (o->images) return true;
    if (o->ngrams > 1 || o->prefix || o->letters)
        return complain("--pretrain-masked hides words, and ids of n-grams, prefixes and letters would tell "
                        "them; it needs --ngrams 1, no --prefix and no --letters");
    return (block_has(o->model.block.kind, FGT_BLOCK_TRAIT_TOKENS) && o->model.block.kind != FGT_BLOCK_MLP) ||
           complain("--pretrain-masked: with --model %s no word sees the others, from which it could be "
                    "found out",
                    block_names[o->model.block.kind]);
}

/* Options for reading texts, and options for models of texts. */
static const char *const of_texts[] = {"text",         "label",   "label-kind",  "header",     "delimiter",
                                       "no-quotes",    "format",  "skip",        "comment",    "resident",
                                       "ngrams",       "buckets", "prefix",      "max-tokens", "init",
                                       "pretrain",     "letters", "punctuation", "diag-mask",  "diag-penalty",
                                       "diag-dropout", NULL};

static const char *const for_images[] = {"labels", "split", "pretrained", "probe", "labelled",
                                         "flip",   "shift", "patch",      "whole", NULL};

/* Refuses options about a set of images if this set is not given. */
static bool check_images(options *o)
{
    const char *given = o->images || o->test_images ? command_line_given(of_texts) : NULL;
    if (given) return complain("--%s is for texts, not for --%simages", given, o->images ? "" : "test-");
    if ((o->resize || o->channels || o->background) &&
        (o->train || o->test || !(o->images || o->test_images || o->predict)))
        return complain("--resize, --channels and --background are for images");
    if (o->images && o->train) return complain("--train and --images cannot both be given");
    if (o->images && o->test) return complain("--test is for texts; --test-images or --split is for images");
    given = o->images ? NULL : command_line_given(for_images);
    if (given) return complain("--%s is for images, and needs --images PATH", given);
    if (!o->test_images && o->test_labels) return complain("--test-labels needs --test-images PATH");
    if (o->split > 0 && o->test_images) return complain("--split and --test-images cannot both be given");
    if (o->channels == 2) return complain("--channels is 2, must be 1 or 3");
    if (o->probe && !o->pretrained && !o->masked)
        return complain("--probe needs a trained encoder: --pretrained FILE or --pretrain-masked N");
    if (o->pretrained &&
        (command_line_has("model") || o->model.dim || o->model.block.layers || o->model.block.heads ||
         o->model.block.hops || o->patch || o->model.block.act || o->whole))
        return complain("--pretrained %s says what the encoder is; --model, --dim, --layers, --heads, "
                        "--hops, --patch, --act and --whole cannot be given",
                        o->pretrained);
    return pictures_read_size(o);
}

/* Refuses options that cannot be used for a model of images. */
static bool check_image_model(const options *o)
{
    if (o->model.block.kind != FGT_BLOCK_TRANSFORMER && o->model.block.kind != FGT_BLOCK_FIGHTER)
        return complain("--model %s is for texts; models of images are transformer and fighter",
                        block_names[o->model.block.kind]);
    if (o->model.block.hops && o->model.block.kind != FGT_BLOCK_FIGHTER)
        return complain("--hops is for --model fighter");
    if (o->whole && o->model.block.kind != FGT_BLOCK_FIGHTER)
        return complain("--whole is for --model fighter");
    if (o->model.block.act && !o->whole) return complain("--act of images is for --model fighter --whole");
    if (o->report) return complain("--report is for texts");
    if (!pictures_check_predict(o)) return false;
    if (o->ntk_plot && o->pretrained)
        return complain("--ntk-plot looks at images as the training does, but --pretrained has seen others");
    return !o->ntk_plot || ntk_plot_check(o->ntk_plot);
}

#define LENGTH(list) (int64_t)(sizeof(list) / sizeof *(list))

/* Checks the checkpoints of the further members against the other files. The last entry of `outputs` is free,
 * and holds the checkpoint of one member at a time. This checkpoint may replace the file from which the same
 * member continues. */
static bool check_members(const options *o, const char **outputs, int64_t output_count,
                          const char *const *inputs, int64_t input_count)
{
    char         write[PATH_ROOM], resume[PATH_ROOM];
    const char **own = &outputs[output_count - 1];
    for (int64_t m = 1; m < o->members; m++) {
        const char *from = checkpoint_of_member(o->checkpoint.resume, m, resume);
        *own             = NULL;
        if (!outputs_spare(outputs, output_count, NULL, &from, 1)) return false;
        *own = checkpoint_of_member(o->checkpoint.write, m, write);
        if (!outputs_check(outputs, output_count, inputs, input_count) ||
            !output_spares(*own, &o->checkpoint.resume, 1))
            return false;
    }
    return true;
}

/* Checks that all outputs can be written and that no output replaces an input. There are two exceptions: a
 * model may replace the file of --load, and a checkpoint the file of --resume. Also checks that the file of
 * --predict exists, because the first process reads it only after the training. */
static bool check_files(const options *o)
{
    const char       *outputs[] = {o->save,    o->checkpoint.write, o->report, o->predict_all,
                                   o->convert, o->ntk_plot,         NULL};
    const char *const inputs[]  = {o->train,      o->test,        o->images,
                                   o->labels,     o->test_images, o->test_labels,
                                   o->more_texts, o->pretrained,  o->predict_file};
    if (!outputs_check(outputs, LENGTH(outputs), inputs, LENGTH(inputs))) return false;
    if (!journal_spares(o->predict_all, o->files, o->file_count) ||
        !journal_spares(o->predict_all, inputs, LENGTH(inputs)) ||
        !journal_spares(o->predict_all, &o->load, 1))
        return false;
    if (!outputs_spare(outputs, LENGTH(outputs), NULL, o->files, o->file_count) ||
        !outputs_spare(outputs, LENGTH(outputs), o->save, &o->load, 1) ||
        !outputs_spare(outputs, LENGTH(outputs), o->checkpoint.write, &o->checkpoint.resume, 1))
        return false;
    if (!check_members(o, outputs, LENGTH(outputs), inputs, LENGTH(inputs))) return false;
    return !o->predict_file || !cluster_leads() || !access(o->predict_file, R_OK) ||
           complain("%s: cannot be read: %s", o->predict_file, strerror(errno));
}

/* Looks for mistakes that would otherwise be found only after the training. */
static bool check_outputs(const options *o)
{
    if (!check_data(o) || !check_adapters(o) || !check_masked(o) || !check_files(o)) return false;
    if (o->convert) return true;
    if (o->report && o->load && !o->test)
        return complain("--report shows texts of --test FILE, which is missing");
    if (!checkpoint_check(&o->checkpoint, !o->load || o->adapter.adapt)) return false;
    if (!cluster_check(&o->cluster)) return false;
    if (o->ntk_plot && o->load) return complain("--ntk-plot needs training; it cannot be used with --load");
    if (o->ntk_plot && o->members > 1)
        return complain("--ntk-plot: is for one model (got --members %lld, need 1)", (long long)o->members);
    return !o->report || output_check_page(o->report);
}

static bool check_together(options *o)
{
    const bool tests = o->test || o->test_images || o->split > 0;
    if (!o->fit.training.patience && command_line_has("patience"))
        return complain("--patience 0: give 1 or more epochs, or -1 to never stop early");
    if (!check_outputs(o) || !check_images(o)) return false;
    if (o->convert) return true;
    if (o->load && (o->images || o->train) && !o->adapter.adapt)
        return complain("%s and --load cannot both be given, except with --adapt FOLDER",
                        o->train ? "--train" : "--images");
    if (o->load && !check_load(o)) return false;
    if (o->load && !tests && !o->predict && !o->predict_all && !o->adapter.adapt)
        return complain("--load %s needs --test FILE, --test-images PATH or --predict, too", o->load);
    if (o->load) return !o->adapter.adapt || selection_check(&o->selection, false);
    if (!o->train && !o->images) return complain("--train FILE is missing, or --images PATH; see --help");
    if (!tests && !o->save && !o->predict && !o->report)
        return complain("%s is missing; give it, or --save, --predict%s",
                        o->images ? "--test-images PATH or --split SHARE" : "--test FILE",
                        o->images ? "" : " or --report");
    if (o->images) return check_image_model(o) && selection_check(&o->selection, o->masked);
    const int64_t blocks[] = {o->model.block.kind, -1};
    if (!library_check(fgt_classifier_get_option, &o->model, blocks)) return false;
    return selection_check(&o->selection, o->masked) && (!o->ntk_plot || ntk_plot_check(o->ntk_plot));
}

/* Clears the names of the output files in a process that is not the first one, because only the first process
 * writes. */
static void leave_files(options *o)
{
    o->save = o->ntk_plot = o->report = o->checkpoint.write = NULL;
    o->predict                                              = false;
}

bool options_read(int argc, char **argv, options *o)
{
    *o = (options){0};
    if (!command_line_read(options_command(), argc, argv, o)) return false;
    if (o->help || o->version) return true;
    if (!o->has_seed) o->seed = 1;
    if (!o->members) o->members = 1;
    if (o->images && !command_line_has("model")) o->model.block.kind = FGT_BLOCK_TRANSFORMER;
    if (!check_together(o)) return false;
    output_escape_formulas(o->escape_formulas);
    if (!cluster_leads()) leave_files(o);
    return true;
}
