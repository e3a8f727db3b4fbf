/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifiers of texts that stay on disk: they learn as those of texts in memory, ranks end with the same
 * weights, and what goes wrong with the file ends the training with a sentence. */
#include <fighter/classify.h>
#include <fighter/experimental/corpus_file.h>

#include "../directory.h"
#include "../samples_info.h"
#include "../train/team.h"

/* So many long texts that a file has many blocks. */
enum { TEXTS = 2500, WORDS = 250, T = 10 };

static const char *file_path;

/* The third word of each text says its class, but for some; the others are noise. */
static fgt_corpus *new_texts(fgt_context *c)
{
    static char        text[TEXTS][WORDS * 5 + 1];
    static const char *texts[TEXTS], *classes[TEXTS];
    fgt_corpus        *made;
    for (int64_t r = 0; r < TEXTS; r++) {
        const bool star = noise(51, r) > 0;
        size_t     n    = 0;
        for (int64_t i = 0; i < WORDS; i++)
            n += i == 2 && r % 10 ? (size_t)snprintf(text[r] + n, 6, star ? "moon " : "goat ")
                                  : (size_t)snprintf(text[r] + n, 6, "w%03d ",
                                                     (int)(100 + 99 * (double)noise(52, r * WORDS + i)));
        texts[r]   = text[r];
        classes[r] = star ? "star" : "animal";
    }
    OK_OF(c, fgt_corpus_create(c, texts, classes, TEXTS, NULL, &made));
    return made;
}

static int make_file(void **state)
{
    static char path[256];
    if (make_directory(state) || test_open_threads(2)) return -1;
    fgt_corpus *c = new_texts(ctx);
    file_path     = path;
    snprintf(path, sizeof path, "%s/texts.fgc", directory);
    OK(fgt_corpus_save(c, path));
    fgt_corpus_destroy(&c);
    return 0;
}

static int leave_file(void **state)
{
    const int closed = test_close(state);
    return remove_directory(state) || closed;
}

static fgt_corpus *open_texts(fgt_context *c, int64_t resident)
{
    fgt_corpus *all;
    OK_OF(c, fgt_corpus_open(c, file_path, &FGT_OPTS(fgt_corpus_open_opts, .resident = resident), &all));
    return all;
}

static fgt_classifier *new_one(fgt_context *c, const fgt_corpus *texts, int64_t pretrain)
{
    static const fgt_vocab_opts words = {.size = sizeof words, .ngrams = 1};
    const fgt_classifier_opts   o     = {.size          = sizeof o,
                                         .block.kind    = FGT_BLOCK_FIGHTER,
                                         .tokens        = T,
                                         .dim           = 8,
                                         .batch         = 16,
                                         .block.dropout = -1,
                                         .seed          = 3,
                                         .pretrain      = pretrain,
                                         .vocab         = &words};
    fgt_classifier             *f;
    OK_OF(c, fgt_classifier_create(c, FGT_TEXTS(texts), &o, &f));
    return f;
}

static const fgt_classifier_fit_opts brief = {.size     = sizeof brief,
                                              .training = {.epochs = 1, .lr = 0.01, .seed = 1}};

static double accuracy(fgt_classifier *f, const fgt_corpus *texts)
{
    fgt_metric m = {0};
    OK(fgt_classifier_evaluate(f, FGT_TEXTS(texts), &m, NULL));
    assert_int_equal(m.rows, corpus_info(texts).rows);
    return fgt_metric_get(&m, FGT_METRIC_ACCURACY);
}

static uint64_t hash_of(fgt_classifier *f)
{
    return fgt_model_get_hash(fgt_classifier_get_model(f));
}

