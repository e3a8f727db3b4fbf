/* SPDX-License-Identifier: BSD-3-Clause */
/* A host with functions of its own: allocator, threads, log, a source of samples and a class of layers; and
 * the structs that it has the library fill. */
#include <fighter/experimental/layer.h>

#include "program.h"

enum { N = 12, B = 4, T = 5 };

/* ---- hooks ---- */

static int64_t in_use, blocks, lines, runs;

static void *allocate(void *user, size_t size, size_t align)
{
    void *p;
    (void)user;
    if (posix_memalign(&p, align < sizeof(void *) ? sizeof(void *) : align, size)) return NULL;
    in_use += (int64_t)size;
    blocks++;
    return p;
}

static void release(void *user, void *ptr, size_t size)
{
    (void)user;
    in_use -= (int64_t)size;
    free(ptr);
}

static void run_tasks(void *user, int32_t workers, void (*task)(void *arg, int32_t worker), void *arg)
{
    (void)user;
    runs++;
    for (int32_t i = 0; i < workers; i++) task(arg, i);
}

static void on_log(void *user, int32_t level, const char *message)
{
    (void)user, (void)message;
    lines += level == FGT_LOG_WARN;
}

/* ---- a class of layers: y = scale x + shift, with a learned shift ---- */

typedef struct shift_opts {
    size_t  size;
    double  scale;
    int32_t start;
    int32_t reserved;
} shift_opts;

static fgt_status shift_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    int64_t shape[3];
    (void)user;
    fgt_layer_plan_get_input(plan, 0, shape);
    return fgt_layer_plan_add_parameter(plan, "shift", 1, &shape[2], FGT_LAYER_INIT_VALUE,
                                        ((const shift_opts *)opts)->start);
}

static int64_t count(const fgt_layer_pass *pass, int64_t *width)
{
    int64_t s[4];
    fgt_layer_pass_get_shape(pass, 0, s);
    *width = s[3];
    return s[0] * s[1] * s[2] * s[3];
}

static fgt_status shift_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    const float  scale = (float)((const shift_opts *)opts)->scale;
    const float *x = fgt_layer_pass_get_input(pass, 0), *w = fgt_layer_pass_get_parameter(pass, 0);
    float       *y = fgt_layer_pass_get_output(pass);
    int64_t      d, n = count(pass, &d);
    (void)user;
    for (int64_t i = 0; i < n; i++) y[i] = scale * x[i] + w[i % d];
    return FGT_OK;
}

static fgt_status shift_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    const float  scale = (float)((const shift_opts *)opts)->scale;
    const float *dy    = fgt_layer_pass_get_output_gradient(pass);
    float       *dx    = fgt_layer_pass_get_input_gradient(pass, 0),
          *dw          = fgt_layer_pass_get_parameter_gradient(pass, 0);
    int64_t d, n = count(pass, &d);
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        dw[i % d] += dy[i];
        if (dx) dx[i] = scale * dy[i];
    }
    return FGT_OK;
}

static void add_class(void)
{
    const fgt_layer_field fields[] = {
        {"scale", offsetof(shift_opts, scale), -8, 8, 1, FGT_LAYER_FIELD_F64, 0},
        {"start", offsetof(shift_opts, start), -8, 8, 0, FGT_LAYER_FIELD_I32, 0},
        {"reserved", offsetof(shift_opts, reserved), 0, 0, 0, FGT_LAYER_FIELD_I32, 0},
    };
    check(fgt_context_add_layer(ctx, &FGT_OPTS(fgt_layer_class, .type = "old.shift",
                                               .opts_size = sizeof(shift_opts), .fields = fields,
                                               .field_count = 3, .plan = shift_plan, .forward = shift_forward,
                                               .backward = shift_backward)));
}

/* ---- training ---- */

static fgt_status get_samples(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                              const fgt_view *target)
{
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        fill((float *)x->data + i * T, T, (unsigned)index[i]);
        ((int64_t *)target->data)[i] = index[i] % 3;
    }
    return FGT_OK;
}

static void train(fgt_model *model)
{
    fgt_fit_report       report = {.size = sizeof report};
    fgt_metric           metric = {0};
    double               loss;
    const fgt_source    *source = &FGT_OPTS(fgt_source, .count = N, .get = get_samples);
    const fgt_loss_opts *classes =
        &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_CROSS_ENTROPY, .label_smoothing = 0.125f);
    check(fgt_model_fit(model,
                        &FGT_OPTS(fgt_fit_opts, .train = source, .validation = source, .loss = classes,
                                  .optim = &FGT_OPTS(fgt_optim_opts, .kind = FGT_OPTIM_SGD, .lr = 0.1,
                                                     .momentum = 0.5, .nesterov = 1),
                                  .training.epochs = 2, .target_dtype = FGT_DTYPE_I64, .training.seed = 6),
                        &report));
    print_report(&report);
    check(fgt_model_evaluate(model, source, classes, FGT_DTYPE_I64, &loss, &metric));
    printf("loss %a, %d of %d right\n", loss, (int)metric.correct, (int)metric.rows);
}

int main(void)
{
    const shift_opts    shift  = {.size = sizeof shift, .scale = 2, .start = 1};
    fgt_build_info      info   = {.size = sizeof info};
    fgt_gradient_report report = {.size = sizeof report};
    float               x[B * T];
    fgt_model          *model;

    check(fgt_context_create(
        &FGT_OPTS(fgt_context_opts, .log = on_log, .threads = 3,
                  .allocator = &FGT_OPTS(fgt_allocator, .alloc = allocate, .release = release),
                  .executor  = &FGT_OPTS(fgt_executor, .run = run_tasks)),
        &ctx));
    check(fgt_context_get_info(ctx, &info));
    printf("%s, %s, %d threads\n", info.blas, info.vector, (int)info.threads);

    add_class();
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 1), &model));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3, .no_bias = 1))));
    check(fgt_model_add(model, (fgt_layer){.type = "old.shift", .opts = &shift}));
    check(fgt_model_add(model, fgt_pool(NULL)));
    fill(x, B * T, 8);
    check(fgt_model_check_gradient(model, FGT_VIEW(x, B, T, 1), NULL, &report));
    printf("gradient %d, %d directions\n", report.error < 0.05, (int)report.directions);
    train(model);
    printf("hash %016llx\n", (unsigned long long)fgt_model_get_hash(model));
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    printf("in use %d, warnings %d, blocks %d, runs %d\n", (int)in_use, (int)lines, blocks > 0, runs > 0);
    return 0;
}
