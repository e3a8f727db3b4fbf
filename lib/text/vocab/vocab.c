/* SPDX-License-Identifier: BSD-3-Clause */

/* Makes a vocabulary: counts words, n-grams and letters, and numbers them. */

#include "text/vocab/vocab.h"

#include <string.h>

#include "core/context.h"
#include "core/sort.h"
#include "text/corpus.h"
#include "text/corpus_reader.h"
#include "text/vocab/tokens.h"

#define NGRAMS_MAX 8
#define BAG_MAX    1024
#define BAG        48 /* default bag: the number of runs of up to 3 characters in a word of 15 */

const fgti_opt fgti_vocab_opts[] = {
    {"max_words", offsetof(fgt_vocab_opts, max_words), FGTI_OPT_I64, 0, INT32_MAX, 0},
    {"min_count", offsetof(fgt_vocab_opts, min_count), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 2},
    {"ngrams", offsetof(fgt_vocab_opts, ngrams), FGTI_OPT_I64, 1, NGRAMS_MAX, 1},
    {"buckets", offsetof(fgt_vocab_opts, buckets), FGTI_OPT_I64, 0, INT32_MAX, 0},
    {"punctuation", offsetof(fgt_vocab_opts, punctuation), FGTI_OPT_BOOL, 0, 1, 0},
    {"symbols", offsetof(fgt_vocab_opts, symbols), FGTI_OPT_ENUM, 0, FGT_VOCAB_SYMBOLS_SPACES,
     FGT_VOCAB_SYMBOLS_WORDS},
    {"prefix", offsetof(fgt_vocab_opts, prefix), FGTI_OPT_I64, 0, FGTI_PREFIX_MAX, 0},
    {"letters", offsetof(fgt_vocab_opts, letters), FGTI_OPT_I64, 0, FGTI_LETTERS_MAX, 0},
    {"bag", offsetof(fgt_vocab_opts, bag), FGTI_OPT_I64, 0, BAG_MAX, 0},
    {"least_letters", offsetof(fgt_vocab_opts, least_letters), FGTI_OPT_I64, 0, FGTI_LETTERS_MAX, 0},
    {"letter_buckets", offsetof(fgt_vocab_opts, letter_buckets), FGTI_OPT_I64, 0, INT32_MAX, 0},
    {0},
};

static fgt_status vocab_read_opts(fgti_error *err, const fgt_vocab_opts *in, fgt_vocab_opts *o)
{
    FGTI_TRY(fgti_opts_read(err, "fgt_vocab_opts", in, o, sizeof *o));
    FGTI_TRY(fgti_opts_check(err, "fgt_vocab_opts", fgti_vocab_opts, o));
    if (o->letters && !o->bag) o->bag = BAG;
    if (o->ngrams == 1 && o->buckets)
        return fgti_fail(err, FGT_E_ARG, "fgt_vocab_opts: buckets is wrong (got %lld, need 0 if ngrams is 1)",
                         (long long)o->buckets);
    if (o->least_letters > o->letters)
        return fgti_fail(err, FGT_E_ARG,
                         "fgt_vocab_opts: least_letters is wrong (got %lld, need at most letters, %lld)",
                         (long long)o->least_letters, (long long)o->letters);
    if (o->letters || (!o->bag && !o->letter_buckets)) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "fgt_vocab_opts: %s is wrong (got %lld, need 0 if letters is 0)",
                     o->bag ? "bag" : "letter_buckets", (long long)(o->bag ? o->bag : o->letter_buckets));
}

static fgt_status vocab_check_size(const fgt_vocab *v)
{
    if (fgti_vocab_ids(v) <= INT32_MAX) return FGT_OK;
    return fgti_fail(&v->ctx->error, FGT_E_SIZE, "vocabulary: %lld ids do not fit into 31 bits",
                     (long long)fgti_vocab_ids(v));
}

/* ---- from a corpus ---- */

/* Counts all runs of 1 .. longest words in one text. */
static fgt_status count_runs(fgti_tokens *t, int64_t longest, fgti_words *all)
{
    int64_t number, size;
    FGTI_TRY(fgti_tokens_join(t));
    for (int64_t n = 1; n <= longest; n++)
        for (int64_t i = 0; i + n <= t->words.count; i++) {
            const char *run = fgti_tokens_run(t, i, n, &size);
            FGTI_TRY(fgti_words_add(t->ctx, all, run, size, &number));
            all->count[number]++;
        }
    return FGT_OK;
}