/* First weights are those of the same texts in memory, and so are scores. */
static void test_same(void **state)
{
    (void)state;
    fgt_corpus     *stored = open_texts(ctx, 1 << 20), *loaded = new_texts(ctx);
    fgt_classifier *a = new_one(ctx, stored, 2), *b = new_one(ctx, loaded, 2);
    assert_true(hash_of(a) == hash_of(b));
    assert_true(accuracy(a, stored) == accuracy(a, loaded));
    fgt_corpus *train[2], *validation[2];
    OK(fgt_corpus_create_split(stored, &FGT_OPTS(fgt_corpus_split_opts, .every = 10, .seed = 1), &train[0],
                               &validation[0]));
    OK(fgt_corpus_create_split(loaded, &FGT_OPTS(fgt_corpus_split_opts, .every = 10, .seed = 1), &train[1],
                               &validation[1]));
    OK(fgt_classifier_fit(a, FGT_TEXTS(train[0]), FGT_TEXTS(validation[0]), &brief, NULL));
    OK(fgt_classifier_fit(b, FGT_TEXTS(train[1]), FGT_TEXTS(validation[1]), &brief, NULL));
    const double x = accuracy(a, validation[1]), y = accuracy(b, validation[1]);
    if (!(x > 0.9 && fabs(x - y) < 0.05)) fail_msg("%g on disk, %g in memory", x, y);
    assert_true(accuracy(a, validation[0]) == x);
    for (int i = 0; i < 2; i++) {
        fgt_corpus_destroy(&train[i]);
        fgt_corpus_destroy(&validation[i]);
    }
    fgt_classifier_destroy(&a);
    fgt_classifier_destroy(&b);
    fgt_corpus_destroy(&stored);
    fgt_corpus_destroy(&loaded);
}

static uint64_t train_on(const fgt_corpus *texts, const char *checkpoint, const char *resume, int64_t epochs)
{
    fgt_classifier         *f = new_one(ctx, texts, 0);
    fgt_classifier_fit_opts o = brief;
    o.training.checkpoint     = checkpoint;
    o.training.resume         = resume;
    o.training.epochs         = epochs;
    OK(fgt_classifier_fit(f, FGT_TEXTS(texts), NULL, &o, NULL));
    const uint64_t hash = hash_of(f);
    fgt_classifier_destroy(&f);
    return hash;
}

/* The same bits each time, and from a checkpoint; another file is noticed. */
static void test_resume(void **state)
{
    (void)state;
    fgt_corpus *all = open_texts(ctx, 1 << 20), *part, *rest;
    char        run[256];
    snprintf(run, sizeof run, "%s/run", directory);
    OK(fgt_corpus_create_split(all, &FGT_OPTS(fgt_corpus_split_opts, .every = 10, .seed = 1), &rest, &part));
    const uint64_t hash = train_on(part, run, NULL, 2);
    assert_true(train_on(part, NULL, NULL, 2) == hash);
    assert_true(train_on(part, NULL, run, 2) == hash);
    fgt_classifier         *f = new_one(ctx, part, 0);
    fgt_classifier_fit_opts o = brief;
    o.training.epochs         = 2;
    o.training.resume         = run;
    REFUSED(fgt_classifier_fit(f, FGT_TEXTS(rest), NULL, &o, NULL), FGT_E_FORMAT, "");
    fgt_classifier_destroy(&f);
    fgt_corpus_destroy(&part);
    fgt_corpus_destroy(&rest);
    fgt_corpus_destroy(&all);
}

/* ---- ranks ---- */

struct job {
    struct member member;
    fgt_status    status;
    uint64_t      hash;
    char          sentence[512];
    int64_t       left;
};

/* Each rank has the file open for itself. */
static void *work(void *arg)
{
    struct job  *j = arg;
    test_memory  own;
    fgt_context *c   = test_context(&own, 1);
    fgt_corpus  *all = open_texts(c, 1 << 20), *train, *validation;
    OK_OF(c, fgt_corpus_create_split(all, &FGT_OPTS(fgt_corpus_split_opts, .every = 10, .seed = 1), &train,
                                     &validation));
    fgt_classifier         *f = new_one(c, validation, 0);
    fgt_classifier_fit_opts o = brief;
    o.training.collective     = &j->member.with;
    o.training.shards         = 4;
    j->status                 = fgt_classifier_fit(f, FGT_TEXTS(train), FGT_TEXTS(validation), &o, NULL);
    snprintf(j->sentence, sizeof j->sentence, "%s", fgt_context_get_error(c));
    j->hash = hash_of(f);
    fgt_classifier_destroy(&f);
    fgt_corpus_destroy(&train);
    fgt_corpus_destroy(&validation);
    fgt_corpus_destroy(&all);
    fgt_context_destroy(&c);
    j->left = own.live;
    return NULL;
}

