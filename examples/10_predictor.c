/* SPDX-License-Identifier: BSD-3-Clause */
/* A model that only predicts: its weights are prepared once and then read by several threads. Without
 * arguments the program makes a model; with the name of a model file it loads this one, if its input is
 * numbers. It compares weights of 32 and of 16 bits. With a second argument it shares them between processes
 * by a file.
 *     cc 10_predictor.c $(pkg-config --cflags --libs fighter) -lpthread -lm && ./a.out [MODEL [SHARED]] */
#define _POSIX_C_SOURCE 200809L
#include <fighter/fighter.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4, PASSES = 50 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "predictor: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(const fgt_view *v)
{
    void *p = calloc((size_t)fgt_view_count(v) + 1, sizeof(float));
    if (!p) exit(1);
    return p;
}

/* A layer of attention over 48 time steps of 8 series, for a forecast of 12 steps. */
static fgt_model *make_model(void)
{
    fgt_model *m;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .time = 48, .features = 8), &m));
    check(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 256))));
    check(fgt_model_add(m, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 4, .norm_first = 1))));
    check(fgt_model_add(m, fgt_pool(NULL)));
    check(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 12))));
    return m;
}

/* ---- several threads with one predictor ---- */

typedef struct lane {
    fgt_workspace *ws; /* everything that a prediction changes */
    fgt_view       x, y;
    fgt_status     status;
} lane;

static void *predict(void *arg)
{
    lane *l = arg;
    for (int i = 0; i < PASSES && l->status == FGT_OK; i++)
        l->status = fgt_workspace_predict(l->ws, &l->x, &l->y);
    return NULL;
}

/* Predictions per second with `threads` threads; y: the prediction of the first thread. */
static double run(fgt_predictor *p, int threads, const fgt_view *x, const fgt_view *y)
{
    pthread_t thread[THREADS];
    lane      lanes[THREADS];
    for (int i = 0; i < threads; i++) {
        lanes[i]        = (lane){.x = *x, .y = *y};
        lanes[i].y.data = room(y);
        check(fgt_predictor_create_workspace(p, &FGT_OPTS(fgt_workspace_opts, .batch = 1), &lanes[i].ws));
    }
    const double begin = now();
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, predict, &lanes[i])) exit(1);
    for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    const double seconds = now() - begin;
    for (int64_t i = 0; i < fgt_view_count(y); i++) ((float *)y->data)[i] = ((float *)lanes[0].y.data)[i];
    for (int i = 0; i < threads; i++) {
        if (lanes[i].status != FGT_OK)
            fprintf(stderr, "predictor: %s\n", fgt_workspace_get_error(lanes[i].ws));
        if (lanes[i].status != FGT_OK) exit(1);
        fgt_workspace_destroy(&lanes[i].ws);
        free(lanes[i].y.data);
    }
    return threads * PASSES / seconds;
}

static double furthest(const fgt_view *a, const fgt_view *b)
{
    double top = 0;
    for (int64_t i = 0; i < fgt_view_count(a); i++)
        top = fmax(top, fabs((double)((float *)a->data)[i] - (double)((float *)b->data)[i]));
    return top;
}

int main(int argc, char **argv)
{
    fgt_predictor *full, *half;
    fgt_model     *model;
    fgt_view       x, y, z;
    fgt_model_info info = {.size = sizeof info};
    check(fgt_context_create(NULL, &ctx));
    if (argc > 1)
        check(fgt_model_load(ctx, FGT_FROM_FILE(argv[1]), &FGT_OPTS(fgt_load_opts, .batch = 1), &model));
    else
        model = make_model();
    check(fgt_model_get_info(model, &info));
    x = info.input;
    y = info.output;
    if (x.dtype != FGT_DTYPE_F32) {
        fprintf(stderr, "predictor: the model reads ids, this example has numbers\n");
        return 1;
    }
    z      = y;
    x.data = room(&x);
    y.data = room(&y);
    z.data = room(&z);
    for (int64_t i = 0; i < fgt_view_count(&x); i++) ((float *)x.data)[i] = (float)sin(0.3 * (double)i);

    const char *shared = argc > 2 ? argv[2] : NULL;
    double      begin  = now();
    check(fgt_predictor_create(model, &FGT_OPTS(fgt_predictor_opts, .map = shared), &full));
    const double ms = 1e3 * (now() - begin);
    check(fgt_predictor_create(model, &FGT_OPTS(fgt_predictor_opts, .storage = FGT_STORAGE_BF16), &half));
    fgt_model_destroy(&model); /* predictors do not need the model */

    printf("32 bits: %lld bytes, made in %.2f ms\n", (long long)fgt_predictor_get_bytes(full), ms);
    for (int threads = 1; threads <= THREADS; threads *= 2)
        printf("  %d threads: %.0f predictions a second\n", threads, run(full, threads, &x, &y));
    printf("16 bits: %lld bytes, %.0f predictions a second\n", (long long)fgt_predictor_get_bytes(half),
           run(half, 1, &x, &z));
    printf("  the forecasts differ by at most %.2g\n", furthest(&y, &z));

    fgt_predictor_destroy(&half);
    fgt_predictor_destroy(&full);
    fgt_context_destroy(&ctx);
    free(x.data);
    free(y.data);
    free(z.data);
    return 0;
}
