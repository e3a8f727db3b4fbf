/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of classifiers: the words of a text, the runs of words behind them, and failing memory. */
#include "../classify/fixture.h"
#include "page_text.h"

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
    assert_non_null(strstr(page, "; its class is animal</h3>"));
    assert_non_null(strstr(page, "Tokens of several words: <span"));
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
    char *page = page_of(r), *heading = strstr(page, "<h3>a\xd0\xb4");
    assert_non_null(heading);
    assert_memory_equal(heading + 4, name, 221);
    assert_memory_equal(heading + 4 + 221, ": ", 2);
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
    assert_int_equal(count(page, "<article"), 2);
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
        assert_int_equal(count(page, "<article"), 1);
        assert_int_equal(count(page, "<h4>By sensitivity"), 1);
        assert_int_equal(count(page, "<h4>By attention"), attention);
        assert_int_equal(count(page, "<th scope='col'>attention</th>"), attention);
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
    assert_int_equal(count(page, ">cat</span>"), 2 * 2); /* by attention, by sensitivity */
    assert_non_null(strstr(page, "<tr><td>3</td><th scope='row' class='name'>cat</th><td data-token='2'>"));
    assert_null(strstr(page, "How far away"));
    free(page);
    fgt_report_destroy(&r);
    fgt_classifier_destroy(&c);
}

static void test_failing(void **state)
{
    (void)state;
    fgt_classifier *c = new_seed(FGT_BLOCK_TRANSFORMER, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_long_name),
                                       cmocka_unit_test(test_matrices_before),
                                       cmocka_unit_test(test_repeated), cmocka_unit_test(test_all_blocks),
                                       cmocka_unit_test(test_failing)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
