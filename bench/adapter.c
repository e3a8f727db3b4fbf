/* SPDX-License-Identifier: BSD-3-Clause */
/* Adapters against training of all weights, on AG News:
 *     bench-adapter text TRAIN.csv TEST.csv    accuracy, memory, and milliseconds a step, of a text model
 *     that was
 *                                              pre-trained on TRAIN to tell classes 1 and 2 from 3 and 4
 *     bench-adapter step [DIM [TOKENS]]        milliseconds a step and memory alone, of random ids
 * FGT_EPOCHS and FGT_PRETRAIN in the environment set the number of epochs, FGT_LR the learning rate of the
 * adapters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { BATCH = 32, WORDS = 8192, CLASSES = 4, RANK = 8 };

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

/* All parameters but the head's. */
static void copy_body(fgt_model *from, fgt_model *to)
{
    for (int64_t i = 0; i < fgt_model_count_tensors(to); i++) {
        const char *name = fgt_model_get_parameter_name(to, i);
        fgt_view    v    = {.data = NULL};
        if (!strncmp(name, "head.", 5)) continue;
        OK(fgt_model_get_parameter(from, name, &v));
        v.data = bench_room((size_t)fgt_view_count(&v), sizeof(float));
        OK(fgt_model_get_parameter(from, name, &v));
        OK(fgt_model_set_parameter(to, name, &v));
        free(v.data);
    }
}

/* ---- the first task: which half of the classes a text is of ---- */

static fgt_status halves(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                         const fgt_view *target)
{
    const fgt_status s = fgt_encoding_get(user, index, n, x, target);
    for (int64_t i = 0; s == FGT_OK && i < n; i++) ((int64_t *)target->data)[i] /= CLASSES / 2;
    return s;
}

static int tell(void *user, const fgt_progress *p)
{
    if (p->epoch_done)
        fprintf(stderr, "%s: epoch %lld: loss %.4f, %.0f s\n", (const char *)user, (long long)p->epoch,
                p->loss, p->seconds);
    return 0;
}

static void fit(fgt_model *m, const fgt_source *train, const char *what, int64_t epochs, double lr)
{
    const fgt_loss_opts     loss     = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY};
    const fgt_schedule_opts schedule = {.size = sizeof schedule, .kind = FGT_SCHEDULE_COSINE};
    const fgt_optim_opts    optim    = {
              .size = sizeof optim, .lr = lr, .clip = 1, .weight_decay = 0.01, .schedule = &schedule};
    OK(fgt_model_fit(m,
                     &FGT_OPTS(fgt_fit_opts, .train = train, .loss = &loss, .optim = &optim, .epochs = epochs,
                               .target_dtype = FGT_I64, .progress = tell, .user = (void *)what, .seed = 7),
                     NULL));
}

static double accuracy(fgt_model *m, const fgt_source *test)
{
    fgt_metric metric = {0};
    OK(fgt_model_evaluate(m, test, NULL, FGT_I64, NULL, &metric));
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
    OK(fgt_loss_compute(ctx, &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_CROSS_ENTROPY), &s->y, &s->target,
                        &loss, &s->dy));
    OK(fgt_backward(s->m, &s->dy, NULL));
    OK(fgt_step(s->o));
}

/* Bytes that training takes: of the optimiser, and of the gradients (the first pass also takes the
 * workspace, which is counted by a model whose gradients are there already). */
static void measure(const char *what, fgt_model *m, int64_t tokens, double seconds)
{
    stepper s = {.m = m};
    int64_t before = held;
    fgt_view gradients;
    OK(fgt_model_get_gradients(m, &gradients));
    const int64_t of_gradients = held - before;
    before = held;
    OK(fgt_optim_create(m, NULL, &s.o));
    const int64_t of_optim = held - before;
    s.x                    = (fgt_view){
                           .data  = bench_room(BATCH * (size_t)tokens, 8),
                            .shape = {BATCH, tokens},
                            .rank  = 2,
                            .dtype = FGT_I64};
    OK(fgt_model_get_output(m, &s.y));
    s.dy      = s.y;
    s.y.data  = bench_room((size_t)fgt_view_count(&s.y), 4);
    s.dy.data = bench_room((size_t)fgt_view_count(&s.y), 4);
    s.target  = (fgt_view){.data = bench_room(BATCH, 8), .shape = {BATCH}, .rank = 1, .dtype = FGT_I64};
    for (int64_t i = 0; i < BATCH * tokens; i++)
        ((int64_t *)s.x.data)[i] = 1 + (int64_t)((bench_uniform() + 0.5) * WORDS);
    for (int64_t i = 0; i < BATCH; i++) ((int64_t *)s.target.data)[i] = i % s.y.shape[1];
    printf("{\"trained\":\"%s\",\"parameters\":%lld,\"optimiser_bytes\":%lld,\"gradient_bytes\":%lld,\"step_"
           "ms\":%.2f}\n",
           what, (long long)fgt_model_count_parameters(m), (long long)of_optim, (long long)of_gradients,
           bench_median_ms(step, &s, seconds));
    fgt_optim_destroy(&s.o);
    free(s.x.data);
    free(s.y.data);
    free(s.dy.data);
    free(s.target.data);
}

