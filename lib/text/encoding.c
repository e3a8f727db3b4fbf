/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <fighter/corpus_file.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/tensor.h"
#include "text/corpus.h"
#include "text/vocab.h"

/* ---- one text ---- */

fgt_status fgti_encoder_init(fgt_context *ctx, const fgt_vocab *vocab, int64_t capacity, fgti_encoder *e)
{
    *e = (fgti_encoder){.ctx = ctx, .vocab = vocab, .capacity = capacity};
    FGTI_TRY(fgti_tokens_init(ctx, vocab->opts.punctuation, &e->tokens));
    return FGTI_NEW(ctx, capacity, "ids of a text", &e->ids);
}

void fgti_encoder_done(fgti_encoder *e)
{
    fgti_tokens_done(&e->tokens);
    fgti_bytes_done(e->ctx, &e->clean);
    fgti_free(e->ctx, e->ids);
}

/* The id of words i .. i+n-1 of the text; -1: they have no id. */
static int32_t id_of_run(const fgti_encoder *e, int64_t i, int64_t n)
{
    const fgt_vocab *v = e->vocab;
    int64_t          size;
    const char      *run = fgti_tokens_run(&e->tokens, i, n, &size);
    if (!v->opts.buckets) {
        const int64_t number = fgti_words_find(&v->words, run, size);
        return number < 0 ? -1 : (int32_t)(FGTI_ID_WORDS + number);
    }
    const uint64_t h = fgti_hash(FGTI_HASH_START, run, size);
    return (int32_t)(FGTI_ID_WORDS + v->words.texts.count + (int64_t)(h % (uint64_t)v->opts.buckets));
}

static void read_prefixes(fgti_encoder *e, int64_t *count)
{
    const fgt_vocab *v = e->vocab;
    for (int64_t i = 0; i < e->tokens.words.count && *count < e->capacity; i++) {
        const int64_t size   = fgti_tokens_prefix(&e->tokens, i, v->opts.prefix);
        const int64_t number = size ? fgti_words_find(&v->words, e->tokens.prefix, size) : -1;
        if (number >= 0) e->ids[(*count)++] = (int32_t)(FGTI_ID_WORDS + number);
    }
}

static fgt_status read_runs(fgti_encoder *e, int64_t *count)
{
    const int64_t words = e->tokens.words.count;
    FGTI_TRY(fgti_tokens_join(&e->tokens));
    for (int64_t n = 2; n <= e->vocab->opts.ngrams; n++)
        for (int64_t i = 0; i + n <= words && *count < e->capacity; i++) {
            const int32_t id = id_of_run(e, i, n);
            if (id >= 0) e->ids[(*count)++] = id;
        }
    return FGT_OK;
}

fgt_status fgti_encoder_read(fgti_encoder *e, const char *text, int64_t size, int64_t *count)
{
    const fgt_vocab  *v = e->vocab;
    const fgti_strings *w = &e->tokens.words;
    int64_t           k = 0;
    e->clean.used       = 0;
    FGTI_TRY(fgti_utf8_add(e->ctx, &e->clean, text, size, &e->replaced));
    FGTI_TRY(fgti_tokens_read(&e->tokens, e->clean.used ? e->clean.s : "", e->clean.used));
    for (int64_t i = 0; i < w->count && k < e->capacity; i++) {
        const int64_t number = fgti_words_find(&v->words, fgti_strings_get(w, i), fgti_strings_size(w, i));
        e->ids[k++]          = number < 0 ? FGT_ID_UNKNOWN : (int32_t)(FGTI_ID_WORDS + number);
    }
    *count = k;
    if (v->opts.ngrams > 1) FGTI_TRY(read_runs(e, count));
    if (v->opts.prefix) read_prefixes(e, count);
    return FGT_OK;
}

/* ---- texts of the host ---- */

/* Checks that v is of I64 or I32 and has this shape, where -1 stands for any size. */
static fgt_status check_whole(fgti_error *err, const char *what, const fgt_view *v, int32_t rank,
                              const int64_t *shape)
{
    const int32_t dtype = v && v->dtype == FGT_I32 ? FGT_I32 : FGT_I64;
    return fgti_view_check(err, what, v, dtype, rank, shape);
}

static void put(const fgt_view *v, int64_t at, int64_t value)
{
    if (v->dtype == FGT_I64)
        ((int64_t *)v->data)[at] = value;
    else
        ((int32_t *)v->data)[at] = (int32_t)value;
}

/* Writes row r of ids [n,T], and of padding if there is one. */
static void put_row(const fgt_view *ids, const fgt_view *padding, int64_t r, const int32_t *from,
                    int64_t count)
{
    const int64_t t = ids->shape[1];
    for (int64_t i = 0; i < t; i++) {
        put(ids, r * t + i, i < count ? from[i] : FGT_ID_PADDING);
        if (padding) put(padding, r * t + i, i >= count);
    }
}

