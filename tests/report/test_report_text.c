/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of classifiers: the words of a text, the runs of words behind them, and failing memory. */
#include "../classify/small_corpus.h"
#include "../model_info.h"
#include "../samples_info.h"
#include "page_text.h"

#include <math.h>

#include <fighter/analysis.h>
#include <fighter/experimental/exact.h>
#include <fighter/experimental/hops.h>
#include <fighter/experimental/report.h>

/* Words that the vocabulary lacks are shown as well; runs are called by their words. */
static void test_words(void **state)
{
    (void)state;
    fgt_classifier       *c = new_seed(FGT_BLOCK_FIGHTER, 1);
    fgt_report           *r;
    const fgt_report_text o = {.size = sizeof o, .name = "a", .truth = "animal"};
    OK(fgt_report_create(ctx, NULL, &r));
    OK(fgt_report_add_text(r, c, "The CAT & unheard <dog>", &o));
    OK(fgt_report_add_text(r, c, "?!", NULL)); /* no words: nothing to show but its class */
    REFUSED(fgt_report_add_text(r, c, "unheard the dog and", &o), FGT_E_ARG, "a text \"a\" already");
    char *page = page_of(r);
    assert_non_null(strstr(page,
                           "\"tokens\":[\"the\",\"cat\",\"unheard\",\"\\u003c\",\"dog\",\"\\u003e\","
                           "\"the cat\",\"cat unheard\",\"unheard \\u003c\",\"\\u003c dog\","
                           "\"dog \\u003e\"]"));
    assert_non_null(strstr(page, "; its class is animal\",\"subject\":0,\"count\":6,\"measure\":"));
    assert_non_null(strstr(page, "\"words\":[\"the\",\"cat\",\"unheard\","));
    assert_null(strstr(page, "<dog>"));
    free(page);
    fgt_report_destroy(&r);
    fgt_classifier_destroy(&c);
}

/* No character of a long name is cut. */
static void test_long_name(void **state)
{
    (void)state;
    fgt_classifier *c = new_seed(FGT_BLOCK_FIGHTER, 1);
    fgt_report     *r;
    char            name[222] = "a";
    for (int i = 0; i < 110; i++) memcpy(name + 1 + 2 * i, "\xd0\xb4", 2);
    OK(fgt_report_create(ctx, NULL, &r));
    OK(fgt_report_add_text(r, c, "the cat", &FGT_OPTS(fgt_report_text, .name = name, .truth = name)));
    char *page = page_of(r), *heading = strstr(page, "\"text\":\"a\xd0\xb4");
    assert_non_null(heading);
    assert_memory_equal(heading + 8, name, 221);
    assert_memory_equal(heading + 8 + 221, ": ", 2);
    assert_null(strstr(page, "\xef\xbf\xbd"));
    free(page);
    fgt_report_destroy(&r);
    fgt_classifier_destroy(&c);
}

/* Words are added also where a host, or a call that failed, has added the matrices. */
static void test_matrices_before(void **state)
{
    (void)state;
    fgt_classifier *c = new_seed(FGT_BLOCK_FIGHTER, 1);
    fgt_report     *r;
    OK(fgt_report_create(ctx, NULL, &r));
    OK(fgt_report_add_text(r, c, "the cat", NULL));
    OK(fgt_report_add_text(r, c, "a dog", &FGT_OPTS(fgt_report_text, .name = "b", .epoch = 1)));
    OK(fgt_report_add_model(r, fgt_classifier_get_model(c),
                            &FGT_OPTS(fgt_report_pass, .subject = "b", .count = 3)));
    OK(fgt_report_add_text(r, c, "a dog", &FGT_OPTS(fgt_report_text, .name = "b")));
    char *page = page_of(r);
    assert_int_equal(count(page, "{\"text\":"), 2);
    free(page);
    fgt_report_destroy(&r);
    fgt_classifier_destroy(&c);
}

/* Words of blocks without attention are coloured by sensitivity alone. */
static void test_all_blocks(void **state)
{
    (void)state;
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        fgt_classifier *c = new_seed(block, 1);
        fgt_report     *r;
        OK(fgt_report_create(ctx, NULL, &r));
        OK(fgt_report_add_text(r, c, fgt_corpus_get_text(corpus, 0), NULL));
        char *page = page_of(r);
        const int attention = attends(fgt_classifier_get_model(c));
        assert_int_equal(count(page, "{\"text\":"), 1);
        assert_int_equal(count(page, "\"measure\":\"sensitivity"), 1);
        assert_int_equal(count(page, "\"planes\":") > 0, attention);
        assert_int_equal(count(page, "<details id='matrix-0'>"), attention);
        free(page);
        fgt_report_destroy(&r);
        fgt_classifier_destroy(&c);
    }
}

