/* SPDX-License-Identifier: BSD-3-Clause */
/* Adapters against training of all weights:
 *     bench-adapter base TRAIN.csv FILE      pre-trains a text model by hidden words, without the classes
 *     bench-adapter text TRAIN.csv TEST.csv FILE WAY SEED
 *                                            trains it to tell the classes, in one of the ways below, and
 *                                            measures it; one training text in 15 is for validation
 *     bench-adapter step [DIM [TOKENS]]      CPU milliseconds a step, and memory, of random ids
 * In the environment: FGT_PRETRAIN and FGT_EPOCHS, numbers of epochs; FGT_LR, FGT_ALPHA, FGT_DROPOUT,
 * FGT_THREADS; FGT_FIRST, passes over the texts for the first embeddings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fighter/experimental/adapter.h>
#include <fighter/experimental/pretrain.h>

#include "common.h"

enum { BATCH = 32, WORDS = 8192, TOKENS = 40, DIM = 192, CLASSES = 4, RANK = 8, ROUNDS = 41 };

static fgt_context *ctx;
static int64_t      held; /* bytes */

#define OK(call) bench_check(#call, (call), ctx)

static void *count_alloc(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    if (posix_memalign(&p, align, size)) return NULL;
    held += (int64_t)size;
    return p;
}

static void count_release(void *user, void *ptr, size_t size)
{
    (void)user;
    held -= (int64_t)size;
    free(ptr);
}

static double setting(const char *name, double standard)
{
    const char *s = getenv(name);
    return s ? atof(s) : standard;
}

/* ---- the model ---- */

static fgt_model *encoder(int64_t dim, int64_t tokens, int64_t out)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = tokens, .seed = 1), &m));
    OK(fgt_model_add(m, fgt_named("embedding", fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = WORDS + 2,
                                                                       .out = dim, .has_padding = 1,
                                                                       .mask_padding = 1, .init = 0.05f)))));
    OK(fgt_model_add(m, fgt_named("position", fgt_position(NULL))));
    for (int i = 0; i < 2; i++)
        OK(fgt_model_add(
            m, fgt_named(i ? "layers.1" : "layers.0",
                         fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 4, .dropout = 0.1f)))));
    OK(fgt_model_add(m, fgt_named("pool", fgt_pool(NULL))));
    OK(fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = out)))));
    return m;
}

/* ---- a text model that is pre-trained by hidden words ---- */

static fgt_classifier *classifier(const fgt_corpus *texts, int64_t seed, int64_t pretrain)
{
    const fgt_vocab_opts      words = {.size = sizeof words, .max_words = WORDS};
    const fgt_classifier_opts opts  = {
         .size     = sizeof opts,
         .vocab    = &words,
         .tokens   = TOKENS,
         .dim      = DIM,
         .seed     = (uint64_t)seed,
         .block    = {.kind = FGT_BLOCK_TRANSFORMER, .dropout = (float)setting("FGT_DROPOUT", 0.3)},
         .pretrain = pretrain};
    fgt_classifier           *c;
    OK(fgt_classifier_create(ctx, FGT_TEXTS(texts), &opts, &c));
    return c;
}

static int tell(void *user, const fgt_progress *p)
{
    if (p->epoch_done)
        fprintf(stderr, "%s: epoch %lld: loss %.4f, validation %.4f, %.0f s\n", (const char *)user,
                (long long)p->epoch, p->loss, p->validation, p->seconds);
    return 0;
}

/* Does not use the classes. */
static void pretrain(const char *texts_path, const char *base_path)
{
    const fgt_classifier_fit_opts    fit  = {.size     = sizeof fit,
                                             .training = {.progress = tell,
                                                          .user     = "hidden words",
                                                          .seed     = 1,
                                                          .epochs   = (int64_t)setting("FGT_PRETRAIN", 10),
                                                          .lr       = 2e-3,
                                                          .warmup   = 0.05}};
    const fgt_classifier_masked_opts opts = {.size = sizeof opts, .fit = &fit};
    fgt_corpus                      *texts;
    OK(fgt_corpus_load(ctx, texts_path, NULL, &texts));
    fgt_classifier *c = classifier(texts, 1, (int64_t)setting("FGT_FIRST", 3));
    OK(fgt_classifier_fit_masked(c, FGT_TEXTS(texts), NULL, &opts, NULL));
    OK(fgt_classifier_save(c, FGT_TO_FILE(base_path)));
    fgt_classifier_destroy(&c);
    fgt_corpus_destroy(&texts);
}

/* ---- training an adapter ---- */

/* The parameters to train. */
typedef struct way {
    const char *name, *pattern, *whole;
} way;

static const way ways[] = {
    {"scratch", NULL, NULL}, /* all weights, from a random start */
    {"all", NULL, NULL},
    {"head", "", "head."},
    {"attention", "*in_proj_weight", "head."},
    {"maps", "blocks.", "head."},
    {"tables", "*", "head."},
    {"vectors", "*", "head.,*bias,*norm*"},
};

