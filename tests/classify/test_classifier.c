/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <fighter/experimental/adapter.h>
#include <fighter/experimental/defaults.h>

#include "core/context.h"
#include "small_corpus.h"

/* ---- what it does ---- */

static void every_block_learns(void **state)
{
    (void)state;
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        fgt_classifier *c = new_classifier(block);
        fgt_metric      m = {0};
        int64_t         confusion[4] = {0};
        fgt_fit_report  report = {.size = sizeof report};
        OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), FGT_TEXTS(corpus), &brief, &report));
        OK(fgt_classifier_evaluate(c, FGT_TEXTS(corpus), &m, FGT_VIEW_OF(FGT_DTYPE_I64, confusion, 2, 2)));
        assert_int_equal(m.rows, ROWS);
        if (m.correct != ROWS) fail_msg("%s: %d of %d", fgt_block_get_name(block), (int)m.correct, ROWS);
        assert_int_equal(confusion[0], ROWS / 2);
        assert_int_equal(confusion[1] + confusion[2], 0);
        fgt_classifier_destroy(&c);
    }
}

static float cosine(const float *a, const float *b, int64_t n)
{
    float ab = 0, aa = 0, bb = 0;
    for (int64_t i = 0; i < n; i++) {
        ab += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    return ab / sqrtf(aa * bb);
}

static int64_t id_of(const fgt_classifier *c, const char *word)
{
    const fgt_vocab *v  = fgt_classifier_get_vocab(c);
    int64_t          id = 2;
    while (id < vocab_info(v).ids && strcmp(fgt_vocab_get_word(v, id), word)) id++;
    assert_true(id < vocab_info(v).ids);
    return id;
}

#define IDS 64

/* The embeddings [ids,width] that a classifier starts with; their number. */
static int64_t first_embeddings(int64_t width, fgt_classifier **c, float *w)
{
    const fgt_vocab_opts      runs = {.size = sizeof runs, .ngrams = 2};
    const fgt_classifier_opts o    = {.size = sizeof o, .tokens = 16, .dim = width, .batch = 16,
                                      .pretrain = 4, .init = 0.5f, .vocab = &runs};
    OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &o, c));
    const int64_t ids = vocab_info(fgt_classifier_get_vocab(*c)).ids;
    assert_true(ids < IDS);
    OK(fgt_model_copy_parameter(fgt_classifier_get_model(*c), "embedding.weight", FGT_VIEW(w, ids, width)));
    for (int64_t i = 0; i < 2 * width; i++) assert_true(w[i] == 0); /* padding, unknown */
    double sum = 0;
    for (int64_t i = 0; i < ids * width; i++) sum += (double)w[i] * w[i];
    assert_true(fabs(sqrt(sum / (double)((ids - 2) * width)) - 0.5) < 1e-4);
    return ids;
}

/* No class has been looked at, and the words of animals are near each other and those of stars far. More
 * columns than there are words leave some empty and harm no other. */
static void embeddings_are_made_from_texts(void **state)
{
    (void)state;
    enum { NARROW = 2, WIDE = 80 };
    static float             w[IDS * WIDE];
    static const char *const near[][2] = {{"cat", "mouse"}, {"sun", "comet"}, {"a dog", "mouse"}};
    static const char *const far[][2]  = {{"cat", "moon"}, {"sun", "horse"}, {"a dog", "a planet"}};
    fgt_classifier          *c;
    first_embeddings(WIDE, &c, w);
    fgt_classifier_destroy(&c);
    first_embeddings(NARROW, &c, w);
    for (int i = 0; i < 3; i++) {
        const float *a = w + NARROW * id_of(c, near[i][0]), *b = w + NARROW * id_of(c, near[i][1]);
        assert_true(cosine(a, b, NARROW) > 0.4f);
        a = w + NARROW * id_of(c, far[i][0]), b = w + NARROW * id_of(c, far[i][1]);
        assert_true(cosine(a, b, NARROW) < 0);
    }
    fgt_classifier_destroy(&c);
}

static void predictions_are_probabilities(void **state)
{
    (void)state;
    static const char *const texts[] = {"a cat", "a comet", "", "!!!", "unheard of", "\xff cat"};
    const int64_t            n       = sizeof texts / sizeof *texts;
    float                    p[6][2], one[2];
    int64_t                  replaced;
    fgt_classifier          *c = new_classifier(FGT_BLOCK_FIGHTER);
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &brief, NULL));
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = n),
                              FGT_VIEW(p, n, 2), &replaced));
    assert_int_equal(replaced, 1);
    for (int64_t i = 0; i < n; i++) {
        assert_true(p[i][0] >= 0 && p[i][1] >= 0 && fabsf(p[i][0] + p[i][1] - 1) < 1e-6f);
        OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts + i, .text_count = 1),
                                  FGT_VIEW(one, 1, 2), NULL));
        assert_true(fabsf(one[0] - p[i][0]) < 1e-6f);
    }
    assert_true(p[0][0] > 0.5f && p[1][1] > 0.5f);
    assert_string_equal(fgt_classifier_get_class_name(c, 0), "animal");
    assert_null(fgt_classifier_get_class_name(c, 2));
    fgt_classifier_destroy(&c);
}

