/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains a model, or an adapter of it, to respond to prompts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <fighter/experimental/adapter.h>

#include "language.h"

#include "../common/model_info.h"

static const fgt_loss_opts loss_opts = {
    .size = sizeof loss_opts, .kind = FGT_LOSS_CROSS_ENTROPY, .skip_nan = 1};

/* ---- training ---- */

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    const int64_t time = x->shape[1];
    for (int64_t i = 0; i < n; i++)
        pairs_get(user, index[i], time, (int64_t *)x->data + i * time, (int64_t *)target->data + i * time);
    return FGT_OK;
}

static fgt_status make_selector(fgt_context *ctx, const options *o, const pairs *p, fgt_attent **selector)
{
    const fgt_attent_opts opts = {.size              = sizeof opts,
                                  .samples           = p->train,
                                  .epochs            = o->epochs,
                                  .seed              = (uint64_t)o->seed,
                                  .strategy          = (int32_t)o->attent - 1,
                                  .ratio_schedule    = (int32_t)o->ratio,
                                  .ratio             = o->share,
                                  .interval_schedule = (int32_t)o->interval,
                                  .interval          = o->interval_epochs,
                                  .interval_end      = o->interval_end,
                                  .cycles            = o->cycles,
                                  .scores            = (int32_t)o->scores,
                                  .redraw            = o->redraw,
                                  .rescore           = o->rescore};
    *selector                  = NULL;
    return o->attent ? fgt_attent_create(ctx, &opts, selector) : FGT_OK;
}

/* Adds an adapter that changes all linear maps, as in the AtteNT paper (docs/language.md). */
static fgt_status add_adapter(fgt_model *m, const options *o)
{
    const fgt_adapter_opts opts = {
        .size = sizeof opts, .name = "adapter", .rank = o->lora, .seed = (uint64_t)o->seed};
    const fgt_status s = fgt_model_add_adapter(m, &opts);
    return s == FGT_OK ? fgt_model_set_adapter(m, "adapter") : s;
}

static fgt_status fit(fgt_context *ctx, fgt_model *m, const options *o, const pairs *p,
                      fgt_fit_report *report)
{
    const fgt_source source      = {.size = sizeof source, .count = p->train, .get = get, .user = (void *)p};
    const fgt_schedule_opts rate = {
        .size = sizeof rate, .kind = FGT_SCHEDULE_COSINE, .warmup = o->epochs * p->train / o->batch / 33};
    const fgt_optim_opts optim = {.size = sizeof optim, .lr = o->lr, .clip = 1, .schedule = &rate};
    fgt_attent          *selector;
    fgt_status           s = make_selector(ctx, o, p, &selector);
    if (s == FGT_OK)
        s = fgt_model_fit(m,
                          &FGT_OPTS(fgt_fit_opts, .train = &source, .loss = &loss_opts, .optim = &optim,
                                    .training     = {.seed = (uint64_t)o->seed, .epochs = o->epochs},
                                    .target_dtype = FGT_DTYPE_I64, .training.selector = selector),
                          report);
    fgt_attent_destroy(&selector);
    return s;
}

/* ---- measuring ---- */

typedef struct tester {
    fgt_context *ctx;
    fgt_model   *model;
    const pairs *p;
    int64_t      time, vocab, batch;
    int64_t     *id, *target;   /* [batch,time] */
    float       *y;             /* [batch,time,vocab] */
    double       nats;          /* sum of the losses of all tokens of responses, in nats */
    int64_t      tokens, exact; /* tokens: number of tokens of responses; exact: number of exact responses */
} tester;

static bool is_largest(const float *y, int64_t vocab, int64_t i)
{
    for (int64_t k = 0; k < vocab; k++)
        if (y[k] > y[i] || (y[k] == y[i] && k < i)) return false;
    return true;
}

