/* SPDX-License-Identifier: BSD-3-Clause */
/* Vocabularies in files of their own. */
#include "../data/small_files.h"
#include "../samples_info.h"

#include "text/vocab/vocab.h"

#ifdef FGTI_HAVE_UTF8PROC

enum { TOKENS = 12, ROOM = 4096 };

static const fgt_vocab_opts hashed = {
    .size = sizeof hashed, .letters = 3, .bag = 4, .least_letters = 2, .letter_buckets = 50};

static fgt_vocab *make_vocab(const fgt_vocab_opts *opts)
{
    static const char *const texts[]   = {"b a c", "A b, a!", "C a zebra",
                                          "\xc3\xa9l\xc3\xa9phant \xc3\x89L\xc3\x89PHANT once"};
    static const char *const classes[] = {"x", "x", "x", "x"};
    fgt_corpus              *c;
    fgt_vocab               *v;
    expect_ok(fgt_corpus_create(&context, texts, classes, 4, NULL, &c));
    expect_ok(fgt_vocab_create(c, opts, &v));
    fgt_corpus_destroy(&c);
    return v;
}

static void expect_same(const fgt_vocab *a, const fgt_vocab *b)
{
    const char *text = "b a zebra a \xc3\xa9l\xc3\xa9phants";
    int64_t     x[TOKENS], y[TOKENS];
    assert_memory_equal(vocab_info(a).opts, vocab_info(b).opts, sizeof(fgt_vocab_opts));
    expect_ok(fgt_vocab_encode(a, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, x, 1, TOKENS), NULL, NULL));
    expect_ok(fgt_vocab_encode(b, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, y, 1, TOKENS), NULL, NULL));
    assert_memory_equal(x, y, sizeof x);
}

/* A file and memory have the same bytes, and what is read gives the same ids. */
static void test_round(void **state)
{
    (void)state;
    const fgt_vocab_opts cases[] = {
        FGT_OPTS(fgt_vocab_opts, .min_count = 1),
        FGT_OPTS(fgt_vocab_opts, .ngrams = 2, .buckets = 50, .punctuation = 1),
        FGT_OPTS(fgt_vocab_opts, .prefix = 3, .symbols = FGT_VOCAB_SYMBOLS_SPACES), hashed};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char       bytes[ROOM], file[ROOM];
        int64_t    size = 0, again = 0;
        fgt_vocab *v = make_vocab(&cases[i]), *w;
        expect_ok(fgt_vocab_save(v, FGT_TO_MEMORY(NULL, 0, &size)));
        assert_in_range(size, 1, ROOM);
        expect_status(fgt_vocab_save(v, FGT_TO_MEMORY(bytes, size - 1, &again)), FGT_E_SIZE);
        assert_int_equal(again, size);
        expect_ok(fgt_vocab_save(v, FGT_TO_MEMORY(bytes, ROOM, &again)));
        expect_ok(fgt_vocab_load(&context, FGT_FROM_MEMORY(bytes, size), &w));
        expect_same(v, w);
        fgt_vocab_destroy(&w);
        const char *path = in_directory("v");
        expect_ok(fgt_vocab_save(v, FGT_TO_FILE(path)));
        expect_ok(fgt_vocab_load(&context, FGT_FROM_FILE(path), &w));
        expect_same(v, w);
        FILE *f = fopen(path, "rb");
        assert_int_equal(fread(file, 1, ROOM, f), size);
        fclose(f);
        assert_memory_equal(file, bytes, (size_t)size);
        fgt_vocab_destroy(&w);
        fgt_vocab_destroy(&v);
    }
}

/* No flipped bit is read as a vocabulary. */
static void expect_damage(const fgt_vocab_opts *opts)
{
    char       bytes[ROOM];
    int64_t    size = 0;
    fgt_vocab *v    = make_vocab(opts), *w;
    expect_ok(fgt_vocab_save(v, FGT_TO_MEMORY(bytes, ROOM, &size)));
    for (int64_t i = 0; i < size; i++) {
        bytes[i] ^= 4;
        const fgt_status s = fgt_vocab_load(&context, FGT_FROM_MEMORY(bytes, size), &w);
        assert_true(s == FGT_E_FORMAT || s == FGT_E_NAME || s == FGT_E_SHAPE || s == FGT_E_VERSION);
        assert_null(w);
        bytes[i] ^= 4;
    }
    expect_status(fgt_vocab_load(&context, FGT_FROM_MEMORY(bytes, size - 1), &w), FGT_E_FORMAT);
    fgt_vocab_destroy(&v);
}

static void test_damaged(void **state)
{
    (void)state;
    expect_damage(NULL);
    expect_damage(&hashed);
}

static void test_refused(void **state)
{
    (void)state;
    const char *other = in_directory("other");
    fgt_vocab  *v     = make_vocab(NULL), *w;
    assert_int_equal(fgt_vocab_save(NULL, FGT_TO_FILE(other)), FGT_E_ARG);
    expect_status(fgt_vocab_save(v, NULL), FGT_E_ARG);
    assert_int_equal(fgt_vocab_load(NULL, FGT_FROM_FILE(other), &w), FGT_E_ARG);
    expect_status(fgt_vocab_load(&context, NULL, &w), FGT_E_ARG);
    expect_status(fgt_vocab_load(&context, FGT_FROM_FILE(other), NULL), FGT_E_ARG);
    expect_status(fgt_vocab_load(&context, FGT_FROM_FILE(in_directory("none")), &w), FGT_E_IO);
    assert_null(w);
    fgt_vocab_destroy(&v);
}

static void test_nomem(void **state)
{
    (void)state;
    fgt_context *const ctx = &context;
    char               bytes[ROOM];
    int64_t            size = 0;
    fgt_status         s;
    fgt_vocab         *v = make_vocab(NULL), *w;
    SWEEP(&hook, s, 1, fgt_vocab_save(v, FGT_TO_MEMORY(bytes, ROOM, &size)));
    SWEEP(&hook, s, 5, fgt_vocab_load(&context, FGT_FROM_MEMORY(bytes, size), &w)) assert_null(w);
    expect_same(v, w);
    fgt_vocab_destroy(&w);
    fgt_vocab_destroy(&v);
}

#endif

static void test_other(void **state)
{
    (void)state;
    fgt_vocab *v;
    expect_status(fgt_vocab_load(&context, FGT_FROM_FILE(put_text("other", "no vocabulary")), &v),
                  FGT_E_FORMAT);
    expect_sentence("other");
    assert_null(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef FGTI_HAVE_UTF8PROC
        cmocka_unit_test_teardown(test_round, expect_no_leak),
        cmocka_unit_test_teardown(test_damaged, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_nomem, expect_no_leak),
#endif
        cmocka_unit_test_teardown(test_other, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