static void classes_are_found_by_their_names(void **state)
{
    (void)state;
    fgt_classifier *c     = new_classifier(FGT_BLOCK_FIGHTER);
    fgt_corpus     *other = new_corpus("star \xe2\x98\x85", "animal"), *unseen = new_corpus("animal", "tree");
    fgt_metric      a = {0}, b = {0};
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &brief, NULL));
    OK(fgt_classifier_evaluate(c, FGT_TEXTS(corpus), &a, NULL));
    OK(fgt_classifier_evaluate(c, FGT_TEXTS(other), &b, NULL));
    assert_int_equal(a.correct, ROWS);
    assert_int_equal(b.correct, 0); /* the names are swapped */
    REFUSED(fgt_classifier_evaluate(c, FGT_TEXTS(unseen), &b, NULL), FGT_E_DATA, "\"tree\"");
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(unseen), NULL, &brief, NULL), FGT_E_DATA, "\"tree\"");
    fgt_corpus_destroy(&unseen);
    fgt_corpus_destroy(&other);
    fgt_classifier_destroy(&c);
}

static void a_selector_chooses_the_texts(void **state)
{
    (void)state;
    fgt_classifier          *c = new_classifier(FGT_BLOCK_FIGHTER);
    fgt_attent              *a;
    fgt_fit_report           report = {.size = sizeof report};
    fgt_classifier_fit_opts  o      = brief;
    fgt_attent_opts          half   = {.size = sizeof half, .samples = ROWS, .epochs = 4, .ratio = 0.5,
                                       .ratio_schedule = FGT_ATTENT_RATIO_FIXED};
    fgt_attent_subset        subset = {.size = sizeof subset};
    OK(fgt_attent_create(ctx, &half, &a));
    o.training.epochs   = 4;
    o.training.selector = a;
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &o, &report));
    assert_int_equal(report.samples, 4 * ROWS / 2);
    OK(fgt_attent_get_subset(a, &subset));
    assert_true(isfinite(subset.score) && isnan(subset.residual)); /* cross entropy is no norm */
    fgt_attent_destroy(&a);
    half.stop_below = 1;
    OK(fgt_attent_create(ctx, &half, &a));
    o.training.selector = a;
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &o, &report), FGT_E_ARG, "stop_below");
    fgt_attent_destroy(&a);
    fgt_classifier_destroy(&c);
}

/* ---- members ---- */

#define MEMBERS 3
#define TEXTS   20 /* more than a batch */

/* Probabilities of the first texts. */
static void ask(fgt_classifier *c, float p[TEXTS][2])
{
    const char *texts[TEXTS];
    for (int i = 0; i < TEXTS; i++) texts[i] = fgt_corpus_get_text(corpus, i);
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = TEXTS),
                              FGT_VIEW(p, TEXTS, 2), NULL));
}

/* Trained apart and joined; p[m] is what each alone said. */
static fgt_classifier *new_joined(float p[MEMBERS][TEXTS][2])
{
    const fgt_classifier_fit_opts o   = {.size = sizeof o, .training = {.epochs = 1, .lr = 0.02}};
    fgt_classifier               *all = NULL;
    for (uint64_t m = 0; m < MEMBERS; m++) {
        fgt_classifier *c = new_seed(FGT_BLOCK_FIGHTER, m);
        OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &o, NULL));
        ask(c, p[m]);
        if (all) OK(fgt_classifier_take_members(all, &c));
        assert_true(!m == !!c); /* taken */
        if (!m) all = c;
    }
    return all;
}

