/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/corpus_file.h>
#include <fighter/experimental/exact.h>
#include <fighter/experimental/report.h>

#include "classify.h"

#include "../common/command_line.h"
#include "../common/loaded.h"
#include "../common/output.h"

bool failed(const run *r, const char *what)
{
    return what ? complain("%s: %s", what, fgt_context_get_error(r->ctx))
                : complain("%s", fgt_context_get_error(r->ctx));
}

bool of_images(const run *r)
{
    return r->o->images || r->info.height > 0;
}

const char *samples_called(const run *r)
{
    return of_images(r) ? "images" : "texts";
}

/* ---- samples ---- */

/* "data/ag_news.csv.gz" becomes "ag_news" */
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

/* The program's own generator, splitmix64 (Steele, Lea, Flood 2014): the choice of the validation texts must
 * not change with the library. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z          = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z          = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* With few texts the validation chooses an epoch badly, and the training needs the texts. Measured on further
 * validation rows, macro F1 without --validation was higher by 0.009 (2700 short messages) and 0.09 (4000
 * titles, 55 classes), and equal with 8200 texts in 17 languages; with 26000 texts of AG News it was lower by
 * 0.002. */
#define VALIDATION 0.05
#define MANY       10000

static double validation_share(const run *r)
{
    const options *o = r->o;
    return o->has_validation || o->images || samples_count(r->all) < MANY ? o->validation : VALIDATION;
}

/* The library draws one of `every` texts on disk. */
static bool split_stored(run *r)
{
    const double share = validation_share(r);
    if (share > 0.5)
        return complain("--validation: of a corpus file every second text is the most (got %g, need at most "
                        "0.5 for %s)",
                        share, r->o->train);
    const double every = share > 0 ? 1 / share + 0.5 : HUGE_VAL;
    if (every >= (double)samples_count(r->all)) { /* less than one text */
        r->train = r->all;
        r->all   = (samples){NULL, NULL};
        return true;
    }
    return fgt_corpus_create_split(
               r->all.texts,
               &FGT_OPTS(fgt_corpus_split_opts, .every = (int64_t)every, .seed = (uint64_t)r->o->seed),
               &r->train.texts, &r->validation.texts) == FGT_OK ||
           failed(r, r->o->train);
}

/* Splits all samples, in random order, into test (with --split), validation and training samples. */
static bool split(run *r)
{
    const options *o     = r->o;
    if (texts_info(r->all.texts).stored) return split_stored(r);
    const int64_t  rows  = samples_count(r->all);
    const int64_t  test  = (int64_t)(o->split * (double)rows);
    const int64_t  left  = rows - test, keep = (int64_t)(validation_share(r) * (double)left);
    const int64_t  other = left - keep, known = o->labelled && o->labelled < other ? o->labelled : other;
    const char    *file  = o->images ? o->images : o->train;
    if (o->split > 0 && !test)
        return complain("%s: --split %g of %lld images leaves none for the test", file, o->split,
                        (long long)rows);
    int64_t       *row   = malloc((size_t)rows * sizeof *row);
    uint64_t       state = (uint64_t)o->seed;
    if (!row) return complain("no memory");
    for (int64_t i = 0; i < rows; i++) {
        const int64_t k = (int64_t)(draw(&state) % (uint64_t)(i + 1));
        row[i]          = row[k];
        row[k]          = i;
    }
    fgt_status s = FGT_OK;
    if (test) s = samples_subset(r->all, test, row, &r->test);
    if (s == FGT_OK && keep) s = samples_subset(r->all, keep, row + test, &r->validation);
    if (s == FGT_OK) s = samples_subset(r->all, known, row + test + keep, &r->train);
    if (s == FGT_OK && known < other) s = samples_subset(r->all, other, row + test + keep, &r->unlabelled);
    free(row);
    return s == FGT_OK || failed(r, file);
}

/* ---- a model ---- */

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

/* Refuses nearly as many classes as samples: the classes are in another column, or the column has no
 * classes. */
bool samples_check_classes(const char *path, samples all)
{
    const int64_t rows = samples_count(all), classes = samples_count_classes(all);
    return rows < 20 || classes <= rows / 2 ||
           complain("%s: %lld %s have %lld classes, such as \"%.40s\"%s", path, (long long)rows,
                    all.images ? "images" : "texts", (long long)classes, samples_get_class_name(all, 0),
                    all.images ? "" : "; --label says which column the class is in");
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
    if (!load_all(r) || !split(r) || !load_test(r)) return false;
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

/* Checks that the options are for the kind of samples of the loaded classifier. */
static bool check_kind(const run *r)
{
    const options *o = r->o;
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
    if (o->adapter.adapt && !(add_adapter(r) && load_all(r) && split(r))) return false;
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

bool run_all(run *r)
{
    const options *o = r->o;
    if (o->convert) return texts_convert(r);
    r->val_accuracy = r->test_accuracy = NAN;
    if (!(o->load ? load(r) : train(r))) return false;
    /* save the model before anything else can fail */
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

void run_done(run *r)
{
    ntk_track_done(&r->ntk);
    fgt_report_destroy(&r->page);
    fgt_attent_destroy(&r->selector);
    fgt_classifier_destroy(&r->next);
    fgt_classifier_destroy(&r->classifier);
    fgt_classifier_destroy(&r->encoder);
    samples_destroy(&r->train);
    samples_destroy(&r->unlabelled);
    samples_destroy(&r->validation);
    samples_destroy(&r->test);
    samples_destroy(&r->all);
    fgt_corpus_destroy(&r->more);
    free(r->predictions);
    free(r->confusion);
    free(r->checked);
}
