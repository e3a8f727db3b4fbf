/* SPDX-License-Identifier: BSD-3-Clause */

/* classify trains a text classifier on labelled texts and measures it. main() calls the parts of the program
 * in turn. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/exact.h>
#include <fighter/experimental/labels.h>

#include "insight.h"
#include "options_read.h"
#include "pictures.h"
#include "predict.h"
#include "predict_all.h"
#include "report.h"
#include "split.h"
#include "texts.h"
#include "train.h"

#include "../common/blocks.h"
#include "../common/cluster.h"
#include "../common/command_line.h"
#include "../common/loaded.h"
#include "../common/ntk_track.h"
#include "../common/option.h"
#include "../common/output.h"
#include "../common/program.h"
#include "../common/progress.h"

/* Sets the name of the data set to the file's name without folders and suffixes: "data/ag_news.csv.gz"
 * becomes "ag_news". */
static void name_dataset(run *r, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t      n     = strlen(name);
    static const char *const ends[] = {".gz", ".csv", ".tsv", ".txt", ".fgc", ".idx3", ".idx4"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t k = strlen(ends[i]);
        if (n > k && !strncmp(name + n - k, ends[i], k)) n -= k;
    }
    program_name_text(name, n, r->dataset, sizeof r->dataset);
}

static bool measure(run *r, samples set, const char *what, int64_t **confusion, double *accuracy)
{
    const int64_t c = r->info.classes;
    fgt_metric    m = {0};
    if (!samples_are_there(set)) return true;
    *confusion = calloc((size_t)(c * c), sizeof **confusion);
    if (!*confusion) return complain("no memory");
    const fgt_view view = {.data = *confusion, .rank = 2, .shape = {c, c}, .dtype = FGT_DTYPE_I64};
    if (samples_evaluate(r->classifier, set, &m, &view) != FGT_OK) return failed(r, what);
    *accuracy = fgt_metric_get(&m, FGT_METRIC_ACCURACY);
    return true;
}

static bool measure_validation(run *r)
{
    return measure(r, r->validation, "validation", &r->checked, &r->val_accuracy);
}

static bool load_test(run *r)
{
    const options *o = r->o;
    if (o->test_images)
        return pictures_load(r, o->test_images, o->test_labels, r->all.images, false, &r->test.images);
    return !o->test || texts_load(r, o->test, r->train.texts, &r->test.texts);
}

static bool load_all(run *r)
{
    const options *o = r->o;
    const char    *path = o->images ? o->images : o->train;
    const bool     good = o->images ? pictures_load(r, path, o->labels, NULL, false, &r->all.images)
                                    : texts_load(r, path, NULL, &r->all.texts);
    return good && samples_check_classes(path, r->all);
}

static bool train(run *r)
{
    const options *o = r->o;
    name_dataset(r, o->images ? o->images : o->train);
    if (o->train && fgt_file_get_kind(o->train) == FGT_FILE_KIND_CORPUS && o->selection.attent)
        return complain("%s: --attent needs all texts in memory, a corpus file stays on disk", o->train);
    if (!load_all(r) || !split_samples(r) || !load_test(r)) return false;
    if (o->train && o->test && output_is_same(o->train, o->test))
        warn("%s: the test texts are the training texts, so their accuracy says nothing about new texts",
             o->test);
    if (o->more_texts && !texts_load_unlabeled(r, o->more_texts, &r->more)) return false;
    if (!train_members(r)) return false;
    if (r->report.cancelled) fputs("  interrupted; the model is the best one so far\n", stderr);
    return measure_validation(r);
}

/* Loads test images with the size and colours of the classifier. */
static bool load_test_images(run *r)
{
    const fgt_classifier_info *i    = &r->info;
    const fgt_images_opts      opts = {.size = sizeof opts, .labels = r->o->test_labels, .height = i->height,
                                       .width = i->width, .channels = i->channels,
                                       .resize = r->o->height > 0, .background = r->o->background};
    return fgt_images_load(r->ctx, r->o->test_images, &opts, &r->test.images) == FGT_OK || failed(r, NULL);
}