static void members_answer_with_their_mean(void **state)
{
    (void)state;
    float           p[MEMBERS][TEXTS][2], q[TEXTS][2];
    fgt_metric      m = {0};
    int64_t         correct = 0;
    fgt_classifier *c       = new_joined(p);
    ask(c, q);
    for (int i = 0; i < TEXTS; i++) {
        const double a = cbrt((double)p[0][i][0] * p[1][i][0] * p[2][i][0]);
        const double b = cbrt((double)p[0][i][1] * p[1][i][1] * p[2][i][1]);
        assert_true(fabs(q[i][0] - a / (a + b)) < 1e-6 && fabs(q[i][1] - b / (a + b)) < 1e-6);
        assert_true(fabs(p[0][i][0] - p[1][i][0]) > 1e-4); /* members differ */
        correct += (q[i][1] > q[i][0]) == i % 2;
    }
    int64_t rows[TEXTS];
    for (int i = 0; i < TEXTS; i++) rows[i] = i;
    fgt_corpus *some;
    OK(fgt_corpus_create_subset(corpus, rows, TEXTS, &some));
    OK(fgt_classifier_evaluate(c, FGT_TEXTS(some), &m, NULL));
    assert_int_equal(m.correct, correct);
    fgt_corpus_destroy(&some);
    assert_ptr_equal(fgt_classifier_get_member(c, 0), fgt_classifier_get_model(c));
    assert_non_null(fgt_classifier_get_member(c, MEMBERS - 1));
    assert_null(fgt_classifier_get_member(c, MEMBERS));
    assert_null(fgt_classifier_get_member(c, -1));
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &brief, NULL), FGT_E_STATE, "3 members");
    fgt_classifier_destroy(&c);
}

/* In one file, which gives the same bits in a context with another number of threads. */
static void members_are_saved_and_loaded(void **state)
{
    (void)state;
    float                  p[MEMBERS][TEXTS][2], q[2][TEXTS][2];
    fgt_context           *alone;
    fgt_classifier        *c = new_joined(p), *d, *e;
    const fgt_context_opts o = {.size = sizeof o, .threads = 1};
    OK(fgt_context_create(&o, &alone));
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(alone, FGT_FROM_FILE(path), NULL, &d));
    for (int64_t m = 0; m < MEMBERS; m++)
        assert_true(fgt_model_get_hash(fgt_classifier_get_member(c, m)) ==
                    fgt_model_get_hash(fgt_classifier_get_member(d, m)));
    assert_null(fgt_classifier_get_member(d, MEMBERS));
    ask(c, q[0]);
    ask(d, q[1]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    fgt_classifier *other = d;
    REFUSED(fgt_classifier_take_members(c, &other), FGT_E_ARG, "another context");
    assert_ptr_equal(other, d);
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &e));
    OK(fgt_classifier_take_members(c, &e)); /* the same three again change nothing but the rounding */
    assert_non_null(fgt_classifier_get_member(c, 2 * MEMBERS - 1));
    ask(c, q[1]);
    for (int i = 0; i < TEXTS; i++) assert_true(fabsf(q[0][i][0] - q[1][i][0]) < 1e-6f);
    fgt_classifier_destroy(&c);
    fgt_classifier_destroy(&d);
    fgt_context_destroy(&alone);
}

static fgt_model *adapt(fgt_classifier *c)
{
    fgt_model             *m = fgt_classifier_get_model(c);
    const fgt_adapter_opts o = {.size = sizeof o, .name = "a", .whole = "head.", .rank = 2};
    OK(fgt_model_add_adapter(m, &o));
    OK(fgt_model_set_adapter(m, "a"));
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &brief, NULL));
    return m;
}

/* A file has one adapter at the most: that of a classifier alone. Merged ones are part of the members. */
static void adapted_members_are_saved_when_merged(void **state)
{
    (void)state;
    float           p[2][TEXTS][2];
    fgt_classifier *c = new_seed(FGT_BLOCK_FIGHTER, 1), *d = new_seed(FGT_BLOCK_FIGHTER, 2), *e;
    fgt_model      *m[] = {adapt(c), adapt(d)};
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_take_members(c, &d));
    ask(c, p[0]);
    REFUSED(fgt_classifier_save(c, FGT_TO_FILE(path)), FGT_E_STATE, "member 0");
    OK(fgt_model_merge_adapter(m[0], "a"));
    REFUSED(fgt_classifier_save(c, FGT_TO_FILE(path)), FGT_E_STATE, "member 1");
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &e)); /* the file of one is still there */
    assert_null(fgt_classifier_get_member(e, 1));
    fgt_classifier_destroy(&e);
    OK(fgt_model_merge_adapter(m[1], "a"));
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &e));
    ask(e, p[1]);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    fgt_classifier_destroy(&e);
    fgt_classifier_destroy(&c);
}

