/* SPDX-License-Identifier: BSD-3-Clause */
#include "classify/masked_texts.h"

#include <string.h>

#include <fighter/experimental/corpus_file.h>

#include "core/rng.h"
#include "core/size.h"
#include "text/corpus.h"
#include "text/vocab/encoding.h"

/* Shares of the hidden words that are replaced by FGT_ID_UNKNOWN or by a random word. The other hidden words
 * are not replaced, so that the model also predicts words that it sees. Devlin et al. 2019, section 3.1. */
#define REPLACED 0.8
#define RANDOM   0.1

/* Offset of the random numbers for replacements in the stream of a text; the shuffle uses the numbers before
 * it. */
#define REPLACEMENTS (UINT64_C(1) << 40)

/* The id that replaces a word. */
static int64_t masked_texts_replace(const fgti_masked_texts *t, fgti_rng rng, uint64_t i, int64_t id)
{
    const uint64_t at    = REPLACEMENTS + 2 * i;
    const double   u     = fgti_rng_uniform(rng, at);
    const uint64_t words = (uint64_t)fgti_vocab_words(t->c->vocab);
    if (u < REPLACED) return FGT_ID_UNKNOWN;
    return u < REPLACED + RANDOM ? FGTI_ID_WORDS + (int64_t)fgti_rng_below(rng, at + 1, words) : id;
}

/* Hides words of one text, ids [T]. place and target [M]. */
static void masked_texts_hide(const fgti_masked_texts *t, int64_t sample, int64_t *ids, int64_t *place,
                              int64_t *target)
{
    const fgti_rng rng   = fgti_rng_of(t->seed, FGTI_STREAM_MASKS, (uint64_t)t->epoch, (uint64_t)sample);
    int64_t        count = 0;
    for (int64_t i = 0; i < t->c->info.tokens; i++)
        if (ids[i] >= FGTI_ID_WORDS && ids[i] < FGTI_ID_WORDS + t->words) t->candidate[count++] = i;
    int64_t hidden = (int64_t)(t->share * (double)count + 0.5);
    if (count && !hidden) hidden = 1;
    if (count) fgti_rng_shuffle(rng, count, t->order);
    for (int64_t i = 0; i < t->places; i++) {
        place[i]  = i < hidden ? t->candidate[t->order[i]] : 0;
        target[i] = i < hidden ? ids[place[i]] - FGTI_ID_WORDS : FGT_CLASS_MISSING;
        if (i < hidden) ids[place[i]] = masked_texts_replace(t, rng, (uint64_t)i, ids[place[i]]);
    }
}

static fgt_status texts_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    fgti_masked_texts *t = user;
    FGTI_TRY(fgt_encoding_copy_samples(t->encoding, index, n, x, NULL));
    for (int64_t i = 0; i < n; i++)
        masked_texts_hide(t, index[i], (int64_t *)x->data + i * t->c->info.tokens, t->place + i * t->places,
                          (int64_t *)target->data + i * t->places);
    return FGT_OK;
}

/* Called after texts_get() of the same texts. */
static fgt_status texts_value(void *user, const int64_t *index, int64_t n, const char *layer,
                              const fgt_view *value)
{
    const fgti_masked_texts *t = user;
    (void)index, (void)layer; /* the model has only one layer of values */
    memcpy(value->data, t->place, (size_t)(n * t->places) * sizeof *t->place);
    return FGT_OK;
}

static void texts_begin(void *user, int64_t epoch)
{
    fgti_masked_texts *t = user;
    t->epoch             = epoch;
}

fgt_status fgti_masked_texts_init(fgti_masked_texts *t, const fgt_corpus *corpus, int64_t bytes,
                                  fgt_source *source)
{
    fgt_context  *ctx    = t->c->ctx;
    const int64_t tokens = t->c->info.tokens;
    int64_t       all;
    if (!fgti_size_mul(t->c->batch, t->places, &all))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "masked: a batch of %lld texts is too large",
                         (long long)t->c->batch);
    FGTI_TRY(fgti_encoding_new(t->c->vocab, corpus, tokens, bytes, &t->encoding));
    FGTI_TRY(FGTI_NEW(ctx, tokens, "masks", &t->order));
    FGTI_TRY(FGTI_NEW(ctx, tokens, "masks", &t->candidate));
    FGTI_TRY(FGTI_NEW(ctx, all, "masks", &t->place));
    *source = (fgt_source){.size        = sizeof *source,
                           .count       = corpus->rows,
                           .get         = texts_get,
                           .get_value   = texts_value,
                           .begin_epoch = texts_begin,
                           .user        = t,
                           .fingerprint = fgti_encoding_hash(t->encoding)};
    fgti_encoding_get_chunk(t->encoding, &source->chunk, &source->pool);
    return FGT_OK;
}

void fgti_masked_texts_done(fgti_masked_texts *t)
{
    if (!t->c) return;
    fgt_encoding_destroy(&t->encoding);
    fgti_free(t->c->ctx, t->order);
    fgti_free(t->c->ctx, t->candidate);
    fgti_free(t->c->ctx, t->place);
}
