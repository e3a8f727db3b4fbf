/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <fighter/experimental/defaults.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/exact.h>

#include "insight.h"
#include "pictures.h"
#include "pretrain.h"
#include "report.h"
#include "selector.h"
#include "texts.h"
#include "train.h"

#include "../common/blocks.h"
#include "../common/output.h"
#include "../common/program.h"
#include "../common/progress.h"

/* The seed of a member, for its first weights, its dropout and the order of samples. Seeds of members are
 * 2^32 apart, so that runs with --seed 1, 2 and 3 have no member in common. */
static uint64_t seed_of(const run *r, int64_t member)
{
    return (uint64_t)r->o->seed + ((uint64_t)member << 32);
}

/* Fills in the options of a vocabulary. An option that is not given is set as the library suggests for the
 * texts. */
static bool choose_vocab(const run *r, fgt_vocab_opts *v)
{
    const options    *o     = r->o;
    const fgt_corpus *texts = r->more ? r->more : r->train.texts;
    v->size                 = sizeof *v;
    if (fgt_classifier_choose_vocab(texts, (int32_t)o->model.block.kind, v) != FGT_OK)
        return failed(r, o->train);
    if (o->ngrams || o->masked) v->ngrams = o->ngrams ? o->ngrams : 1;
    if (o->has_buckets || v->ngrams < 2) v->buckets = v->ngrams < 2 ? 0 : o->buckets;
    if (o->has_letters || o->masked) v->letters = o->letters;
    v->punctuation = o->punctuation;
    v->prefix      = o->prefix;
    return true;
}

static bool create(run *r, int64_t member, fgt_classifier **classifier)
{
    if (of_images(r)) return pictures_create(r, seed_of(r, member), classifier);
    const options  *o     = r->o;
    fgt_vocab_opts  vocab;
    if (!choose_vocab(r, &vocab)) return false;
    fgt_classifier_opts opts = o->model;
    opts.size                = sizeof opts;
    opts.batch               = o->fit.training.batch;
    opts.seed                = seed_of(r, member);
    opts.vocab               = &vocab;
    opts.texts               = r->more;
    library_switch_off(fgt_classifier_get_option, o->given_model, &opts);
    fgt_status s = fgt_classifier_create(r->ctx, FGT_TEXTS(r->train.texts), &opts, classifier);
    if (s == FGT_OK) s = fgt_classifier_set_exact(*classifier, o->exact);
    return s == FGT_OK || failed(r, s == FGT_E_ARG ? NULL : o->train);
}

/* The number of epochs of the training, which selectors and ntk_track need in advance. */
static int64_t epochs_of(const run *r)
{
    return r->o->fit.training.epochs ? r->o->fit.training.epochs
                                     : fgt_classifier_count_epochs(r->classifier, samples_count(r->train),
                                                                   r->o->fit.training.batch);
}

static bool create_own_selector(run *r, int64_t member)
{
    fgt_attent_destroy(&r->selector); /* this is the selector of the previous member */
    return !selection_trains(&r->o->selection) ||
           selector_create(r, r->train, epochs_of(r), seed_of(r, member), &r->selector);
}

#define NTK_INPUTS 10  /* as in the paper that ntk.h names; a default batch has more samples */
#define SMOOTHNESS 0.5 /* of cross entropy: its Hessian diag(p) - p p' has no larger eigenvalue */

/* The number of inputs of the tangent kernel. They are the first training samples, which are in random order
 * unless they are on disk. */
static int64_t count_ntk_inputs(const run *r)
{
    const int64_t rows = samples_count(r->train);
    const int64_t most = r->o->fit.training.batch && r->o->fit.training.batch < NTK_INPUTS
                             ? r->o->fit.training.batch
                             : NTK_INPUTS;
    return rows < most ? rows : most;
}

