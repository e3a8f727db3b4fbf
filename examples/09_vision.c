/* SPDX-License-Identifier: BSD-3-Clause */
/* Learning from images of which only a few have a class. A masked autoencoder sees half of the patches of
 * 1000 images and learns to reconstruct the others. Its encoder then initialises a classifier that is trained
 * with 40 images and their classes; the same classifier from scratch is less accurate. vision.pgm shows
 * images, the patches that the autoencoder saw, and its reconstructions. "vision 200" pre-trains for 200
 * epochs instead of 60, which gives better reconstructions.
 *     cc 09_vision.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/experimental/vit.h>
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 16, PIXELS = SIDE * SIDE, CLASSES = 4, SHOWN = 8, CELL = SIDE + 2 /* with its border */ };
enum { UNLABELLED = 1000, LABELLED = 40, TEST = 1000 }; /* images */

#define NOISE 0.15

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "vision: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* ---- images: waves in one of four directions, which is the class, under noise ---- */

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Maps neighbouring numbers to unrelated states. */
static uint32_t mixed(uint32_t x)
{
    for (int i = 0; i < 3; i++) x = (x ^ x >> 16) * 0x45d9f3bu;
    return x;
}

static double uniform(uint32_t *state, double from, double to)
{
    return from + (to - from) * draw(state) / (1 << 24);
}

/* Image number `index`, always the same one; returns its class. */
static int64_t paint(int64_t index, float *image)
{
    uint32_t     state = mixed((uint32_t)index);
    const int    class = (int)uniform(&state, 0, CLASSES);
    const double angle = (class + uniform(&state, -0.3, 0.3)) * 3.14159265 / CLASSES;
    const double pace = uniform(&state, 0.5, 1.2), phase = uniform(&state, 0, 6.2831853);
    for (int i = 0; i < PIXELS; i++) {
        const double along = i % SIDE * cos(angle) + i / SIDE * sin(angle);
        image[i]           = (float)(0.5 + 0.3 * sin(pace * along + phase) + uniform(&state, -NOISE, NOISE));
    }
    return class;
}

/* Images from `user` on; target is NULL for the autoencoder, which needs no classes. */
static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    const int64_t first = *(const int64_t *)user;
    for (int64_t i = 0; i < n; i++) {
        const int64_t class = paint(first + index[i], (float *)x->data + i * PIXELS);
        if (target) ((int64_t *)target->data)[i] = class;
    }
    return FGT_OK;
}

static int64_t unlabelled_from = 0, labelled_from = UNLABELLED, test_from = UNLABELLED + LABELLED;

static const fgt_source   unlabelled = {.size = sizeof unlabelled, .count = UNLABELLED, .get = get,
                                        .user = &unlabelled_from};
static const fgt_source   labelled = {.size = sizeof labelled, .count = LABELLED, .get = get,
                                      .user = &labelled_from};
static const fgt_source   tested = {.size = sizeof tested, .count = TEST, .get = get, .user = &test_from};
static const fgt_vit_opts vit        = {
           .size = sizeof vit, .patch_height = 4, .dim = 32, .layers = 2, .pool = FGT_VIT_POOL_MEAN};

/* ---- training ---- */

static fgt_fit_opts run_of(const fgt_source *source, const fgt_optim_opts *optim, int64_t epochs)
{
    return FGT_OPTS(fgt_fit_opts, .train = source, .optim = optim, .training = {.epochs = epochs, .seed = 1});
}

static void pretrain(fgt_masked_autoencoder *a, int64_t epochs)
{
    const fgt_schedule_opts cosine = {.size = sizeof cosine, .kind = FGT_SCHEDULE_COSINE, .warmup = 50};
    const fgt_optim_opts    optim  = {.size = sizeof optim, .lr = 3e-3, .weight_decay = 0.05,
                                      .schedule = &cosine};
    const fgt_fit_opts      run    = run_of(&unlabelled, &optim, epochs);
    fgt_fit_report          report = {.size = sizeof report};
    check(fgt_masked_autoencoder_fit(a, &run, &report));
    printf("pre-training: loss %.3f after %d epochs\n", report.train_loss, (int)report.epochs);
}

