/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"

#include "../common/progress.h"

bool failed(const run *r, const char *what)
{
    return what ? complain("%s: %s", what, fgt_context_error(r->ctx))
                : complain("%s", fgt_context_error(r->ctx));
}

/* ---- texts ---- */

/* "data/ag_news.csv.gz" is "ag_news" */
static void name_dataset(run *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(r->dataset, sizeof r->dataset, "%s", slash ? slash + 1 : path);
    static const char *const ends[] = {".gz", ".csv", ".txt"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t n = strlen(r->dataset), k = strlen(ends[i]);
        if (n > k && !strcmp(r->dataset + n - k, ends[i])) r->dataset[n - k] = 0;
    }
}

/* Zero that was asked for, in the library's terms: zero there is the default, less is none. */
static float or_none(bool given, double v)
{
    return given && v == 0 ? -1.f : (float)v;
}

/* Lines begin with "__label__", which no class of a CSV file does; the library reads what it is told to, so
 * both are tried, and the first sentence counts. */
static bool load_corpus(run *r, const char *path, const fgt_corpus *like, fgt_corpus **corpus)
{
    char                  first[512];
    const fgt_corpus_opts csv   = {.size = sizeof csv, .like = like};
    fgt_corpus_opts       lines = csv;
    lines.form                  = FGT_CORPUS_LINES;
    if (fgt_corpus_load(r->ctx, path, &csv, corpus) == FGT_OK) return true;
    snprintf(first, sizeof first, "%s", fgt_context_error(r->ctx));
    const fgt_status s = fgt_corpus_load(r->ctx, path, &lines, corpus);
    if (s == FGT_OK) return true;
    /* a file whose first line has a label is meant as lines */
    return complain("%s", strstr(first, "__label__") ? fgt_context_error(r->ctx) : first);
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

/* Two subsets of the training texts, in random order: validation, then the rest. */
static bool split(run *r)
{
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

static bool create(run *r)
{
    const options  *o     = r->o;
    const bool      order = o->kind >= FGT_CLASSIFY_RNN;
    const int64_t   n     = o->ngrams ? o->ngrams : order ? 1 : 2;
    fgt_vocab_opts  vocab = {.size = sizeof vocab, .ngrams = n, .punctuation = o->punctuation,
                                    .prefix = o->prefix};
    vocab.buckets         = n < 2 ? 0 : o->has_buckets ? o->buckets : 1 << 17;
    const fgt_classifier_opts opts = {.size = sizeof opts, .tokens = o->tokens, .batch = o->batch,
                                      .dim = o->dim, .heads = o->heads, .layers = o->layers,
                                      .hops = o->hops, .seed = (uint64_t)o->seed, .kind = (int32_t)o->kind,
                                      .dropout = or_none(o->has_dropout, o->dropout),
                                      .init = (float)o->init, .vocab = &vocab,
                                      .pretrain = o->pretrain};
    if (fgt_classifier_create(r->ctx, &opts, r->train, &r->classifier) != FGT_OK)
        return failed(r, r->o->train);
    r->info.size = sizeof r->info;
    return fgt_classifier_get_info(r->classifier, &r->info) == FGT_OK || failed(r, NULL);
}

/* The library's default, which a selector's schedules and the kernel's follower need to know. */
#define EPOCHS 2

static int64_t epochs_of(const run *r)
{
    return r->o->epochs ? r->o->epochs : EPOCHS;
}

/* The groups are the classes. */
static bool create_selector(run *r)
{
    const options *o     = r->o;
    const int64_t  n     = fgt_corpus_count_rows(r->train);
    int64_t       *group = malloc((size_t)n * sizeof *group);
    if (!group) return complain("no memory");
    for (int64_t i = 0; i < n; i++) group[i] = fgt_corpus_get_class(r->train, i);
    const bool good = selection_create(&o->selection, r->ctx, n, epochs_of(r), (uint64_t)o->seed, group,
                                       fgt_corpus_count_classes(r->train), &r->selector);
    free(group);
    return good;
}

#define NTK_TEXTS 10 /* as in the source of ntk.h, and fewer than a batch of classifiers by default */

/* The first training texts, which are in random order. */
static bool start_ntk(run *r)
{
    const int64_t rows = fgt_corpus_count_rows(r->train), t = r->info.tokens;
    const int64_t most = r->o->batch && r->o->batch < NTK_TEXTS ? r->o->batch : NTK_TEXTS;
    const int64_t m    = rows < most ? rows : most;
    const char   *text[NTK_TEXTS];
    int64_t      *ids = malloc((size_t)(m * t) * sizeof *ids);
    if (!ids) return complain("no memory");
    for (int64_t i = 0; i < m; i++) text[i] = fgt_corpus_get_text(r->train, i);
    const fgt_view   *x = FGT_VIEW_OF(FGT_I64, ids, m, t);
    const fgt_status  s = fgt_vocab_apply(fgt_classifier_get_vocab(r->classifier), text, m, x, NULL, NULL);
    const bool good = s == FGT_OK ? ntk_track_start(&r->ntk, r->ctx, fgt_classifier_get_model(r->classifier),
                                                    x, epochs_of(r))
                                  : failed(r, NULL);
    free(ids);
    return good;
}

typedef struct watcher {
    progress_label label;
    run           *r;
    bool           failed; /* a sentence was said */
} watcher;

static int watch(void *user, const fgt_progress *p)
{
    watcher *w = user;
    if (p->epoch_done && w->r->o->ntk_plot && !ntk_track_step(&w->r->ntk)) w->failed = true;
    return progress_show(&w->label, p) || w->failed;
}

static bool measure(run *r, const fgt_corpus *corpus, int64_t *confusion, double *accuracy)
{
    const int64_t  c    = r->info.classes;
    fgt_metric     m    = {0};
    const fgt_view view = {.data = confusion, .rank = 2, .shape = {c, c}, .dtype = FGT_I64};
    if (fgt_classifier_apply(r->classifier, corpus, &m, confusion ? &view : NULL) != FGT_OK)
        return failed(r, corpus == r->test ? r->o->test : r->o->train);
    *accuracy = fgt_metric_get(&m, FGT_METRIC_ACCURACY);
    return true;
}

static bool train(run *r)
{
    const options *o = r->o;
    name_dataset(r, o->train);
    if (!load_corpus(r, o->train, NULL, &r->all) || !split(r)) return false;
    if (o->test && !load_corpus(r, o->test, r->all, &r->test)) return false;
    if (!create(r) || !create_selector(r)) return false;
    report_start(r, o->json || o->predict ? stderr : stdout);
    if (o->ntk_plot && !start_ntk(r)) return false;
    watcher w = {.label = {kind_name(o->kind), "texts"}, .r = r};
    progress_catch_interrupt();
    const fgt_classifier_fit_opts opts = {.size = sizeof opts, .progress = watch, .user = &w,
                                          .selector = r->selector, .seed = (uint64_t)o->seed,
                                          .epochs = o->epochs, .patience = o->patience, .lr = o->lr,
                                          .checkpoint = o->checkpoint.write,
                                          .resume = o->checkpoint.resume,
                                          .checkpoint_every = o->checkpoint.every,
                                          .label_smoothing = or_none(o->has_smoothing, o->smoothing)};
    r->report.size = sizeof r->report;
    if (fgt_classifier_fit(r->classifier, r->train, r->validation, &opts, &r->report) != FGT_OK)
        return failed(r, o->train);
    if (w.failed) return false;
    if (r->report.cancelled) fputs("  interrupted; the model is the best one so far\n", stderr);
    return !r->validation || measure(r, r->validation, NULL, &r->val_accuracy);
}

static bool load(run *r)
{
    const options *o = r->o;
    if (fgt_classifier_load(r->ctx, o->load, &r->classifier) != FGT_OK) return failed(r, NULL);
    r->info.size = sizeof r->info;
    if (fgt_classifier_get_info(r->classifier, &r->info) != FGT_OK) return failed(r, NULL);
    if (o->has_kind && o->kind != r->info.kind)
        return complain("%s is a %s model; --model says otherwise", o->load, kind_name(r->info.kind));
    name_dataset(r, o->test ? o->test : o->load);
    if (o->test && !load_corpus(r, o->test, NULL, &r->test)) return false;
    report_start(r, o->json || o->predict ? stderr : stdout);
    return true;
}

static bool draw_ntk(const run *r)
{
    char title[256];
    snprintf(title, sizeof title, "%s, %s: tangent kernel on %lld texts", r->dataset, kind_name(r->info.kind),
             (long long)r->ntk.inputs);
    return ntk_plot_write(&r->ntk, title, r->o->ntk_plot);
}

bool run_all(run *r)
{
    const options *o = r->o;
    r->val_accuracy = r->test_accuracy = NAN;
    if (!(o->load ? load(r) : train(r))) return false;
    /* what was trained is kept before anything else can fail */
    if (o->save && fgt_classifier_save(r->classifier, o->save) != FGT_OK) return failed(r, o->save);
    if (o->ntk_plot && !draw_ntk(r)) return false;
    if (r->test) {
        r->confusion = calloc((size_t)(r->info.classes * r->info.classes), sizeof *r->confusion);
        if (!r->confusion) return complain("no memory");
        if (!measure(r, r->test, r->confusion, &r->test_accuracy)) return false;
    }
    report_result(r, o->json || o->predict ? stderr : stdout);
    if (o->predict && !predict_lines(r)) return false;
    return !o->json || report_json(r, stdout);
}

void run_done(run *r)
{
    ntk_track_done(&r->ntk);
    fgt_attent_destroy(&r->selector);
    fgt_classifier_destroy(&r->classifier);
    fgt_corpus_destroy(&r->train);
    fgt_corpus_destroy(&r->validation);
    fgt_corpus_destroy(&r->test);
    fgt_corpus_destroy(&r->all);
    free(r->confusion);
}
