/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody else's program, built outside this tree against the installed library: a model that learns
 * to continue a saw-tooth, and a prediction. No libm: the flags are pkg-config's alone. */
#include <stdio.h>

#include <fighter/fighter.h>

enum { BATCH = 8, TIME = 24, STEPS = 40 };

static int failed(fgt_context *ctx, fgt_status status)
{
    if (status != FGT_OK)
        fprintf(stderr, "%s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    return status != FGT_OK;
}

static fgt_status build(fgt_model *model)
{
    fgt_status s = fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 16)));
    if (!s) s = fgt_model_add(model, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .hops = 3)));
    if (!s) s = fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1)));
    return s;
}

static float saw(int t)
{
    return (float)(t % 12) / 6.0f - 1.0f;
}

/* The target is one step ahead. */
static void fill(float x[BATCH][TIME], float target[BATCH][TIME])
{
    for (int b = 0; b < BATCH; b++)
        for (int t = 0; t < TIME; t++) {
            x[b][t]      = saw(b + t);
            target[b][t] = saw(b + t + 1);
        }
}

static fgt_status train(fgt_context *ctx, fgt_model *model, fgt_optim *optim, double *first, double *last)
{
    static float x[BATCH][TIME], target[BATCH][TIME], y[BATCH][TIME], dy[BATCH][TIME];
    fill(x, target);
    for (int step = 0; step < STEPS; step++) {
        fgt_status s = fgt_forward(model, FGT_VIEW(x, BATCH, TIME, 1), FGT_VIEW(y, BATCH, TIME, 1));
        if (!s)
            s = fgt_loss_mse(ctx, FGT_VIEW(y, BATCH, TIME, 1), FGT_VIEW(target, BATCH, TIME, 1), last,
                             FGT_VIEW(dy, BATCH, TIME, 1));
        if (!s) s = fgt_backward(model, FGT_VIEW(dy, BATCH, TIME, 1), NULL);
        if (!s) s = fgt_step(optim);
        if (s) return s;
        if (step == 0) *first = *last;
    }
    return fgt_predict(model, FGT_VIEW(x, BATCH, TIME, 1), FGT_VIEW(y, BATCH, TIME, 1));
}

int main(void)
{
    fgt_context *ctx   = NULL;
    fgt_model   *model = NULL;
    fgt_optim   *optim = NULL;
    double       first = 0, last = 0;

    int bad = failed(ctx, fgt_context_create(NULL, &ctx));
    bad     = bad || failed(ctx, fgt_model_create(ctx,
                                                  &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = TIME,
                                                            .features = 1, .seed = 1),
                                                  &model));
    bad     = bad || failed(ctx, build(model));
    bad     = bad || failed(ctx, fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 1e-2), &optim));
    bad     = bad || failed(ctx, train(ctx, model, optim, &first, &last));
    if (!bad) printf("fighter %d: loss %.4f -> %.4f\n", (int)fgt_version(), first, last);

    fgt_optim_destroy(&optim);
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return bad || !(last < first);
}