static double accuracy(fgt_classifier *c, const fgt_corpus *texts)
{
    fgt_metric metric = {0};
    OK(fgt_classifier_evaluate(c, FGT_TEXTS(texts), &metric, NULL));
    return 100 * fgt_metric_get(&metric, FGT_METRIC_ACCURACY);
}

/* ---- a step ---- */

typedef struct stepper {
    fgt_model *m;
    fgt_optim *o;
    fgt_view   x, y, dy, target;
} stepper;

static void step(void *arg)
{
    stepper *s = arg;
    double   loss;
    OK(fgt_forward(s->m, &s->x, &s->y));
    OK(fgt_loss_compute(ctx, &s->y, &s->target, &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_CROSS_ENTROPY),
                        NULL, &loss, &s->dy));
    OK(fgt_backward(s->m, &s->dy, NULL));
    OK(fgt_step(s->o));
}

/* The parameters to train, and the costs of a step. */
typedef struct trial {
    const char *name, *pattern; /* pattern NULL: all weights */
    stepper     s;
    int64_t     of_optim, of_gradients, active; /* bytes; active: after activating the adapter */
    double      ms[ROUNDS];
} trial;

/* Bytes of the optimiser, and of the gradients. The first pass also takes the workspace, which is counted
 * with a model that already has gradients. */
static void open_trial(trial *t, int64_t dim, int64_t tokens)
{
    stepper         *s    = &t->s;
    fgt_adapter_info info = {.size = sizeof info};
    fgt_view         gradients;
    s->m = encoder(dim, tokens, CLASSES);
    if (t->pattern) {
        OK(fgt_model_add_adapter(s->m, &FGT_OPTS(fgt_adapter_opts, .name = t->name, .pattern = t->pattern,
                                                 .whole = "head.", .rank = RANK)));
        OK(fgt_model_set_adapter(s->m, t->name));
        OK(fgt_model_get_adapter(s->m, 0, &info));
        t->active = info.bytes;
    }
    int64_t before = held;
    OK(fgt_model_get_gradients(s->m, &gradients));
    t->of_gradients = held - before;
    before          = held;
    OK(fgt_optim_create(s->m, NULL, &s->o));
    t->of_optim = held - before;
    s->x.data   = bench_room(BATCH * (size_t)tokens, 8);
    s->x        = (fgt_view){.data = s->x.data, .shape = {BATCH, tokens}, .rank = 2, .dtype = FGT_DTYPE_I64};
    s->y        = bench_info(s->m).output;
    s->dy      = s->y;
    s->y.data  = bench_room((size_t)fgt_view_count(&s->y), 4);
    s->dy.data = bench_room((size_t)fgt_view_count(&s->y), 4);
    s->target = (fgt_view){.data = bench_room(BATCH, 8), .shape = {BATCH}, .rank = 1, .dtype = FGT_DTYPE_I64};
    for (int64_t i = 0; i < BATCH * tokens; i++)
        ((int64_t *)s->x.data)[i] = 1 + (int64_t)((bench_uniform() + 0.5) * WORDS);
    for (int64_t i = 0; i < BATCH; i++) ((int64_t *)s->target.data)[i] = i % s->y.shape[1];
    step(s);
}

static void close_trial(trial *t)
{
    fgt_optim_destroy(&t->s.o);
    fgt_model_destroy(&t->s.m);
    free(t->s.x.data);
    free(t->s.y.data);
    free(t->s.dy.data);
    free(t->s.target.data);
}

/* CPU milliseconds of all threads. */
static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The trials take turns step by step, so that other work on the machine slows down all of them. */
static void measure_steps(int64_t dim, int64_t tokens)
{
    static trial trials[] = {{.name = "all"},
                             {.name = "attention", .pattern = "*in_proj_weight"},
                             {.name = "all maps", .pattern = "layers."},
                             {.name = "all maps and the table", .pattern = "*"}};
    enum { COUNT = sizeof trials / sizeof *trials };
    for (int i = 0; i < COUNT; i++) open_trial(&trials[i], dim, tokens);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < COUNT; i++) {
            const double start = cpu_ms();
            step(&trials[i].s);
            trials[i].ms[r] = cpu_ms() - start;
        }
    for (int i = 0; i < COUNT; i++) {
        trial *t = &trials[i];
        qsort(t->ms, ROUNDS, sizeof *t->ms, by_value);
        printf("{\"trained\":\"%s\",\"parameters\":%lld,\"optimiser_bytes\":%lld,"
               "\"gradient_bytes\":%lld,\"adapter_bytes\":%lld,\"step_cpu_ms\":%.2f,"
               "\"times_as_fast\":%.2f}\n",
               t->name, (long long)bench_info(t->s.m).parameters, (long long)t->of_optim,
               (long long)t->of_gradients, (long long)t->active, t->ms[ROUNDS / 2],
               trials[0].ms[ROUNDS / 2] / t->ms[ROUNDS / 2]);
    }
    for (int i = 0; i < COUNT; i++) close_trial(&trials[i]);
}