static void unlike_classifiers_are_not_joined(void **state)
{
    (void)state;
    static const fgt_vocab_opts words = {.size = sizeof words};
    fgt_classifier_opts         like  = {.size = sizeof like, .tokens = 12, .dim = 8, .batch = 16, .seed = 3};
    like.block.dropout                = -1;
    like.vocab                        = &pairs;
    fgt_classifier_opts         unlike[5] = {like, like, like, like, like};
    static const char *const    sentence[] = {"another vocabulary", "heads", "fighter.layers", "time=10",
                                              "diag_mask"};
    fgt_classifier             *c = new_classifier(FGT_BLOCK_FIGHTER), *d = NULL, *self = c;
    unlike[0].vocab           = &words;
    unlike[1].block.heads     = 2;
    unlike[2].block.layers    = 2;
    unlike[3].tokens          = 10;
    unlike[4].block.diag_mask = 1;
    for (int i = 0; i < 5; i++) {
        OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &unlike[i], &d));
        REFUSED(fgt_classifier_take_members(c, &d), FGT_E_ARG, sentence[i]);
        assert_non_null(d);
        fgt_classifier_destroy(&d);
    }
    fgt_corpus *other = new_corpus("animal", "tree");
    OK(fgt_classifier_create(ctx, FGT_TEXTS(other), &like, &d));
    REFUSED(fgt_classifier_take_members(c, &d), FGT_E_ARG, "other classes");
    fgt_classifier_destroy(&d);
    fgt_corpus_destroy(&other);
    REFUSED(fgt_classifier_take_members(c, &self), FGT_E_ARG, "itself");
    REFUSED(fgt_classifier_take_members(c, &d), FGT_E_ARG, "other is NULL");
    REFUSED(fgt_classifier_take_members(c, NULL), FGT_E_ARG, "other is NULL");
    assert_int_equal(fgt_classifier_take_members(NULL, &c), FGT_E_ARG);
    assert_null(fgt_classifier_get_member(c, 1));
    fgt_classifier_destroy(&c);
}

/* ---- files ---- */

static void saved_and_loaded_is_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {"the moon and a dog", "mouse"};
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        float               p[2][2], q[2][2];
        fgt_classifier     *c = new_classifier(block), *d;
        fgt_classifier_info info = {.size = sizeof info};
        OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
        OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &d));
        OK(fgt_classifier_get_info(d, &info));
        assert_int_equal(info.block, block);
        assert_int_equal(info.tokens, 12);
        assert_int_equal(info.seed, 3);
        assert_string_equal(fgt_classifier_get_class_name(d, 1), "star \xe2\x98\x85");
        assert_true(fgt_model_get_hash(fgt_classifier_get_model(c)) ==
                    fgt_model_get_hash(fgt_classifier_get_model(d)));
        OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = 2),
                                  FGT_VIEW(p, 2, 2), NULL));
        OK(fgt_classifier_predict(d, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = 2),
                                  FGT_VIEW(q, 2, 2), NULL));
        assert_memory_equal(p, q, sizeof p);
        OK(fgt_classifier_fit(d, FGT_TEXTS(corpus), NULL, &brief, NULL));
        fgt_classifier_destroy(&d);
        fgt_classifier_destroy(&c);
    }
}

static void other_files_are_refused(void **state)
{
    (void)state;
    fgt_classifier *c = new_classifier(FGT_BLOCK_FIGHTER), *d;
    OK(fgt_model_save(fgt_classifier_get_model(c), FGT_TO_FILE(path)));
    REFUSED(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &d), FGT_E_FORMAT, "not a classifier");
    assert_null(d);
    REFUSED(fgt_classifier_load(ctx, FGT_FROM_FILE("/nowhere/file"), NULL, &d), FGT_E_IO, "/nowhere/file");
    REFUSED(fgt_classifier_save(c, FGT_TO_FILE("/nowhere/file")), FGT_E_IO, "/nowhere");
    fgt_classifier_destroy(&c);
}

static void every_wrong_byte_is_survived(void **state)
{
    (void)state;
    fgt_classifier *c = new_classifier(FGT_BLOCK_FIGHTER), *d;
    static char     bytes[1 << 14];
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    fgt_classifier_destroy(&c);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t n = fread(bytes, 1, sizeof bytes, f); /* the header and the words stand in front */
    fclose(f);
    f = fopen(path, "r+b");
    assert_non_null(f);
    for (size_t i = 8; i < n && i < 4000; i += 3) {
        fseek(f, (long)i, SEEK_SET);
        fputc(bytes[i] ^ 1, f);
        fflush(f);
        if (fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &d) == FGT_OK)
            fgt_classifier_destroy(&d);
        else
            assert_true(strlen(fgt_context_get_error(ctx)) > 0);
        fseek(f, (long)i, SEEK_SET);
        fputc(bytes[i], f);
        fflush(f);
    }
    fclose(f);
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &d));
    fgt_classifier_destroy(&d);
}

/* ---- wrong use, failed allocations ---- */

