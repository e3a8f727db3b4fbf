/* SPDX-License-Identifier: BSD-3-Clause */
/* Small language models: a causal Fighter beside a Transformer, an LSTM and S4, on the characters or words of
 * a text file. Each is trained to predict the next token, measured by its perplexity on the last tenth of the
 * text, and then writes some. One that was saved can be tuned on prompts and responses, all of it or an
 * adapter. docs/language.md shows figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "language.h"

/* ---- training ---- */

typedef struct task {
    fgt_context   *ctx;
    const options *o;
    const text    *t;
    int32_t       *id, *target; /* [B,T] */
    float         *y, *dy;      /* [B,T,vocab] */
    uint64_t       random;
} task;

static const fgt_loss_opts loss_opts = {
    .size = sizeof loss_opts, .kind = FGT_LOSS_CROSS_ENTROPY, .skip_nan = 1};

/* Piece b of a batch begins with token `first`. */
static void set_piece(const task *k, int64_t b, int64_t first)
{
    const size_t bytes = (size_t)k->o->time * sizeof *k->id;
    memcpy(k->id + b * k->o->time, k->t->id + first, bytes);
    memcpy(k->target + b * k->o->time, k->t->target + first + 1, bytes);
}

static int64_t counted(const task *k, int64_t rows_of)
{
    int64_t n = 0;
    for (int64_t i = 0; i < rows_of * k->o->time; i++) n += k->target[i] != FGT_CLASS_MISSING;
    return n;
}

static fgt_status train_step(task *k, fgt_model *m, fgt_optim *optim)
{
    const int64_t b = k->o->batch, time = k->o->time;
    double        loss;
    for (int64_t i = 0; i < b; i++) {
        k->random = k->random * UINT64_C(6364136223846793005) + 1;
        set_piece(k, i, (int64_t)((k->random >> 33) % (uint64_t)(k->t->train - time)));
    }
    if (!counted(k, b)) return FGT_OK;
    const fgt_view *y = FGT_VIEW(k->y, b, time, k->t->vocab), *dy = FGT_VIEW(k->dy, b, time, k->t->vocab);
    fgt_status      s = fgt_forward(m, FGT_VIEW_OF(FGT_I32, k->id, b, time), y);
    if (s == FGT_OK)
        s = fgt_loss_compute(k->ctx, &loss_opts, y, FGT_VIEW_OF(FGT_I32, k->target, b, time), &loss, dy);
    if (s == FGT_OK) s = fgt_backward(m, dy, NULL);
    return s == FGT_OK ? fgt_step(optim) : s;
}

static fgt_status train(task *k, fgt_model *m)
{
    const options          *o    = k->o;
    const fgt_schedule_opts rate = {.size   = sizeof rate,
                                    .kind   = FGT_SCHEDULE_COSINE,
                                    .total  = o->steps + 1,
                                    .warmup = o->steps / 20,
                                    .min_lr = o->lr / 20};
    const fgt_optim_opts    opts = {.size = sizeof opts, .lr = o->lr, .clip = 1, .schedule = &rate};
    fgt_optim              *optim;
    fgt_status              s = fgt_optim_create(m, &opts, &optim);
    k->random                 = (uint64_t)o->seed;
    for (int64_t i = 0; s == FGT_OK && i < o->steps; i++) s = train_step(k, m, optim);
    fgt_optim_destroy(&optim);
    return s;
}

/* Nats a token in the test, in pieces one behind the other. */
static fgt_status measure(task *k, fgt_model *m, double *nats)
{
    const int64_t time  = k->o->time;
    double        sum   = 0, loss;
    int64_t       count = 0;
    fgt_status    s     = FGT_OK;
    for (int64_t t = k->t->train; s == FGT_OK && t + time < k->t->tokens; t += time) {
        set_piece(k, 0, t);
        const int64_t   n = counted(k, 1);
        const fgt_view *y = FGT_VIEW(k->y, 1, time, k->t->vocab);
        if (!n) continue;
        s = fgt_predict(m, FGT_VIEW_OF(FGT_I32, k->id, 1, time), y);
        if (s == FGT_OK)
            s = fgt_loss_compute(k->ctx, &loss_opts, y, FGT_VIEW_OF(FGT_I32, k->target, 1, time), &loss,
                                 NULL);
        sum += (double)n * loss;
        count += n;
    }
    *nats = sum / (double)count;
    return s;
}

/* ---- a new model ---- */

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static fgt_status write_text(task *k, const char *name, fgt_model *m)
{
    double us;
    if (!k->o->length) return FGT_OK;
    const fgt_status s = generate(k->ctx, m, k->t, k->o, &us);
    if (s == FGT_OK) printf("%s: %.1f us a token that is written\n\n", name, us);
    return s;
}

