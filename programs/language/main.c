/* SPDX-License-Identifier: BSD-3-Clause */
/* Small language models on the characters or words of a text file: a causal Fighter, a Transformer, an LSTM
 * and S4. Each model is trained to predict the next token. It is measured by its perplexity on the last tenth
 * of the text, and then generates a text. A saved model can be tuned on prompts and responses: all its
 * weights are trained, or an adapter. docs/language.md shows figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/adapter.h>

#include "../common/model_info.h"
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

/* Fills row b of a batch with the piece of the text that begins with token `first`. */
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
    fgt_status      s = fgt_forward(m, FGT_VIEW_OF(FGT_DTYPE_I32, k->id, b, time), y);
    if (s == FGT_OK)
        s = fgt_loss_compute(k->ctx, y, FGT_VIEW_OF(FGT_DTYPE_I32, k->target, b, time), &loss_opts, NULL,
                             &loss, dy);
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

/* Computes the loss on the test tokens, cut into consecutive pieces: *nats is the mean per token, in nats. */
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
        s = fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I32, k->id, 1, time), y);
        if (s == FGT_OK)
            s = fgt_loss_compute(k->ctx, y, FGT_VIEW_OF(FGT_DTYPE_I32, k->target, 1, time), &loss_opts, NULL,
                                 &loss, NULL);
        sum += (double)n * loss;
        count += n;
    }
    *nats = sum / (double)count;
    return s;
}

/* ---- a new model ---- */

static bool write_text(task *k, const char *name, fgt_model *m)
{
    double us;
    if (!k->o->length) return true;
    if (!generate(k->ctx, m, k->t, k->o, &us)) return false;
    printf("%s: %.1f us for each token that is written\n\n", name, us);
    return true;
}

static fgt_status run_model(task *k, int i, fgt_model *m)
{
    double       nats, begin = seconds_now();
    const double steps = (double)(k->o->steps ? k->o->steps : 1);
    fgt_status   s     = model_add(m, i, k->o, k->t->vocab);
    if (s == FGT_OK) s = train(k, m);
    const double ms = 1e3 * (seconds_now() - begin) / steps;
    if (s == FGT_OK) s = measure(k, m, &nats);
    if (s != FGT_OK) return s;
    printf("%s: %lld parameters, %.1f ms a step of training; test: %.4f nats a token, perplexity %.3f\n",
           model_words[1 + i], (long long)model_info(m).parameters, ms, nats, exp(nats));
    return k->o->save ? fgt_model_save(m, FGT_TO_FILE(k->o->save)) : FGT_OK;
}

static bool allocate(task *k)
{
    const size_t n = (size_t)(k->o->batch * k->o->time);
    k->id = malloc(n * sizeof *k->id), k->target = malloc(n * sizeof *k->target);
    k->y  = malloc(n * (size_t)k->t->vocab * sizeof *k->y),
    k->dy = malloc(n * (size_t)k->t->vocab * sizeof *k->dy);
    return (k->id && k->target && k->y && k->dy) || lacks_memory("--data", k->o);
}

static bool run_models(task *k)
{
    const options *o = k->o;
    if (!allocate(k)) return false;
    printf("%lld tokens for training, %lld for the test, %lld different ones\n", (long long)k->t->train,
           (long long)(k->t->tokens - k->t->train), (long long)k->t->vocab);
    for (int i = 0; i < MODELS; i++) {
        const fgt_model_opts opts = {
            .size = sizeof opts, .batch = o->batch, .time = o->time, .seed = (uint64_t)o->seed};
        const char *name = model_words[1 + i];
        fgt_model  *m;
        if (o->model && o->model != 1 + i) continue;
        fgt_status s = fgt_model_create(k->ctx, &opts, &m);
        if (s == FGT_OK) s = run_model(k, i, m);
        const bool good = s == FGT_OK ? write_text(k, name, m) : failed(k->ctx, s, name, o);
        fgt_model_destroy(&m);
        if (!good) return false;
    }
    return !o->save || vocabulary_save(k->t, o->save);
}

static bool run_text(task *k, text *t)
{
    return text_read(k->o, t) && run_models(k);
}

/* ---- a saved model ---- */

static bool use_adapter(fgt_context *ctx, const options *o, fgt_model *m)
{
    if (!o->adapter) return true;
    fgt_status s = fgt_model_load_adapter(m, "adapter", o->adapter);
    if (s == FGT_OK) s = fgt_model_set_adapter(m, "adapter");
    return s == FGT_OK || failed(ctx, s, o->adapter, o);
}

static bool load(fgt_context *ctx, options *o, fgt_model **m, int64_t *parameters)
{
    const fgt_load_opts opts = {.size = sizeof opts, .batch = o->batch, .time = o->time};
    const fgt_status    s    = fgt_model_load(ctx, FGT_FROM_FILE(o->init), &opts, m);
    if (s != FGT_OK) return failed(ctx, s, o->init, o);
    o->time     = model_info(*m).input.shape[1];
    *parameters = model_info(*m).parameters;
    return use_adapter(ctx, o, *m);
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
        adapter ? fgt_model_save_adapter(m, "adapter", o->save) : fgt_model_save(m, FGT_TO_FILE(o->save));
    if (s != FGT_OK) return failed(k->ctx, s, o->save, o);
    return adapter || vocabulary_save(k->t, o->save);
}

static bool run_saved(task *k, options *o, text *t)
{
    fgt_model *m;
    int64_t    parameters = 0;
    if (!vocabulary_load(t, o->init)) return false;
    bool good = load(k->ctx, o, &m, &parameters);
    if (good && o->pairs) good = tune_and_save(k, m, parameters);
    if (good && (o->ask || !o->pairs)) good = write_text(k, o->init, m);
    fgt_model_destroy(&m);
    return good;
}

int main(int argc, char **argv)
{
    options o;
    text    t = {0};
    task    k = {.o = &o, .t = &t};
    program_called(argv[0]);
    if (!read_options(argc, argv, &o)) return EXIT_FAILURE;
    if (o.help) {
        print_help();
        return EXIT_SUCCESS;
    }
    bool good =
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = (int32_t)o.threads), &k.ctx) == FGT_OK ||
        complain("context: cannot be made");
    if (good) good = o.init ? run_saved(&k, &o, &t) : run_text(&k, &t);
    fgt_context_destroy(&k.ctx);
    text_free(&t);
    free(k.id);
    free(k.target);
    free(k.y);
    free(k.dy);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