static void wrong_use_is_refused(void **state)
{
    (void)state;
    static const char *const same[] = {"a", "a"}, *const texts[] = {"x x", "x y"};
    fgt_classifier          *c;
    fgt_corpus              *one;
    float                    p[2];
    const char              *text = NULL;
    REFUSED(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &FGT_OPTS(fgt_classifier_opts, .dim = -1), &c),
            FGT_E_ARG, "dim");
    REFUSED(fgt_classifier_create(ctx, FGT_TEXTS(corpus),
                                  &FGT_OPTS(fgt_classifier_opts, .dim = 6, .block.heads = 4), &c),
            FGT_E_ARG, "");
    assert_null(c);
    REFUSED(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &FGT_OPTS(fgt_classifier_opts, .pretrain = -1), &c),
            FGT_E_ARG, "pretrain");
    REFUSED(fgt_classifier_create(ctx, NULL, NULL, &c), FGT_E_ARG, "samples");
    OK(fgt_corpus_create(ctx, texts, same, 2, NULL, &one));
    REFUSED(fgt_classifier_create(ctx, FGT_TEXTS(one), NULL, &c), FGT_E_DATA, "\"a\"");
    fgt_corpus_destroy(&one);
    c = new_classifier(FGT_BLOCK_FIGHTER);
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL,
                               &FGT_OPTS(fgt_classifier_fit_opts, .training.batch = 17), NULL),
            FGT_E_ARG, "17");
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL,
                               &FGT_OPTS(fgt_classifier_fit_opts, .training.lr = -1), NULL),
            FGT_E_ARG, "lr");
    REFUSED(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                   FGT_VIEW(p, 1, 2), NULL),
            FGT_E_ARG, "NULL");
    REFUSED(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = texts, .text_count = 1),
                                   FGT_VIEW(p, 2, 1), NULL),
            FGT_E_SHAPE, "probability");
    fgt_classifier_destroy(&c);
}

/* Options of the vocabulary, as hosts have them that were built with an earlier and with a later header. */
static void other_versions_of_options_are_read(void **state)
{
    (void)state;
    const size_t              first = offsetof(fgt_vocab_opts, prefix);
    const fgt_vocab_opts      one   = {.size = first, .ngrams = 2, .buckets = 64};
    fgt_vocab_opts           *older = malloc(first); /* nothing is behind it */
    const struct {
        fgt_vocab_opts opts;
        char           more[64];
    } newer = {.opts = {.size = sizeof newer, .ngrams = 2, .buckets = 64}};
    fgt_classifier *c;
    memcpy(older, &one, first);
    OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &FGT_OPTS(fgt_classifier_opts, .dim = 8, .vocab = older),
                             &c));
    fgt_classifier_destroy(&c);
    free(older);
    OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus),
                             &FGT_OPTS(fgt_classifier_opts, .dim = 8, .vocab = &newer.opts), &c));
    fgt_classifier_destroy(&c);
}

/* The classifier keeps nothing of the corpus's context. */
static void texts_may_be_of_another_context(void **state)
{
    (void)state;
    static const char *const label[] = {"x", "y", "x", "y"};
    static const char *const text[]  = {"good day", "bad day", "good word", "bad word"};
    const char              *asked   = "good";
    const fgt_vocab_opts     rare    = {.size = sizeof rare, .min_count = 50};
    fgt_context             *other;
    fgt_corpus              *c;
    fgt_classifier          *k;
    float                    p[2];
    OK(fgt_context_create(NULL, &other));
    OK_OF(other, fgt_corpus_create(other, text, label, 4, NULL, &c));
    REFUSED(fgt_classifier_create(ctx, FGT_TEXTS(c), &FGT_OPTS(fgt_classifier_opts, .vocab = &rare), &k),
            FGT_E_DATA, "occurs 50 times");
    OK(fgt_classifier_create(ctx, FGT_TEXTS(c), &FGT_OPTS(fgt_classifier_opts, .pretrain = 1), &k));
    fgt_corpus_destroy(&c);
    fgt_context_destroy(&other);
    OK(fgt_classifier_predict(k, &FGT_OPTS(fgt_classifier_rows, .texts = &asked, .text_count = 1),
                              FGT_VIEW(p, 1, 2), NULL));
    fgt_classifier_destroy(&k);
}

static fgt_status create_all(void)
{
    fgt_classifier           *c;
    const fgt_classifier_opts o = {.size = sizeof o, .tokens = 4, .dim = 4, .batch = 16, .vocab = &pairs,
                                   .pretrain = 1};
    const fgt_status          s = fgt_classifier_create(ctx, FGT_TEXTS(corpus), &o, &c);
    assert_true((s == FGT_OK) == (c != NULL));
    fgt_classifier_destroy(&c);
    return s;
}

