/* SPDX-License-Identifier: BSD-3-Clause */
/* A complete training loop: a model learns to forecast a noisy sine four steps ahead.
 *     cc 01_minimal.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 32, T = 24, P = 4, STEPS = 400 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "minimal: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* One sample: T steps of a sine with its own phase, and the P steps after them. */
static void sample(float *x, float *target)
{
    const double phase = 6.28 * rand() / RAND_MAX;
    for (int t = 0; t < T; t++) x[t] = (float)(sin(0.5 * t + phase) + 0.1 * rand() / RAND_MAX);
    for (int t = 0; t < P; t++) target[t] = (float)sin(0.5 * (T + t) + phase);
}

int main(void)
{
    static float xs[B * T], ys[B * P], targets[B * P], dys[B * P];
    fgt_model   *model;
    fgt_optim   *optim;
    double       loss = 0;

    check(fgt_context_create(NULL, &ctx));
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 1), &model));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 32))));
    check(fgt_model_add(model, fgt_position(NULL)));
    check(fgt_model_add(model, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 4, .norm = 1))));
    check(fgt_model_add(model, fgt_pool(NULL)));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = P))));
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 3e-3, .clip = 1), &optim));

    const fgt_view *x = FGT_VIEW(xs, B, T, 1), *y = FGT_VIEW(ys, B, P);
    const fgt_view *target = FGT_VIEW(targets, B, P), *dy = FGT_VIEW(dys, B, P);
    for (int step = 1; step <= STEPS; step++) {
        for (int b = 0; b < B; b++) sample(xs + b * T, targets + b * P);
        check(fgt_forward(model, x, y));
        check(fgt_loss_mse(ctx, y, target, &loss, dy));
        check(fgt_backward(model, dy, NULL));
        check(fgt_step(optim));
        if (step % 100 == 0) printf("step %3d  loss %.4f\n", step, loss);
    }
    check(fgt_model_save(model, FGT_TO_FILE("minimal.safetensors")));

    fgt_optim_destroy(&optim);
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return loss < 0.1 ? 0 : 1;
}
