/* SPDX-License-Identifier: BSD-3-Clause */
#include "text/vocab/encode_stored.h"

#include <string.h>

#include "core/context.h"
#include "core/size.h"
#include "text/vocab/vocab.h"

/* GROUP: number of texts that are read before the workers encode them. TASK: number of texts that a worker
 * takes at a time. ROOM: bytes of the longest text for which a worker has memory. */
enum { GROUP = 64, TASK = 4, ROOM = 8192 };

/* ---- memory ---- */

static fgt_status add_workers(const fgt_vocab *vocab, int64_t capacity, fgti_stored_encoder *e)
{
    fgt_context  *ctx = vocab->ctx;
    const int32_t n   = ctx->exec.workers;
    if (n == 1) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, n, "encoded texts", &e->worker));
    FGTI_TRY(fgti_alloc_dirty(ctx, GROUP * e->room, 1, "texts", (void **)&e->texts));
    for (; e->workers < n; e->workers++) {
        fgti_encoder *w = &e->worker[e->workers];
        fgt_status    s = fgti_encoder_init(ctx, vocab, capacity, w);
        if (s == FGT_OK) s = fgti_encoder_reserve(w, e->room);
        if (s != FGT_OK) {
            fgti_encoder_done(w);
            return s;
        }
        w->tokens.fixed = true;
    }
    return FGT_OK;
}

fgt_status fgti_stored_encoder_init(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t capacity,
                                    int64_t bytes, fgti_stored_encoder *e)
{
    const int64_t longest = corpus->store->file.longest;
    e->room               = fgti_least(longest, ROOM);
    FGTI_TRY(fgti_encoder_init(vocab->ctx, vocab, capacity, &e->encoder));
    FGTI_TRY(fgti_encoder_reserve(&e->encoder, longest));
    FGTI_TRY(add_workers(vocab, capacity, e));
    return fgti_corpus_reader_open(vocab->ctx, corpus, bytes, &e->reader);
}

void fgti_stored_encoder_done(fgti_stored_encoder *e)
{
    fgt_context *ctx = e->encoder.ctx;
    if (!ctx) return;
    fgti_corpus_reader_close(&e->reader);
    while (e->workers) fgti_encoder_done(&e->worker[--e->workers]);
    fgti_free(ctx, e->worker);
    fgti_free(ctx, e->texts);
    fgti_encoder_done(&e->encoder);
}

/* ---- a group ---- */

typedef struct group {
    const fgti_stored_encoder *e;
    const fgt_view            *x;
    int64_t                    first, count;
    int64_t                    begin[GROUP + 1];
    enum { WAITS, DONE, REFUSED } state[GROUP];
} group;

static fgt_status stored_encode(fgti_encoder *e, const char *text, int64_t size, const fgt_view *x,
                                int64_t row)
{
    int64_t count;
    FGTI_TRY(fgti_encoder_read(e, text, size, &count));
    fgti_ids_put_row(x, NULL, fgti_vocab_bag(e->vocab), row, e->ids, count);
    return FGT_OK;
}

/* Encodes the copy of text i. */
static fgt_status encode_copy(fgti_encoder *e, const group *g, int64_t i)
{
    return stored_encode(e, g->e->texts + g->begin[i], g->begin[i + 1] - g->begin[i], g->x, g->first + i);
}

static void encode_task(void *arg, int64_t task, int32_t worker)
{
    group        *g   = arg;
    const int64_t end = fgti_least((task + 1) * TASK, g->count);
    for (int64_t i = task * TASK; i < end; i++)
        if (g->state[i] == WAITS && encode_copy(&g->e->worker[worker], g, i) != FGT_OK)
            g->state[i] = REFUSED;
}

/* Reads the texts of a group. A text that is too long for the workers is encoded at once by the calling
 * thread. */
static fgt_status read_group(fgti_stored_encoder *e, const int64_t *index, const fgt_view *target, group *g)
{
    for (int64_t i = 0; i < g->count; i++) {
        fgti_stored_text text;
        FGTI_TRY(fgti_corpus_reader_get(&e->reader, index[g->first + i], &text));
        const bool here = !e->workers || text.size > e->room;
        if (here) FGTI_TRY(stored_encode(&e->encoder, text.s, text.size, g->x, g->first + i));
        if (!here) memcpy(e->texts + g->begin[i], text.s, (size_t)text.size);
        if (target) fgti_ids_put(target, g->first + i, text.label);
        g->state[i]     = here ? DONE : WAITS;
        g->begin[i + 1] = g->begin[i] + (here ? 0 : text.size);
    }
    return FGT_OK;
}

static fgt_status encode_group(fgti_stored_encoder *e, group *g)
{
    fgti_parallel(&e->encoder.ctx->exec, fgti_parts(g->count, TASK), encode_task, g);
    for (int64_t i = 0; i < g->count; i++)
        if (g->state[i] == REFUSED) FGTI_TRY(encode_copy(&e->encoder, g, i));
    return FGT_OK;
}

fgt_status fgti_stored_encoder_get(fgti_stored_encoder *e, const int64_t *index, int64_t n, const fgt_view *x,
                                   const fgt_view *target)
{
    for (int64_t first = 0; first < n; first += GROUP) {
        group g = {.e = e, .x = x, .first = first, .count = fgti_least(n - first, GROUP)};
        FGTI_TRY(read_group(e, index, target, &g));
        if (e->workers) FGTI_TRY(encode_group(e, &g));
    }
    return FGT_OK;
}
