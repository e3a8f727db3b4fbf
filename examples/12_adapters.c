/* SPDX-License-Identifier: BSD-3-Clause */
/* One model for three tasks: it learns to continue waves, and then two adapters of 4 % of its size learn to
 * continue them in other ways, while its own weights do not change. Memory holds only one copy of these
 * weights.
 *     cc 12_adapters.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/experimental/adapter.h>
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { B = 32, T = 24, P = 4, D = 64 };

typedef enum task {
    NEXT,
    MIRRORED,
    SLOWER
} task; /* the next values; their negatives; the next values at half the speed */

static fgt_context *ctx;
static float        xs[B * T], ys[B * P], targets[B * P], dys[B * P];

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "adapters: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static void samples(task what)
{
    for (int b = 0; b < B; b++) {
        const double phase = 6.28 * rand() / RAND_MAX, speed = what == SLOWER ? 0.25 : 0.5;
        for (int t = 0; t < T; t++) xs[b * T + t] = (float)sin(0.5 * t + phase);
        for (int p = 0; p < P; p++)
            targets[b * P + p] =
                (float)((what == MIRRORED ? -1 : 1) * sin(0.5 * (T - 1) + phase + speed * (p + 1)));
    }
}

/* The loss on new samples. */
static double loss_of(fgt_model *model, task what)
{
    double loss;
    samples(what);
    check(fgt_predict(model, FGT_VIEW(xs, B, T, 1), FGT_VIEW(ys, B, P)));
    check(fgt_loss_mse(ctx, FGT_VIEW(ys, B, P), FGT_VIEW(targets, B, P), &loss, NULL));
    return loss;
}

static void train(fgt_model *model, task what, double lr)
{
    fgt_optim *optim;
    double     loss;
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = lr, .clip = 1), &optim));
    for (int step = 0; step < 300; step++) {
        samples(what);
        check(fgt_forward(model, FGT_VIEW(xs, B, T, 1), FGT_VIEW(ys, B, P)));
        check(fgt_loss_mse(ctx, FGT_VIEW(ys, B, P), FGT_VIEW(targets, B, P), &loss, FGT_VIEW(dys, B, P)));
        check(fgt_backward(model, FGT_VIEW(dys, B, P), NULL));
        check(fgt_step(optim));
    }
    fgt_optim_destroy(&optim);
}

/* Adapts the maps of the encoder's attention and the last layer. */
static void add(fgt_model *model, const char *name, task what)
{
    check(fgt_model_add_adapter(model, &FGT_OPTS(fgt_adapter_opts, .name = name, .rank = 4, .alpha = 8,
                                                 .pattern = "encoder.self_attn.*,head.weight")));
    check(fgt_model_set_adapter(model, name));
    train(model, what, 1e-2);
}

static fgt_model *pretrained(void)
{
    fgt_model *model;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 1), &model));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D))));
    check(fgt_model_add(model, fgt_position(NULL)));
    check(fgt_model_add(model,
                        fgt_named("encoder", fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 4)))));
    check(fgt_model_add(model, fgt_pool(NULL)));
    check(fgt_model_add(model, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = P)))));
    train(model, NEXT, 3e-3);
    return model;
}

int main(void)
{
    const char *const names[] = {"only the base", "mirrored", "slower"};
    fgt_adapter_info  info    = {.size = sizeof info};
    fgt_model_info    base    = {.size = sizeof base};
    double            loss[3];

    check(fgt_context_create(NULL, &ctx));
    fgt_model     *model = pretrained();
    const uint64_t hash  = fgt_model_get_hash(model);
    check(fgt_model_get_info(model, &base));
    const double all = (double)base.parameters;
    add(model, names[MIRRORED], MIRRORED);
    add(model, names[SLOWER], SLOWER);

    for (int i = 0; i < 3; i++) {
        check(fgt_model_set_adapter(model, i ? names[i] : NULL));
        loss[i] = loss_of(model, (task)i);
        printf("%-16s loss %.4f   (of what follows: %.4f)\n", names[i], loss[i], loss_of(model, NEXT));
    }
    check(fgt_model_set_adapter(model, NULL));
    check(fgt_model_get_adapter(model, 0, &info));
    printf("an adapter trains %lld of %.0f parameters; the base is %s\n", (long long)info.parameters, all,
           fgt_model_get_hash(model) == hash ? "what it was" : "another one");

    /* Saves one adapter in a folder that Python's peft can read, loads it under another name, and merges it
     * into the weights. */
    check(fgt_model_save_adapter(model, names[SLOWER], "slower.lora"));
    check(fgt_model_load_adapter(model, "from the folder", "slower.lora"));
    check(fgt_model_merge_adapter(model, "from the folder"));
    const double merged = loss_of(model, SLOWER);
    printf("merged           loss %.4f\n", merged);

    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return loss[0] < 0.05 && loss[1] < 0.05 && loss[2] < 0.05 && merged < 0.05 ? 0 : 1;
}