static fgt_status count_prefixes(fgti_tokens *t, int64_t characters, fgti_words *all)
{
    int64_t number;
    for (int64_t i = 0; i < t->words.count; i++) {
        const int64_t size = fgti_tokens_prefix(t, i, characters);
        if (!size) continue;
        FGTI_TRY(fgti_words_add(t->ctx, all, t->prefix, size, &number));
        all->count[number]++;
    }
    return FGT_OK;
}

static fgt_status vocab_count_letters(fgti_tokens *t, const fgt_vocab_opts *o, fgti_words *all)
{
    int64_t number;
    for (int64_t i = 0; i < t->words.count; i++) {
        fgti_letters at = {0};
        for (int64_t size; (size = fgti_tokens_letters(t, i, o->least_letters, o->letters, &at)) > 0;) {
            FGTI_TRY(fgti_words_add(t->ctx, all, t->letters, size, &number));
            all->count[number]++;
        }
    }
    return FGT_OK;
}

static fgt_status count_words(fgt_context *ctx, const fgt_corpus *corpus, const fgt_vocab_opts *o,
                              fgti_words *all)
{
    const int64_t      longest = o->buckets ? 1 : o->ngrams; /* only words: hashed runs need not be counted */
    fgti_corpus_reader reader;
    fgti_tokens        t;
    fgt_status         s = fgti_tokens_init(ctx, o, &t);
    const fgt_status   r = fgti_corpus_reader_open(ctx, corpus, 0, &reader);
    if (s == FGT_OK) s = r;
    for (int64_t row = 0; row < corpus->rows && s == FGT_OK; row++) {
        fgti_stored_text text;
        s = fgti_corpus_reader_get(&reader, row, &text);
        if (s == FGT_OK) s = fgti_tokens_read(&t, text.s, text.size);
        if (s == FGT_OK) s = count_runs(&t, longest, all);
        if (s == FGT_OK && o->prefix) s = count_prefixes(&t, o->prefix, all);
        if (s == FGT_OK && o->letters && !o->letter_buckets) s = vocab_count_letters(&t, o, all);
    }
    fgti_corpus_reader_close(&reader);
    fgti_tokens_done(&t);
    return s;
}

fgt_status fgti_vocab_survey(fgt_context *ctx, const fgt_corpus *corpus, int64_t *words, int64_t *once)
{
    const fgt_vocab_opts o   = {.size = sizeof o, .ngrams = 1};
    fgti_words           all = {0};
    const fgt_status     s   = count_words(ctx, corpus, &o, &all);
    *words = *once = 0;
    for (int64_t i = 0; i < all.texts.count; i++) {
        *words += all.count[i];
        *once += all.count[i] == 1;
    }
    fgti_words_done(ctx, &all);
    return s;
}

/* Orders indices of words by the frequency of the words, the most frequent first. */
static int by_frequency(const void *a, const void *b, const void *words)
{
    const fgti_words *w = words;
    const int32_t     i = *(const int32_t *)a, j = *(const int32_t *)b;
    if (w->count[i] != w->count[j]) return w->count[i] > w->count[j] ? -1 : 1;
    return strcmp(fgti_strings_get(&w->texts, i), fgti_strings_get(&w->texts, j));
}

/* Keeps the frequent words of `all`, the most frequent first. `order` is memory with as many elements as
 * `all`. */
static fgt_status keep_words(const fgti_words *all, int32_t *order, fgt_vocab *v)
{
    const fgt_vocab_opts *o = &v->opts;
    int64_t               n = 0, number;
    for (int64_t i = 0; i < all->texts.count; i++)
        if (all->count[i] >= o->min_count) order[n++] = (int32_t)i;
    fgti_sort(order, n, sizeof *order, by_frequency, all);
    if (o->max_words && n > o->max_words) n = o->max_words;
    for (int64_t i = 0; i < n; i++) {
        FGTI_TRY(fgti_words_add(v->ctx, &v->words, fgti_strings_get(&all->texts, order[i]),
                                fgti_strings_size(&all->texts, order[i]), &number));
        v->words.count[number] = all->count[order[i]];
    }
    if (n) return vocab_check_size(v);
    return fgti_fail(&v->ctx->error, FGT_E_DATA, "vocabulary: none of %lld different words occurs %lld times",
                     (long long)all->texts.count, (long long)o->min_count);
}