static bool start_ntk_of_images(run *r)
{
    const fgt_classifier_info *i = &r->info;
    const int64_t              m = count_ntk_inputs(r), n = m * i->height * i->width * i->channels;
    const int64_t              row[NTK_INPUTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    float                     *pixels          = malloc((size_t)n * sizeof *pixels);
    if (!pixels) return complain("no memory");
    const fgt_view *x    = FGT_VIEW(pixels, m, i->height, i->width, i->channels);
    const bool good = (fgt_images_copy_pixels(r->train.images, row, m, x) == FGT_OK || failed(r, NULL)) &&
                      pictures_standardise(r, n, pixels) &&
                      ntk_track_start(&r->ntk, r->ctx, fgt_classifier_get_model(r->classifier), x, SMOOTHNESS,
                                      epochs_of(r));
    free(pixels);
    return good;
}

static bool start_ntk(run *r)
{
    const fgt_vocab *v     = fgt_classifier_get_vocab(r->classifier);
    fgt_vocab_info   vocab = {.size = sizeof vocab};
    const char      *text[NTK_INPUTS];
    fgt_corpus      *first;
    if (of_images(r)) return start_ntk_of_images(r);
    if (fgt_vocab_get_info(v, &vocab) != FGT_OK) return failed(r, NULL);
    const int64_t t = r->info.tokens * (vocab.opts->bag ? vocab.opts->bag : 1), m = count_ntk_inputs(r);
    if (texts_copy(r, r->train.texts, 0, m, &first) != FGT_OK) return false;
    int64_t *ids = malloc((size_t)(m * t) * sizeof *ids);
    if (!ids) {
        fgt_corpus_destroy(&first);
        return complain("no memory");
    }
    for (int64_t i = 0; i < m; i++) text[i] = fgt_corpus_get_text(first, i);
    const fgt_view   *x    = FGT_VIEW_OF(FGT_DTYPE_I64, ids, m, t);
    const fgt_status  s = fgt_vocab_encode(v, text, m, x, NULL, NULL);
    const bool good = s == FGT_OK ? ntk_track_start(&r->ntk, r->ctx, fgt_classifier_get_model(r->classifier),
                                                    x, SMOOTHNESS, epochs_of(r))
                                  : failed(r, NULL);
    free(ids);
    fgt_corpus_destroy(&first);
    return good;
}

typedef struct watcher {
    progress_label label;
    run           *r;
    bool           first;  /* the first member is trained */
    bool           failed; /* a message was printed */
} watcher;

static int watch(void *user, const fgt_progress *p)
{
    watcher *w = user;
    if (p->epoch_done && w->r->o->ntk_plot && !ntk_track_step(&w->r->ntk)) w->failed = true;
    if (w->first && !insight_record(w->r, p)) w->failed = true;
    return progress_show(&w->label, p) || w->failed;
}

/* ---- checkpoints ---- */

/* Removes checkpoints of members from an earlier run, because a resumed run would take them for its own.
 * Keeps the files from which this run continues. */
static void remove_old(const options *o)
{
    const checkpoint *c = &o->checkpoint;
    char              write[PATH_ROOM], resume[PATH_ROOM];
    for (int64_t m = 1; c->write && m < o->members; m++) {
        const char *old  = checkpoint_of_member(c->write, m, write),
                   *from = checkpoint_of_member(c->resume, m, resume);
        if (!from || !output_is_same(old, from)) remove(old);
    }
}

/* ---- training ---- */

static bool fit(run *r, int64_t member, fgt_classifier *classifier, fgt_fit_report *report)
{
    const options *o = r->o;
    watcher        w = {.label = {block_names[r->info.block], samples_called(r)}, .r = r, .first = !member};
    char           write[PATH_ROOM], resume[PATH_ROOM];
    const char    *from = checkpoint_of_member(o->checkpoint.resume, member, resume);
    if (member && from && access(from, F_OK)) from = NULL; /* the training of this member had not begun */
    if (!from && !pretrain_masked(r, seed_of(r, member), !member, classifier)) return false;
    fgt_classifier_fit_opts opts     = o->fit;
    opts.size                        = sizeof opts;
    opts.training.progress           = watch;
    opts.training.user               = &w;
    opts.training.selector           = r->selector;
    opts.training.seed               = seed_of(r, member);
    opts.training.checkpoint         = checkpoint_of_member(o->checkpoint.write, member, write);
    opts.training.resume             = from;
    opts.training.checkpoint_every   = o->checkpoint.every;
    opts.training.checkpoint_seconds = 60 * o->checkpoint.minutes;
    opts.training.collective         = cluster_collective();
    opts.training.shards             = o->cluster.shards;
    opts.training.batch              = 0; /* 0: the batch of the classifier */
    library_switch_off(fgt_classifier_get_fit_option, o->given_fit, &opts);
    const clock_t    start = clock();
    const fgt_status s     = samples_fit(classifier, r->train, r->validation, &opts, report);
    r->train_cpu += (double)(clock() - start) / CLOCKS_PER_SEC;
    return (s == FGT_OK || failed(r, o->images ? o->images : o->train)) && !w.failed;
}

/* Adds a member's report to the report on all members. Values that cannot be added stay as they are for the
 * first member. */
static void add_report(fgt_fit_report *all, const fgt_fit_report *one)
{
    all->epochs += one->epochs;
    all->samples += one->samples;
    all->seconds += one->seconds;
    all->cancelled |= one->cancelled;
    all->diverged |= one->diverged;
}

/* Trains a further member, and adds it to the classifier unless its training was interrupted. */
static bool train_next(run *r, int64_t member)
{
    fgt_fit_report report = {.size = sizeof report};
    if (!create(r, member, &r->next) || !create_own_selector(r, member)) return false;
    if (!fit(r, member, r->next, &report)) return false;
    add_report(&r->report, &report);
    if (report.cancelled) return true;
    return fgt_classifier_take_members(r->classifier, &r->next) == FGT_OK || failed(r, NULL);
}

bool train_members(run *r)
{
    const options *o = r->o;
    if (!create(r, 0, &r->classifier) || !create_own_selector(r, 0)) return false;
    r->info.size = sizeof r->info;
    if (fgt_classifier_get_info(r->classifier, &r->info) != FGT_OK) return failed(r, NULL);
    report_start(r, o->json || o->predict ? stderr : stdout);
    if (o->ntk_plot && !start_ntk(r)) return false;
    if (!insight_start(r)) return false;
    remove_old(o);
    progress_catch_interrupt();
    r->report.size = sizeof r->report;
    if (!fit(r, 0, r->classifier, &r->report)) return false;
    for (int64_t m = 1; m < o->members && !r->report.cancelled; m++)
        if (!train_next(r, m)) return false;
    return true;
}

/* ---- adapters ---- */

/* Returns the model of a classifier that has one member. */
static fgt_model *model_of(const run *r)
{
    if (fgt_classifier_get_member(r->classifier, 1)) {
        complain("%s: an adapter is for one model (got a classifier of %lld members, need 1)", r->o->load,
                 (long long)report_count_members(r));
        return NULL;
    }
    return fgt_classifier_get_model(r->classifier);
}

bool load_adapter(run *r)
{
    fgt_model *m = model_of(r);
    return m && (adapter_load(&r->o->adapter, m) == FGT_OK || failed(r, NULL));
}

bool add_adapter(run *r)
{
    fgt_model *m = model_of(r);
    return m && (adapter_add(&r->o->adapter, m, seed_of(r, 0)) == FGT_OK || failed(r, NULL));
}

bool train_adapter(run *r)
{
    fgt_model *m = fgt_classifier_get_model(r->classifier);
    if (!create_own_selector(r, 0)) return false;
    progress_catch_interrupt();
    r->report.size = sizeof r->report;
    if (!fit(r, 0, r->classifier, &r->report)) return false;
    return !cluster_leads() || adapter_save(&r->o->adapter, m) == FGT_OK || failed(r, NULL);
}
