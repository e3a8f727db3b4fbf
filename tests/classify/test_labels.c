/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts with several labels: each label is a decision of its own. */
#include <math.h>

#include <fighter/experimental/labels.h>

#include "small_corpus.h"

#define MADE 60

/* Texts with words of animals, of stars, or of both, and the labels of these words. */
static fgt_corpus *new_labelled(const char *both)
{
    static char text[MADE][48];
    const char *texts[MADE], *classes[MADE];
    fgt_corpus *made;
    for (int i = 0; i < MADE; i++) {
        static const char *const animals[] = {"cat", "dog", "mouse"};
        static const char *const stars[]   = {"sun", "moon", "comet"};
        const int                which     = i % 3;
        snprintf(text[i], sizeof text[i], "the %s %s again", which == 1 ? "once" : animals[i / 3 % 3],
                 which == 0 ? "once" : stars[i / 9 % 3]);
        texts[i]   = text[i];
        classes[i] = which == 0 ? "animal" : which == 1 ? "star" : both;
    }
    OK(fgt_corpus_create(ctx, texts, classes, MADE, NULL, &made));
    return made;
}

static fgt_classifier *new_labels(const fgt_corpus *texts)
{
    const fgt_classifier_opts o = {.size          = sizeof o,
                                   .tokens        = 12,
                                   .dim           = 8,
                                   .batch         = 16,
                                   .block.dropout = -1,
                                   .seed          = 3,
                                   .vocab         = &pairs};
    fgt_classifier           *c;
    OK(fgt_classifier_create_labels(ctx, texts, &o, &c));
    return c;
}

static void ask_one(fgt_classifier *c, const char *text, float p[2])
{
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                              FGT_VIEW(p, 1, 2), NULL));
}

static void expect_labels(fgt_classifier *c)
{
    static const struct {
        const char *text;
        bool        animal, star;
    } want[] = {{"the cat once again", true, false},
                {"the once comet again", false, true},
                {"the mouse moon again", true, true}};
    for (size_t i = 0; i < 3; i++) {
        float p[2];
        ask_one(c, want[i].text, p);
        if ((p[0] > 0.5f) != want[i].animal || (p[1] > 0.5f) != want[i].star)
            fail_msg("%s: %g %g", want[i].text, (double)p[0], (double)p[1]);
    }
}

static void labels_are_learned(void **state)
{
    (void)state;
    fgt_corpus     *texts = new_labelled("star  animal"), *other = new_labelled("animal star animal");
    fgt_classifier *c = new_labels(texts), *loaded;
    assert_int_equal(corpus_info(texts).classes, 3);
    assert_string_equal(fgt_classifier_get_class_name(c, 0), "animal");
    assert_string_equal(fgt_classifier_get_class_name(c, 1), "star");
    assert_null(fgt_classifier_get_class_name(c, 2));
    assert_int_equal(corpus_info(fgt_classifier_get_corpus(c)).classes, 2);
    fgt_fit_report report = {.size = sizeof report};
    OK(fgt_classifier_fit(c, FGT_TEXTS(texts), FGT_TEXTS(other), &brief, &report));
    assert_true(report.best_loss < 0.1 && report.best_loss > 0); /* the mean of labels, in nats */
    expect_labels(c);
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &loaded));
    assert_int_equal(fgt_classifier_has_labels(loaded), 1);
    float p[2], q[2];
    ask_one(c, "a cat", p);
    ask_one(loaded, "a cat", q);
    assert_memory_equal(p, q, sizeof p);
    fgt_classifier_destroy(&loaded);
    fgt_classifier_destroy(&c);
    fgt_corpus_destroy(&other);
    fgt_corpus_destroy(&texts);
}

/* The order of labels in a list, and labels that occur twice, change nothing. */
static void lists_are_sets(void **state)
{
    (void)state;
    fgt_corpus     *one = new_labelled("animal star"), *two = new_labelled("star animal star");
    fgt_classifier *a = new_labels(one), *b = new_labels(two);
    OK(fgt_classifier_fit(a, FGT_TEXTS(one), NULL, &brief, NULL));
    OK(fgt_classifier_fit(b, FGT_TEXTS(two), NULL, &brief, NULL));
    assert_true(fgt_model_get_hash(fgt_classifier_get_model(a)) ==
                fgt_model_get_hash(fgt_classifier_get_model(b)));
    fgt_classifier_destroy(&a);
    fgt_classifier_destroy(&b);
    fgt_corpus_destroy(&one);
    fgt_corpus_destroy(&two);
}

