/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on texts and classifiers. */
#include <stdio.h>
#include <unistd.h>

#include <fighter/experimental/corpus_file.h>
#include <fighter/experimental/defaults.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/pretrain.h>

#include "../samples_info.h"
#include "calls.h"

enum { TEXTS = 6, TOKENS = 4 };

/* ---- texts ---- */

/* An encoding of texts on disk does not outlive them, nor the vocabulary. */
static void leave_encoding(world *w)
{
    if (w->corpus && corpus_info(w->corpus).stored) fgt_encoding_destroy(&w->encoding);
}

static void set_corpus(world *w, fgt_corpus *corpus)
{
    leave_encoding(w);
    fgt_corpus_destroy(&w->corpus);
    w->corpus = corpus;
}

static void corpus_create(world *w)
{
    static const char *const labels[] = {"1", "2", "a", ""};
    const char              *classes[TEXTS], *texts[TEXTS];
    const fgt_corpus_opts    o = {.size       = sizeof o,
                                  .class_kind = pick(w, 4),
                                  .classes    = pick(w, 4),
                                  .zero_based = pick(w, 2),
                                  .like       = pick(w, 4)   ? NULL
                                                : pick(w, 2) ? w->corpus
                                                             : fgt_classifier_get_corpus(w->classifier)};
    fgt_corpus              *corpus;
    for (int i = 0; i < TEXTS; i++) {
        classes[i] = pick(w, 8) ? labels[i % 2] : labels[pick(w, 4)];
        texts[i]   = draw_text(w);
    }
    SAY(w->ctx,
        fgt_corpus_create(w->ctx, texts, classes, pick(w, TEXTS + 1), pick(w, 2) ? &o : NULL, &corpus));
    set_corpus(w, corpus);
}

static void corpus_subset(world *w)
{
    const int64_t rows[3] = {0, draw_size(w), 1};
    fgt_corpus   *subset;
    SAY(w->corpus, fgt_corpus_create_subset(w->corpus, rows, pick(w, 4), &subset));
    if (subset) set_corpus(w, subset);
}

/* The texts go to disk. */
static void corpus_store(world *w)
{
    const fgt_corpus_open_opts o    = {.size = sizeof o, .resident = pick(w, 4) ? 0 : draw_size(w)};
    char                       path[64]; /* in memory: a disk would take most of the time */
    fgt_corpus                *stored;
    snprintf(path, sizeof path, "/dev/shm/fighter-fuzz-%ld.fgc", (long)getpid());
    SAY(w->corpus, fgt_corpus_save(w->corpus, path));
    SAY(w->ctx, fgt_corpus_open(w->ctx, path, &o, &stored));
    unlink(path);
    if (stored) set_corpus(w, stored);
}

static void corpus_split(world *w)
{
    fgt_corpus *train, *validation;
    SAY(w->corpus,
        fgt_corpus_create_split(
            w->corpus, &FGT_OPTS(fgt_corpus_split_opts, .every = draw_size(w), .seed = (uint64_t)pick(w, 3)),
            &train, &validation));
    if (train) set_corpus(w, pick(w, 2) ? train : validation);
    if (w->corpus != train) fgt_corpus_destroy(&train);
    if (w->corpus != validation) fgt_corpus_destroy(&validation);
}

static fgt_vocab_opts draw_vocab(world *w)
{
    return (fgt_vocab_opts){.size           = sizeof(fgt_vocab_opts),
                            .min_count      = 1 + pick(w, 2),
                            .max_words      = pick(w, 2) ? 0 : draw_size(w),
                            .ngrams         = pick(w, 10),
                            .buckets        = pick(w, 2) ? 0 : draw_size(w),
                            .punctuation    = pick(w, 3),
                            .symbols        = pick(w, 4),
                            .prefix         = pick(w, 2) ? 0 : draw_size(w),
                            .letters        = pick(w, 2) ? 0 : draw_size(w),
                            .bag            = pick(w, 4) ? 0 : draw_size(w),
                            .letter_buckets = pick(w, 4) ? 0 : draw_size(w)};
}