fgt_status fgti_texts_check(fgti_error *err, const char *const *texts, int64_t n)
{
    if (!texts || n < 1) return fgti_fail(err, FGT_E_ARG, "texts is NULL, or n is below 1");
    for (int64_t i = 0; i < n; i++)
        if (!texts[i]) return fgti_fail(err, FGT_E_ARG, "text %lld is NULL", (long long)i);
    return FGT_OK;
}

fgt_status fgti_encoder_put(fgti_encoder *e, const char *const *texts, int64_t n, const fgt_view *ids,
                            const fgt_view *padding)
{
    int64_t count;
    for (int64_t i = 0; i < n; i++) {
        FGTI_TRY(fgti_encoder_read(e, texts[i], (int64_t)strlen(texts[i]), &count));
        put_row(ids, padding, i, e->ids, count);
    }
    return FGT_OK;
}

fgt_status fgt_vocab_encode(const fgt_vocab *vocab, const char *const *texts, int64_t n, const fgt_view *ids,
                            const fgt_view *padding, int64_t *replaced)
{
    fgti_encoder e;
    if (!vocab) return FGT_E_ARG;
    fgti_error *err = &vocab->ctx->error;
    FGTI_TRY(fgti_texts_check(err, texts, n));
    FGTI_TRY(check_whole(err, "ids", ids, 2, (int64_t[]){n, -1}));
    if (padding) FGTI_TRY(fgti_view_check(err, "padding", padding, FGT_I32, 2, ids->shape));
    fgt_status s = fgti_encoder_init(vocab->ctx, vocab, ids->shape[1], &e);
    if (s == FGT_OK) s = fgti_encoder_put(&e, texts, n, ids, padding);
    if (s == FGT_OK && replaced) *replaced = e.replaced;
    fgti_encoder_done(&e);
    return s;
}

/* ---- samples ---- */

struct fgt_encoding {
    fgt_context *ctx;
    int64_t      count, used, capacity;
    int64_t     *begin; /* [count+1]: where a sample's ids begin */
    int32_t     *ids;   /* [used] */
    int32_t     *label; /* [count] */

    /* Texts that stay on disk: the arrays above are NULL. */
    bool               stored;
    fgti_corpus_reader reader;
    fgti_encoder       encoder;
    uint64_t           hash;
    int64_t            chunk, pool; /* of fgt_source */
};

static fgt_status encode_all(fgti_encoder *e, const fgt_corpus *corpus, fgt_encoding *out)
{
    const int64_t rows = corpus->rows;
    int64_t       n;
    FGTI_TRY(FGTI_NEW(out->ctx, rows + 1, "encoded texts", &out->begin));
    FGTI_TRY(FGTI_NEW(out->ctx, rows, "encoded texts", &out->label));
    memcpy(out->label, corpus->label, (size_t)rows * sizeof *out->label);
    for (int64_t i = 0; i < rows; i++) {
        const fgti_strings *t = &corpus->texts;
        FGTI_TRY(fgti_encoder_read(e, fgti_strings_get(t, i), fgti_strings_size(t, i), &n));
        FGTI_TRY(fgti_grow(out->ctx, "encoded texts", sizeof *out->ids, out->used, out->used + n,
                           2 * out->used + 1024, &out->capacity, (void **)&out->ids));
        if (n) memcpy(out->ids + out->used, e->ids, (size_t)n * sizeof *e->ids);
        out->used += n;
        out->begin[i + 1] = out->used;
    }
    out->count = rows;
    return FGT_OK;
}

/* Of all that the ids depend on. */
static uint64_t hash_stored(const fgt_vocab *v, const fgt_corpus *c, int64_t tokens)
{
    int64_t        size;
    const char    *words  = fgti_vocab_bytes(v, &size);
    const uint64_t from[] = {c->store->file.hash, (uint64_t)c->part.every, c->part.seed, c->part.drawn,
                             (uint64_t)tokens,    (uint64_t)v->opts.ngrams, (uint64_t)v->opts.buckets,
                             (uint64_t)v->opts.prefix, (uint64_t)v->opts.punctuation};
    uint64_t       hash   = fgti_hash(FGTI_HASH_START, words, size);
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) hash = fgti_hash_value(hash, from[i]);
    return hash;
}

static fgt_status encode_later(const fgt_corpus *corpus, int64_t bytes, fgt_encoding *e)
{
    e->stored = true;
    e->count  = corpus->rows;
    e->hash   = hash_stored(e->encoder.vocab, corpus, e->encoder.capacity);
    fgti_corpus_cut(corpus, bytes, &e->chunk, &e->pool);
    /* so that a training that has begun does not stop for want of memory */
    const int64_t longest = corpus->store->longest;
    FGTI_TRY(fgti_tokens_reserve(&e->encoder.tokens, longest));
    FGTI_TRY(fgti_grow(e->ctx, "text", 1, 0, longest, 0, &e->encoder.clean.capacity,
                       (void **)&e->encoder.clean.s));
    return fgti_corpus_reader_open(e->ctx, corpus, bytes, &e->reader);
}

