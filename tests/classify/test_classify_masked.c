/* SPDX-License-Identifier: BSD-3-Clause */
/* Pre-training by masked words. */
#include <math.h>

#include <fighter/experimental/adapter.h>
#include <fighter/experimental/pretrain.h>

#include "../model_info.h"
#include "classify/masked_texts.h"
#include "small_corpus.h"

static const fgt_vocab_opts             words  = {.size = sizeof words, .ngrams = 1};
static const fgt_classifier_fit_opts    few    = {.size = sizeof few, .training = {.epochs = 2, .seed = 1}};
static const fgt_classifier_masked_opts masked = {.size = sizeof masked, .fit = &few, .share = 0.4};

static fgt_classifier *new_words(fgt_classifier_opts o)
{
    fgt_classifier *c;
    o.size   = sizeof o;
    o.tokens = 12;
    o.dim    = 8;
    o.batch  = 16;
    o.vocab  = o.vocab ? o.vocab : &words;
    OK(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &o, &c));
    return c;
}

static void get(fgt_classifier *c, const char *name, float *w, int64_t room)
{
    fgt_view v = {0};
    OK(parameter_shape(fgt_classifier_get_model(c), name, &v));
    assert_true(fgt_view_count(&v) <= room);
    v.data  = w;
    v.dtype = FGT_DTYPE_F32;
    OK(fgt_model_copy_parameter(fgt_classifier_get_model(c), name, &v));
}

/* ---- the texts ---- */

enum { T = 12, M = 5 };

/* Hidden ids are words, each once; one of three replaces a word. All else is as it was. */
static void hidden_words_are_the_targets(void **state)
{
    (void)state;
    fgt_classifier   *c = new_words((fgt_classifier_opts){0});
    fgti_masked_texts t = {.c = c, .words = 6, .places = M, .share = 0.4, .seed = 3};
    fgt_source        source;
    int64_t           plain[ROWS][T], ids[ROWS][T], again[ROWS][T];
    int64_t           target[ROWS][M], place[ROWS][M], index[ROWS];
    int64_t           kinds[3] = {0}, hidden = 0;
    c->batch = ROWS;
    OK(fgti_masked_texts_init(&t, corpus, 0, &source));
    for (int64_t i = 0; i < ROWS; i++) index[i] = i;
    OK(fgt_encoding_copy_samples(t.encoding, index, ROWS, FGT_VIEW_OF(FGT_DTYPE_I64, plain, ROWS, T), NULL));
    for (int64_t epoch = 1; epoch < 6; epoch++) {
        source.begin_epoch(source.user, epoch);
        const fgt_view *x = FGT_VIEW_OF(FGT_DTYPE_I64, ids, ROWS, T),
                       *y = FGT_VIEW_OF(FGT_DTYPE_I64, target, ROWS, M);
        OK(source.get(source.user, index, ROWS, x, y));
        OK(source.get_value(source.user, index, ROWS, FGTI_PLACES,
                            FGT_VIEW_OF(FGT_DTYPE_I64, place, ROWS, M)));
        for (int64_t r = 0; r < ROWS; r++) {
            bool was[T] = {false};
            for (int64_t i = 0; i < M; i++) {
                const int64_t p = place[r][i];
                if (target[r][i] == FGT_CLASS_MISSING) continue;
                assert_true(!was[p] && plain[r][p] == target[r][i] + 2 && target[r][i] < 6);
                was[p] = true;
                hidden++;
                kinds[ids[r][p] == FGT_ID_UNKNOWN ? 0 : ids[r][p] == plain[r][p] ? 1 : 2]++;
            }
            assert_true(target[r][0] != FGT_CLASS_MISSING); /* "the" is frequent, and in each text */
            for (int64_t p = 0; p < T; p++) assert_true(was[p] || ids[r][p] == plain[r][p]);
        }
    }
    assert_true(10 * kinds[0] > 7 * hidden && 10 * kinds[0] < 9 * hidden && kinds[1] && kinds[2]);
    source.begin_epoch(source.user, 5);
    OK(source.get(source.user, index, ROWS, FGT_VIEW_OF(FGT_DTYPE_I64, again, ROWS, T),
                  FGT_VIEW_OF(FGT_DTYPE_I64, target, ROWS, M)));
    assert_memory_equal(ids, again, sizeof ids);
    fgti_masked_texts_done(&t);
    fgt_classifier_destroy(&c);
}

/* ---- training ---- */

