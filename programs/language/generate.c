/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates text from a model, token by token. The workspace keeps the stream of tokens that the model has
 * read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

/* Returns the top_k-th largest logit; if top_k is 0, the smallest logit. */
static float least_of(const float *logits, int64_t vocab, int64_t top_k)
{
    float least = INFINITY;
    for (int64_t k = 0, done = 0; done < (top_k ? top_k : vocab) && k < vocab; k++) {
        float next = -INFINITY;
        for (int64_t i = 0; i < vocab; i++)
            if (logits[i] < least && logits[i] > next) next = logits[i];
        if (next == -INFINITY) break;
        least = next;
        for (int64_t i = 0; i < vocab; i++) done += logits[i] == least;
    }
    return least;
}

int32_t choose(const float *logits, int64_t vocab, double temperature, int64_t top_k, double random)
{
    const float least = top_k ? least_of(logits, vocab, top_k) : -INFINITY;
    int64_t     best  = 0;
    double      sum   = 0, left;
    for (int64_t i = 0; i < vocab; i++)
        if (logits[i] > logits[best]) best = i;
    if (temperature == 0) return (int32_t)best;
    for (int64_t i = 0; i < vocab; i++)
        if (logits[i] >= least) sum += exp(((double)logits[i] - logits[best]) / temperature);
    left = random * sum;
    for (int64_t i = 0; i < vocab; i++) {
        if (logits[i] < least) continue;
        left -= exp(((double)logits[i] - logits[best]) / temperature);
        if (left < 0) return (int32_t)i;
    }
    return (int32_t)best;
}

typedef struct writer {
    fgt_workspace *ws;
    const options *o;
    const text    *t;
    int32_t       *id;     /* [o->time]: tokens of the stream so far */
    float         *logits; /* [time,vocab] */
    int64_t        tokens;
} writer;

/* Lets the model read the last n tokens of the stream. Row n-1 of the logits is for the next token. */
static fgt_status read_on(writer *w, int64_t n)
{
    return fgt_workspace_predict(w->ws, FGT_VIEW_OF(FGT_DTYPE_I32, w->id + w->tokens - n, 1, n),
                                 FGT_VIEW(w->logits, 1, n, w->t->vocab));
}

/* If the stream is full, restarts it with its last half. */
static fgt_status make_room(writer *w)
{
    const int64_t half = w->tokens / 2;
    if (w->tokens < w->o->time) return FGT_OK;
    memmove(w->id, w->id + w->tokens - half, (size_t)half * sizeof *w->id);
    w->tokens          = half;
    const fgt_status s = fgt_workspace_begin_series(w->ws, 0);
    return s == FGT_OK ? read_on(w, half) : s;
}

static fgt_status write_on(writer *w, uint64_t *random, double *us)
{
    double     seconds = 0;
    int64_t    last = w->tokens - 1, steps = 0; /* last: the next token is drawn from this row of logits */
    fgt_status s = read_on(w, w->tokens);
    for (int64_t i = 0; s == FGT_OK && i < w->o->length; i++) {
        *random          = *random * UINT64_C(6364136223846793005) + 1;
        const int32_t id = choose(w->logits + last * w->t->vocab, w->t->vocab, w->o->temperature, w->o->top_k,
                                  (double)(*random >> 11) / 9007199254740992.0);
        if (w->o->ask && id == text_get_end(w->t)) break;
        text_print(w->t, id);
        s = make_room(w);
        if (s != FGT_OK) break;
        w->id[w->tokens++] = id;
        last               = 0;
        const double begin = seconds_now();
        s                  = read_on(w, 1);
        seconds += seconds_now() - begin;
        steps++;
    }
    *us = steps ? 1e6 * seconds / (double)steps : 0;
    return s;
}

/* Sets the first tokens of the stream from --ask or --prompt. With --ask the end of a line follows, as after
 * the prompt of a pair. */
static bool start(writer *w)
{
    const text   *t   = w->t;
    const char   *ask = w->o->ask, *from = ask ? ask : w->o->prompt ? w->o->prompt : "";
    const int64_t most = w->o->time - (ask ? 2 : 1), n = text_encode(t, from, NULL);
    if (!text_knows(t, from, false, ask ? "--ask: the prompt" : "--prompt: the text")) return false;
    if (n > most)
        return complain("%s: is longer than the model sees (got %lld tokens, need %lld at most)",
                        ask ? "--ask" : "--prompt", (long long)n, (long long)most);
    w->tokens = text_encode(t, from, w->id);
    if (ask || (!n && !t->tokens))
        w->id[w->tokens++] = text_get_end(t);
    else if (!n)
        w->id[w->tokens++] = t->id[0];
    for (int64_t i = 0; !ask && i < w->tokens; i++) text_print(t, w->id[i]);
    return true;
}

static bool write_all(writer *w, double *us)
{
    uint64_t random = (uint64_t)w->o->seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    if (!start(w)) return false;
    const fgt_status s = write_on(w, &random, us);
    printf("\n");
    return s == FGT_OK || complain("%s", fgt_workspace_get_error(w->ws));
}

bool generate(fgt_context *ctx, fgt_model *m, const text *t, const options *o, double *us)
{
    const fgt_workspace_opts opts = {
        .size = sizeof opts, .batch = 1, .threads = (int32_t)o->threads, .tokens = o->time};
    writer           w = {.o = o, .t = t};
    const fgt_status s = fgt_model_create_workspace(m, &opts, &w.ws);
    w.id               = malloc((size_t)o->time * sizeof *w.id);
    w.logits           = malloc((size_t)(o->time * t->vocab) * sizeof *w.logits);
    bool good          = s == FGT_OK || failed(ctx, s, "writing", o);
    if (good && (!w.id || !w.logits)) good = lacks_memory("writing", o);
    if (good) good = write_all(&w, us);
    fgt_workspace_destroy(&w.ws);
    free(w.id);
    free(w.logits);
    return good;
}