static const char *const places[][2] = {{"attention", "*in_proj_weight"}, {"all maps", "layers."}};

static void adapt(fgt_model *m, int which)
{
    OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = places[which][0],
                                          .pattern = places[which][1], .whole = "head.", .rank = RANK,
                                          .alpha = 2 * RANK)));
    OK(fgt_model_set_adapter(m, places[which][0]));
}

static void measure_steps(int64_t dim, int64_t tokens, double seconds)
{
    for (int which = -1; which < 2; which++) {
        fgt_model *m = encoder(dim, tokens, CLASSES);
        if (which >= 0) adapt(m, which);
        measure(which < 0 ? "all" : places[which][0], m, tokens, seconds);
        if (which >= 0) {
            fgt_adapter_info info = {.size = sizeof info};
            OK(fgt_model_get_adapter(m, 0, &info));
            fprintf(stderr, "  %lld maps, %lld bytes while active\n", (long long)info.maps,
                    (long long)info.bytes);
        }
        fgt_model_destroy(&m);
    }
}

/* ---- texts ---- */

static fgt_encoding *encode(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens)
{
    fgt_encoding *e;
    OK(fgt_encoding_create(vocab, corpus, tokens, &e));
    return e;
}

static void compare(const char *train_path, const char *test_path, int64_t dim, int64_t tokens)
{
    fgt_corpus *train, *test;
    fgt_vocab  *vocab;
    OK(fgt_corpus_load(ctx, train_path, NULL, &train));
    OK(fgt_corpus_load(ctx, test_path, &FGT_OPTS(fgt_corpus_opts, .like = train), &test));
    OK(fgt_vocab_create(train, &FGT_OPTS(fgt_vocab_opts, .max_words = WORDS), &vocab));
    fgt_encoding      *texts = encode(vocab, train, tokens), *tested = encode(vocab, test, tokens);
    const int64_t      n     = fgt_encoding_count(texts), epochs = (int64_t)setting("FGT_EPOCHS", 2);
    const fgt_source   pairs = {.size = sizeof pairs, .count = n, .get = halves, .user = texts};
    const fgt_source   labels = {.size = sizeof labels, .count = n, .get = fgt_encoding_get, .user = texts};
    const fgt_source   truth  = {
           .size  = sizeof truth,
                                 .count = fgt_encoding_count(tested),
                                 .get   = fgt_encoding_get,
                                 .user  = tested};
    fgt_model         *base   = encoder(dim, tokens, 2);
    fit(base, &pairs, "halves", (int64_t)setting("FGT_PRETRAIN", 2), 1e-3);
    for (int which = -2; which < 2; which++) {
        fgt_model  *m    = encoder(dim, tokens, CLASSES);
        const char *what = which == -2 ? "all, from scratch" : which == -1 ? "all" : places[which][0];
        if (which > -2) copy_body(base, m);
        if (which >= 0) adapt(m, which);
        fit(m, &labels, what, epochs, which < 0 ? 1e-3 : setting("FGT_LR", 3e-3));
        printf("{\"trained\":\"%s\",\"parameters\":%lld,\"test_accuracy\":%.2f}\n", what,
               (long long)fgt_model_count_parameters(m), accuracy(m, &truth));
        fflush(stdout);
        fgt_model_destroy(&m);
    }
    fgt_model_destroy(&base);
    fgt_encoding_destroy(&tested);
    fgt_encoding_destroy(&texts);
    fgt_vocab_destroy(&vocab);
    fgt_corpus_destroy(&test);
    fgt_corpus_destroy(&train);
}

int main(int argc, char **argv)
{
    const fgt_allocator a = {sizeof a, count_alloc, count_release, NULL};
    OK(fgt_context_create(
        &FGT_OPTS(fgt_context_opts, .allocator = &a, .threads = (int32_t)setting("FGT_THREADS", 1)), &ctx));
    if (argc == 4 && !strcmp(argv[1], "text")) {
        compare(argv[2], argv[3], 64, 40);
    } else if (argc >= 2 && argc <= 4 && !strcmp(argv[1], "step")) {
        measure_steps(argc > 2 ? atoi(argv[2]) : 128, argc > 3 ? atoi(argv[3]) : 64, 4);
    } else {
        fprintf(stderr, "usage: bench-adapter text TRAIN.csv TEST.csv | step [DIM [TOKENS]]\n");
        return 2;
    }
    fgt_context_destroy(&ctx);
    return 0;
}