/* A word that occurs twice is two tokens; each word has a line of the table. Words and runs have no
 * distance. */
static void test_repeated(void **state)
{
    (void)state;
    fgt_classifier *c = new_seed(FGT_BLOCK_FIGHTER, 1);
    fgt_report     *r;
    OK(fgt_report_create(ctx, NULL, &r));
    OK(fgt_report_add_text(r, c, "cat dog cat", NULL));
    char *page = page_of(r);
    assert_non_null(strstr(page, "\"tokens\":[\"cat (1)\",\"dog\",\"cat (3)\",\"cat dog\",\"dog cat\"]"));
    assert_non_null(strstr(page, "\"count\":3,\"measure\":"));
    assert_non_null(strstr(page, "\"words\":[\"cat\",\"dog\",\"cat\",\"cat dog\",\"dog cat\"]"));
    assert_non_null(strstr(page, "<tr><th scope='row'>3</th><th scope='row' class='name'>cat</th><td>"));
    assert_null(strstr(page, "How far away"));
    free(page);
    fgt_report_destroy(&r);
    fgt_classifier_destroy(&c);
}

/* Shares of the tokens in the logit of the class that was found, and none of padding. */
static void test_importance(void **state)
{
    (void)state;
    const char     *text = "the cat and a dog";
    fgt_classifier *c    = new_seed(FGT_BLOCK_FIGHTER, 1);
    fgt_model      *m    = fgt_classifier_get_model(c);
    fgt_report     *r;
    fgt_layer_info  info = {.size = sizeof info};
    fgt_view        v    = {0};
    double          norms[64], sum = 0;
    float           p[8] = {0}, dy[8] = {0};
    const int64_t   classes = corpus_info(corpus).classes;
    OK(fgt_report_create(ctx, NULL, &r));
    OK(fgt_report_add_text(r, c, text, NULL));
    char *page = page_of(r), *part = strstr(page, "<details id='importance-0'>");
    assert_non_null(part);
    *strstr(part, "</details>") = 0;
    OK(fgt_classifier_set_exact(c, 1)); /* the page is compared with the model's pass */
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                              FGT_VIEW(p, 1, classes), NULL));
    for (int64_t i = 1; i < classes; i++) p[0] = fmaxf(p[0], p[i]);
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                              FGT_VIEW(dy, 1, classes), NULL));
    for (int64_t i = 0; i < classes; i++) dy[i] = dy[i] >= p[0];
    for (int64_t i = 0; !layer_hops(m, info.name); i++) OK(fgt_model_get_layer(m, i, &info));
    OK(fgt_importance_get_shape(m, info.name, NULL, &v));
    assert_true(v.shape[0] == 1 && v.shape[1] <= 64);
    v.data = norms;
    OK(fgt_importance_compute(m, info.name, NULL, FGT_VIEW(dy, 1, classes), &v, NULL));
    for (int64_t i = 0; i < v.shape[1]; i++) sum += norms[i];
    assert_true(sum > 0);
    assert_int_equal(count(part, "<tr><th scope='row' class='name'>"), 9); /* five words, four pairs */
    for (int64_t i = 0; i < v.shape[1]; i++) {
        char line[48];
        snprintf(line, sizeof line, "</th><td>%.3g</td></tr>", norms[i] / sum);
        assert_true(i < 9 ? strstr(part, line) != NULL : norms[i] == 0);
    }
    free(page);
    fgt_report_destroy(&r);
    fgt_classifier_destroy(&c);
}

static void test_failing(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        fgt_classifier *c = new_seed(k ? FGT_BLOCK_FIGHTER : FGT_BLOCK_TRANSFORMER, 1);
        fgt_report     *r;
        fgt_status      s;
        OK(fgt_report_create(ctx, NULL, &r));
        SWEEP(&memory, s, 8, fgt_report_add_text(r, c, "the cat and a dog", NULL))
        {
            fgt_report_destroy(&r); /* parts of it may have been added */
            OK(fgt_report_create(ctx, NULL, &r));
        }
        REFUSED(fgt_report_add_text(r, c, NULL, NULL), FGT_E_ARG, "text");
        fgt_report_destroy(&r);
        fgt_classifier_destroy(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_long_name),
                                       cmocka_unit_test(test_matrices_before),
                                       cmocka_unit_test(test_repeated), cmocka_unit_test(test_all_blocks),
                                       cmocka_unit_test(test_importance), cmocka_unit_test(test_failing)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
