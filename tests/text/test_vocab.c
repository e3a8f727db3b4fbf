/* SPDX-License-Identifier: BSD-3-Clause */
/* Vocabularies and encoded texts, and the real AG News. */
#include "../data/small_files.h"

#include <time.h>

#include "../samples_info.h"
#include "text/vocab/vocab.h"

#ifdef FGTI_HAVE_UTF8PROC

enum { PAD = FGT_ID_PADDING, UNK = FGT_ID_UNKNOWN };

/* Texts of one class. */
static fgt_corpus *corpus_of(int64_t n, const char *const *texts)
{
    const char *classes[64];
    fgt_corpus *c;
    for (int64_t i = 0; i < n; i++) classes[i] = "x";
    expect_ok(fgt_corpus_create(&context, texts, classes, n, NULL, &c));
    return c;
}

static const char *const small[] = {
    "b a c", "A b, a!", "C a zebra", "\xc3\xa9l\xc3\xa9phant \xc3\x89L\xc3\x89PHANT once",
};

static fgt_vocab *vocab_of(const fgt_vocab_opts *opts)
{
    fgt_corpus *c = corpus_of(COUNT(small), small);
    fgt_vocab  *v;
    expect_ok(fgt_vocab_create(c, opts, &v));
    fgt_corpus_destroy(&c); /* nobody needs it any more */
    return v;
}

/* ---- words ---- */

static void test_order(void **state)
{
    (void)state;
    /* a 4, then b, c and elephant twice, by their bytes */
    static const char *const words[] = {"a", "b", "c", "\xc3\xa9l\xc3\xa9phant", "once", "zebra"};
    fgt_vocab *v = vocab_of(NULL);
    assert_int_equal(vocab_info(v).words, 4);
    assert_int_equal(vocab_info(v).ids, 6);
    for (int64_t i = 0; i < 4; i++) assert_string_equal(fgt_vocab_get_word(v, 2 + i), words[i]);
    assert_null(fgt_vocab_get_word(v, 6));
    assert_null(fgt_vocab_get_word(v, UNK));
    assert_null(fgt_vocab_get_word(v, -1));
    assert_null(fgt_vocab_get_word(NULL, 2));
    const fgt_vocab_opts *o = vocab_info(v).opts;
    assert_int_equal(o->size, sizeof *o);
    assert_true(o->min_count == 2 && o->ngrams == 1 && o->buckets == 0 && o->max_words == 0);
    assert_int_equal(o->symbols, FGT_VOCAB_SYMBOLS_WORDS);
    expect_status(fgt_vocab_get_info(v, &(fgt_vocab_info){.size = 4}), FGT_E_VERSION);
    expect_status(fgt_vocab_get_info(v, NULL), FGT_E_ARG);
    expect_status(fgt_vocab_get_info(NULL, &(fgt_vocab_info){.size = sizeof(fgt_vocab_info)}), FGT_E_ARG);
    fgt_vocab_destroy(&v);
    assert_null(v);
    fgt_vocab_destroy(&v);
    v = vocab_of(&FGT_OPTS(fgt_vocab_opts, .min_count = 1));
    for (int64_t i = 0; i < 6; i++) assert_string_equal(fgt_vocab_get_word(v, 2 + i), words[i]);
    assert_int_equal(vocab_info(v).words, 6);
    fgt_vocab_destroy(&v);
    v = vocab_of(&FGT_OPTS(fgt_vocab_opts, .max_words = 2));
    assert_int_equal(vocab_info(v).words, 2);
    fgt_vocab_destroy(&v);
    v = vocab_of(&FGT_OPTS(fgt_vocab_opts, .min_count = 4, .ngrams = 2, .buckets = 10));
    assert_int_equal(vocab_info(v).ids, 13);
    fgt_vocab_destroy(&v);
    v = vocab_of(&FGT_OPTS(fgt_vocab_opts, .min_count = 1, .punctuation = 1));
    assert_string_equal(fgt_vocab_get_word(v, 6), "!");
    fgt_vocab_destroy(&v);
}