static void it_trains_all_but_the_head(void **state)
{
    (void)state;
    for (int32_t block = 0; fgt_block_get_name(block); block++) {
        const bool      sees = block != FGT_BLOCK_LINEAR && block != FGT_BLOCK_MLP;
        fgt_classifier *c                 = new_words((fgt_classifier_opts){.block.kind = block});
        float           embedding[2][512] = {{0}}, head[2][64] = {{0}};
        get(c, "embedding.weight", embedding[0], 512);
        get(c, "head.weight", head[0], 64);
        if (!sees) {
            REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &masked, NULL), FGT_E_STATE,
                    "no word sees");
        } else {
            OK(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), FGT_TEXTS(corpus), &masked, NULL));
            get(c, "embedding.weight", embedding[1], 512);
            get(c, "head.weight", head[1], 64);
            assert_true(memcmp(embedding[0], embedding[1], 20 * sizeof **embedding) != 0);
            assert_memory_equal(head[0], head[1], 16 * sizeof **head); /* at least so many */
            OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &few, NULL));
        }
        fgt_classifier_destroy(&c);
    }
}

/* The corpus repeats a few texts, so that hidden words can be known: the loss falls far below that of a
 * guess, log of the number of words. */
static void words_are_found_out(void **state)
{
    (void)state;
    const fgt_classifier_masked_opts o = {.size = sizeof o, .fit = &brief, .dropout = -1};

    fgt_fit_report  report = {.size = sizeof report};
    fgt_classifier *c      = new_words((fgt_classifier_opts){.block.kind = FGT_BLOCK_TRANSFORMER});
    OK(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &o, &report));
    assert_int_equal(report.epochs, brief.training.epochs);
    assert_true(report.train_loss < 0.6 * log((double)vocab_info(fgt_classifier_get_vocab(c)).words));
    fgt_classifier_destroy(&c);
}

/* Many texts, of which few have classes: their words are known, too. */
static void texts_without_classes(void **state)
{
    (void)state;
    static const char *const texts[] = {"the zebra and a cat", "the zebra and a quasar", "a quasar", ""};
    const fgt_corpus_opts    none    = {.size = sizeof none, .no_classes = 1};
    fgt_corpus              *more;
    OK(fgt_corpus_create(ctx, texts, NULL, 4, &none, &more));
    fgt_classifier  *c = new_words((fgt_classifier_opts){.texts = more, .pretrain = 1});
    const fgt_vocab *v = fgt_classifier_get_vocab(c);
    int64_t          id = 2;
    while (id < vocab_info(v).ids && strcmp(fgt_vocab_get_word(v, id), "zebra")) id++;
    assert_true(id < vocab_info(v).ids);
    OK(fgt_classifier_fit_masked(c, FGT_TEXTS(more), NULL, &masked, NULL));
    OK(fgt_classifier_fit(c, FGT_TEXTS(corpus), NULL, &few, NULL));
    fgt_classifier_destroy(&c);
    fgt_corpus_destroy(&more);
}

/* In training, or only for validation. */
static void texts_without_words(void **state)
{
    (void)state;
    static const char *const texts[] = {"!!!", "unheard of"};
    const fgt_corpus_opts    none    = {.size = sizeof none, .no_classes = 1};
    fgt_corpus              *empty;
    fgt_classifier          *c = new_words((fgt_classifier_opts){0});
    OK(fgt_corpus_create(ctx, texts, NULL, 2, &none, &empty));
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(empty), NULL, &masked, NULL), FGT_E_DATA,
            "a text without a word to hide has no target");
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), FGT_TEXTS(empty), &masked, NULL), FGT_E_DATA,
            "a text without a word to hide has no target");
    fgt_corpus_destroy(&empty);
    fgt_classifier_destroy(&c);
}

static void others_are_refused(void **state)
{
    (void)state;
    fgt_classifier         *c = new_classifier(FGT_BLOCK_FIGHTER), *d;
    const fgt_vocab_opts    prefix = {.size = sizeof prefix, .prefix = 2};
    fgt_classifier_fit_opts fit    = few;
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &masked, NULL), FGT_E_STATE, "n-grams");
    fgt_classifier_destroy(&c);
    c = new_words((fgt_classifier_opts){.vocab = &prefix});
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &masked, NULL), FGT_E_STATE, "prefixes");
    fgt_classifier_destroy(&c);
    c = new_words((fgt_classifier_opts){.block = {.kind = FGT_BLOCK_INFORMER, .layers = 2}});
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &masked, NULL), FGT_E_STATE,
            "fewer tokens");
    fgt_classifier_destroy(&c);
    c                   = new_words((fgt_classifier_opts){0});
    d                   = new_words((fgt_classifier_opts){.seed = 1});
    fit.label_smoothing = 0.1f;
    fgt_classifier_masked_opts o = {.size = sizeof o, .fit = &fit};
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &o, NULL), FGT_E_ARG, "label_smoothing");
    o.share = 2;
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &o, NULL), FGT_E_ARG, "share");
    REFUSED(fgt_classifier_fit_masked(c, NULL, NULL, NULL, NULL), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_classifier_fit_masked(NULL, FGT_TEXTS(corpus), NULL, NULL, NULL), FGT_E_ARG);
    OK(fgt_model_add_adapter(fgt_classifier_get_model(c), &FGT_OPTS(fgt_adapter_opts, .name = "a")));
    OK(fgt_model_set_adapter(fgt_classifier_get_model(c), "a"));
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &masked, NULL), FGT_E_STATE, "adapter");
    OK(fgt_model_remove_adapter(fgt_classifier_get_model(c), "a"));
    OK(fgt_classifier_take_members(c, &d));
    REFUSED(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL, &masked, NULL), FGT_E_STATE, "2 members");
    fgt_classifier_destroy(&c);
}