static uint64_t train_ranks(int32_t ranks)
{
    struct team t;
    struct job  job[RANKS_MAX] = {0};
    pthread_t   thread[RANKS_MAX];
    team_open(&t);
    for (int32_t q = 0; q < ranks; q++) {
        team_join(&t, q, ranks, &job[q].member);
        assert_int_equal(pthread_create(&thread[q], NULL, work, &job[q]), 0);
    }
    for (int32_t q = 0; q < ranks; q++) pthread_join(thread[q], NULL);
    for (int32_t q = 0; q < ranks; q++) {
        if (job[q].status != FGT_OK) fail_msg("rank %d of %d: %s", q, ranks, job[q].sentence);
        assert_true(job[q].hash == job[0].hash);
        assert_int_equal(job[q].left, 0);
    }
    assert_int_equal(team_close(&t), 0);
    return job[0].hash;
}

static void test_ranks(void **state)
{
    (void)state;
    const uint64_t one = train_ranks(1);
    assert_true(train_ranks(2) == one);
    assert_true(train_ranks(4) == one);
}

/* ---- what goes wrong ---- */

static void test_refused(void **state)
{
    (void)state;
    fgt_corpus             *all = open_texts(ctx, 0);
    fgt_classifier         *f   = new_one(ctx, all, 0);
    fgt_classifier_fit_opts o   = brief;
    fgt_attent             *a;
    OK(fgt_attent_create(ctx, &FGT_OPTS(fgt_attent_opts, .samples = TEXTS, .epochs = 1), &a));
    o.training.selector = a;
    REFUSED(fgt_classifier_fit(f, FGT_TEXTS(all), NULL, &o, NULL), FGT_E_UNSUPPORTED, "stays on disk");
    fgt_attent_destroy(&a);
    fgt_classifier_destroy(&f);
    fgt_corpus_destroy(&all);
}

/* A block that is damaged is found when training comes to it; so is a file that is shortened. */
static void test_damage(void **state)
{
    (void)state;
    fgt_corpus     *all = open_texts(ctx, 1 << 20);
    fgt_classifier *f   = new_one(ctx, all, 0);
    FILE           *x   = fopen(file_path, "r+b");
    fseek(x, 300000, SEEK_SET);
    fputc(7, x);
    fclose(x);
    REFUSED(fgt_classifier_fit(f, FGT_TEXTS(all), NULL, &brief, NULL), FGT_E_FORMAT,
            "are not what was written");
    fgt_metric m       = {.rows = 3};
    int64_t    pair[4] = {1, 2, 3, 4};
    REFUSED(fgt_classifier_evaluate(f, FGT_TEXTS(all), &m, FGT_VIEW_OF(FGT_DTYPE_I64, pair, 2, 2)),
            FGT_E_FORMAT, "are not what was written");
    assert_true(m.rows == 3 && m.correct == 0 && pair[0] + pair[1] + pair[2] + pair[3] == 10);
    assert_int_equal(truncate(file_path, 100), 0);
    REFUSED(fgt_classifier_fit(f, FGT_TEXTS(all), NULL, &brief, NULL), FGT_E_FORMAT, "it has become shorter");
    REFUSED(fgt_classifier_evaluate(f, FGT_TEXTS(all), &m, NULL), FGT_E_FORMAT, "it has become shorter");
    fgt_classifier_destroy(&f);
    fgt_corpus_destroy(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),    cmocka_unit_test(test_resume), cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_damage), /* the last: the file is broken then */
    };
    return cmocka_run_group_tests(tests, make_file, leave_file);
}