/* Counts the tokens of response b of a batch, and notes whether it is exact. A response is exact if each of
 * its tokens is the most likely one after the prompt and the previous tokens. Greedy generation would then
 * write it. */
static int64_t count(tester *t, int64_t b)
{
    const int64_t *target = t->target + b * t->time;
    int64_t        n      = 0;
    bool           exact  = true;
    for (int64_t i = 0; i < t->time; i++) {
        if (target[i] == FGT_CLASS_MISSING) continue;
        n++;
        exact &= is_largest(t->y + (b * t->time + i) * t->vocab, t->vocab, target[i]);
    }
    t->exact += exact;
    return n;
}

static fgt_status test_batch(tester *t, int64_t first, int64_t n)
{
    const fgt_view *y = FGT_VIEW(t->y, n, t->time, t->vocab);
    double          loss;
    int64_t         tokens = 0;
    for (int64_t b = 0; b < n; b++)
        pairs_get(t->p, first + b, t->time, t->id + b * t->time, t->target + b * t->time);
    fgt_status s = fgt_predict(t->model, FGT_VIEW_OF(FGT_DTYPE_I64, t->id, n, t->time), y);
    if (s == FGT_OK)
        s = fgt_loss_compute(t->ctx, y, FGT_VIEW_OF(FGT_DTYPE_I64, t->target, n, t->time), &loss_opts, NULL,
                             &loss, NULL);
    if (s != FGT_OK) return s;
    for (int64_t b = 0; b < n; b++) tokens += count(t, b);
    t->nats += loss * (double)tokens;
    t->tokens += tokens;
    return FGT_OK;
}

/* Measures the model on the pairs first .. end-1. */
static fgt_status test(tester *t, int64_t first, int64_t end)
{
    fgt_status    s     = FGT_OK;
    const int64_t rows  = t->batch * t->time;
    t->vocab            = model_info(t->model).output.shape[2];
    t->id               = malloc((size_t)rows * sizeof *t->id);
    t->target           = malloc((size_t)rows * sizeof *t->target);
    t->y                = malloc((size_t)(rows * t->vocab) * sizeof *t->y);
    if (s == FGT_OK && (!t->id || !t->target || !t->y)) s = FGT_E_NOMEM;
    for (int64_t at = first; s == FGT_OK && at < end; at += t->batch)
        s = test_batch(t, at, end - at < t->batch ? end - at : t->batch);
    free(t->id);
    free(t->target);
    free(t->y);
    return s;
}

static void print_training(const options *o, const fgt_model *m, int64_t parameters, const fgt_fit_report *r)
{
    const bool adapter = o->lora || o->adapter;
    printf("tuned: %lld parameters%s", (long long)model_info(m).parameters, adapter ? " of an adapter" : "");
    if (adapter) printf(" (the model has %lld)", (long long)parameters);
    printf(", %lld passes of pairs, %.1f s\n", (long long)r->samples, r->seconds);
}

bool tune(fgt_context *ctx, fgt_model *m, const options *o, const pairs *p, int64_t parameters)
{
    fgt_fit_report report = {.size = sizeof report};
    tester         t      = {.ctx = ctx, .model = m, .p = p, .time = o->time, .batch = o->batch};
    printf("%lld pairs for tuning, %lld held out, of up to %lld tokens\n", (long long)p->train,
           (long long)(p->count - p->train), (long long)p->longest);
    fgt_status s = o->lora ? add_adapter(m, o) : FGT_OK;
    if (s == FGT_OK && o->epochs) s = fit(ctx, m, o, p, &report);
    if (s == FGT_OK) s = test(&t, p->train, p->count);
    if (s != FGT_OK) return failed(ctx, s, o->pairs, o);
    if (o->epochs) print_training(o, m, parameters, &report);
    printf("held out: perplexity of responses %.4f, %lld of %lld exact\n", exp(t.nats / (double)t.tokens),
           (long long)t.exact, (long long)(p->count - p->train));
    return true;
}
