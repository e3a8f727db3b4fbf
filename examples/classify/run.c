/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

bool failed(const run *r, const char *what)
{
    return what ? complain("%s: %s", what, fgt_context_error(r->ctx))
                : complain("%s", fgt_context_error(r->ctx));
}

/* ---- texts ---- */

/* "data/ag_news.csv.gz" becomes "ag_news" */
static void name_dataset(run *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(r->dataset, sizeof r->dataset, "%s", slash ? slash + 1 : path);
    static const char *const ends[] = {".gz", ".csv", ".tsv", ".txt", ".fgc"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t n = strlen(r->dataset), k = strlen(ends[i]);
        if (n > k && !strcmp(r->dataset + n - k, ends[i])) r->dataset[n - k] = 0;
    }
}

/* A generator of the program's own, splitmix64 (Steele, Lea, Flood 2014): the share of the texts that is
 * kept for validation must not change with the library. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z          = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z          = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Of texts on disk the library draws one of so many. */
static bool split_stored(run *r)
{
    const double share = r->o->validation;
    if (share > 0.5) return complain("%s: --validation is at most 0.5 for a corpus file", r->o->train);
    const double every = share > 0 ? 1 / share + 0.5 : HUGE_VAL;
    if (every >= (double)fgt_corpus_count_rows(r->all)) { /* not one */
        r->train = r->all;
        r->all   = NULL;
        return true;
    }
    return fgt_corpus_split(r->all, (int64_t)every, (uint64_t)r->o->seed, &r->train, &r->validation) ==
               FGT_OK ||
           failed(r, r->o->train);
}

/* Two subsets of the training texts, in random order: validation, then the rest. */
static bool split(run *r)
{
    if (fgt_corpus_is_stored(r->all)) return split_stored(r);
    const int64_t rows = fgt_corpus_count_rows(r->all);
    const int64_t keep = (int64_t)(r->o->validation * (double)rows);
    int64_t      *row  = malloc((size_t)rows * sizeof *row);
    uint64_t      state = (uint64_t)r->o->seed;
    if (!row) return complain("no memory");
    for (int64_t i = 0; i < rows; i++) {
        const int64_t k = (int64_t)(draw(&state) % (uint64_t)(i + 1));
        row[i]          = row[k];
        row[k]          = i;
    }
    fgt_status s = FGT_OK;
    if (keep) s = fgt_corpus_create_subset(r->all, keep, row, &r->validation);
    if (s == FGT_OK) s = fgt_corpus_create_subset(r->all, rows - keep, row + keep, &r->train);
    free(row);
    return s == FGT_OK || failed(r, r->o->train);
}

/* ---- a model ---- */

static bool measure(run *r, const fgt_corpus *corpus, int64_t *confusion, double *accuracy)
{
    const int64_t  c    = r->info.classes;
    fgt_metric     m    = {0};
    const fgt_view view = {.data = confusion, .rank = 2, .shape = {c, c}, .dtype = FGT_I64};
    if (fgt_classifier_evaluate(r->classifier, corpus, &m, confusion ? &view : NULL) != FGT_OK)
        return failed(r, corpus == r->test ? r->o->test : r->o->train);
    *accuracy = fgt_metric_get(&m, FGT_METRIC_ACCURACY);
    return true;
}

static bool train(run *r)
{
    const options *o = r->o;
    name_dataset(r, o->train);
    if (fgt_corpus_is_file(o->train) && o->selection.attent)
        return complain("%s: texts are chosen all over the file, and those of a corpus file stay on disk",
                        o->train);
    if (!texts_load(r, o->train, NULL, &r->all) || !split(r)) return false;
    if (o->test && !texts_load(r, o->test, r->train, &r->test)) return false;
    if (o->more_texts && !texts_load_unlabeled(r, o->more_texts, &r->more)) return false;
    if (!train_members(r)) return false;
    if (r->report.cancelled) fputs("  interrupted; the model is the best one so far\n", stderr);
    return !r->validation || measure(r, r->validation, NULL, &r->val_accuracy);
}

static bool load(run *r)
{
    const options *o = r->o;
    if (fgt_classifier_load(r->ctx, o->load, NULL, &r->classifier) != FGT_OK) return failed(r, NULL);
    r->info.size = sizeof r->info;
    if (fgt_classifier_get_info(r->classifier, &r->info) != FGT_OK) return failed(r, NULL);
    if (o->has_block && o->block != r->info.block)
        return complain("%s is a %s model; --model says otherwise", o->load, block_names[r->info.block]);
    name_dataset(r, o->test ? o->test : o->load);
    if (o->test && !texts_load(r, o->test, NULL, &r->test)) return false;
    if (o->adapter && !load_adapter(r)) return false;
    if (o->adapt && !(add_adapter(r) && texts_load(r, o->train, NULL, &r->all) && split(r))) return false;
    report_start(r, o->json || o->predict || o->predict_all ? stderr : stdout);
    if (!o->adapt) return true;
    if (!train_adapter(r)) return false;
    return !r->validation || measure(r, r->validation, NULL, &r->val_accuracy);
}

static bool draw_ntk(const run *r)
{
    char title[256];
    snprintf(title, sizeof title, "%s, %s: tangent kernel on %lld texts", r->dataset,
             block_names[r->info.block], (long long)r->ntk.inputs);
    return ntk_plot_write(&r->ntk, title, r->o->ntk_plot);
}

bool run_all(run *r)
{
    const options *o = r->o;
    if (o->convert) return texts_convert(r);
    r->val_accuracy = r->test_accuracy = NAN;
    if (!(o->load ? load(r) : train(r))) return false;
    /* the model is saved before anything else can fail */
    if (o->save && fgt_classifier_save(r->classifier, o->save) != FGT_OK) return failed(r, o->save);
    if (o->ntk_plot && !draw_ntk(r)) return false;
    if (r->test) {
        r->confusion = calloc((size_t)(r->info.classes * r->info.classes), sizeof *r->confusion);
        if (!r->confusion) return complain("no memory");
        if (!measure(r, r->test, r->confusion, &r->test_accuracy)) return false;
    }
    if (o->predict_all) return predict_all(r);
    report_result(r, o->json || o->predict ? stderr : stdout);
    if (o->report && !insight_write(r)) return false;
    if (o->predict && !predict_texts(r)) return false;
    return !o->json || report_json(r, stdout);
}

void run_done(run *r)
{
    ntk_track_done(&r->ntk);
    fgt_report_destroy(&r->page);
    fgt_attent_destroy(&r->selector);
    fgt_classifier_destroy(&r->next);
    fgt_classifier_destroy(&r->classifier);
    fgt_corpus_destroy(&r->train);
    fgt_corpus_destroy(&r->validation);
    fgt_corpus_destroy(&r->test);
    fgt_corpus_destroy(&r->all);
    fgt_corpus_destroy(&r->more);
    free(r->predictions);
    free(r->confusion);
}