/* Checks that the loaded classifier and the options are for the same kind of samples, texts or images. */
static bool check_kind(const run *r)
{
    const options *o = r->o;
    if (fgt_classifier_has_labels(r->classifier))
        return complain("%s has several labels for a text; fighter-text predicts and measures them", o->load);
    if (r->info.height && o->test)
        return complain("%s is a classifier of images: give --test-images PATH in place of --test", o->load);
    if (!r->info.height && o->test_images)
        return complain("%s is a classifier of texts: give --test FILE in place of --test-images", o->load);
    if (r->info.height && o->height && (o->height != r->info.height || o->width != r->info.width))
        return complain("--resize %s: the model of %s takes images of %lldx%lld", o->resize, o->load,
                        (long long)r->info.height, (long long)r->info.width);
    if (r->info.height && o->predict_all)
        return complain("--predict-all is for texts; %s is of images", o->load);
    if (o->adapter.adapt && !r->info.height != !o->images)
        return complain(r->info.height ? "%s is a classifier of images, so --adapt needs --images"
                                       : "%s is a classifier of texts, so --adapt needs --train",
                        o->load);
    if (r->info.height && o->report) return complain("--report shows texts; %s is of images", o->load);
    return !r->info.height || pictures_check_predict(o);
}

static bool load(run *r)
{
    const options *o = r->o;
    fgt_status     s = fgt_classifier_load(r->ctx, FGT_FROM_FILE(o->load), NULL, &r->classifier);
    if (s == FGT_OK) s = fgt_classifier_set_exact(r->classifier, o->exact);
    if (s != FGT_OK) return loaded_failed(s, fgt_context_get_error(r->ctx));
    r->info.size = sizeof r->info;
    if (fgt_classifier_get_info(r->classifier, &r->info) != FGT_OK) return failed(r, NULL);
    if (command_line_has("model") && o->model.block.kind != r->info.block)
        return complain("%s: is of another model (got --model %s, need %s)", o->load,
                        block_names[o->model.block.kind], block_names[r->info.block]);
    if (!check_kind(r)) return false;
    name_dataset(r, o->test ? o->test : o->test_images ? o->test_images : o->load);
    if (o->test && !texts_load(r, o->test, NULL, &r->test.texts)) return false;
    if (o->test_images && !load_test_images(r)) return false;
    if (o->adapter.use && !load_adapter(r)) return false;
    if (o->adapter.adapt && !(add_adapter(r) && load_all(r) && split_samples(r))) return false;
    report_start(r, o->json || o->predict || o->predict_all ? stderr : stdout);
    if (!o->adapter.adapt) return true;
    return train_adapter(r) && measure_validation(r);
}

static bool draw_ntk(const run *r)
{
    char title[256];
    snprintf(title, sizeof title, "%s, %s: tangent kernel on %lld %s", r->dataset,
             block_names[r->info.block], (long long)r->ntk.inputs, samples_called(r));
    return ntk_plot_write(&r->ntk, title, r->o->ntk_plot);
}

static bool run_all(run *r)
{
    const options *o = r->o;
    if (o->convert) return texts_convert(r);
    r->val_accuracy = r->test_accuracy = NAN;
    if (!(o->load ? load(r) : train(r))) return false;
    /* save the model first, so that it is not lost if a later part fails */
    if (o->save && fgt_classifier_save(r->classifier, FGT_TO_FILE(o->save)) != FGT_OK)
        return failed(r, o->save);
    if (o->ntk_plot && !draw_ntk(r)) return false;
    if (!measure(r, r->test, "test", &r->confusion, &r->test_accuracy)) return false;
    if (o->predict_all) return predict_all(r);
    report_result(r, o->json || o->predict ? stderr : stdout);
    if (o->report && !insight_write(r)) return false;
    if (o->predict && !(of_images(r) ? pictures_predict : predict_texts)(r)) return false;
    return !o->json || report_json(r, stdout);
}

int main(int argc, char **argv)
{
    options o;
    run     r = {.o = &o};
    program_called(argv[0]);
    if (!cluster_begin(argc, argv) || !options_read(argc, argv, &o)) return cluster_end(EXIT_FAILURE);
    if (o.help) return cluster_end(progress_status(command_line_help(options_command(), o.topic, stdout)));
    if (o.version) return cluster_end(progress_status(program_version(options_command()->name, stdout)));
    const bool good = program_start(cluster_threads(o.threads), o.products, o.precision, &r.ctx, &r.build) &&
                      cluster_join(&o.cluster) && run_all(&r);
    run_done(&r);
    fgt_context_destroy(&r.ctx);
    return cluster_end(progress_status(good));
}
