/* SPDX-License-Identifier: BSD-3-Clause */
/* A classifier of texts: corpus, vocabulary, training, probabilities, info. Without utf8proc the library has
 * no words; then the program prints the refusal. */
#include "program.h"

enum { R = 12 };

static const char *const texts[R] = {
    "rain and wind in the north", "sun in the south",      "wind and more wind",    "rain, then sun",
    "goal in the last minute",    "the match is lost",     "a goal and a match",    "the team won the match",
    "shares fell on monday",      "the bank raised rates", "rates and shares rose", "a bank lost money",
};
static const char *const classes[R] = {
    "weather", "weather", "weather",  "weather",  "sport",    "sport",
    "sport",   "sport",   "business", "business", "business", "business",
};

static fgt_classifier *make(const fgt_corpus *corpus)
{
    fgt_classifier  *classifier = NULL;
    const fgt_status status     = fgt_classifier_create(
            ctx, FGT_TEXTS(corpus),
            &FGT_OPTS(fgt_classifier_opts, .tokens = 8, .batch = 4, .dim = 8, .seed = 3,
                      .vocab = &FGT_OPTS(fgt_vocab_opts, .ngrams = 2, .buckets = 16, .min_count = 1),
                      .block = {.kind = FGT_BLOCK_FIGHTER, .heads = 2, .dropout = 0.25f}),
            &classifier);
    if (status == FGT_E_UNSUPPORTED)
        printf("%s\n", fgt_status_get_name(status));
    else
        check(status);
    return classifier;
}

static void classify(fgt_classifier *classifier, const fgt_corpus *corpus)
{
    static const char *const news[] = {"the bank and the match", "wind \xff wind"};
    fgt_classifier_info      info   = {.size = sizeof info};
    fgt_fit_report           report = {.size = sizeof report};
    fgt_metric               metric = {0};
    float                    p[2 * 3];
    int64_t                  replaced, confusion[9] = {0};
    check(fgt_classifier_fit(classifier, FGT_TEXTS(corpus), FGT_TEXTS(corpus),
                             &FGT_OPTS(fgt_classifier_fit_opts, .training.epochs = 3, .training.lr = 1e-2,
                                       .training.patience = -1, .label_smoothing = 0.0625f),
                             &report));
    print_report(&report);
    check(fgt_classifier_get_info(classifier, &info));
    printf("%d classes, %d tokens, block %d\n", (int)info.classes, (int)info.tokens, (int)info.block);
    for (int64_t i = 0; i < info.classes; i++) printf("%s\n", fgt_classifier_get_class_name(classifier, i));
    check(fgt_classifier_evaluate(classifier, FGT_TEXTS(corpus), &metric,
                                  FGT_VIEW_OF(FGT_DTYPE_I64, confusion, 3, 3)));
    printf("%d of %d right\n", (int)metric.correct, (int)metric.rows);
    for (int i = 0; i < 9; i++) printf("%d ", (int)confusion[i]);
    check(fgt_classifier_predict(classifier, &FGT_OPTS(fgt_classifier_rows, .texts = news, .text_count = 2),
                                 FGT_VIEW(p, 2, 3), &replaced));
    print_numbers("\nprobabilities", p, 6);
    printf("%d replaced\n", (int)replaced);
}

int main(void)
{
    fgt_corpus     *corpus;
    fgt_corpus_info info = {.size = sizeof info};
    fgt_classifier *classifier;
    check(fgt_context_create(NULL, &ctx));
    check(fgt_corpus_create(ctx, texts, classes, R,
                            &FGT_OPTS(fgt_corpus_opts, .class_kind = FGT_CLASS_KIND_NAME), &corpus));
    check(fgt_corpus_get_info(corpus, &info));
    printf("%d rows, %d classes\n", (int)info.rows, (int)info.classes);
    classifier = make(corpus);
    if (classifier) classify(classifier, corpus);
    fgt_classifier_destroy(&classifier);
    fgt_corpus_destroy(&corpus);
    fgt_context_destroy(&ctx);
    return 0;
}
