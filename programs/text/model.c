/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include <fighter/experimental/defaults.h>

#include "model.h"

#include "../common/program.h"
#include "../common/progress.h"

bool failed(const session *s, const char *path)
{
    const char *text = fgt_context_get_error(s->ctx);
    return path ? complain("%s: %s", path, text) : complain("%s", text);
}

fgt_corpus_opts model_corpus_opts(bool no_labels)
{
    return (fgt_corpus_opts){.size         = sizeof(fgt_corpus_opts),
                             .form         = FGT_CORPUS_FORM_LINES,
                             .keep_escapes = 1,
                             .no_classes   = no_labels};
}

/* ---- training ---- */

/* Fills in the options of a vocabulary. The library chooses an option that is not given. Punctuation marks
 * are words, as they are for fastText. */
static bool choose_vocab(const session *s, const fgt_corpus *texts, fgt_vocab_opts *v)
{
    const options *o = s->o;
    v->size          = sizeof *v;
    if (fgt_classifier_choose_vocab(texts, FGT_BLOCK_FIGHTER, v) != FGT_OK) return failed(s, NULL);
    if (o->word_ngrams) v->ngrams = o->word_ngrams;
    if (o->has_bucket || v->ngrams == 1) v->buckets = o->bucket;
    if (o->has_maxn) v->letters = o->maxn;
    v->min_count   = o->min_count;
    v->punctuation = 1;
    return true;
}

static bool create(session *s, const fgt_corpus *texts)
{
    fgt_vocab_opts vocab;
    if (!choose_vocab(s, texts, &vocab)) return false;
    const fgt_classifier_opts opts = {.size   = sizeof opts,
                                      .seed   = (uint64_t)s->o->seed,
                                      .vocab  = &vocab,
                                      .tokens = s->o->tokens,
                                      .dim    = s->o->dim};
    return fgt_classifier_create(s->ctx, FGT_TEXTS(texts), &opts, &s->classifier) == FGT_OK ||
           failed(s, s->o->input);
}

static bool fit(const session *s, const fgt_corpus *train, const fgt_corpus *validation)
{
    const options          *o      = s->o;
    progress_label          label  = {"text", "texts"};
    fgt_fit_report          report = {.size = sizeof report};
    fgt_classifier_fit_opts opts   = {.size = sizeof opts};
    opts.training.seed             = (uint64_t)o->seed;
    opts.training.epochs           = o->epoch;
    opts.training.lr               = o->lr;
    opts.training.progress         = o->verbose ? progress_show : NULL;
    opts.training.user             = &label;
    progress_catch_interrupt();
    return fgt_classifier_fit(s->classifier, FGT_TEXTS(train), validation ? FGT_TEXTS(validation) : NULL,
                              &opts, &report) == FGT_OK ||
           failed(s, o->input);
}

/* Fewer texts than this are all trained on, because too few others choose a bad epoch. */
#define MANY 10000

/* Every n-th text is for validation; 0: none is. */
static int64_t choose_every(const options *o, int64_t rows)
{
    const double share = o->has_validation ? o->validation : rows < MANY ? 0 : 0.05;
    return share > 0 ? (int64_t)(1 / share + 0.5) : 0;
}

static bool train_on(session *s, const fgt_corpus *all)
{
    fgt_corpus_info             info       = {.size = sizeof info};
    fgt_corpus                 *train      = NULL, *validation = NULL;
    if (fgt_corpus_get_info(all, &info) != FGT_OK) return failed(s, NULL);
    const fgt_corpus_split_opts split = {
        .size = sizeof split, .every = choose_every(s->o, info.rows), .seed = (uint64_t)s->o->seed};
    bool good = !split.every || fgt_corpus_create_split(all, &split, &train, &validation) == FGT_OK ||
                failed(s, s->o->input);
    good = good && create(s, train ? train : all) && fit(s, train ? train : all, validation);
    fgt_corpus_destroy(&train);
    fgt_corpus_destroy(&validation);
    return good;
}

bool model_train(session *s)
{
    const fgt_corpus_opts opts = model_corpus_opts(false);
    fgt_corpus           *all;
    if (fgt_corpus_load(s->ctx, s->o->input, &opts, &all) != FGT_OK) return failed(s, NULL);
    const bool good = train_on(s, all);
    fgt_corpus_destroy(&all);
    return good && (fgt_classifier_save(s->classifier, FGT_TO_FILE(s->o->model)) == FGT_OK ||
                    failed(s, s->o->model));
}

/* ---- use ---- */

bool model_load(session *s)
{
    s->info.size = sizeof s->info;
    if (fgt_classifier_load(s->ctx, FGT_FROM_FILE(s->o->model), NULL, &s->classifier) != FGT_OK ||
        fgt_classifier_get_info(s->classifier, &s->info) != FGT_OK)
        return complain("%s; MODEL is a file of `supervised`; models of fastText are trained anew",
                        fgt_context_get_error(s->ctx));
    return s->info.tokens || complain("%s is a classifier of images", s->o->model);
}

static int by_probability(const void *a, const void *b)
{
    const scored *i = a, *j = b;
    if (i->probability != j->probability) return i->probability > j->probability ? -1 : 1;
    return (i->label > j->label) - (i->label < j->label);
}

int64_t model_rank(const session *s, const float *probability, scored *to)
{
    const options *o = s->o;
    const int64_t  most = o->k < 0 || o->k > s->info.classes ? s->info.classes : o->k;
    int64_t        n    = 0;
    for (int64_t i = 0; i < s->info.classes; i++) to[i] = (scored){probability[i], i};
    qsort(to, (size_t)s->info.classes, sizeof *to, by_probability);
    while (n < most && (double)to[n].probability >= o->threshold) n++;
    return n;
}