static fgt_status use_all(void)
{
    fgt_metric      m = {0};
    float           p[2];
    const char     *text = "a cat";
    fgt_classifier *c    = NULL;
    fgt_status      s    = fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &c);
    if (s == FGT_OK)
        s = fgt_classifier_fit(c, FGT_TEXTS(corpus), FGT_TEXTS(corpus),
                               &FGT_OPTS(fgt_classifier_fit_opts, .training.epochs = 1), NULL);
    if (s == FGT_OK) s = fgt_classifier_evaluate(c, FGT_TEXTS(corpus), &m, NULL);
    if (s == FGT_OK)
        s = fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                   FGT_VIEW(p, 1, 2), NULL);
    if (s == FGT_OK) s = fgt_classifier_save(c, FGT_TO_FILE(path));
    fgt_classifier_destroy(&c);
    return s;
}

static fgt_status join_all(void)
{
    float           p[2];
    const char     *text = "a cat";
    fgt_classifier *c = NULL, *d = NULL;
    fgt_status      s = fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &c);
    if (s == FGT_OK) s = fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &d);
    if (s == FGT_OK) s = fgt_classifier_take_members(c, &d);
    if (s == FGT_OK) assert_null(d);
    if (s == FGT_OK)
        s = fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                   FGT_VIEW(p, 1, 2), NULL);
    if (s == FGT_OK) s = fgt_classifier_save(c, FGT_TO_FILE(path));
    fgt_classifier_destroy(&c);
    fgt_classifier_destroy(&d);
    return s;
}

static void sweep(fgt_status (*act)(void))
{
    const int64_t live = memory.live;
    fgt_status    s;
    SWEEP(&memory, s, 5, act()) NOTHING_LEAKS;
    assert_int_equal(memory.live, live);
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_classifier           *c;
    const fgt_vocab_opts      words = {.size = sizeof words};
    fgt_classifier_opts       o     = {.size = sizeof o, .tokens = 4, .dim = 4, .batch = 16, .vocab = &words};
    o.block.kind                    = FGT_BLOCK_GRU;
    OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &o, &c));
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    fgt_classifier_destroy(&c);
    sweep(create_all);
    sweep(use_all);
    sweep(join_all);
    sweep(join_all); /* of a file that has members */
}

/* Texts whose words training has never seen, but their endings it has. */
static fgt_corpus *new_endings(int first, int rows)
{
    static char text[80][32];
    const char *texts[80], *classes[80];
    fgt_corpus *made;
    for (int r = 0; r < rows; r++) {
        const int k = first + r;
        snprintf(text[r], sizeof text[r], "%c%c%c%s", 'b' + k % 19, 'c' + k % 17, 'd' + k % 13,
                 k % 2 ? "kning" : "zione");
        texts[r]   = text[r];
        classes[r] = k % 2 ? "no" : "it";
    }
    OK(fgt_corpus_create(ctx, texts, classes, rows, NULL, &made));
    return made;
}

static void unknown_words_are_known_by_their_letters(void **state)
{
    (void)state;
    fgt_corpus     *train = new_endings(0, 80), *test = new_endings(100, 60);
    fgt_classifier *c, *loaded;
    fgt_metric      m = {0};
    float           p[2], q[2];
    fgt_vocab_opts  v = {.size = sizeof v};
    const char     *text = "vwxkning";
    OK(fgt_classifier_choose_vocab(train, FGT_BLOCK_FIGHTER, &v));
    assert_int_equal(v.letters, 3);
    assert_int_equal(v.ngrams, 2);
    assert_int_equal(v.buckets, 0);
    OK(fgt_classifier_create(ctx, FGT_TEXTS(train), &FGT_OPTS(fgt_classifier_opts, .tokens = 4, .dim = 8),
                             &c));
    OK(fgt_classifier_fit(c, FGT_TEXTS(train), NULL, NULL, NULL));
    OK(fgt_classifier_evaluate(c, FGT_TEXTS(test), &m, NULL));
    assert_int_equal(m.correct, 60);
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &loaded));
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                              FGT_VIEW(p, 1, 2), NULL));
    OK(fgt_classifier_predict(loaded, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                              FGT_VIEW(q, 1, 2), NULL));
    assert_memory_equal(p, q, sizeof p);
    assert_true(p[1] > 0.5f);
    fgt_classifier_destroy(&c);
    fgt_classifier_destroy(&loaded);
    fgt_corpus_destroy(&train);
    fgt_corpus_destroy(&test);
}