static void test_refusals(void **state)
{
    (void)state;
    fgt_corpus           *c     = corpus_of(COUNT(small), small);
    fgt_vocab            *v     = NULL;
    const fgt_vocab_opts  bad[] = {
        FGT_OPTS(fgt_vocab_opts, .ngrams = 1, .buckets = 2), FGT_OPTS(fgt_vocab_opts, .buckets = 2),
        FGT_OPTS(fgt_vocab_opts, .ngrams = 9, .buckets = 2), FGT_OPTS(fgt_vocab_opts, .min_count = -1),
        FGT_OPTS(fgt_vocab_opts, .max_words = -1),      FGT_OPTS(fgt_vocab_opts, .punctuation = 2),
        FGT_OPTS(fgt_vocab_opts, .symbols = 3),        FGT_OPTS(fgt_vocab_opts, .prefix = 33),
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(fgt_vocab_create(c, &bad[i], &v), FGT_E_ARG);
        assert_null(v);
    }
    expect_status(fgt_vocab_create(c, &FGT_OPTS(fgt_vocab_opts, .ngrams = 2, .buckets = INT32_MAX), &v),
                  FGT_E_SIZE);
    expect_sentence("vocabulary: 2147483653 ids do not fit into 31 bits");
    expect_status(fgt_vocab_create(c, &FGT_OPTS(fgt_vocab_opts, .min_count = 5), &v), FGT_E_DATA);
    expect_sentence("none of 6 different words occurs 5 times");
    expect_status(fgt_vocab_create(c, NULL, NULL), FGT_E_ARG);
    assert_int_equal(fgt_vocab_create(NULL, NULL, &v), FGT_E_ARG);
    fgt_corpus_destroy(&c);
}

/* ---- ids ---- */

static void expect_ids(const fgt_vocab *v, const char *text, int64_t t, const int64_t *want)
{
    int64_t ids[16];
    int32_t narrow[16], padding[16];
    expect_ok(fgt_vocab_encode(v, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, t), NULL, NULL));
    expect_ok(fgt_vocab_encode(v, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I32, narrow, 1, t),
                               FGT_VIEW_OF(FGT_DTYPE_I32, padding, 1, t), NULL));
    for (int64_t i = 0; i < t; i++) {
        assert_int_equal(ids[i], want[i]);
        assert_int_equal(narrow[i], want[i]);
        assert_int_equal(padding[i], want[i] == PAD);
    }
}

static void test_ids(void **state)
{
    (void)state;
    fgt_vocab *v = vocab_of(NULL);
    expect_ids(v, "A zebra: b, \xc3\x89L\xc3\x89PHANT", 6, (const int64_t[]){2, UNK, 3, 5, PAD, PAD});
    expect_ids(v, "a b c a b c", 4, (const int64_t[]){2, 3, 4, 2});
    expect_ids(v, "", 2, (const int64_t[]){PAD, PAD});
    expect_ids(v, "?!", 1, (const int64_t[]){PAD});
    /* a batch; invalid UTF-8 separates words and is counted */
    const char *texts[] = {"a", "b\377a \xe2\x82", "c c"};
    int64_t     ids[6], replaced = 7;
    const int64_t want[] = {2, PAD, 3, 2, 4, 4};
    expect_ok(fgt_vocab_encode(v, texts, 3, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 3, 2), NULL, &replaced));
    assert_memory_equal(ids, want, sizeof want);
    assert_int_equal(replaced, 2);
    int32_t pad[6];
    expect_status(fgt_vocab_encode(v, texts, 2, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 3, 2), NULL, NULL),
                  FGT_E_SHAPE);
    expect_status(fgt_vocab_encode(v, texts, 3, FGT_VIEW_OF(FGT_DTYPE_F32, ids, 3, 2), NULL, NULL),
                  FGT_E_SHAPE);
    expect_status(fgt_vocab_encode(v, texts, 3, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 3, 2),
                                   FGT_VIEW_OF(FGT_DTYPE_I32, pad, 2, 3), NULL),
                  FGT_E_SHAPE);
    expect_status(fgt_vocab_encode(v, texts, 0, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 3, 2), NULL, NULL),
                  FGT_E_ARG);
    texts[1] = NULL;
    expect_status(fgt_vocab_encode(v, texts, 3, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 3, 2), NULL, NULL),
                  FGT_E_ARG);
    expect_sentence("text 1 is NULL");
    fgt_vocab_destroy(&v);
}

