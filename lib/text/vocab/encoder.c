/* SPDX-License-Identifier: BSD-3-Clause */
#include "text/vocab/encoder.h"

#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/size.h"
#include "core/tensor.h"
#include "text/vocab/vocab.h"

/* ---- one text ---- */

fgt_status fgti_encoder_init(fgt_context *ctx, const fgt_vocab *vocab, int64_t capacity, fgti_encoder *e)
{
    *e = (fgti_encoder){.ctx = ctx, .vocab = vocab, .capacity = capacity};
    FGTI_TRY(fgti_tokens_init(ctx, &vocab->opts, &e->tokens));
    int64_t ids;
    if (!fgti_size_mul(capacity, fgti_vocab_bag(vocab), &ids))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "ids of a text: %lld tokens are too many",
                         (long long)capacity);
    return FGTI_NEW(ctx, ids, "ids of a text", &e->ids);
}

fgt_status fgti_encoder_reserve(fgti_encoder *e, int64_t n)
{
    FGTI_TRY(fgti_tokens_reserve(&e->tokens, n));
    return fgti_grow(e->ctx, "text", 1, 0, n, 0, &e->clean.capacity, (void **)&e->clean.s);
}

void fgti_encoder_done(fgti_encoder *e)
{
    fgti_tokens_done(&e->tokens);
    fgti_bytes_done(e->ctx, &e->clean);
    fgti_free(e->ctx, e->ids);
}

/* Returns the id of a word or a run; -1: it has no id. */
static int64_t find_id(const fgt_vocab *v, const char *s, int64_t size)
{
    const int64_t number = fgti_words_find(&v->words, s, size);
    return number < 0 ? -1 : FGTI_ID_WORDS + number;
}

/* Returns one of `buckets` ids, of which `first` is the first one. */
static int64_t hash_id(const char *s, int64_t size, int64_t first, int64_t buckets)
{
    return first + (int64_t)(fgti_hash(FGTI_HASH_START, s, size) % (uint64_t)buckets);
}

/* Returns the id of the run of words i .. i+n-1 of the text; -1: the run has no id. */
static int64_t id_of_run(const fgti_encoder *e, int64_t i, int64_t n)
{
    const fgt_vocab *v       = e->vocab;
    const int64_t    buckets = v->opts.buckets;
    int64_t          size;
    const char      *run = fgti_tokens_run(&e->tokens, i, n, &size);
    return buckets ? hash_id(run, size, FGTI_ID_WORDS + fgti_vocab_words(v), buckets) : find_id(v, run, size);
}

/* Returns the id of the last run of letters; -1: the run has no id. */
static int64_t id_of_letters(const fgti_encoder *e, int64_t size)
{
    const fgt_vocab *v       = e->vocab;
    const int64_t    buckets = v->opts.letter_buckets;
    if (!buckets) return find_id(v, e->tokens.letters, size);
    return hash_id(e->tokens.letters + 1, size - 1, fgti_vocab_ids(v) - buckets, buckets);
}

static bool is_full(const fgti_encoder *e)
{
    return e->heads == e->capacity;
}

static void add_token(fgti_encoder *e, int64_t id)
{
    e->ids[e->used++] = (int32_t)id;
    e->heads++;
}

static void read_prefixes(fgti_encoder *e)
{
    const fgt_vocab *v = e->vocab;
    for (int64_t i = 0; i < e->tokens.words.count && !is_full(e); i++) {
        const int64_t size = fgti_tokens_prefix(&e->tokens, i, v->opts.prefix);
        const int64_t id   = size ? find_id(v, e->tokens.prefix, size) : -1;
        if (id >= 0) add_token(e, id);
    }
}

static fgt_status read_runs(fgti_encoder *e)
{
    const int64_t words = e->tokens.words.count;
    FGTI_TRY(fgti_tokens_join(&e->tokens));
    for (int64_t n = 2; n <= e->vocab->opts.ngrams; n++)
        for (int64_t i = 0; i + n <= words && !is_full(e); i++) {
            const int64_t id = id_of_run(e, i, n);
            if (id >= 0) add_token(e, id);
        }
    return FGT_OK;
}

static void read_letters(fgti_encoder *e, int64_t i)
{
    const fgt_vocab *v    = e->vocab;
    fgti_letters     at   = {0};
    int64_t          left = fgti_vocab_bag(v) - 1, size;
    while (left &&
           (size = fgti_tokens_letters(&e->tokens, i, v->opts.least_letters, v->opts.letters, &at)) > 0) {
        const int64_t id = id_of_letters(e, size);
        if (id < 0) continue;
        e->ids[e->used++] = (int32_t)-id;
        left--;
    }
}