static fgt_status vocab_build(const fgt_corpus *corpus, const fgt_vocab_opts *opts, fgt_vocab *v)
{
    fgti_words all   = {0};
    int32_t   *order = NULL;
    FGTI_TRY(vocab_read_opts(&v->ctx->error, opts, &v->opts));
    fgt_status s = count_words(v->ctx, corpus, &v->opts, &all);
    if (s == FGT_OK) s = FGTI_NEW(v->ctx, all.texts.count, "order of words", &order);
    if (s == FGT_OK) s = keep_words(&all, order, v);
    fgti_free(v->ctx, order);
    fgti_words_done(v->ctx, &all);
    return s;
}

fgt_status fgti_vocab_new(fgt_context *ctx, const fgt_corpus *corpus, const fgt_vocab_opts *opts,
                          fgt_vocab **vocab)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "vocabulary", vocab));
    (*vocab)->ctx      = ctx;
    const fgt_status s = vocab_build(corpus, opts, *vocab);
    if (s != FGT_OK) fgt_vocab_destroy(vocab);
    return s;
}

fgt_status fgt_vocab_create(const fgt_corpus *corpus, const fgt_vocab_opts *opts, fgt_vocab **vocab)
{
    if (vocab) *vocab = NULL;
    if (!corpus) return FGT_E_ARG;
    if (!vocab) return fgti_fail(&corpus->ctx->error, FGT_E_ARG, "vocabulary: the result pointer is NULL");
    return fgti_vocab_new(corpus->ctx, corpus, opts, vocab);
}

void fgt_vocab_destroy(fgt_vocab **vocab)
{
    if (!vocab || !*vocab) return;
    fgt_context *ctx = (*vocab)->ctx;
    fgti_words_done(ctx, &(*vocab)->words);
    fgti_free(ctx, *vocab);
    *vocab = NULL;
}

/* ---- what it holds ---- */

fgt_status fgt_vocab_get_info(const fgt_vocab *vocab, fgt_vocab_info *info)
{
    if (!vocab) return FGT_E_ARG;
    fgti_error *err = &vocab->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "vocabulary: info is NULL");
    const fgt_vocab_info all = {.size  = sizeof all,
                                .ids   = fgti_vocab_ids(vocab),
                                .words = fgti_vocab_words(vocab),
                                .opts  = &vocab->opts};
    return fgti_result_write(err, "fgt_vocab_info", &all, sizeof all, info);
}

const char *fgt_vocab_get_word(const fgt_vocab *vocab, int64_t id)
{
    const bool word = vocab && id >= FGTI_ID_WORDS && id < FGTI_ID_WORDS + vocab->words.texts.count;
    return word ? fgti_strings_get(&vocab->words.texts, id - FGTI_ID_WORDS) : NULL;
}

/* ---- in model files ---- */

const char *fgti_vocab_bytes(const fgt_vocab *vocab, int64_t *size)
{
    *size = vocab->words.texts.used;
    return vocab->words.texts.bytes;
}

static fgt_status vocab_restore(fgt_vocab *v, const char *bytes, int64_t size)
{
    fgti_error *err = &v->ctx->error;
    int64_t     n, number;
    if (size < 1 || bytes[size - 1])
        return fgti_fail(err, FGT_E_FORMAT, "the vocabulary does not end with a NUL");
    for (int64_t at = 0, count = 0; at < size; at += n + 1, count++) {
        n          = (int64_t)strlen(bytes + at);
        bool valid = n > 0;
        for (int64_t i = 0, c; i < n && valid; i += c) c = fgti_utf8_next(bytes + at + i, n - i, &valid);
        if (!valid)
            return fgti_fail(err, FGT_E_FORMAT, "word %lld of the vocabulary is empty or not UTF-8",
                             (long long)count);
        FGTI_TRY(fgti_words_add(v->ctx, &v->words, bytes + at, n, &number));
        if (number != count)
            return fgti_fail(err, FGT_E_FORMAT, "words %lld and %lld of the vocabulary are the same",
                             (long long)number, (long long)count);
    }
    return vocab_check_size(v);
}

fgt_status fgti_vocab_restore(fgt_context *ctx, const fgt_vocab_opts *opts, const char *bytes, int64_t size,
                              fgt_vocab **vocab)
{
    *vocab = NULL;
    FGTI_TRY(FGTI_NEW(ctx, 1, "vocabulary", vocab));
    (*vocab)->ctx = ctx;
    fgt_status s  = vocab_read_opts(&ctx->error, opts, &(*vocab)->opts);
    if (s == FGT_OK) s = vocab_restore(*vocab, bytes, size);
    if (s != FGT_OK) fgt_vocab_destroy(vocab);
    return s;
}
