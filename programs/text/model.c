/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/defaults.h>
#include <fighter/experimental/labels.h>
#include <fighter/experimental/small.h>

#include "model.h"

#include "../common/program.h"
#include "../common/progress.h"

bool failed(const session *s, const char *path)
{
    const char *text = fgt_context_get_error(s->ctx);
    return path ? complain("%s: %s", path, text) : complain("%s", text);
}

fgt_corpus_opts model_corpus_opts(bool several, bool no_labels)
{
    return (fgt_corpus_opts){.size         = sizeof(fgt_corpus_opts),
                             .form         = several ? FGT_CORPUS_FORM_LABELS : FGT_CORPUS_FORM_LINES,
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
    if (o->has_bucket) v->buckets = o->bucket;
    if (v->ngrams == 1) v->buckets = 0;
    if (o->has_maxn) v->letters = o->maxn;
    if (o->minn > v->letters) v->letters = o->minn;
    v->least_letters = o->minn;
    if (o->has_bucket && v->letters) v->letter_buckets = o->bucket;
    v->min_count   = o->min_count;
    v->punctuation = 1;
    return true;
}

/* The number of words and punctuation marks of a text, where all bytes above ASCII are letters. */
static int64_t count_words(const char *text)
{
    int64_t count = 0;
    for (bool inside = false; *text; text++) {
        const bool letter = (unsigned char)*text >= 0x80 || isalnum((unsigned char)*text);
        count += letter ? !inside : *text > ' ';
        inside = letter;
    }
    return count;
}

static int by_size(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return (i > j) - (i < j);
}

/* Most texts are read as a whole, with their pairs of words, if they are short; of longer ones three quarters
 * are read as a whole, without pairs. FEW, ENOUGH and MOST are numbers of ids: a training takes time in
 * proportion to them. On AG News, whose texts have 47 words and marks, twice as many ids as ENOUGH raise the
 * validation accuracy from 0.9043 to 0.9051. */
enum { FEW = 16, ENOUGH = 64, MOST = 1024 };

static bool choose_tokens(const session *s, const fgt_corpus *texts, bool pairs, int64_t *tokens)
{
    fgt_corpus_info info = {.size = sizeof info};
    *tokens              = s->o->tokens;
    if (*tokens) return true;
    if (fgt_corpus_get_info(texts, &info) != FGT_OK) return failed(s, NULL);
    int64_t *size = calloc((size_t)info.rows, sizeof *size);
    if (!size) return complain("no memory");
    for (int64_t i = 0; i < info.rows; i++) size[i] = count_words(fgt_corpus_get_text(texts, i));
    qsort(size, (size_t)info.rows, sizeof *size, by_size);
    const int64_t nearly_all = size[info.rows * 19 / 20] * (pairs ? 2 : 1), many = size[info.rows * 3 / 4];
    free(size);
    *tokens = nearly_all < ENOUGH ? nearly_all : ENOUGH;
    if (*tokens < many) *tokens = many;
    if (*tokens < FEW) *tokens = FEW;
    if (*tokens > MOST) *tokens = MOST;
    return true;
}

/* The defaults of several labels, without early stopping, which ends when the loss rises, although the F1
 * still does, too. On the tags of Debian packages (17,980 training texts, 4,610 for validation, 5 epochs,
 * three seeds) the F1 at a probability of 0.5 is 0.563, with a dropout of 0.1 0.567. With 4,500 of the
 * training texts, 20 epochs and one seed it is 0.523 and 0.510. With a dropout of 0.6, the default of one
 * label, and one seed it is 0.509, and 0.473 with early stopping. */
#define LABELS_DROPOUT 0.3F
#define LABELS_LR      0.01

static bool create(session *s, const fgt_corpus *texts)
{
    fgt_vocab_opts vocab;
    int64_t        tokens;
    if (!choose_vocab(s, texts, &vocab) || !choose_tokens(s, texts, vocab.ngrams > 1, &tokens)) return false;
    const fgt_classifier_opts opts = {.size          = sizeof opts,
                                      .seed          = (uint64_t)s->o->seed,
                                      .vocab         = &vocab,
                                      .tokens        = tokens,
                                      .dim           = s->o->dim,
                                      .block.dropout = s->o->loss ? LABELS_DROPOUT : 0};
    fgt_status                done;
    if (s->o->loss == LOSS_SOFTMAX)
        done = fgt_classifier_create(s->ctx, FGT_TEXTS(texts), &opts, &s->classifier);
    else
        done = fgt_classifier_create_labels(s->ctx, texts, &opts, &s->classifier);
    return done == FGT_OK || failed(s, s->o->input);
}

/* The defaults of -retrain. On AG News, with the 13,000 most frequent words and pairs, the validation
 * accuracy is 0.897 before it and 0.899 after it; with 0.002, the rate of a first training, it is 0.895. */
#define AGAIN_EPOCHS 1
#define AGAIN_LR     5e-4

/* A training on several labels takes so many steps by default, but LEAST to MOST epochs. */
enum { LABELS_STEPS = 2500, LABELS_BATCH = 32, LABELS_LEAST = 5, LABELS_MOST = 20 };

static int64_t count_label_epochs(int64_t rows)
{
    const int64_t steps = (rows + LABELS_BATCH - 1) / LABELS_BATCH; /* number of steps in an epoch */
    const int64_t n     = (LABELS_STEPS + steps - 1) / steps;
    return n < LABELS_LEAST ? LABELS_LEAST : n > LABELS_MOST ? LABELS_MOST : n;
}

static bool fit(const session *s, const fgt_corpus *train, const fgt_corpus *validation)
{
    const options          *o      = s->o;
    progress_label          label  = {"text", "texts"};
    fgt_fit_report          report = {.size = sizeof report};
    fgt_classifier_fit_opts opts   = {.size = sizeof opts};
    fgt_corpus_info         info   = {.size = sizeof info};
    if (fgt_corpus_get_info(train, &info) != FGT_OK) return failed(s, NULL);
    opts.training.seed   = (uint64_t)o->seed;
    opts.training.epochs = o->epoch;
    opts.training.lr     = o->lr;
    if (!o->epoch)
        opts.training.epochs = o->retrain ? AGAIN_EPOCHS : o->loss ? count_label_epochs(info.rows) : 0;
    if (!(o->lr > 0)) opts.training.lr = o->retrain ? AGAIN_LR : o->loss ? LABELS_LR : 0;
    opts.training.progress = o->verbose ? progress_show : NULL;
    opts.training.user     = &label;
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
    const double share = o->has_validation ? o->validation : rows < MANY || o->loss ? 0 : 0.05;
    return share > 0 ? (int64_t)(1 / share + 0.5) : 0;
}

static bool train_on(session *s, const fgt_corpus *all)
{
    fgt_corpus_info info  = {.size = sizeof info};
    fgt_corpus     *train = NULL, *validation = NULL;
    if (fgt_corpus_get_info(all, &info) != FGT_OK) return failed(s, NULL);
    const fgt_corpus_split_opts split = {
        .size = sizeof split, .every = choose_every(s->o, info.rows), .seed = (uint64_t)s->o->seed};
    bool good = !split.every || fgt_corpus_create_split(all, &split, &train, &validation) == FGT_OK ||
                failed(s, s->o->input);
    if (good && !s->classifier) good = create(s, train ? train : all);
    good = good && fit(s, train ? train : all, validation);
    fgt_corpus_destroy(&train);
    fgt_corpus_destroy(&validation);
    return good;
}

static bool load_texts(const session *s, bool several, fgt_corpus **all)
{
    const fgt_corpus_opts opts = model_corpus_opts(several, false);
    if (fgt_corpus_load(s->ctx, s->o->input, &opts, all) == FGT_OK) return true;
    const char *text   = fgt_context_get_error(s->ctx);
    const bool  second = !several && strstr(text, "second label");
    return complain("%s%s", text, second ? "; -loss ova is for texts with several labels" : "");
}

bool model_train(session *s)
{
    fgt_corpus *all;
    if (!load_texts(s, s->o->loss != LOSS_SOFTMAX, &all)) return false;
    const bool good = train_on(s, all);
    fgt_corpus_destroy(&all);
    return good &&
           (fgt_classifier_save(s->classifier, FGT_TO_FILE(s->o->model)) == FGT_OK || failed(s, s->o->model));
}

/* ---- use ---- */

bool model_load(session *s, const char *path)
{
    s->info.size = sizeof s->info;
    if (fgt_classifier_load(s->ctx, FGT_FROM_FILE(path), NULL, &s->classifier) != FGT_OK ||
        fgt_classifier_get_info(s->classifier, &s->info) != FGT_OK)
        return complain("%s; MODEL is a file of `supervised`; models of fastText are trained anew",
                        fgt_context_get_error(s->ctx));
    return s->info.tokens || complain("%s is a classifier of images", path);
}

/* ---- small files ---- */

static bool save_small(const session *s, int64_t words)
{
    return fgt_classifier_save_small(s->classifier, words, FGT_TO_FILE(s->o->model)) == FGT_OK ||
           failed(s, s->o->model);
}

/* Trains the classifier of the small file, and writes the file anew. */
static bool retrain(session *s)
{
    fgt_corpus *all;
    fgt_classifier_destroy(&s->classifier);
    if (!model_load(s, s->o->model) || !load_texts(s, fgt_classifier_has_labels(s->classifier), &all))
        return false;
    const bool good = train_on(s, all);
    fgt_corpus_destroy(&all);
    return good && save_small(s, 0);
}

bool model_quantize(session *s)
{
    char path[4096 + 8];
    snprintf(path, sizeof path, "%s.bin", s->o->output);
    if (!model_load(s, path) || !save_small(s, s->o->cutoff)) return false;
    return !s->o->retrain || retrain(s);
}

bool model_predict(const session *s, const char *const *texts, int64_t count, float *probability)
{
    const fgt_classifier_rows rows = {.size = sizeof rows, .texts = texts, .text_count = count};
    return fgt_classifier_predict(s->classifier, &rows, FGT_VIEW(probability, count, s->info.classes),
                                  NULL) == FGT_OK ||
           failed(s, s->o->texts);
}

static int by_probability(const void *a, const void *b)
{
    const scored *i = a, *j = b;
    if (i->probability != j->probability) return i->probability > j->probability ? -1 : 1;
    return (i->label > j->label) - (i->label < j->label);
}

int64_t model_rank(const session *s, const float *probability, scored *to)
{
    const options *o    = s->o;
    const int64_t  most = o->k < 0 || o->k > s->info.classes ? s->info.classes : o->k;
    int64_t        n    = 0;
    for (int64_t i = 0; i < s->info.classes; i++) {
        if ((double)probability[i] < o->threshold) continue;
        if (most == 1 && n) { /* keeps the best label, without sorting */
            if (probability[i] <= to->probability) continue;
            n = 0;
        }
        to[n++] = (scored){probability[i], i};
    }
    qsort(to, (size_t)n, sizeof *to, by_probability);
    return n < most ? n : most;
}