static void vocab_create(world *w)
{
    const fgt_vocab_opts o = draw_vocab(w);
    leave_encoding(w);
    fgt_vocab_destroy(&w->vocab);
    SAY(w->corpus, fgt_vocab_create(w->corpus, pick(w, 4) ? &o : NULL, &w->vocab));
}

static void choose_vocab(world *w)
{
    fgt_vocab_opts o = {.size = sizeof o};
    SAY(w->corpus, fgt_classifier_choose_vocab(w->corpus, (int32_t)draw_size(w), pick(w, 8) ? &o : NULL));
    fgt_classifier_count_epochs(w->classifier, draw_size(w), draw_size(w));
}

static void vocab_encode(world *w)
{
    const char *const texts[2] = {draw_text(w), draw_text(w)};
    const fgt_view    like     = {.rank = 2, .shape = {2, TOKENS}, .dtype = FGT_DTYPE_I64};
    const fgt_view    mask     = {.rank = 2, .shape = {2, TOKENS}, .dtype = FGT_DTYPE_I32};
    fgt_view          ids = draw_view(w, &like, true), padding = draw_view(w, &mask, true);
    int64_t           replaced;
    SAY(w->vocab, fgt_vocab_encode(w->vocab, texts, 2, draw_null(w, &ids), pick(w, 2) ? &padding : NULL,
                                   pick(w, 2) ? &replaced : NULL));
}

static void encoding(world *w)
{
    const int64_t  index[2] = {0, draw_size(w)};
    const fgt_view like     = {.rank = 2, .shape = {2, TOKENS}, .dtype = FGT_DTYPE_I64};
    const fgt_view rows     = {.rank = 1, .shape = {2}, .dtype = FGT_DTYPE_I64};
    fgt_view       x = draw_view(w, &like, true), target = draw_view(w, &rows, true);
    if (w->encoding && pick(w, 2)) {
        SAY(w->encoding, fgt_encoding_copy_samples(w->encoding, index, 2, &x, &target));
        return;
    }
    fgt_encoding_destroy(&w->encoding);
    SAY(w->vocab, fgt_encoding_create(w->vocab, w->corpus, pick(w, 4) ? TOKENS : draw_size(w), &w->encoding));
}

/* ---- classifiers ---- */

static void classifier_create(world *w)
{
    const fgt_vocab_opts      v = draw_vocab(w);
    const fgt_classifier_opts o = {.size     = sizeof o,
                                   .vocab    = pick(w, 2) ? &v : NULL,
                                   .tokens   = TOKENS,
                                   .batch    = pick(w, 4),
                                   .dim      = pick(w, 8) ? 4 : draw_size(w),
                                   .block    = {.heads   = pick(w, 3),
                                                .layers  = pick(w, 3),
                                                .hops    = pick(w, 4),
                                                .kind    = pick(w, 12),
                                                .dropout = pick(w, 2) ? 0 : -1},
                                   .pretrain = pick(w, 3)};
    fgt_classifier_destroy(&w->classifier);
    SAY(w->corpus, fgt_classifier_create(w->ctx, FGT_TEXTS(w->corpus), &o, &w->classifier));
}

static void classifier_fit(world *w)
{
    const fgt_classifier_fit_opts o      = {.size     = sizeof o,
                                            .training = {.progress = draw_stop,
                                                         .user     = w,
                                                         .epochs   = 1,
                                                         .lr       = pick(w, 2) ? 0 : draw_real(w),
                                                         .selector = pick(w, 4) ? NULL : w->attent}};
    fgt_fit_report                report = {.size = sizeof report};
    SAY(w->classifier && w->corpus ? w->classifier : NULL,
        fgt_classifier_fit(w->classifier, FGT_TEXTS(w->corpus), FGT_TEXTS(pick(w, 2) ? w->corpus : NULL), &o,
                           &report));
}

static void classifier_masked(world *w)
{
    const fgt_classifier_fit_opts    fit = {.size     = sizeof fit,
                                            .training = {.progress = draw_stop, .user = w, .epochs = 1}};
    const fgt_classifier_masked_opts o   = {.size  = sizeof o,
                                            .fit   = &fit,
                                            .share = pick(w, 2) ? 0 : draw_real(w),
                                            .words = pick(w, 2) ? 0 : draw_size(w)};
    SAY(w->classifier, fgt_classifier_fit_masked(w->classifier, FGT_TEXTS(w->corpus),
                                                 FGT_TEXTS(pick(w, 2) ? w->corpus : NULL), &o, NULL));
}