/* FNV-1a as its authors define it; "foobar" is one of their vectors. */
static uint64_t fnv(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return h;
}

static void test_ngrams(void **state)
{
    (void)state;
    enum { BUCKETS = 1000, WORDS = 4 };
    fgt_vocab *v = vocab_of(&FGT_OPTS(fgt_vocab_opts, .ngrams = 3, .buckets = BUCKETS));
    assert_true(fnv("foobar") == UINT64_C(0x85944171f73967e8));
    assert_int_equal(vocab_info(v).ids, 2 + WORDS + BUCKETS);
    const int64_t first = 2 + WORDS;
    const int64_t want[] = {2, 3, UNK, first + (int64_t)(fnv("a b") % BUCKETS),
                            first + (int64_t)(fnv("b zebra") % BUCKETS),
                            first + (int64_t)(fnv("a b zebra") % BUCKETS), PAD};
    expect_ids(v, "A, b Zebra", 7, want); /* words that are unknown count in n-grams */
    expect_ids(v, "A, b Zebra", 5, want);
    expect_ids(v, "a", 2, (const int64_t[]){2, PAD});
    fgt_vocab_destroy(&v);
}

/* Runs are numbered among the words, by their counts: a and c 5, b and "b c" 4, "a b" and "a b c" 3. */
static void test_counted_ngrams(void **state)
{
    (void)state;
    static const char *const rows[]  = {"a b c", "A, B. C", "a b c a", "b c c a"};
    static const char *const words[] = {"a", "c", "b", "b c", "a b", "a b c", "c a"};
    fgt_corpus              *c = corpus_of(COUNT(rows), rows);
    fgt_vocab               *v;
    expect_ok(fgt_vocab_create(c, &FGT_OPTS(fgt_vocab_opts, .ngrams = 3), &v));
    assert_int_equal(vocab_info(v).words, COUNT(words));
    assert_int_equal(vocab_info(v).ids, 2 + COUNT(words));
    for (size_t i = 0; i < COUNT(words); i++)
        assert_string_equal(fgt_vocab_get_word(v, 2 + (int64_t)i), words[i]);
    expect_ids(v, "a b c", 8, (const int64_t[]){2, 4, 3, 6, 5, 7, PAD, PAD});
    expect_ids(v, "x c? A", 8, (const int64_t[]){UNK, 3, 2, 8, PAD, PAD, PAD, PAD});
    expect_ids(v, "a b c", 4, (const int64_t[]){2, 4, 3, 6});
    expect_ids(v, "", 1, (const int64_t[]){PAD});
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&c);
}

/* Characters, not bytes; a word that is no longer than its prefix has none. */
static void test_prefixes(void **state)
{
    (void)state;
    static const char *const rows[]  = {"\xc3\xa9l\xc3\xa9phant \xc3\xa9l\xc3\xa9gance", "ab abc abd"};
    static const char *const words[] = {"ab*", "\xc3\xa9l*"};
    fgt_corpus              *c = corpus_of(COUNT(rows), rows);
    fgt_vocab               *v;
    expect_ok(fgt_vocab_create(c, &FGT_OPTS(fgt_vocab_opts, .prefix = 2), &v));
    assert_int_equal(vocab_info(v).words, COUNT(words));
    for (int64_t i = 0; i < 2; i++) assert_string_equal(fgt_vocab_get_word(v, 2 + i), words[i]);
    expect_ids(v, "ab abx \xc3\xa9l\xc3\xa9 zzz", 7, (const int64_t[]){UNK, UNK, UNK, UNK, 2, 3, PAD});
    expect_ids(v, "abx", 1, (const int64_t[]){UNK});
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&c);
}

/* Runs of 1 and 2 characters, with a blank where the word begins or ends, are added to the word; not bytes,
 * and neither blanks alone nor runs of two words. What does not fit into the bag is left out. */
