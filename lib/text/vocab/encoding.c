/* SPDX-License-Identifier: BSD-3-Clause */

/* The ids of all texts of a corpus, as samples for training. */

#include "text/vocab/encoding.h"

#include <string.h>

#include <fighter/experimental/corpus_file.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/tensor.h"
#include "text/corpus.h"
#include "text/vocab/encode_stored.h"
#include "text/vocab/vocab.h"

struct fgt_encoding {
    fgt_context *ctx;
    int64_t      count, used, capacity, bag;
    int64_t     *begin; /* [count+1]: index of each sample's first id */
    int32_t     *ids;   /* [used] */
    int32_t     *label; /* [count] */

    /* for texts on disk, which have none of the arrays above */
    bool                stored;
    fgti_stored_encoder on_disk;
    uint64_t            hash;
    int64_t             chunk, pool; /* members of fgt_source */
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

/* Returns a hash of everything on which the ids depend. */
static uint64_t hash_stored(const fgt_vocab *v, const fgt_corpus *c, int64_t tokens)
{
    int64_t        size;
    const char    *words  = fgti_vocab_bytes(v, &size);
    const uint64_t from[] = {c->store->file.hash, (uint64_t)c->part.every, c->part.seed, c->part.drawn,
                             (uint64_t)tokens,    (uint64_t)v->opts.ngrams, (uint64_t)v->opts.buckets,
                             (uint64_t)v->opts.prefix, (uint64_t)v->opts.punctuation,
                             (uint64_t)v->opts.symbols};
    uint64_t       hash   = fgti_hash(FGTI_HASH_START, words, size);
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) hash = fgti_hash_value(hash, from[i]);
    if (!v->opts.letters) return hash; /* keeps the hashes of versions without `letters` */
    hash = fgti_hash_value(fgti_hash_value(hash, (uint64_t)v->opts.letters), (uint64_t)v->opts.bag);
    if (v->opts.least_letters) hash = fgti_hash_value(hash, (uint64_t)v->opts.least_letters);
    return v->opts.letter_buckets ? fgti_hash_value(hash, (uint64_t)v->opts.letter_buckets) : hash;
}

static fgt_status encode_later(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens,
                               int64_t bytes, fgt_encoding *e)
{
    e->stored = true;
    e->count  = corpus->rows;
    e->hash   = hash_stored(vocab, corpus, tokens);
    fgti_corpus_cut(corpus, bytes, &e->chunk, &e->pool);
    return fgti_stored_encoder_init(vocab, corpus, tokens, bytes, &e->on_disk);
}

static fgt_status encode_now(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens,
                             fgt_encoding *out)
{
    fgti_encoder e;
    fgt_status   s = fgti_encoder_init(vocab->ctx, vocab, tokens, &e);
    if (s == FGT_OK) s = encode_all(&e, corpus, out);
    fgti_encoder_done(&e);
    return s;
}

fgt_status fgti_encoding_new(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens, int64_t bytes,
                             fgt_encoding **encoding)
{
    fgt_context *ctx = vocab->ctx;
    FGTI_TRY(FGTI_NEW(ctx, 1, "encoded texts", encoding));
    fgt_encoding *e = *encoding;
    e->ctx          = ctx;
    e->bag          = fgti_vocab_bag(vocab);
    const fgt_status s = corpus->store ? encode_later(vocab, corpus, tokens, bytes, e)
                                       : encode_now(vocab, corpus, tokens, e);
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
    fgti_stored_encoder_done(&e->on_disk);
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

void fgti_encoding_get_chunk(const fgt_encoding *encoding, int64_t *chunk, int64_t *pool)
{
    *chunk = encoding->chunk;
    *pool  = encoding->pool;
}

fgt_status fgt_encoding_copy_samples(void *encoding, const int64_t *index, int64_t count, const fgt_view *x,
                                     const fgt_view *target)
{
    fgt_encoding *e = encoding;
    if (!e) return FGT_E_ARG;
    fgti_error *err = &e->ctx->error;
    if (!index || count < 1) return fgti_fail(err, FGT_E_ARG, "encoding: index is NULL, or count is below 1");
    for (int64_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= e->count)
            return fgti_fail(err, FGT_E_ARG, "encoding: sample %lld does not exist", (long long)index[i]);
    FGTI_TRY(fgti_ids_check(err, "x", x, 2, (int64_t[]){count, -1}));
    if (target) FGTI_TRY(fgti_ids_check(err, "target", target, 1, &count));
    if (e->stored) return fgti_stored_encoder_get(&e->on_disk, index, count, x, target);
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = e->begin[index[i]], tokens = e->begin[index[i] + 1] - begin;
        /* ids is NULL if there are no tokens */
        fgti_ids_put_row(x, NULL, e->bag, i, tokens ? e->ids + begin : NULL, tokens);
        if (target) fgti_ids_put(target, i, e->label[index[i]]);
    }
    return FGT_OK;
}