/* Trains with the labelled images, from scratch or from the encoder; returns the accuracy in the test. */
static double classify(fgt_model *encoder)
{
    const fgt_loss_opts  loss  = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY};
    const fgt_optim_opts optim = {.size = sizeof optim, .lr = 1e-3, .weight_decay = 0.05};
    fgt_fit_opts         run   = run_of(&labelled, &optim, 60);
    fgt_metric           seen  = {0};
    fgt_model           *m;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 20, .nodes = SIDE, .time = SIDE,
                                          .features = 1, .seed = 1), &m));
    check(fgt_vit_add(m, &vit));
    check(fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = CLASSES)))));
    if (encoder) check(fgt_model_copy_parameters(m, encoder, "encoder."));
    run.loss         = &loss;
    run.target_dtype = FGT_DTYPE_I64;
    check(fgt_model_fit(m, &run, NULL));
    check(fgt_model_evaluate(m, &tested, &loss, FGT_DTYPE_I64, NULL, &seen));
    fgt_model_destroy(&m);
    return fgt_metric_get(&seen, FGT_METRIC_ACCURACY);
}

/* ---- the picture: a column for each image, the patches that were seen, and the reconstruction ---- */

static void draw_picture(fgt_masked_autoencoder *a, const char *path)
{
    static float rows[3][SHOWN][PIXELS];
    for (int i = 0; i < SHOWN; i++) paint(test_from + i, rows[0][i]);
    check(fgt_masked_autoencoder_reconstruct(a, FGT_VIEW(rows[0], SHOWN, SIDE, SIDE, 1), 1,
                                             FGT_VIEW(rows[1], SHOWN, SIDE, SIDE, 1),
                                             FGT_VIEW(rows[2], SHOWN, SIDE, SIDE, 1)));
    FILE *f = fopen(path, "wb");
    if (!f) {
        fprintf(stderr, "vision: cannot write %s\n", path);
        exit(1);
    }
    fprintf(f, "P5\n%d %d\n255\n", SHOWN * CELL, 3 * CELL);
    for (int i = 0; i < 3 * CELL * SHOWN * CELL; i++) {
        const int y = i / (SHOWN * CELL), x = i % (SHOWN * CELL), row = y % CELL, column = x % CELL;
        if (row < SIDE && column < SIDE) {
            const float v = rows[y / CELL][x / CELL][row * SIDE + column];
            fputc(isnan(v) ? 128 : (int)(255 * fmaxf(0, fminf(1, v))), f);
        } else {
            fputc(255, f);
        }
    }
    if (fclose(f) != 0) exit(1);
    printf("%s: images, what was seen of them, what was painted\n", path);
}

int main(int argc, char **argv)
{
    const int               epochs = argc > 1 ? atoi(argv[1]) : 60;
    fgt_masked_autoencoder *a;
    check(fgt_context_create(NULL, &ctx));
    check(fgt_masked_autoencoder_create(ctx, &FGT_OPTS(fgt_masked_autoencoder_opts, .encoder = &vit,
                                                       .height = SIDE, .batch = 25, .seed = 1,
                                                       .mask_ratio = 0.5f, .normalise = 1), &a));
    pretrain(a, epochs);
    const double scratch = classify(NULL), tuned = classify(fgt_masked_autoencoder_get_model(a));
    printf("accuracy after %d images with a class: %.3f from scratch, %.3f after pre-training\n", LABELLED,
           scratch, tuned);
    draw_picture(a, "vision.pgm");
    fgt_masked_autoencoder_destroy(&a);
    fgt_context_destroy(&ctx);
    return tuned > scratch ? 0 : 1;
}