static void test_letters(void **state)
{
    (void)state;
    static const char *const rows[]  = {"\xc3\xa9" "b \xc3\xa9" "b", "b"};
    static const char *const words[] = {" b",       " b ",            "  \xc3\xa9",
                                        " \xc3\xa9", " \xc3\xa9" "b", "\xc3\xa9" "b"};
    fgt_corpus              *c = corpus_of(COUNT(rows), rows);
    fgt_vocab               *v;
    fgt_vocab_opts           o = {.size = sizeof o, .letters = 2, .bag = 6};
    expect_ok(fgt_vocab_create(c, &o, &v));
    assert_int_equal(vocab_info(v).words, COUNT(words));
    for (int64_t i = 0; i < (int64_t)COUNT(words); i++)
        assert_string_equal(fgt_vocab_get_word(v, 2 + i), words[i]);
    expect_ids(v, "\xc3\xa9" "b xb", 12, (const int64_t[]){7, 4, 5, 6, 2, 3, UNK, 2, 3, PAD, PAD, PAD});
    expect_ids(v, "xx", 6, (const int64_t[]){UNK, PAD, PAD, PAD, PAD, PAD});
    int64_t ids[7];
    expect_status(fgt_vocab_encode(v, rows, 1, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, 7), NULL, NULL),
                  FGT_E_SHAPE);
    expect_sentence("got 7 columns, need a multiple of the bag, 6");
    fgt_vocab_destroy(&v);
    o.bag = 3;
    expect_ok(fgt_vocab_create(c, &o, &v));
    expect_ids(v, "\xc3\xa9" "b", 6, (const int64_t[]){7, 4, 5, PAD, PAD, PAD});
    fgt_vocab_destroy(&v);
    o.least_letters = 2; /* then without " b " and its like, which have one letter and the mark of letters */
    o.bag           = 6;
    expect_ok(fgt_vocab_create(c, &o, &v));
    expect_ids(v,
               "\xc3\xa9"
               "b",
               6, (const int64_t[]){5, 3, 4, 2, PAD, PAD});
    fgt_vocab_destroy(&v);
    o.least_letters = 3;
    expect_status(fgt_vocab_create(c, &o, &v), FGT_E_ARG);
    expect_sentence("least_letters is wrong (got 3, need at most letters, 2)");
    o.least_letters = o.letters = 0;
    o.bag                       = 3;
    expect_status(fgt_vocab_create(c, &o, &v), FGT_E_ARG);
    expect_sentence("bag is wrong (got 3, need 0 if letters is 0)");
    fgt_corpus_destroy(&c);
}

/* All runs share ids after the ids of n-grams, also the runs that training has not seen. */
static void test_hashed_letters(void **state)
{
    (void)state;
    enum { PAIRS = 50, BUCKETS = 1000, WORDS = 4 };
    fgt_vocab_opts o = {.size           = sizeof o,
                        .ngrams         = 2,
                        .buckets        = PAIRS,
                        .letters        = 3,
                        .least_letters  = 2,
                        .letter_buckets = BUCKETS,
                        .bag            = 5};
    fgt_vocab     *v = vocab_of(&o);
    assert_int_equal(vocab_info(v).words, WORDS);
    assert_int_equal(vocab_info(v).ids, 2 + WORDS + PAIRS + BUCKETS);
    const int64_t first = 2 + WORDS + PAIRS;
    const int64_t begin = first + (int64_t)(fnv(" x") % BUCKETS),
                  all   = first + (int64_t)(fnv(" x ") % BUCKETS);
    const int64_t end   = first + (int64_t)(fnv("x ") % BUCKETS);
    const int64_t pair  = 2 + WORDS + (int64_t)(fnv("x \xc3\xa9t") % PAIRS);
    expect_ids(v, "X \xc3\xa9t", 15,
               (const int64_t[]){UNK, begin, all, end, PAD, UNK,
                                 first + (int64_t)(fnv(" \xc3\xa9") % BUCKETS),
                                 first + (int64_t)(fnv(" \xc3\xa9t") % BUCKETS),
                                 first + (int64_t)(fnv("\xc3\xa9t") % BUCKETS),
                                 first + (int64_t)(fnv("\xc3\xa9t ") % BUCKETS), pair, PAD, PAD, PAD, PAD});
    for (int64_t id = 2 + WORDS; id < vocab_info(v).ids; id++) assert_null(fgt_vocab_get_word(v, id));
    fgt_vocab_destroy(&v);
    fgt_corpus *c    = corpus_of(COUNT(small), small);
    o.letter_buckets = INT32_MAX;
    expect_status(fgt_vocab_create(c, &o, &v), FGT_E_SIZE);
    expect_sentence("ids do not fit into 31 bits");
    o.letter_buckets = -1;
    expect_status(fgt_vocab_create(c, &o, &v), FGT_E_ARG);
    expect_sentence("letter_buckets");
    o = (fgt_vocab_opts){.size = sizeof o, .letter_buckets = 7};
    expect_status(fgt_vocab_create(c, &o, &v), FGT_E_ARG);
    expect_sentence("letter_buckets is wrong (got 7, need 0 if letters is 0)");
    fgt_corpus_destroy(&c);
}