fgt_status fgti_encoding_new(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens, int64_t bytes,
                             fgt_encoding **encoding)
{
    fgt_context *ctx = vocab->ctx;
    FGTI_TRY(FGTI_NEW(ctx, 1, "encoded texts", encoding));
    fgt_encoding *e = *encoding;
    e->ctx          = ctx;
    fgt_status s    = fgti_encoder_init(ctx, vocab, tokens, &e->encoder);
    if (s == FGT_OK)
        s = corpus->store ? encode_later(corpus, bytes, e) : encode_all(&e->encoder, corpus, e);
    if (s == FGT_OK && e->stored) return FGT_OK;
    fgti_encoder_done(&e->encoder);
    e->encoder = (fgti_encoder){0};
    if (s != FGT_OK) fgt_encoding_destroy(encoding);
    return s;
}

fgt_status fgt_encoding_create(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens,
                               fgt_encoding **encoding)
{
    if (encoding) *encoding = NULL;
    if (!vocab) return FGT_E_ARG;
    if (!corpus || !encoding || tokens < 1)
        return fgti_fail(&vocab->ctx->error, FGT_E_ARG,
                         "encoding: tokens is below 1, or a pointer is NULL");
    return fgti_encoding_new(vocab, corpus, tokens, fgti_corpus_get_resident(corpus), encoding);
}

void fgt_encoding_destroy(fgt_encoding **encoding)
{
    if (!encoding || !*encoding) return;
    fgt_encoding *e   = *encoding;
    fgt_context  *ctx = e->ctx;
    fgti_corpus_reader_close(&e->reader);
    if (e->stored) fgti_encoder_done(&e->encoder);
    fgti_free(ctx, e->begin);
    fgti_free(ctx, e->ids);
    fgti_free(ctx, e->label);
    fgti_free(ctx, e);
    *encoding = NULL;
}

uint64_t fgti_encoding_hash(const fgt_encoding *e)
{
    uint64_t hash = FGTI_HASH_START;
    if (e->stored) return e->hash;
    for (int64_t i = 0; i < e->count; i++) {
        hash = fgti_hash_value(hash, (uint64_t)e->label[i]);
        hash = fgti_hash_value(hash, (uint64_t)e->begin[i + 1]);
    }
    for (int64_t i = 0; i < e->used; i++) hash = fgti_hash_value(hash, (uint64_t)e->ids[i]);
    return hash;
}

void fgt_encoding_get_chunk(const fgt_encoding *encoding, int64_t *chunk, int64_t *pool)
{
    if (chunk) *chunk = encoding ? encoding->chunk : 0;
    if (pool) *pool = encoding ? encoding->pool : 0;
}

int64_t fgt_encoding_count(const fgt_encoding *encoding)
{
    return encoding ? encoding->count : 0;
}

int64_t fgt_encoding_count_tokens(const fgt_encoding *encoding, int64_t sample)
{
    if (!encoding || encoding->stored || sample < 0 || sample >= encoding->count) return -1;
    return encoding->begin[sample + 1] - encoding->begin[sample];
}

static fgt_status get_stored(fgt_encoding *e, const int64_t *index, int64_t n, const fgt_view *x,
                             const fgt_view *target)
{
    for (int64_t i = 0; i < n; i++) {
        fgti_stored_text text;
        int64_t   count;
        FGTI_TRY(fgti_corpus_reader_get(&e->reader, index[i], &text));
        FGTI_TRY(fgti_encoder_read(&e->encoder, text.s, text.size, &count));
        put_row(x, NULL, i, e->encoder.ids, count);
        if (target) put(target, i, text.label);
    }
    return FGT_OK;
}

fgt_status fgt_encoding_get(void *encoding, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    fgt_encoding *e = encoding;
    if (!e) return FGT_E_ARG;
    fgti_error *err = &e->ctx->error;
    if (!index || n < 1) return fgti_fail(err, FGT_E_ARG, "encoding: index is NULL, or n is below 1");
    for (int64_t i = 0; i < n; i++)
        if (index[i] < 0 || index[i] >= e->count)
            return fgti_fail(err, FGT_E_ARG, "encoding: sample %lld does not exist", (long long)index[i]);
    FGTI_TRY(check_whole(err, "x", x, 2, (int64_t[]){n, -1}));
    if (target) FGTI_TRY(check_whole(err, "target", target, 1, &n));
    if (e->stored) return get_stored(e, index, n, x, target);
    for (int64_t i = 0; i < n; i++) {
        const int64_t begin = e->begin[index[i]], tokens = e->begin[index[i] + 1] - begin;
        put_row(x, NULL, i, tokens ? e->ids + begin : NULL, tokens); /* without any token ids is NULL */
        if (target) put(target, i, e->label[index[i]]);
    }
    return FGT_OK;
}