/* Of so many texts with 2000 words each. */
static void check_buckets(int64_t rows, int64_t want)
{
    static char    text[4001];
    const char    *texts[1049], *classes[1049];
    fgt_vocab_opts v = {.size = sizeof v};
    fgt_corpus    *c;
    for (int i = 0; i < 4000; i++) text[i] = i % 2 ? ' ' : 'w';
    for (int i = 0; i < rows; i++) {
        texts[i]   = text;
        classes[i] = i % 2 ? "a" : "b";
    }
    OK(fgt_corpus_create(ctx, texts, classes, rows, NULL, &c));
    OK(fgt_classifier_choose_vocab(c, FGT_BLOCK_LINEAR, &v));
    assert_int_equal(v.buckets, want);
    fgt_corpus_destroy(&c);
}

/* Words that occur twice or more have no need of letters; blocks that read in order have words only. */
static void the_vocabulary_follows_from_the_texts(void **state)
{
    (void)state;
    fgt_vocab_opts v = {.size = sizeof v};
    OK(fgt_classifier_choose_vocab(corpus, FGT_BLOCK_LINEAR, &v));
    assert_int_equal(v.letters, 0);
    assert_int_equal(v.ngrams, 2);
    OK(fgt_classifier_choose_vocab(corpus, FGT_BLOCK_GRU, &v));
    assert_int_equal(v.ngrams, 1);
    check_buckets(1048, 0);
    check_buckets(1049, 1 << 17);
    REFUSED(fgt_classifier_choose_vocab(corpus, -1, &v), FGT_E_ARG, "block");
    REFUSED(fgt_classifier_choose_vocab(corpus, FGT_BLOCK_GRU, NULL), FGT_E_ARG, "opts is NULL");
    assert_int_equal(fgt_classifier_choose_vocab(NULL, FGT_BLOCK_GRU, &v), FGT_E_ARG);
}

/* Of texts of so many classes. The head sees tokens of this width. */
static void check_width(int64_t classes, int32_t block, int64_t want)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    const char              *text[10], *name[10];
    float                    w[5 * 64];
    fgt_corpus              *c;
    fgt_classifier          *made;
    for (int64_t i = 0; i < 2 * classes; i++) {
        text[i] = "a word";
        name[i] = names[i % classes];
    }
    OK(fgt_corpus_create(ctx, text, name, 2 * classes, NULL, &c));
    OK(fgt_classifier_create(ctx, FGT_TEXTS(c), &FGT_OPTS(fgt_classifier_opts, .block.kind = block), &made));
    OK(fgt_model_copy_parameter(fgt_classifier_get_model(made), "head.weight", FGT_VIEW(w, classes, want)));
    fgt_classifier_destroy(&made);
    fgt_corpus_destroy(&c);
}

static void the_width_follows_from_the_classes(void **state)
{
    (void)state;
    check_width(4, FGT_BLOCK_FIGHTER, 32);
    check_width(5, FGT_BLOCK_FIGHTER, 64);
    check_width(4, FGT_BLOCK_LINEAR, 64);
}

static void few_texts_have_more_epochs(void **state)
{
    (void)state;
    fgt_classifier *c = new_classifier(FGT_BLOCK_LINEAR); /* batches of 16 */
    assert_int_equal(fgt_classifier_count_epochs(c, 16, 0), 20);
    assert_int_equal(fgt_classifier_count_epochs(c, 4000, 0), 3);
    assert_int_equal(fgt_classifier_count_epochs(c, 4000, 8), 2);
    assert_int_equal(fgt_classifier_count_epochs(c, 1000000, 64), 2);
    assert_int_equal(fgt_classifier_count_epochs(c, 0, 0), 2);
    assert_int_equal(fgt_classifier_count_epochs(NULL, 16, 0), 0);
    fgt_classifier_destroy(&c);
}

static char logged[256];

static void keep_line(void *user, int32_t level, const char *message)
{
    (void)user, (void)level;
    snprintf(logged, sizeof logged, "%s", message);
}

/* Trains with the first n texts for validation, none for 0, and gives the logits of one text. */
static void fit_with(int64_t n, fgt_fit_report *report, float p[2])
{
    static const char *const text = "a cat";
    fgt_classifier          *c    = new_classifier(FGT_BLOCK_FIGHTER);
    fgt_corpus              *some = NULL;
    int64_t                  row[ROWS];
    for (int64_t i = 0; i < ROWS; i++) row[i] = i;
    if (n) OK(fgt_corpus_create_subset(corpus, row, n, &some));
    *logged = 0;
    *report = (fgt_fit_report){.size = sizeof *report};
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), FGT_TEXTS(some),
                          &FGT_OPTS(fgt_classifier_fit_opts, .training = {.epochs = 4, .lr = 0.02}), report));
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                              FGT_VIEW(p, 1, 2), NULL));
    fgt_corpus_destroy(&some);
    fgt_classifier_destroy(&c);
}

