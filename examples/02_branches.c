/* SPDX-License-Identifier: BSD-3-Clause */
/* A forecast that is the sum of two branches: a linear one for the trend, and a deep one for the non-linear
 * part. Each branch without the other is also a model, and each is less accurate than the sum.
 *     cc 02_branches.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 32, T = 16, P = 4, H = 64, STEPS = 6000 };
enum { LINEAR = 1, DEEP = 2 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "branches: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static double uniform(double from, double to)
{
    return from + (to - from) * rand() / RAND_MAX;
}

/* A line with random start and slope, plus a wave with its own frequency, whose continuation is not a linear
 * function of its past. */
static void sample(float *x, float *target)
{
    const double level = uniform(-10, 10), slope = uniform(-1, 1), pace = uniform(0.4, 1.6),
                 phase = uniform(0, 6.28);
    for (int t = 0; t < T + P; t++) {
        const double v = level + slope * t + sin(pace * t + phase);
        if (t < T)
            x[t] = (float)v;
        else
            target[t - T] = (float)v;
    }
}

static void add(fgt_model *m, fgt_layer layer, const char *from)
{
    check(fgt_model_add_from(m, layer, &from, 1));
}

/* x [B,T] --+-- "linear" -------------------------------------+-- sum -- y [B,P]
 *           +-- dense -- gelu -- dense -- gelu -- "deep" -+ */
static fgt_model *make(int branches)
{
    fgt_model *m;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .features = T), &m));
    if (branches & LINEAR) add(m, fgt_named("linear", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = P))), "");
    if (branches & DEEP) {
        add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H)), "");
        for (int i = 0; i < 2; i++) {
            if (i) check(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H))));
            check(fgt_model_add(m, fgt_activation(&FGT_OPTS(fgt_activation_opts, .kind = FGT_ACT_GELU))));
        }
        check(fgt_model_add(m, fgt_named("deep", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = P)))));
    }
    if (branches == (LINEAR | DEEP))
        check(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"linear", "deep"}, 2));
    return m;
}

/* Returns the mean squared error on new series; each model is trained on the same series. */
static double train(int branches)
{
    static float    xs[B * T], ys[B * P], targets[B * P], dys[B * P];
    const fgt_view *x = FGT_VIEW(xs, B, T), *y = FGT_VIEW(ys, B, P);
    const fgt_view *target = FGT_VIEW(targets, B, P), *dy = FGT_VIEW(dys, B, P);
    fgt_model      *model = make(branches);
    fgt_optim      *optim;
    double          loss, sum = 0;

    srand(1);
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 3e-3, .clip = 10), &optim));
    for (int step = 0; step < STEPS; step++) {
        for (int b = 0; b < B; b++) sample(xs + b * T, targets + b * P);
        check(fgt_forward(model, x, y));
        check(fgt_loss_mse(ctx, y, target, &loss, dy));
        check(fgt_backward(model, dy, NULL));
        check(fgt_step(optim));
    }
    for (int i = 0; i < 20; i++) {
        for (int b = 0; b < B; b++) sample(xs + b * T, targets + b * P);
        check(fgt_predict(model, x, y));
        check(fgt_loss_mse(ctx, y, target, &loss, NULL));
        sum += loss / 20;
    }
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&model);
    return sum;
}

int main(void)
{
    check(fgt_context_create(NULL, &ctx));
    const double linear = train(LINEAR), deep = train(DEEP), both = train(LINEAR | DEEP);
    printf("squared error: %.4f only the linear branch, %.4f only the deep branch, %.4f their sum\n", linear,
           deep, both);
    fgt_context_destroy(&ctx);
    return both < 0.8 * linear && both < 0.8 * deep ? 0 : 1;
}