/* ---- in model files ---- */

static void test_restore(void **state)
{
    (void)state;
    fgt_vocab     *v = vocab_of(&FGT_OPTS(fgt_vocab_opts, .ngrams = 2, .buckets = 50)), *w;
    int64_t        size, a[12], b[12];
    const char    *bytes = fgti_vocab_bytes(v, &size), *text = "b a zebra a c";
    fgt_vocab_opts o = *vocab_info(v).opts;
    expect_ok(fgti_vocab_restore(&context, &o, bytes, size, &w));
    assert_int_equal(vocab_info(w).ids, vocab_info(v).ids);
    expect_ok(fgt_vocab_encode(v, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, a, 1, 12), NULL, NULL));
    expect_ok(fgt_vocab_encode(w, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, b, 1, 12), NULL, NULL));
    assert_memory_equal(a, b, sizeof a);
    fgt_vocab_destroy(&w);
    static const struct {
        const char *bytes;
        int64_t     size;
        const char *sentence;
    } bad[] = {
        {"a", 0, "does not end with a NUL"},
        {"a", 1, "does not end with a NUL"},
        {"a\0\0b", 5, "word 1 of the vocabulary is empty"},
        {"a\0b\xff", 5, "word 1 of the vocabulary is empty or not UTF-8"},
        {"a\0b\0a", 6, "words 0 and 2 of the vocabulary are the same"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(fgti_vocab_restore(&context, &o, bad[i].bytes, bad[i].size, &w), FGT_E_FORMAT);
        assert_null(w);
        expect_sentence(bad[i].sentence);
    }
    o.ngrams = 0;
    expect_status(fgti_vocab_restore(&context, &o, bytes, size, &w), FGT_E_ARG);
    fgt_vocab_destroy(&v);
}

/* ---- samples ---- */

/* Number of ids of a sample, at most 64, without padding. */
static int64_t count_tokens(fgt_encoding *e, int64_t sample)
{
    int32_t x[64];
    int64_t n = 0;
    expect_ok(fgt_encoding_copy_samples(e, &sample, 1, FGT_VIEW_OF(FGT_DTYPE_I32, x, 1, 64), NULL));
    while (n < 64 && x[n] != PAD) n++;
    return n;
}

static void test_encoding_of_no_words(void **state)
{
    (void)state;
    const char   *classes[] = {"y", "x"}, *texts[] = {"!", "?"};
    fgt_corpus   *c;
    fgt_vocab    *v = vocab_of(NULL);
    fgt_encoding *e;
    int32_t       x[4], y[2];
    expect_ok(fgt_corpus_create(&context, texts, classes, 2, NULL, &c));
    expect_ok(fgt_encoding_create(v, c, 2, &e));
    expect_ok(fgt_encoding_copy_samples(e, (const int64_t[]){1, 0}, 2, FGT_VIEW_OF(FGT_DTYPE_I32, x, 2, 2),
                                        FGT_VIEW_OF(FGT_DTYPE_I32, y, 2)));
    for (int i = 0; i < 4; i++) assert_int_equal(x[i], PAD);
    fgt_encoding_destroy(&e);
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&c);
}

