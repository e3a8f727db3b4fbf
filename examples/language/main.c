/* SPDX-License-Identifier: BSD-3-Clause */
/* Small language models: a causal Fighter beside a Transformer, an LSTM and S4, on the characters or words of
 * a text file. Each is trained to predict the next token, measured by its perplexity on the last tenth of the
 * text, and then writes some. docs/language.md shows figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "language.h"

/* ---- options ---- */

typedef struct row {
    const char *name;
    char        kind; /* 's' text, 'i' integer, 'd' number, 'b' flag */
    size_t      at;
    double      least, most;
    const char *help;
} row;
#define ROW(field, name, kind, least, most, help)               \
    {                                                           \
        name, kind, offsetof(options, field), least, most, help \
    }

static const row rows[] = {
    ROW(data, "--data", 's', 0, 0, "FILE: the text"),
    ROW(model, "--model", 's', 0, 0, "fighter, transformer, lstm or s4; without it all of them, in turn"),
    ROW(words, "--words", 'b', 0, 0, "tokens are words and signs, not bytes"),
    ROW(vocab, "--vocab", 'i', 2, 1e6, "words with a number of their own, at most (5000)"),
    ROW(after, "--after", 's', 0, 0, "TOKEN: only tokens behind it count, up to the end of the line"),
    ROW(steps, "--steps", 'i', 0, 1e9, "of training (1000)"),
    ROW(time, "--time", 'i', 2, 1e5, "tokens that a model sees (128)"),
    ROW(batch, "--batch", 'i', 1, 1e5, "pieces of the text in a step (16)"),
    ROW(width, "--width", 'i', 1, 1e5, "features of a token (64)"),
    ROW(layers, "--layers", 'i', 1, 100, "encoder or LSTM layers; Fighter and S4 have twice as many (2)"),
    ROW(heads, "--heads", 'i', 1, 1000, "of Fighter and Transformer (4)"),
    ROW(hops, "--hops", 'i', 1, 64, "of Fighter (3)"),
    ROW(lr, "--lr", 'd', 0, 10, "learning rate (0.003)"),
    ROW(dropout, "--dropout", 'd', 0, 0.99, "(0)"),
    ROW(prompt, "--prompt", 's', 0, 0, "TEXT: what the models go on from"),
    ROW(length, "--length", 'i', 0, 1e9, "tokens that each model writes (200)"),
    ROW(temperature, "--temperature", 'd', 0, 100, "of the draws; 0: the likeliest token (0.8)"),
    ROW(top_k, "--top-k", 'i', 0, 1e6, "draws among so many tokens; 0: all (20)"),
    ROW(seed, "--seed", 'i', 0, 1e9, "(1)"),
    ROW(threads, "--threads", 'i', 1, 1024, "(1)"),
    ROW(help, "--help", 'b', 0, 0, "this text"),
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "language: %s: %s\n", what, why);
    return false;
}

static bool set(options *o, const row *r, const char *value)
{
    char        *end;
    void        *at = (char *)o + r->at;
    const double x  = r->kind == 's' ? 0 : strtod(value, &end);
    if (r->kind == 's') {
        *(const char **)at = value;
        return true;
    }
    if (!*value || *end || !(x >= r->least && x <= r->most) || (r->kind == 'i' && x != floor(x)))
        return complain(r->name, "is out of range, or no number");
    if (r->kind == 'i')
        *(int64_t *)at = (int64_t)x;
    else
        *(double *)at = x;
    return true;
}

static bool read_options(int argc, char **argv, options *o)
{
    *o = (options){.steps       = 1000,
                   .time        = 128,
                   .batch       = 16,
                   .width       = 64,
                   .layers      = 2,
                   .heads       = 4,
                   .hops        = 3,
                   .vocab       = 5000,
                   .length      = 200,
                   .top_k       = 20,
                   .seed        = 1,
                   .threads     = 1,
                   .lr          = 3e-3,
                   .temperature = 0.8,
                   .prompt      = ""};
    for (int i = 1; i < argc; i++) {
        const row *r = rows;
        while (r < rows + ROWS && strcmp(r->name, argv[i])) r++;
        if (r == rows + ROWS) return complain(argv[i], "unknown option; see --help");
        if (r->kind == 'b')
            *(bool *)((char *)o + r->at) = true;
        else if (i + 1 == argc)
            return complain(argv[i], "needs a value");
        else if (!set(o, r, argv[++i]))
            return false;
    }
    return o->help || o->data || complain("--data", "is needed: a text file");
}

static void print_help(void)
{
    printf("language --data FILE [OPTION ...]: small language models on a text\n");
    for (int i = 0; i < ROWS; i++) printf("  %-14s %s\n", rows[i].name, rows[i].help);
}

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

/* ---- one model ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static fgt_status run_model(task *k, int i, fgt_model *m)
{
    double       nats, us, begin = now();
    const double steps = (double)(k->o->steps ? k->o->steps : 1);
    fgt_status   s     = model_add(m, i, k->o, k->t->vocab);
    if (s == FGT_OK) s = train(k, m);
    const double ms = 1e3 * (now() - begin) / steps;
    if (s == FGT_OK) s = measure(k, m, &nats);
    if (s != FGT_OK) return s;
    printf("%s: %lld parameters, %.1f ms a step of training; test: %.4f nats a token, perplexity %.3f\n",
           model_names[i], (long long)fgt_model_count_parameters(m), ms, nats, exp(nats));
    if (!k->o->length) return FGT_OK;
    s = generate(k->ctx, m, k->t, k->o, &us);
    if (s == FGT_OK) printf("%s: %.1f us a token that is written\n\n", model_names[i], us);
    return s;
}

/* Whether it is among those that were asked for. */
static bool wants(const options *o, int i)
{
    return !o->model || !strcmp(o->model, model_names[i]);
}

static bool run(task *k)
{
    const options *o   = k->o;
    const size_t   n   = (size_t)(o->batch * o->time);
    bool           any = false;
    k->id = malloc(n * sizeof *k->id), k->target = malloc(n * sizeof *k->target);
    k->y  = malloc(n * (size_t)k->t->vocab * sizeof *k->y),
    k->dy = malloc(n * (size_t)k->t->vocab * sizeof *k->dy);
    if (!k->id || !k->target || !k->y || !k->dy) return complain("--batch", "there is no memory for it");
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
    return any || complain(o->model, "there is no such model");
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
    bool good = text_read(&o, &t);
    if (good &&
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = (int32_t)o.threads), &k.ctx) != FGT_OK)
        good = complain("context", "cannot be made");
    if (good) good = run(&k);
    fgt_context_destroy(&k.ctx);
    text_free(&t);
    free(k.id);
    free(k.target);
    free(k.y);
    free(k.dy);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
