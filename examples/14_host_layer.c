/* SPDX-License-Identifier: BSD-3-Clause */
/* A layer that the host defines: PReLU, y = max(x, 0) + a min(x, 0) with a learned slope a for each feature
 * (He et al. 2015). It is checked, trained, saved, loaded, and trained further.
 *     cc 14_host_layer.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/experimental/layer.h>
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the layer ---- */

typedef struct prelu_opts {
    size_t size;
    float  slope; /* initial value of a; 0: 0.25 */
    int    reserved;
} prelu_opts;

static fgt_status prelu_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    const prelu_opts *o = opts;
    int64_t           shape[3];
    (void)user;
    fgt_layer_plan_get_input(plan, 0, shape);
    return fgt_layer_plan_add_parameter(plan, "slope", 1, &shape[2], FGT_LAYER_INIT_VALUE, o->slope);
}

static int64_t count_rows(const fgt_layer_pass *pass, int64_t *features)
{
    int64_t s[4];
    fgt_layer_pass_get_shape(pass, 0, s);
    *features = s[3];
    return s[0] * s[1] * s[2];
}

/* y = max(x, 0) + a min(x, 0) */
static fgt_status prelu_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    const float *x = fgt_layer_pass_get_input(pass, 0), *a = fgt_layer_pass_get_parameter(pass, 0);
    float       *y = fgt_layer_pass_get_output(pass);
    int64_t      d, rows = count_rows(pass, &d);
    (void)opts, (void)user;
    for (int64_t i = 0; i < rows * d; i++) y[i] = x[i] > 0 ? x[i] : a[i % d] * x[i];
    return FGT_OK;
}

/* dx = dy where x > 0, else a dy;  da += sum of dy min(x, 0) */
static fgt_status prelu_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    const float *x = fgt_layer_pass_get_input(pass, 0), *a = fgt_layer_pass_get_parameter(pass, 0);
    const float *dy = fgt_layer_pass_get_output_gradient(pass);
    float       *dx = fgt_layer_pass_get_input_gradient(pass, 0),
          *da       = fgt_layer_pass_get_parameter_gradient(pass, 0);
    int64_t      d, rows = count_rows(pass, &d);
    (void)opts, (void)user;
    for (int64_t i = 0; i < rows * d; i++) {
        if (x[i] <= 0) da[i % d] += dy[i] * x[i];
        if (dx) dx[i] = x[i] > 0 ? dy[i] : a[i % d] * dy[i];
    }
    return FGT_OK;
}

/* ---- using the layer ---- */

enum { B = 32, T = 8, STEPS = 300 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "host_layer: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static fgt_context *open_context(void)
{
    const fgt_layer_field fields[] = {
        {"slope", offsetof(prelu_opts, slope), -10, 10, 0.25, FGT_LAYER_FIELD_F32, 0}};
    check(fgt_context_create(NULL, &ctx));
    check(fgt_context_add_layer(ctx, &FGT_OPTS(fgt_layer_class, .type = "example.prelu",
                                               .opts_size = sizeof(prelu_opts), .fields = fields,
                                               .field_count = 1, .plan = prelu_plan, .forward = prelu_forward,
                                               .backward = prelu_backward)));
    return ctx;
}

/* The task: the mean of |x| over the tokens. Returns the loss of the last step. */
static double train(fgt_model *model, int steps)
{
    static float xs[B * T], ys[B], targets[B], dys[B];
    fgt_optim   *optim;
    double       loss = 0;
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 1e-2), &optim));
    for (int step = 0; step < steps; step++) {
        for (int b = 0; b < B; b++) {
            targets[b] = 0;
            for (int t = 0; t < T; t++) {
                xs[b * T + t] = 2 * (float)rand() / (float)RAND_MAX - 1;
                targets[b] += fabsf(xs[b * T + t]) / T;
            }
        }
        check(fgt_forward(model, FGT_VIEW(xs, B, T, 1), FGT_VIEW(ys, B, 1)));
        check(fgt_loss_mse(ctx, FGT_VIEW(ys, B, 1), FGT_VIEW(targets, B, 1), &loss, FGT_VIEW(dys, B, 1)));
        check(fgt_backward(model, FGT_VIEW(dys, B, 1), NULL));
        check(fgt_step(optim));
    }
    fgt_optim_destroy(&optim);
    return loss;
}

int main(void)
{
    const prelu_opts    slope  = {.size = sizeof slope, .slope = 0.1f};
    fgt_gradient_report report = {.size = sizeof report};
    fgt_model          *model;
    float               x[2 * T], y[2], again[2];

    open_context();
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 1), &model));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4))));
    check(fgt_model_add(model, (fgt_layer){.type = "example.prelu", .opts = &slope, .name = "prelu"}));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
    check(fgt_model_add(model, fgt_pool(NULL)));

    for (int i = 0; i < 2 * T; i++) x[i] = 2 * (float)rand() / (float)RAND_MAX - 1;
    check(fgt_model_check_gradient(model, FGT_VIEW(x, 2, T, 1), NULL, &report));
    printf("gradients agree with differences to %.1e (%s)\n", report.error, report.worst);

    const double first = train(model, STEPS);
    check(fgt_predict(model, FGT_VIEW(x, 2, T, 1), FGT_VIEW(y, 2, 1)));
    check(fgt_model_save(model, FGT_TO_FILE("host_layer.safetensors")));
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);

    open_context();
    check(fgt_model_load(ctx, FGT_FROM_FILE("host_layer.safetensors"), NULL, &model));
    check(fgt_predict(model, FGT_VIEW(x, 2, T, 1), FGT_VIEW(again, 2, 1)));
    const int same = y[0] == again[0] && y[1] == again[1];
    printf("the loaded model predicts %s\n", same ? "the same" : "something else");
    const double second = train(model, STEPS);
    printf("loss after %d steps %.5f, loaded and trained on %.5f\n", STEPS, first, second);
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return report.error < 0.05 && first < 0.01 && same && second < 0.01 ? 0 : 1;
}
