/* SPDX-License-Identifier: BSD-3-Clause */
/* Two copies of the library in one process, as two plugins of a host may bring them: both train at the same
 * time, and their weights have the same bits. usage: test_two_copies LIBRARY */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <fighter/fighter.h>

enum { BATCH = 4, TIME = 12, WIDTH = 6, SAMPLES = 32 };

/* The functions of one copy. */
/* clang-format off */
#define CALLS(X) \
    X(fgt_context_create) X(fgt_context_destroy) X(fgt_context_get_error) X(fgt_fighter) \
    X(fgt_linear) X(fgt_gru) X(fgt_model_create) X(fgt_model_add) \
    X(fgt_model_fit) X(fgt_model_get_hash) X(fgt_model_destroy)
/* clang-format on */

typedef struct copy {
    void *handle;
#define MEMBER(name) __typeof__(&name) name;
    CALLS(MEMBER)
    uint64_t hash; /* of the weights after training; 0: it failed */
} copy;

static int find(copy *c)
{
#define FIND(name) if (!(*(void **)&c->name = dlsym(c->handle, #name))) return 0;
    CALLS(FIND)
    return 1;
}

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    (void)user;
    for (int64_t i = 0; i < n * TIME * WIDTH; i++) {
        const double k             = (double)(index[i / (TIME * WIDTH)] * 7 + i % (TIME * WIDTH));
        ((float *)x->data)[i]      = (float)sin(k);
        ((float *)target->data)[i] = (float)cos(k);
    }
    return FGT_OK;
}

static fgt_status train(copy *c, fgt_context *ctx, fgt_model **m)
{
    const fgt_source     source = {.size = sizeof source, .count = SAMPLES, .get = get};
    const fgt_model_opts shape  = {.size = sizeof shape, .batch = BATCH, .time = TIME, .features = WIDTH};
    fgt_status           s      = c->fgt_model_create(ctx, &shape, m);
    if (s == FGT_OK) s = c->fgt_model_add(*m, c->fgt_fighter(NULL));
    if (s == FGT_OK) s = c->fgt_model_add(*m, c->fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = WIDTH)));
    if (s == FGT_OK) s = c->fgt_model_add(*m, c->fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = WIDTH)));
    if (s == FGT_OK)
        s = c->fgt_model_fit(*m, &FGT_OPTS(fgt_fit_opts, .train = &source, .training.epochs = 5), NULL);
    return s;
}

static void *live(void *arg)
{
    copy        *c   = arg;
    fgt_context *ctx = NULL;
    fgt_model   *m   = NULL;
    c->hash          = 0;
    if (c->fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = 2), &ctx) != FGT_OK) return NULL;
    if (train(c, ctx, &m) == FGT_OK)
        c->hash = c->fgt_model_get_hash(m);
    else
        fprintf(stderr, "%s\n", c->fgt_context_get_error(ctx));
    c->fgt_model_destroy(&m);
    c->fgt_context_destroy(&ctx);
    return NULL;
}

/* Each alone, then both at once: 0 if all four trainings agree. */
static int compare(copy *a, copy *b, const char *what)
{
    pthread_t thread;
    if (!a->handle || !b->handle || !find(a) || !find(b)) {
        fprintf(stderr, "%s: %s\n", what, dlerror());
        return 1;
    }
    if (a->fgt_model_fit == b->fgt_model_fit) {
        fprintf(stderr, "%s: they are one copy\n", what);
        return 1;
    }
    live(a);
    live(b);
    const uint64_t alone = a->hash;
    if (!alone || b->hash != alone || pthread_create(&thread, NULL, live, a)) return 1;
    live(b);
    pthread_join(thread, NULL);
    const int bad = a->hash != alone || b->hash != alone;
    if (bad) fprintf(stderr, "%s: other weights\n", what);
    return bad;
}

static int copy_file(const char *from, const char *to)
{
    static char buffer[1 << 16];
    size_t      n;
    FILE       *in = fopen(from, "rb"), *out = fopen(to, "wb");
    if (!in || !out) return 1;
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (fwrite(buffer, 1, n, out) != n) return 1;
    return fclose(in) | fclose(out);
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/fighter-copy-XXXXXX";
    if (argc != 2) {
        fprintf(stderr, "usage: test_two_copies LIBRARY\n");
        return 2;
    }
    const int file = mkstemp(path);
    if (file < 0 || close(file) || copy_file(argv[1], path)) return 2;
    copy      first  = {.handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)};
    copy      second = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    const int bad    = compare(&first, &second, "a copy of the file");
    unlink(path);
    /* with libraries of its own, BLIS and libc too */
    copy third = {.handle = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW | RTLD_LOCAL)};
    if (!third.handle) {
        printf("SKIP a namespace of its own: %s\n", dlerror());
        return bad;
    }
    return bad | compare(&first, &third, "a namespace of its own");
}