static fgt_status run_model(task *k, int i, fgt_model *m)
{
    double       nats, begin = now();
    const double steps = (double)(k->o->steps ? k->o->steps : 1);
    fgt_status   s     = model_add(m, i, k->o, k->t->vocab);
    if (s == FGT_OK) s = train(k, m);
    const double ms = 1e3 * (now() - begin) / steps;
    if (s == FGT_OK) s = measure(k, m, &nats);
    if (s != FGT_OK) return s;
    printf("%s: %lld parameters, %.1f ms a step of training; test: %.4f nats a token, perplexity %.3f\n",
           model_names[i], (long long)fgt_model_count_parameters(m), ms, nats, exp(nats));
    if (k->o->save) s = fgt_model_save(m, k->o->save);
    return s == FGT_OK ? write_text(k, model_names[i], m) : s;
}

/* Whether it is among those that were asked for. */
static bool wants(const options *o, int i)
{
    return !o->model || !strcmp(o->model, model_names[i]);
}

static bool allocate(task *k)
{
    const size_t n = (size_t)(k->o->batch * k->o->time);
    k->id = malloc(n * sizeof *k->id), k->target = malloc(n * sizeof *k->target);
    k->y  = malloc(n * (size_t)k->t->vocab * sizeof *k->y),
    k->dy = malloc(n * (size_t)k->t->vocab * sizeof *k->dy);
    return (k->id && k->target && k->y && k->dy) || complain("--batch", "there is no memory for it");
}

static bool run_models(task *k)
{
    const options *o   = k->o;
    bool           any = false;
    if (!allocate(k)) return false;
    printf("%lld tokens for training, %lld for the test, %lld different ones\n", (long long)k->t->train,
           (long long)(k->t->tokens - k->t->train), (long long)k->t->vocab);
    for (int i = 0; i < MODELS; i++) {
        const fgt_model_opts opts = {
            .size = sizeof opts, .batch = o->batch, .time = o->time, .seed = (uint64_t)o->seed};
        fgt_model *m;
        if (!wants(o, i)) continue;
        any          = true;
        fgt_status s = fgt_model_create(k->ctx, &opts, &m);
        if (s == FGT_OK) s = run_model(k, i, m);
        fgt_model_destroy(&m);
        if (s != FGT_OK) return complain(model_names[i], fgt_context_error(k->ctx));
    }
    if (!any) return complain(o->model, "there is no such model");
    return !o->save || vocabulary_save(k->t, o->save);
}

static bool run_text(task *k, text *t)
{
    return text_read(k->o, t) && run_models(k);
}

/* ---- a model that was saved ---- */

static fgt_status use_adapter(fgt_model *m, const char *folder)
{
    const fgt_status s = fgt_model_load_adapter(m, "adapter", folder);
    return s == FGT_OK ? fgt_model_set_adapter(m, "adapter") : s;
}

static fgt_status load(fgt_context *ctx, options *o, fgt_model **m, int64_t *parameters)
{
    const fgt_model_opts opts  = {.size = sizeof opts, .batch = o->batch, .time = o->time};
    fgt_view             shape = {0};
    fgt_status           s     = fgt_model_load(ctx, o->init, &opts, m);
    if (s == FGT_OK) s = fgt_model_get_input(*m, &shape);
    o->time     = shape.shape[1];
    *parameters = fgt_model_count_parameters(*m);
    return s == FGT_OK && o->adapter ? use_adapter(*m, o->adapter) : s;
}

static bool tune_and_save(task *k, fgt_model *m, int64_t parameters)
{
    const options *o       = k->o;
    const bool     adapter = o->lora || o->adapter;
    pairs          p       = {0};
    const bool     good    = pairs_read(o, k->t, &p) && tune(k->ctx, m, o, &p, parameters);
    pairs_free(&p);
    if (!good || !o->save) return good;
    const fgt_status s =
        adapter ? fgt_model_save_adapter(m, "adapter", o->save) : fgt_model_save(m, o->save);
    if (s != FGT_OK) return complain(o->save, fgt_context_error(k->ctx));
    return adapter || vocabulary_save(k->t, o->save);
}

static bool run_saved(task *k, options *o, text *t)
{
    fgt_model *m;
    int64_t    parameters;
    if (!vocabulary_load(t, o->init)) return false;
    bool good = load(k->ctx, o, &m, &parameters) == FGT_OK || complain(o->init, fgt_context_error(k->ctx));
    if (good && o->pairs) good = tune_and_save(k, m, parameters);
    if (good && (o->ask || !o->pairs))
        good = write_text(k, o->init, m) == FGT_OK || complain(o->init, fgt_context_error(k->ctx));
    fgt_model_destroy(&m);
    return good;
}

int main(int argc, char **argv)
{
    options o;
    text    t = {0};
    task    k = {.o = &o, .t = &t};
    if (!read_options(argc, argv, &o)) return EXIT_FAILURE;
    if (o.help) {
        print_help();
        return EXIT_SUCCESS;
    }
    bool good =
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = (int32_t)o.threads), &k.ctx) == FGT_OK ||
        complain("context", "cannot be made");
    if (good) good = o.init ? run_saved(&k, &o, &t) : run_text(&k, &t);
    fgt_context_destroy(&k.ctx);
    text_free(&t);
    free(k.id);
    free(k.target);
    free(k.y);
    free(k.dy);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