static void classifier_predict(world *w)
{
    const char *const   texts[2] = {draw_text(w), draw_text(w)};
    fgt_classifier_info info     = {.size = sizeof info};
    const bool          known    = fgt_classifier_get_info(w->classifier, &info) == FGT_OK;
    const fgt_view      rows     = {.rank = 2, .shape = {2, known ? info.classes : 2}};
    fgt_view            p        = draw_view(w, &rows, true);
    SAY(w->classifier,
        fgt_classifier_predict(w->classifier, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = 2),
                               draw_null(w, &p), NULL));
    fgt_classifier_workspace *ws;
    SAY(w->classifier, fgt_classifier_create_workspace(w->classifier, NULL, &ws));
    const fgt_status s = CALL(fgt_classifier_workspace_predict(
        ws, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = 2), draw_null(w, &p), NULL));
    if (ws && s != FGT_OK && !fgt_classifier_workspace_get_error(ws)[0]) abort(); /* its sentence is there */
    calls_say(w, ws && s == FGT_OK, s);
    fgt_classifier_workspace_destroy(&ws);
}

static void classifier_file(world *w)
{
    if (w->classifier && pick(w, 2)) {
        SAY(w->classifier, fgt_classifier_save(w->classifier, FGT_TO_MEMORY(w->file, FILE_MAX, &w->bytes)));
        return;
    }
    fgt_classifier_destroy(&w->classifier);
    SAY(w->ctx, fgt_classifier_load(w->ctx, FGT_FROM_MEMORY(w->file, w->bytes), NULL, &w->classifier));
}

static void classifier_add(world *w)
{
    fgt_classifier  *other = NULL;
    const fgt_status s = CALL(fgt_classifier_load(w->ctx, FGT_FROM_MEMORY(w->file, w->bytes), NULL, &other));
    if (s != FGT_OK) {
        calls_say(w, w->ctx != NULL, s);
        return;
    }
    SAY(w->classifier, fgt_classifier_take_members(w->classifier, &other));
    fgt_classifier_destroy(&other);
}

/* The vocabulary goes through a file in memory, which may be damaged. */
static void vocab_file(world *w)
{
    static char bytes[1 << 16];
    int64_t     size  = 0;
    fgt_vocab  *vocab = NULL;
    if (!w->vocab || fgt_vocab_save(w->vocab, FGT_TO_MEMORY(bytes, sizeof bytes, &size)) != FGT_OK) return;
    if (pick(w, 2)) bytes[draw_size(w) & ((1 << 16) - 1)] ^= 1;
    SAY(w->ctx, fgt_vocab_load(w->ctx, FGT_FROM_MEMORY(bytes, size), &vocab));
    fgt_vocab_destroy(&vocab);
}

static const operation list[] = {
    {"fgt_corpus_create", corpus_create, false, false},
    {"fgt_corpus_create_subset", corpus_subset, false, false},
    {"fgt_corpus_open", corpus_store, false, false},
    {"fgt_corpus_create_split", corpus_split, false, false},
    {"fgt_vocab_create", vocab_create, false, false},
    {"fgt_vocab_encode", vocab_encode, true, false},
    {"fgt_encoding_create", encoding, false, false},
    {"fgt_classifier_choose_vocab", choose_vocab, false, false},
    {"fgt_classifier_create", classifier_create, false, false},
    {"fgt_classifier_fit", classifier_fit, false, false},
    {"fgt_classifier_fit_masked", classifier_masked, false, false},
    {"fgt_classifier_predict", classifier_predict, false, false},
    {"fgt_classifier_save", classifier_file, false, false},
    {"fgt_classifier_take_members", classifier_add, false, false},
    {"fgt_vocab_load", vocab_file, false, false},
};
const operations calls_of_texts = {list, sizeof list / sizeof *list};