fgt_status fgti_encoder_read(fgti_encoder *e, const char *text, int64_t size, int64_t *count)
{
    const fgt_vocab  *v = e->vocab;
    const fgti_strings *w = &e->tokens.words;
    e->clean.used = e->used = e->heads = 0;
    FGTI_TRY(fgti_utf8_add(e->ctx, &e->clean, text, size, &e->replaced));
    FGTI_TRY(fgti_tokens_read(&e->tokens, e->clean.used ? e->clean.s : "", e->clean.used));
    for (int64_t i = 0; i < w->count && !is_full(e); i++) {
        const int64_t id = find_id(v, fgti_strings_get(w, i), fgti_strings_size(w, i));
        add_token(e, id < 0 ? FGT_ID_UNKNOWN : id);
        if (v->opts.letters) read_letters(e, i);
    }
    if (v->opts.ngrams > 1) FGTI_TRY(read_runs(e));
    if (v->opts.prefix) read_prefixes(e);
    *count = e->used;
    return FGT_OK;
}

/* ---- texts of the host ---- */

fgt_status fgti_ids_check(fgti_error *err, const char *what, const fgt_view *v, int32_t rank,
                          const int64_t *shape)
{
    const int32_t dtype = v && v->dtype == FGT_DTYPE_I32 ? FGT_DTYPE_I32 : FGT_DTYPE_I64;
    return fgti_view_check(err, what, v, dtype, rank, shape);
}

void fgti_ids_put(const fgt_view *v, int64_t at, int64_t value)
{
    if (v->dtype == FGT_DTYPE_I64)
        ((int64_t *)v->data)[at] = value;
    else
        ((int32_t *)v->data)[at] = (int32_t)value;
}

void fgti_ids_put_row(const fgt_view *ids, const fgt_view *padding, int64_t bag, int64_t r,
                      const int32_t *from, int64_t count)
{
    const int64_t begin = r * ids->shape[1], end = begin + ids->shape[1];
    for (int64_t at = begin, i = 0; at < end; at += bag)
        for (int64_t k = 0; k < bag; k++) {
            const bool here = i < count && (!k || from[i] < 0);
            fgti_ids_put(ids, at + k, !here ? FGT_ID_PADDING : k ? -from[i] : from[i]);
            if (padding) fgti_ids_put(padding, at + k, !here);
            i += here;
        }
}

fgt_status fgti_texts_check(fgti_error *err, const char *name, const char *const *texts, int64_t n)
{
    if (!texts) return fgti_fail(err, FGT_E_ARG, "encode: texts is NULL");
    if (n < 1)
        return fgti_fail(err, FGT_E_ARG, "encode: %s is out of range (got %lld, need at least 1)", name,
                         (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (!texts[i]) return fgti_fail(err, FGT_E_ARG, "encode: text %lld is NULL", (long long)i);
    return FGT_OK;
}

fgt_status fgti_encoder_put(fgti_encoder *e, const char *const *texts, int64_t n, const fgt_view *ids,
                            const fgt_view *padding)
{
    int64_t count;
    for (int64_t i = 0; i < n; i++) {
        FGTI_TRY(fgti_encoder_read(e, texts[i], (int64_t)strlen(texts[i]), &count));
        fgti_ids_put_row(ids, padding, fgti_vocab_bag(e->vocab), i, e->ids, count);
    }
    return FGT_OK;
}

fgt_status fgt_vocab_encode(const fgt_vocab *vocab, const char *const *texts, int64_t n, const fgt_view *ids,
                            const fgt_view *padding, int64_t *replaced)
{
    fgti_encoder e;
    if (!vocab) return FGT_E_ARG;
    fgti_error *err = &vocab->ctx->error;
    FGTI_TRY(fgti_texts_check(err, "count", texts, n));
    FGTI_TRY(fgti_ids_check(err, "ids", ids, 2, (int64_t[]){n, -1}));
    if (padding) FGTI_TRY(fgti_view_check(err, "padding", padding, FGT_DTYPE_I32, 2, ids->shape));
    const int64_t bag = fgti_vocab_bag(vocab), t = ids->shape[1];
    if (t % bag)
        return fgti_fail(err, FGT_E_SHAPE,
                         "ids have the wrong width (got %lld columns, need a multiple of the bag, %lld)",
                         (long long)t, (long long)bag);
    fgt_status s = fgti_encoder_init(vocab->ctx, vocab, t / bag, &e);
    if (s == FGT_OK) s = fgti_encoder_put(&e, texts, n, ids, padding);
    if (s == FGT_OK && replaced) *replaced = e.replaced;
    fgti_encoder_done(&e);
    return s;
}