/* ---- texts ---- */

typedef struct texts {
    fgt_corpus *train, *validation, *test;
} texts;

/* Every 15th training text is for validation. */
static texts load(const char *train_path, const char *test_path)
{
    fgt_corpus *all;
    texts       t;
    OK(fgt_corpus_load(ctx, train_path, NULL, &all));
    OK(fgt_corpus_load(ctx, test_path, &FGT_OPTS(fgt_corpus_opts, .like = all), &t.test));
    fgt_corpus_info info = {.size = sizeof info};
    OK(fgt_corpus_get_info(all, &info));
    const int64_t n   = info.rows;
    int64_t      *row = bench_room((size_t)n, sizeof *row), trained = 0, checked = 0;
    for (int64_t i = 0; i < n; i++)
        if (i % 15) row[trained++] = i;
    OK(fgt_corpus_create_subset(all, row, trained, &t.train));
    for (int64_t i = 0; i < n; i += 15) row[checked++] = i;
    OK(fgt_corpus_create_subset(all, row, checked, &t.validation));
    free(row);
    fgt_corpus_destroy(&all);
    return t;
}

static void tune(const texts *t, const char *all_path, const char *base_path, const way *w, int64_t seed)
{
    const fgt_classifier_fit_opts fit = {.size     = sizeof fit,
                                         .training = {.progress = tell,
                                                      .user     = (void *)w->name,
                                                      .seed     = (uint64_t)seed,
                                                      .epochs   = (int64_t)setting("FGT_EPOCHS", 3),
                                                      .patience = -1,
                                                      .lr       = setting("FGT_LR", 1e-3)}};
    fgt_classifier *base, *c;
    fgt_corpus     *all;
    OK(fgt_corpus_load(ctx, all_path, NULL, &all));
    c = classifier(all, seed, 0);
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(base_path), NULL, &base));
    fgt_model *m = fgt_classifier_get_model(c);
    if (strcmp(w->name, "scratch") != 0) {
        OK(fgt_model_copy_parameters(m, fgt_classifier_get_model(base), "embedding."));
        OK(fgt_model_copy_parameters(m, fgt_classifier_get_model(base), "blocks."));
    }
    fgt_classifier_destroy(&base);
    fgt_corpus_destroy(&all);
    if (w->whole) {
        OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = w->name, .pattern = w->pattern,
                                              .whole = w->whole, .rank = RANK, .seed = (uint64_t)seed,
                                              .alpha = setting("FGT_ALPHA", 2 * RANK))));
        OK(fgt_model_set_adapter(m, w->name));
    }
    OK(fgt_classifier_fit(c, FGT_TEXTS(t->train), FGT_TEXTS(t->validation), &fit, NULL));
    printf("{\"trained\":\"%s\",\"lr\":%g,\"epochs\":%lld,\"seed\":%lld,\"parameters\":%lld,"
           "\"validation_accuracy\":%.2f,\"test_accuracy\":%.2f}\n",
           w->name, fit.training.lr, (long long)fit.training.epochs, (long long)seed,
           (long long)bench_info(m).parameters, accuracy(c, t->validation), accuracy(c, t->test));
    fflush(stdout);
    fgt_classifier_destroy(&c);
}

int main(int argc, char **argv)
{
    const fgt_allocator a = {sizeof a, NULL, count_alloc, count_release};
    OK(fgt_context_create(
        &FGT_OPTS(fgt_context_opts, .allocator = &a, .threads = (int32_t)setting("FGT_THREADS", 1)), &ctx));
    if (argc == 4 && !strcmp(argv[1], "base")) {
        pretrain(argv[2], argv[3]);
    } else if (argc == 7 && !strcmp(argv[1], "text")) {
        const way *w = ways;
        while (w < ways + sizeof ways / sizeof *ways - 1 && strcmp(w->name, argv[5]) != 0) w++;
        const texts t = load(argv[2], argv[3]);
        tune(&t, argv[2], argv[4], w, atoi(argv[6]));
    } else if (argc >= 2 && argc <= 4 && !strcmp(argv[1], "step")) {
        measure_steps(argc > 2 ? atoi(argv[2]) : 128, argc > 3 ? atoi(argv[3]) : 64);
    } else {
        fprintf(stderr, "usage: bench-adapter base TRAIN.csv FILE | text TRAIN.csv TEST.csv FILE WAY SEED | "
                        "step [DIM [TOKENS]]\n");
        return 2;
    }
    fgt_context_destroy(&ctx);
    return 0;
}
