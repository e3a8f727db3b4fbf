/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files of classifiers: rounded weights, and the most frequent words. */
#include <math.h>

#include <fighter/experimental/adapter.h>
#include <fighter/experimental/small.h>

#include "small_corpus.h"

static const fgt_vocab_opts counted = {.size = sizeof counted, .ngrams = 2};
static const fgt_vocab_opts hashed  = {
     .size = sizeof hashed, .ngrams = 2, .letters = 4, .least_letters = 3, .bag = 6, .letter_buckets = 100};

static fgt_classifier *new_trained(const fgt_vocab_opts *vocab)
{
    const fgt_classifier_opts o = {
        .size = sizeof o, .tokens = 12, .dim = 8, .batch = 16, .block.dropout = -1, .vocab = vocab};
    fgt_classifier *c;
    OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &o, &c));
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &brief, NULL));
    return c;
}

static fgt_classifier *small_of(const fgt_classifier *c, int64_t words)
{
    fgt_classifier *loaded;
    OK(fgt_classifier_save_small(c, words, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &loaded));
    return loaded;
}

/* The rows of the embedding [ids,8] of a classifier with few ids. */
static int64_t rows_of(fgt_classifier *c, float w[][8])
{
    const int64_t ids = vocab_info(fgt_classifier_get_vocab(c)).ids;
    OK(fgt_model_copy_parameter(fgt_classifier_get_model(c), "embedding.weight", FGT_VIEW(w, ids, 8)));
    return ids;
}

static bool is_rounded(float x, float of)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return !(bits & 0xffff) && fabsf(x - of) <= 0.004f * fabsf(of);
}

/* The kept words are the first ones, and shared n-grams and letters stay. */
static void expect_rows(const fgt_vocab_opts *vocab, int64_t words)
{
    static float    whole[256][8], small[256][8];
    fgt_classifier *c = new_trained(vocab), *s = small_of(c, words);
    const int64_t   ids = rows_of(c, whole), left = rows_of(s, small);
    const int64_t   buckets = vocab->buckets + vocab->letter_buckets;
    const int64_t   kept    = words ? words : ids - 2 - buckets;
    assert_int_equal(left, 2 + kept + buckets);
    for (int64_t i = 0; i < left; i++)
        for (int64_t k = 0; k < 8; k++)
            assert_true(is_rounded(small[i][k], whole[i < 2 + kept ? i : ids - left + i][k]));
    for (int64_t i = 2; i < 2 + kept; i++)
        assert_string_equal(fgt_vocab_get_word(fgt_classifier_get_vocab(s), i),
                            fgt_vocab_get_word(fgt_classifier_get_vocab(c), i));
    fgt_classifier_destroy(&s);
    fgt_classifier_destroy(&c);
}

static void words_are_left_out(void **state)
{
    (void)state;
    expect_rows(&counted, 0);
    expect_rows(&counted, 7);
    expect_rows(&pairs, 5);
    expect_rows(&hashed, 5);
}

static void it_goes_on_learning(void **state)
{
    (void)state;
    fgt_classifier *c = new_trained(&counted), *s = small_of(c, 12), *again;
    fgt_metric      m = {0};
    float           p[2], q[2];
    const char     *text = "the cat and a dog";
    OK(fgt_classifier_fit(s, FGT_TEXTS(corpus), NULL, &brief, NULL));
    again = small_of(s, 100000); /* more than there are: all */
    OK(fgt_classifier_evaluate(again, FGT_TEXTS(corpus), &m, NULL));
    assert_int_equal(m.correct, ROWS);
    fgt_classifier           *same = small_of(again, 0);
    const fgt_classifier_rows one  = FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1);
    OK(fgt_classifier_predict(again, &one, FGT_VIEW(p, 1, 2), NULL));
    OK(fgt_classifier_predict(same, &one, FGT_VIEW(q, 1, 2), NULL));
    assert_memory_equal(p, q, sizeof p); /* rounded weights are rounded to themselves */
    fgt_classifier_destroy(&same);
    fgt_classifier_destroy(&again);
    fgt_classifier_destroy(&s);
    fgt_classifier_destroy(&c);
}

static void others_are_refused(void **state)
{
    (void)state;
    fgt_status      s;
    fgt_classifier *c = new_trained(&counted), *more = new_trained(&counted);
    assert_int_equal(fgt_classifier_save_small(NULL, 0, FGT_TO_FILE(path)), FGT_E_ARG);
    REFUSED(fgt_classifier_save_small(c, -1, FGT_TO_FILE(path)), FGT_E_ARG, "words is out of range");
    REFUSED(fgt_classifier_save_small(c, 0, NULL), FGT_E_ARG, "");
    SWEEP(&memory, s, 10, fgt_classifier_save_small(c, 5, FGT_TO_FILE(path))) NOTHING_LEAKS;
    OK(fgt_classifier_take_members(c, &more));
    REFUSED(fgt_classifier_save_small(c, 0, FGT_TO_FILE(path)), FGT_E_UNSUPPORTED, "one member");
    fgt_classifier_destroy(&c);
    c                           = new_trained(&counted);
    const fgt_adapter_opts mine = FGT_OPTS(fgt_adapter_opts, .name = "mine", .pattern = "head.weight");
    OK(fgt_model_add_adapter(fgt_classifier_get_model(c), &mine));
    OK(fgt_model_set_adapter(fgt_classifier_get_model(c), "mine"));
    REFUSED(fgt_classifier_save_small(c, 0, FGT_TO_FILE(path)), FGT_E_STATE, "adapter is active");
    fgt_classifier_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_left_out),
        cmocka_unit_test(it_goes_on_learning),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