static void test_encoding(void **state)
{
    (void)state;
    const char   *classes[] = {"y", "x", "y"}, *texts[] = {"a b c", "!", "b"};
    fgt_corpus   *c;
    fgt_vocab    *v = vocab_of(NULL);
    fgt_encoding *e = NULL;
    expect_ok(fgt_corpus_create(&context, texts, classes, 3, NULL, &c));
    expect_ok(fgt_encoding_create(v, c, 2, &e));
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&c);
    const int64_t index[] = {2, 0, 1, 0}, want[] = {3, PAD, PAD, 2, 3, PAD, PAD, PAD, PAD, 2, 3, PAD};
    int64_t       x[12], y[4];
    int32_t       narrow[4], label[4];
    hook.countdown = 1; /* a batch allocates nothing */
    expect_ok(fgt_encoding_copy_samples(e, index, 4, FGT_VIEW_OF(FGT_DTYPE_I64, x, 4, 3),
                                        FGT_VIEW_OF(FGT_DTYPE_I64, y, 4)));
    assert_memory_equal(x, want, sizeof want);
    assert_true(y[0] == 1 && y[1] == 1 && y[2] == 0 && y[3] == 1);
    expect_ok(fgt_encoding_copy_samples(e, index, 4, FGT_VIEW_OF(FGT_DTYPE_I32, narrow, 4, 1),
                                        FGT_VIEW_OF(FGT_DTYPE_I32, label, 4)));
    assert_true(narrow[0] == 3 && narrow[1] == 2 && narrow[2] == PAD && label[2] == 0);
    expect_ok(fgt_encoding_copy_samples(e, index, 4, FGT_VIEW_OF(FGT_DTYPE_I32, narrow, 4, 1), NULL));
    assert_int_equal(hook.countdown, 1);
    hook.countdown = 0;
    const fgt_view *xv = FGT_VIEW_OF(FGT_DTYPE_I64, x, 4, 3), *yv = FGT_VIEW_OF(FGT_DTYPE_I64, y, 4);
    expect_status(fgt_encoding_copy_samples(e, (const int64_t[]){0, 1, 3, 0}, 4, xv, yv), FGT_E_ARG);
    expect_sentence("sample 3 does not exist");
    expect_status(fgt_encoding_copy_samples(e, index, 3, xv, yv), FGT_E_SHAPE);
    expect_status(fgt_encoding_copy_samples(e, index, 4, xv, FGT_VIEW_OF(FGT_DTYPE_F32, y, 4)), FGT_E_SHAPE);
    expect_status(fgt_encoding_copy_samples(e, NULL, 4, xv, yv), FGT_E_ARG);
    assert_int_equal(fgt_encoding_copy_samples(NULL, index, 4, xv, yv), FGT_E_ARG);
    assert_memory_equal(x, want, sizeof want);
    fgt_encoding_destroy(&e);
    assert_null(e);
    fgt_encoding_destroy(&e);
}

/* ---- memory ---- */

static fgt_status use_all(int64_t buckets)
{
    const char   *text = "a \xff b";
    int64_t       ids[4];
    fgt_corpus   *c;
    fgt_vocab    *v = NULL;
    fgt_encoding *e = NULL;
    const char   *classes[COUNT(small)] = {"x", "x", "x", "x"};
    fgt_status    s                     = fgt_corpus_create(&context, small, classes, COUNT(small), NULL, &c);
    if (s == FGT_OK)
        s = fgt_vocab_create(c, &FGT_OPTS(fgt_vocab_opts, .ngrams = 2, .buckets = buckets, .prefix = 2,
                                          .letters = 2, .bag = 4), &v);
    if (s == FGT_OK) s = fgt_vocab_encode(v, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, 4), NULL, NULL);
    if (s == FGT_OK) s = fgt_encoding_create(v, c, 5, &e);
    if (s == FGT_OK) {
        fgt_vocab  *w;
        int64_t     size;
        const char *bytes = fgti_vocab_bytes(v, &size);
        s                 = fgti_vocab_restore(&context, &v->opts, bytes, size, &w);
        assert_true(!w == (s != FGT_OK));
        fgt_vocab_destroy(&w);
    }
    fgt_encoding_destroy(&e);
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&c);
    return s;
}

static void sweep(int64_t buckets)
{
    fgt_context *const ctx = &context;
    fgt_status         s;
    SWEEP(&hook, s, 40, (context.error.text[0] = 0, use_all(buckets)))
    {
        expect_sentence("no memory for");
        assert_int_equal(hook.live, 0);
    }
    assert_int_equal(hook.live, 0);
}

static void test_nomem(void **state)
{
    (void)state;
    sweep(9);
    sweep(0);
}