/* ---- the same bits ---- */

static uint64_t hash_after(const fgt_classifier_fit_opts *fit, fgt_fit_report *report)
{
    fgt_classifier *c = new_words((fgt_classifier_opts){0});
    OK(fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), NULL,
                                 &FGT_OPTS(fgt_classifier_masked_opts, .fit = fit), report));
    const uint64_t hash = fgt_model_get_hash(fgt_classifier_get_model(c));
    fgt_classifier_destroy(&c);
    return hash;
}

static int stop_after_first(void *user, const fgt_progress *p)
{
    (void)user;
    return p->epoch_done;
}

static void interruptions_change_nothing(void **state)
{
    (void)state;
    fgt_classifier_fit_opts part   = few;
    fgt_fit_report          report = {.size = sizeof report};
    const uint64_t          hash   = hash_after(&few, NULL);
    part.training.checkpoint       = path;
    part.training.progress         = stop_after_first;
    assert_true(hash_after(&part, &report) != hash);
    assert_true(report.cancelled && report.epochs == 1);
    part.training.progress = NULL;
    part.training.resume   = path;
    assert_true(hash_after(&part, &report) == hash);
}

static void allocations_fail(void **state)
{
    (void)state;
    fgt_status              s;
    fgt_classifier         *c          = new_words((fgt_classifier_opts){.block.kind = FGT_BLOCK_GCN});
    const uint64_t          hash = fgt_model_get_hash(fgt_classifier_get_model(c));
    fgt_classifier_fit_opts one  = few;
    one.training.epochs                = 1;
    const fgt_classifier_masked_opts o = {.size = sizeof o, .fit = &one};
    SWEEP(&memory, s, 20, fgt_classifier_fit_masked(c, FGT_TEXTS(corpus), FGT_TEXTS(corpus), &o, NULL))
    {
        assert_true(fgt_model_get_hash(fgt_classifier_get_model(c)) == hash);
        NOTHING_LEAKS;
    }
    fgt_classifier_destroy(&c);
}

/* ---- the block ---- */

static int64_t count_of(fgt_block_layers block)
{
    fgt_classifier *c = new_words((fgt_classifier_opts){.block = block});
    const int64_t   n = model_info(fgt_classifier_get_model(c)).parameters;
    fgt_classifier_destroy(&c);
    return n;
}

/* Hops are one number or one for each layer; a layer has weights for each hop. */
static void layers_have_hops(void **state)
{
    (void)state;
    static const int64_t hops[] = {1, 3}, equal[] = {2, 2};
    fgt_block_layers     block = {.kind = FGT_BLOCK_FIGHTER, .layers = 2, .hops = 2};
    const int64_t        two   = count_of(block);
    fgt_classifier      *c;
    block.layer_hops       = hops;
    block.layer_hops_count = 2;
    REFUSED(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &FGT_OPTS(fgt_classifier_opts, .block = block), &c),
            FGT_E_ARG, "layer_hops");
    block.hops = 0;
    assert_true(count_of(block) == two);
    block.layer_hops = equal;
    assert_true(count_of(block) == two);
    block.layer_hops = NULL, block.layer_hops_count = 0;
    assert_true(count_of(block) > two); /* 3 and 3 */
    block.reserved[0] = 1;
    REFUSED(fgt_classifier_create(ctx, FGT_TEXTS(corpus), &FGT_OPTS(fgt_classifier_opts, .block = block), &c),
            FGT_E_VERSION, "reserved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_words_are_the_targets),
        cmocka_unit_test(it_trains_all_but_the_head),
        cmocka_unit_test(words_are_found_out),
        cmocka_unit_test(texts_without_classes),
        cmocka_unit_test(texts_without_words),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(interruptions_change_nothing),
        cmocka_unit_test(allocations_fail),
        cmocka_unit_test(layers_have_hops),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