static void few_validation_texts_choose_no_epoch(void **state)
{
    (void)state;
    static const int64_t few[] = {1, 2, 10, 49};
    fgt_fit_report       report;
    float                none[2], p[2];
    ctx->log = keep_line;
    fit_with(0, &report, none);
    assert_string_equal(logged, "");
    for (int i = 0; i < 4; i++) {
        fit_with(few[i], &report, p);
        assert_non_null(strstr(logged, few[i] == 1 ? "1 validation text cannot" : "validation texts cannot"));
        assert_int_equal(report.epochs, 4);
        assert_int_equal(report.best_epoch, 4);
        assert_true(isnan(report.best_loss));
        assert_memory_equal(p, none, sizeof p);
    }
    fit_with(50, &report, p);
    assert_string_equal(logged, "");
    assert_true(isfinite(report.best_loss));
    ctx->log = NULL;
}

/* Their classes are checked all the same. */
static void few_validation_texts_are_checked(void **state)
{
    (void)state;
    static const char *const text = "a tree", *const class_name = "plant";
    fgt_classifier          *c    = new_classifier(FGT_BLOCK_FIGHTER);
    fgt_corpus              *other, *plain;
    OK(fgt_corpus_create(ctx, &text, &class_name, 1, NULL, &other));
    OK(fgt_corpus_create(ctx, &text, NULL, 1, &FGT_OPTS(fgt_corpus_opts, .no_classes = 1), &plain));
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(corpus), FGT_TEXTS(other), &brief, NULL), FGT_E_DATA,
            "\"plant\"");
    REFUSED(fgt_classifier_fit(c, FGT_TEXTS(corpus), FGT_TEXTS(plain), &brief, NULL), FGT_E_DATA,
            "no classes");
    fgt_corpus_destroy(&other);
    fgt_corpus_destroy(&plain);
    fgt_classifier_destroy(&c);
}

/* 3 of 57 texts of a and all 3 of b have the same word: by their numbers both are as likely; if b counts as
 * if it had 57 texts, b is. */
static void rare_classes_can_count_more(void **state)
{
    (void)state;
    const char     *texts[60], *classes[60], *text = "red";
    fgt_corpus     *rare;
    float           p[2][2];
    const double    balance[] = {-1, 1};
    for (int r = 0; r < 60; r++) {
        texts[r]   = r % 10 ? "blue" : "red";
        classes[r] = r % 20 ? "a" : "b";
    }
    OK(fgt_corpus_create(ctx, texts, classes, 60, NULL, &rare));
    for (int i = 0; i < 2; i++) {
        const fgt_classifier_opts o = {
            .size = sizeof o, .block.kind = FGT_BLOCK_LINEAR, .tokens = 2, .dim = 8, .block.dropout = -1};
        fgt_classifier           *c;
        OK(fgt_classifier_create(ctx, FGT_TEXTS(rare), &o, &c));
        OK(fgt_classifier_fit(c, FGT_TEXTS(rare), NULL,
                              &FGT_OPTS(fgt_classifier_fit_opts, .balance = balance[i],
                                        .training = {.epochs = 200, .lr = 0.02}, .label_smoothing = -1),
                              NULL));
        OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                  FGT_VIEW(p[i], 1, 2), NULL));
        fgt_classifier_destroy(&c);
    }
    assert_true(fabsf(p[0][1] - 0.5f) < 0.05f);
    assert_true(p[1][1] > 0.9f);
    fgt_corpus_destroy(&rare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_learns),
        cmocka_unit_test(embeddings_are_made_from_texts),
        cmocka_unit_test(predictions_are_probabilities),
        cmocka_unit_test(classes_are_found_by_their_names),
        cmocka_unit_test(a_selector_chooses_the_texts),
        cmocka_unit_test(members_answer_with_their_mean),
        cmocka_unit_test(members_are_saved_and_loaded),
        cmocka_unit_test(adapted_members_are_saved_when_merged),
        cmocka_unit_test(unlike_classifiers_are_not_joined),
        cmocka_unit_test(saved_and_loaded_is_the_same),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(every_wrong_byte_is_survived),
        cmocka_unit_test(wrong_use_is_refused),
        cmocka_unit_test(other_versions_of_options_are_read),
        cmocka_unit_test(texts_may_be_of_another_context),
        cmocka_unit_test(unknown_words_are_known_by_their_letters),
        cmocka_unit_test(the_vocabulary_follows_from_the_texts),
        cmocka_unit_test(the_width_follows_from_the_classes),
        cmocka_unit_test(few_texts_have_more_epochs),
        cmocka_unit_test(few_validation_texts_choose_no_epoch),
        cmocka_unit_test(few_validation_texts_are_checked),
        cmocka_unit_test(rare_classes_can_count_more),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
