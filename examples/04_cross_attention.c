/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder and decoder in one model. The decoder's tokens are the days to forecast, each with features that
 * are known in advance. They attend to the encoder's tokens, which are the past days. A saved and loaded
 * model gives the same forecast.
 *     cc 04_cross_attention.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/fighter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { B = 32, T = 12, P = 6, H = 32, STEPS = 1500 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "cross_attention: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

enum { KINDS = 3, PAST = KINDS + 1 };

/* The daily sales of a shop depend on the kind of the day, and each shop has its own numbers. x: kind (one of
 * KINDS is 1) and sales of T days; known: kinds of the next P days; target: their sales. */
static void sample(float *x, float *known, float *target)
{
    double sales[KINDS];
    for (int k = 0; k < KINDS; k++) sales[k] = 2.0 * rand() / RAND_MAX - 1;
    memset(x, 0, T * PAST * sizeof *x);
    memset(known, 0, P * KINDS * sizeof *known);
    for (int t = 0; t < T; t++) {
        const int kind      = t < KINDS ? t : rand() % KINDS; /* each kind occurs once */
        x[t * PAST + kind]  = 1;
        x[t * PAST + KINDS] = (float)(sales[kind] + 0.1 * rand() / RAND_MAX - 0.05);
    }
    for (int t = 0; t < P; t++) {
        const int kind          = rand() % KINDS;
        known[t * KINDS + kind] = 1;
        target[t]               = (float)sales[kind];
    }
}

/* x ------ linear "past" -------------+
 * known -- linear "future" --+-- attention --+-- sum -- linear -- y [B,P]
 *                            +---------------+ */
static fgt_model *make(void)
{
    fgt_model *m;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = PAST), &m));
    check(fgt_model_add(m, fgt_named("past", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H)))));
    check(fgt_model_add(
        m, fgt_named("known", fgt_value(&FGT_OPTS(fgt_value_opts, .time = P, .features = KINDS)))));
    check(fgt_model_add_from(m, fgt_named("future", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H))),
                             (const char *[]){"known"}, 1));
    check(fgt_model_add_from(m, fgt_named("recall", fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 4))),
                             (const char *[]){"future", "past"}, 2));
    check(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"future", "recall"}, 2));
    check(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
    return m;
}

static float           xs[B * T * PAST], knowns[B * P * KINDS], ys[B * P], targets[B * P], dys[B * P];
static const fgt_view *x, *known, *y, *target, *dy;

static double train(fgt_model *model)
{
    fgt_optim *optim;
    double     loss = 0;
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 3e-3, .clip = 1), &optim));
    /* the data is borrowed: each pass reads its current contents */
    check(fgt_workspace_set_value(fgt_model_get_workspace(model), "known", known, NULL));
    for (int step = 1; step <= STEPS; step++) {
        for (int b = 0; b < B; b++) sample(xs + b * T * PAST, knowns + b * P * KINDS, targets + b * P);
        check(fgt_forward(model, x, y));
        check(fgt_loss_mse(ctx, y, target, &loss, dy));
        check(fgt_backward(model, dy, NULL));
        check(fgt_step(optim));
        if (step % 300 == 0) printf("step %4d  loss %.4f\n", step, loss);
    }
    fgt_optim_destroy(&optim);
    return loss;
}

int main(void)
{
    static float before[B * P];
    fgt_model   *model, *loaded;

    x      = FGT_VIEW(xs, B, T, PAST);
    known  = FGT_VIEW(knowns, B, P, KINDS);
    y      = FGT_VIEW(ys, B, P, 1);
    target = FGT_VIEW(targets, B, P, 1);
    dy     = FGT_VIEW(dys, B, P, 1);
    check(fgt_context_create(NULL, &ctx));
    model             = make();
    const double loss = train(model);

    check(fgt_predict(model, x, y));
    memcpy(before, ys, sizeof ys);
    check(fgt_model_save(model, FGT_TO_FILE("cross_attention.safetensors")));
    check(fgt_model_load(ctx, FGT_FROM_FILE("cross_attention.safetensors"), NULL, &loaded));
    check(fgt_workspace_set_value(fgt_model_get_workspace(loaded), "known", known, NULL));
    check(fgt_predict(loaded, x, y));
    const int same = !memcmp(before, ys, sizeof ys);
    printf("loss %.4f; the loaded model says %s\n", loss, same ? "the same" : "something else");

    fgt_model_destroy(&loaded);
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return same && loss < 0.05 ? 0 : 1;
}
