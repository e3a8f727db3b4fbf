/* SPDX-License-Identifier: BSD-3-Clause */
/* A deep stack of S4 blocks, with and without residual paths: recall a value from the start of a long noisy
 * series. Each block is y = x + s4(norm(x)); without the path, y = s4(norm(x)).
 *     cc 05_residual_s4.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 16, T = 32, D = 8, KINDS = 4, BLOCKS = 20, STEPS = 250 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "residual_s4: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* Noise, except for a step 0 .. 3 near the start that is one of KINDS. The task is to tell which one. */
static void sample(float *x, int64_t *kind)
{
    const int at = rand() % 4;
    *kind        = rand() % KINDS;
    for (int t = 0; t < T; t++)
        for (int c = 0; c < KINDS; c++)
            x[t * KINDS + c] = (float)(0.2 * rand() / RAND_MAX - 0.1) + (t == at && c == *kind ? 1 : 0);
}

/* x0 -- norm -- s4 --+-- x1 -- norm -- s4 --+-- x2 ...
 *  +----------------+    +----------------+ */
static fgt_model *make(int residual)
{
    fgt_model *m;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = KINDS), &m));
    check(fgt_model_add(m, fgt_named("x0", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)))));
    for (int i = 0; i < BLOCKS; i++) {
        char before[16], block[16], after[16];
        snprintf(before, sizeof before, "x%d", i);
        snprintf(block, sizeof block, "block%d", i);
        snprintf(after, sizeof after, "x%d", i + 1);
        check(fgt_model_add(m, fgt_layer_norm(NULL)));
        check(fgt_model_add(m, fgt_named(block, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 16)))));
        if (residual)
            check(fgt_model_add_from(m, fgt_named(after, fgt_sum(NULL)), (const char *[]){before, block}, 2));
    }
    check(fgt_model_add(m, fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST))));
    check(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = KINDS))));
    return m;
}

/* Mean cross entropy over the last 20 steps; both models see the same series. */
static double train(int residual)
{
    static float        xs[B * T * KINDS], ys[B * KINDS], dys[B * KINDS];
    static int64_t      kinds[B];
    const fgt_loss_opts entropy = {.size = sizeof entropy, .kind = FGT_LOSS_CROSS_ENTROPY};
    const fgt_view *x = FGT_VIEW(xs, B, T, KINDS), *y = FGT_VIEW(ys, B, KINDS), *dy = FGT_VIEW(dys, B, KINDS);
    const fgt_view     *kind  = FGT_VIEW_OF(FGT_DTYPE_I64, kinds, B);
    fgt_model      *model = make(residual);
    fgt_optim      *optim;
    double          loss, last = 0;

    srand(1);
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 3e-3, .clip = 1), &optim));
    for (int step = 1; step <= STEPS; step++) {
        for (int b = 0; b < B; b++) sample(xs + b * T * KINDS, kinds + b);
        check(fgt_forward(model, x, y));
        check(fgt_loss_compute(ctx, y, kind, &entropy, NULL, &loss, dy));
        check(fgt_backward(model, dy, NULL));
        check(fgt_step(optim));
        if (step > STEPS - 20) last += loss / 20;
        if (step % 50 == 0)
            printf("%s  step %3d  loss %.4f\n", residual ? "residual" : "plain   ", step, loss);
    }
    fgt_optim_destroy(&optim);
    fgt_model_destroy(&model);
    return last;
}

int main(void)
{
    check(fgt_context_create(NULL, &ctx));
    const double plain = train(0), residual = train(1);
    printf("loss over the last 20 steps: %.4f with residual paths, %.4f without (guessing: %.4f)\n", residual,
           plain, log(KINDS));
    fgt_context_destroy(&ctx);
    return residual < 0.2 && residual < plain / 2 ? 0 : 1;
}