static void members_are_of_one_kind(void **state)
{
    (void)state;
    fgt_corpus     *texts = new_labelled("animal star"), *plain = new_corpus("animal", "star");
    fgt_classifier *c = new_labels(texts), *more = new_labels(texts), *loaded, *other;
    float           p[2], q[2];
    OK(fgt_classifier_take_members(c, &more));
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &loaded));
    assert_non_null(fgt_classifier_get_member(loaded, 1));
    ask_one(c, "a sun", p);
    ask_one(loaded, "a sun", q);
    assert_memory_equal(p, q, sizeof p);
    OK(fgt_classifier_create(ctx, FGT_TEXTS(plain), &FGT_OPTS(fgt_classifier_opts, .dim = 8), &other));
    assert_int_equal(fgt_classifier_has_labels(other), 0);
    REFUSED(fgt_classifier_take_members(other, &c), FGT_E_ARG, "other inputs");
    fgt_classifier_destroy(&other);
    fgt_classifier_destroy(&loaded);
    fgt_classifier_destroy(&c);
    fgt_corpus_destroy(&plain);
    fgt_corpus_destroy(&texts);
}

static void others_are_refused(void **state)
{
    (void)state;
    const char     *text = "a cat", *class = "one";
    fgt_corpus     *texts = new_labelled("animal star"), *unseen = new_labelled("animal tree"), *single;
    fgt_corpus     *none;
    fgt_classifier *c = new_labels(texts), *k = c;
    fgt_metric      m = {0};
    OK(fgt_corpus_create(ctx, &text, &class, 1, NULL, &single));
    OK(fgt_corpus_create(ctx, &text, NULL, 1, &FGT_OPTS(fgt_corpus_opts, .no_classes = 1), &none));
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(unseen), NULL, &brief, NULL), FGT_E_DATA, "\"tree\"");
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(none), NULL, &brief, NULL), FGT_E_DATA, "no classes");
    REFUSED(fgt_classifier_evaluate(c, FGT_TEXTS(texts), &m, NULL), FGT_E_UNSUPPORTED, "several labels");
    REFUSED(fgt_classifier_create_labels(ctx, NULL, NULL, &k), FGT_E_ARG, "NULL");
    assert_null(k);
    REFUSED(fgt_classifier_create_labels(ctx, single, &FGT_OPTS(fgt_classifier_opts, .vocab = &pairs), &k),
            FGT_E_DATA, "two or more");
    assert_int_equal(fgt_classifier_has_labels(NULL), 0);
    fgt_classifier_destroy(&c);
    fgt_corpus_destroy(&none);
    fgt_corpus_destroy(&single);
    fgt_corpus_destroy(&unseen);
    fgt_corpus_destroy(&texts);
}

static void allocations_fail(void **state)
{
    (void)state;
    fgt_status              s;
    fgt_corpus             *texts = new_labelled("animal star");
    fgt_classifier         *c     = new_labels(texts), *k;
    fgt_classifier_fit_opts one   = brief;
    one.training.epochs           = 1;
    SWEEP(&memory, s, 20, fgt_classifier_create_labels(ctx, texts, NULL, &k))
    {
        assert_null(k);
        NOTHING_LEAKS;
    }
    fgt_classifier_destroy(&k);
    OK(fgt_classifier_fit(c, FGT_TEXTS(texts), NULL, &one, NULL)); /* the model keeps memory for trainings */
    const uint64_t hash = fgt_model_get_hash(fgt_classifier_get_model(c));
    SWEEP(&memory, s, 20, fgt_classifier_fit(c, FGT_TEXTS(texts), FGT_TEXTS(texts), &one, NULL))
    {
        assert_true(fgt_model_get_hash(fgt_classifier_get_model(c)) == hash);
        NOTHING_LEAKS;
    }
    fgt_classifier_destroy(&c);
    fgt_corpus_destroy(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_learned),      cmocka_unit_test(lists_are_sets),
        cmocka_unit_test(members_are_of_one_kind), cmocka_unit_test(others_are_refused),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
