/* SPDX-License-Identifier: BSD-3-Clause */
/* One trunk, two outputs with separate losses: for a noisy wave, its next value and which of three shapes it
 * has.
 *     cc 03_two_heads.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 32, T = 24, SHAPES = 3, STEPS = 600 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "two_heads: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static double wave(int shape, double t)
{
    if (shape == 0) return sin(t);
    const double s = t / 6.283185307179586 - floor(t / 6.283185307179586); /* 0 .. 1 */
    return shape == 1 ? 2 * s - 1 : s < 0.5 ? 1 : -1;
}

/* T steps of a wave with its own phase, then the next step and the shape. */
static void sample(float *x, float *next, int64_t *shape)
{
    const double phase = 6.28 * rand() / RAND_MAX;
    *shape             = rand() % SHAPES;
    for (int t = 0; t < T; t++)
        x[t] = (float)(wave((int)*shape, 0.5 * t + phase) + 0.2 * rand() / RAND_MAX - 0.1);
    *next = (float)wave((int)*shape, 0.5 * T + phase);
}

/* x -- gru "trunk" --+-- "class" [B,3]
 *                    +-- "value" [B,1], added last: it gives the model's y */
static fgt_model *make(void)
{
    fgt_model *m;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 1), &m));
    check(fgt_model_add(m, fgt_named("trunk", fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 32, .last = 1)))));
    check(fgt_model_add(m, fgt_named("class", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = SHAPES)))));
    check(fgt_model_add_from(m, fgt_named("value", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))),
                             (const char *[]){"trunk"}, 1));
    return m;
}

int main(void)
{
    static float    xs[B * T], ys[B], nexts[B], dys[B], dscores[B * SHAPES];
    static int64_t  shapes[B];
    const fgt_view *x = FGT_VIEW(xs, B, T, 1), *y = FGT_VIEW(ys, B, 1), *next = FGT_VIEW(nexts, B, 1);
    const fgt_view *dy = FGT_VIEW(dys, B, 1), *dscore = FGT_VIEW(dscores, B, SHAPES);
    fgt_view        score;
    fgt_model      *model;
    fgt_workspace  *own; /* has the outputs of all layers */
    fgt_optim      *optim;
    double          error = 0, entropy = 0;
    int             right = 0;

    check(fgt_context_create(NULL, &ctx));
    model = make();
    own   = fgt_model_get_workspace(model);
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 5e-3, .clip = 1), &optim));
    for (int step = 1; step <= STEPS; step++) {
        for (int b = 0; b < B; b++) sample(xs + b * T, nexts + b, shapes + b);
        check(fgt_forward(model, x, y));
        check(fgt_loss_mse(ctx, y, next, &error, dy));
        check(fgt_workspace_get_value(own, "class", &score));
        check(fgt_loss_compute(ctx, &score, FGT_VIEW_OF(FGT_DTYPE_I64, shapes, B),
                               &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_CROSS_ENTROPY), NULL, &entropy,
                               dscore));
        check(fgt_model_add_gradient(model, "class", dscore));
        check(fgt_backward(model, dy, NULL));
        check(fgt_step(optim));
        if (step % 150 == 0)
            printf("step %3d  squared error %.4f  cross entropy %.4f\n", step, error, entropy);
    }

    for (int b = 0; b < B; b++) sample(xs + b * T, nexts + b, shapes + b);
    check(fgt_predict(model, x, y));
    check(fgt_workspace_get_value(own, "class", &score));
    check(fgt_loss_mse(ctx, y, next, &error, NULL));
    for (int b = 0; b < B; b++) {
        const float *s    = (const float *)score.data + b * SHAPES;
        int          best = 0;
        for (int c = 1; c < SHAPES; c++) best = s[c] > s[best] ? c : best;
        right += best == shapes[b];
    }
    printf("on new waves: squared error %.4f, %d of %d shapes right\n", error, right, B);

    fgt_optim_destroy(&optim);
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return error < 0.2 && right >= B * 9 / 10 ? 0 : 1;
}