/* ---- AG News ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static fgt_corpus *load_news(const char *file, const fgt_corpus *like)
{
    fgt_corpus *c;
#ifndef FGTI_HAVE_ZLIB
    print_message("SKIP: %s needs zlib\n", file);
    return NULL;
#endif
    const char *path = real_file(file);
    if (!path) return NULL;
    expect_ok(fgt_corpus_load(&context, path, &FGT_OPTS(fgt_corpus_opts, .like = like), &c));
    return c;
}

/* The numbers of the sets' README; sizes of the vocabulary counted by a script over the same definition. */
static void test_news(void **state)
{
    (void)state;
    static const int64_t per_class[] = {7481, 7528, 7547, 7478};
    static const char *const names[] = {"1", "2", "3", "4"};
    const double  t0    = now();
    fgt_corpus   *train = load_news("ag_news_train_subset.csv.gz", NULL), *test = NULL;
    fgt_vocab    *v, *w;
    fgt_encoding *e;
    if (train) test = load_news("ag_news_test.csv.gz", train);
    if (!test) {
        fgt_corpus_destroy(&train);
        skip();
    }
    const double t1 = now();
    assert_int_equal(corpus_info(train).rows, 30034);
    assert_int_equal(corpus_info(test).rows, 7600);
    assert_int_equal(corpus_info(train).classes, 4);
    assert_int_equal(corpus_info(train).replaced + corpus_info(test).replaced, 0);
    for (int64_t i = 0; i < 4; i++) {
        assert_string_equal(fgt_corpus_get_class_name(test, i), names[i]);
        assert_int_equal(corpus_info(train).class_rows[i], per_class[i]);
        assert_int_equal(corpus_info(test).class_rows[i], 1900);
    }
    const double t2 = now();
    expect_ok(fgt_vocab_create(train, NULL, &v));
    const double t3 = now();
    expect_ok(fgt_encoding_create(v, train, 64, &e));
    print_message("load %.2f s (with the test file), build %.2f s, encode %.2f s\n", t1 - t0, t3 - t2,
                  now() - t3);
    assert_int_equal(vocab_info(v).words, 25428); /* two of them are the symbols $ and = */
    expect_ok(fgt_vocab_create(train, &FGT_OPTS(fgt_vocab_opts, .min_count = 1), &w));
    assert_int_equal(vocab_info(w).words, 38975);
    assert_string_equal(fgt_vocab_get_word(v, 2), "the");
    assert_string_equal(fgt_vocab_get_word(v, 3), "to");
    int64_t tokens = 0;
    for (int64_t i = 0; i < 30034; i++) tokens += count_tokens(e, i);
    assert_int_equal(tokens, 1181530);
    fgt_encoding_destroy(&e);
    fgt_vocab_destroy(&w);
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&test);
    fgt_corpus_destroy(&train);
}

#else

static void test_unsupported(void **state)
{
    (void)state;
    const char *text = "a";
    fgt_corpus *c;
    fgt_vocab  *v;
    expect_ok(fgt_corpus_create(&context, &text, &text, 1, NULL, &c));
    expect_status(fgt_vocab_create(c, NULL, &v), FGT_E_UNSUPPORTED);
    assert_null(v);
    fgt_corpus_destroy(&c);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef FGTI_HAVE_UTF8PROC
        cmocka_unit_test_teardown(test_order, expect_no_leak),
        cmocka_unit_test_teardown(test_refusals, expect_no_leak),
        cmocka_unit_test_teardown(test_ids, expect_no_leak),
        cmocka_unit_test_teardown(test_ngrams, expect_no_leak),
        cmocka_unit_test_teardown(test_counted_ngrams, expect_no_leak),
        cmocka_unit_test_teardown(test_prefixes, expect_no_leak),
        cmocka_unit_test_teardown(test_letters, expect_no_leak),
        cmocka_unit_test_teardown(test_hashed_letters, expect_no_leak),
        cmocka_unit_test_teardown(test_restore, expect_no_leak),
        cmocka_unit_test_teardown(test_encoding_of_no_words, expect_no_leak),
        cmocka_unit_test_teardown(test_encoding, expect_no_leak),
        cmocka_unit_test_teardown(test_nomem, expect_no_leak),
        cmocka_unit_test_teardown(test_news, expect_no_leak),
#else
        cmocka_unit_test_teardown(test_unsupported, expect_no_leak),
#endif
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
