/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads predict with one classifier; nothing is allocated after the first prediction. Meant to be
 * run under ThreadSanitizer, too. */
#include <pthread.h>

#include "small_corpus.h"

enum { TEXTS = 9, THREADS = 8 };

static const char *const texts[TEXTS] = {"the cat and a dog",   "sun and moon", "",    "a horse \xff again",
                                         "comet once",          "unheard words", "the", "mouse planet mouse",
                                         "the moon and a comet"};

/* Two members, so that each thread averages. */
static fgt_classifier *two_members(int32_t block)
{
    fgt_classifier *c = new_seed(block, 1), *d = new_seed(block, 2);
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL,
                          &FGT_OPTS(fgt_classifier_fit_opts, .training.epochs = 2), NULL));
    OK(fgt_classifier_take_members(c, &d));
    return c;
}

static fgt_classifier_workspace *workspace_of(const fgt_classifier *c, int64_t batch)
{
    const fgt_workspace_opts o = {.size = sizeof o, .batch = batch};
    fgt_classifier_workspace *w;
    OK(fgt_classifier_create_workspace(c, &o, &w));
    return w;
}

typedef struct job {
    fgt_classifier_workspace *w;
    int                     again;
    float                   out[TEXTS][2];
    int64_t                 replaced;
    fgt_status              status, wrong; /* wrong: of a call that must fail */
    char                    words[200];
} job;

static void *work(void *user)
{
    job *j = user;
    for (int i = 0; i < j->again && j->status == FGT_OK; i++) {
        const char *const         none[2] = {"a", NULL};
        const fgt_classifier_rows bad     = {.size = sizeof bad, .texts = none, .text_count = 2};
        j->wrong = fgt_classifier_workspace_predict(j->w, &bad, FGT_VIEW(j->out, 2, 2), NULL);
        snprintf(j->words, sizeof j->words, "%s", fgt_classifier_workspace_get_error(j->w));
        j->status = fgt_classifier_workspace_predict(
            j->w, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS),
            FGT_VIEW(j->out, TEXTS, 2), &j->replaced);
    }
    return NULL;
}

static void threads_share_a_classifier(void **state)
{
    (void)state;
    const int32_t blocks[] = {FGT_BLOCK_FIGHTER, FGT_BLOCK_GRU};
    for (int b = 0; b < 2; b++) {
        fgt_classifier *c = two_members(blocks[b]);
        job             jobs[THREADS];
        pthread_t       thread[THREADS];
        float           want[TEXTS][2];
        OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS),
                                  FGT_VIEW(want, TEXTS, 2), NULL));
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = (job){.w = workspace_of(c, i % 4), .again = 1};
            work(&jobs[i]); /* now there is memory for the words */
            jobs[i].again = 1 + i;
        }
        const int64_t calls = memory.calls;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(memory.calls, calls);
        for (int i = 0; i < THREADS; i++) {
            assert_true(jobs[i].status == FGT_OK && jobs[i].wrong == FGT_E_ARG && jobs[i].replaced == 1);
            assert_non_null(strstr(jobs[i].words, "text 1 is NULL"));
            assert_memory_equal(jobs[i].out, want, sizeof want);
            fgt_classifier_workspace_destroy(&jobs[i].w);
        }
        fgt_classifier_destroy(&c);
    }
}

static void only_the_first_prediction_allocates(void **state)
{
    (void)state;
    float           out[TEXTS][2];
    fgt_classifier *c = two_members(FGT_BLOCK_FIGHTER);
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS),
                              FGT_VIEW(out, TEXTS, 2), NULL));
    const int64_t calls = memory.calls;
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS),
                              FGT_VIEW(out, TEXTS, 2), NULL));
    assert_int_equal(memory.calls, calls);
    fgt_classifier_destroy(&c);
}

/* A file that is loaded for one text at a time gives the same bits and takes less. */
static void a_batch_of_one(void **state)
{
    (void)state;
    const fgt_load_opts one = {.size = sizeof one, .batch = 1}, wrong = {.size = sizeof one, .batch = -1};
    float               out[2][TEXTS][2];
    int64_t             taken[2];
    fgt_classifier     *c = two_members(FGT_BLOCK_FIGHTER);
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    fgt_classifier_destroy(&c);
    for (int i = 0; i < 2; i++) {
        const int64_t before = memory.bytes;
        OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), i ? &one : NULL, &c));
        OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS),
                                  FGT_VIEW(out[i], TEXTS, 2), NULL));
        taken[i] = memory.bytes - before;
        fgt_classifier_destroy(&c);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_true(taken[1] < taken[0]);
    REFUSED(fgt_classifier_load(ctx, FGT_FROM_FILE(path), &wrong, &c), FGT_E_ARG,
            "batch is out of range (got -1");
}

static fgt_classifier *shared;

static fgt_status create_and_use(void)
{
    fgt_classifier_workspace *w;
    float                   out[TEXTS][2];
    fgt_status                s = fgt_classifier_create_workspace(shared, NULL, &w);
    assert_true((s == FGT_OK) == (w != NULL));
    if (s == FGT_OK) {
        s = fgt_classifier_workspace_predict(
            w, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS), FGT_VIEW(out, TEXTS, 2),
            NULL);
        if (s != FGT_OK) ctx->error = (fgti_error){.text = "no memory"}; /* what the sweep looks at */
        if (s != FGT_OK) assert_non_null(strstr(fgt_classifier_workspace_get_error(w), "memory"));
    }
    fgt_classifier_workspace_destroy(&w);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    shared = two_members(FGT_BLOCK_FIGHTER);
    SWEEP(&memory, s, 8, create_and_use()) NOTHING_LEAKS;
    fgt_classifier_destroy(&shared);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    float                    out[TEXTS][2];
    fgt_classifier          *c    = new_classifier(FGT_BLOCK_FIGHTER);
    fgt_classifier_workspace *w    = NULL;
    const fgt_workspace_opts less = {.size = sizeof less, .batch = -1};
    REFUSED(fgt_classifier_create_workspace(c, &less, &w), FGT_E_ARG, "batch is out of range (got -1");
    REFUSED(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts), FGT_VIEW(out[0], 1, 2),
                                   NULL),
            FGT_E_ARG, "text_count is out of range (got 0, need at least 1)");
    REFUSED(fgt_classifier_create_workspace(c, NULL, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_classifier_create_workspace(c, &FGT_OPTS(fgt_workspace_opts, .tokens = 2), &w), FGT_E_ARG,
            "tokens is wrong (got 2, need 0 for a classifier)");
    assert_int_equal(fgt_classifier_create_workspace(NULL, NULL, &w), FGT_E_ARG);
    assert_null(w);
    assert_string_equal(fgt_classifier_workspace_get_error(NULL), "");
    assert_int_equal(
        fgt_classifier_workspace_predict(
            NULL, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = 1), FGT_VIEW(out, 1, 2), NULL),
        FGT_E_ARG);
    w = workspace_of(c, 0);
    assert_int_equal(
        fgt_classifier_workspace_predict(w, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = 2),
                                         FGT_VIEW(out, 1, 2), NULL),
        FGT_E_SHAPE);
    assert_non_null(strstr(fgt_classifier_workspace_get_error(w), "[1,2]"));
    fgt_classifier_workspace_destroy(&w);
    fgt_classifier_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_classifier),
        cmocka_unit_test(only_the_first_prediction_allocates),
        cmocka_unit_test(a_batch_of_one),
        cmocka_unit_test(each_failed_allocation_is_reported),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
