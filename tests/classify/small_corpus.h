/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_CLASSIFY_SMALL_CORPUS_H
#define TESTS_CLASSIFY_SMALL_CORPUS_H

/* For the tests of classifiers: a small corpus, classifiers of it, the path of a file. */

#include <unistd.h>

#include <fighter/classify.h>
#include <fighter/experimental/ensemble.h>

#include "../one_context.h"
#include "../samples_info.h"

#define ROWS 60

static fgt_corpus  *corpus;
static char         path[64];

/* Animals and stars, each text with words of its own class and some of both. */
static inline fgt_corpus *new_corpus(const char *first, const char *second)
{
    static const char *const words[2][4] = {{"cat", "dog", "mouse", "horse"},
                                            {"sun", "moon", "comet", "planet"}};
    static char text[ROWS][64];
    const char *texts[ROWS], *classes[ROWS];
    fgt_corpus *made;
    for (int r = 0; r < ROWS; r++) {
        const char *const *w = words[r % 2];
        snprintf(text[r], sizeof text[r], "the %s and a %s %s", w[r / 2 % 4], w[r / 3 % 4],
                 r % 3 ? "again" : "once");
        texts[r]   = text[r];
        classes[r] = r % 2 ? second : first;
    }
    OK(fgt_corpus_create(ctx, texts, classes, ROWS, NULL, &made));
    return made;
}

static inline int set_up(void **state)
{
    (void)state;
    test_open_threads(2);
    snprintf(path, sizeof path, "/tmp/fgt_classify_%ld.safetensors", (long)getpid());
    corpus = new_corpus("animal", "star \xe2\x98\x85");
    return 0;
}

static inline int tear_down(void **state)
{
    remove(path);
    fgt_corpus_destroy(&corpus);
    return test_close(state);
}

/* Small, so that files are. */
static const fgt_vocab_opts pairs = {.size = sizeof pairs, .ngrams = 2, .buckets = 64};

static inline fgt_classifier *new_seed(int32_t block, uint64_t seed)
{
    fgt_classifier           *c;
    const fgt_classifier_opts o = {.size          = sizeof o,
                                   .block.kind    = block,
                                   .tokens        = 12,
                                   .dim           = 8,
                                   .batch         = 16,
                                   .block.dropout = -1,
                                   .seed          = seed,
                                   .vocab         = &pairs};
    OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &o, &c));
    return c;
}

static inline fgt_classifier *new_classifier(int32_t block)
{
    return new_seed(block, 3);
}

static const fgt_classifier_fit_opts brief = {.size     = sizeof brief,
                                              .training = {.epochs = 20, .lr = 0.02, .seed = 1}};

#endif
