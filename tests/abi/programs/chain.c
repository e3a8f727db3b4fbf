/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain of layers, trained by a loop of the program's own: options of layers, an optimiser with a schedule,
 * losses, metrics, parameters by name, a workspace. */
#include "program.h"

enum { B = 4, T = 6, D = 3, H = 8, OUT = 2 };

static fgt_model *build(void)
{
    fgt_model *model;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 3),
                           &model));
    check(fgt_model_add(model, fgt_named("in", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H)))));
    check(fgt_model_add(model, fgt_position(&FGT_OPTS(fgt_position_opts, .kind = FGT_POSITION_LEARNED))));
    check(fgt_model_add(model, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .hops = 3, .norm = 1,
                                                     .residual = 1, .act = FGT_ACT_GELU))));
    check(fgt_model_add(model,
                        fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 4, .attention.causal = 1))));
    check(fgt_model_add(model, fgt_layer_norm(&FGT_OPTS(fgt_layer_norm_opts, .eps = 1e-4f))));
    check(fgt_model_add(model, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.25f))));
    check(fgt_model_add(model, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = H, .bidirectional = 1))));
    check(fgt_model_add(model, fgt_activation(&FGT_OPTS(fgt_activation_opts, .kind = FGT_ACT_TANH))));
    check(fgt_model_add(model, fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST))));
    check(fgt_model_add(model, fgt_named("out", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT)))));
    return model;
}

static void train(fgt_model *model, const fgt_view *x, const fgt_view *y, const fgt_view *target)
{
    const fgt_schedule_opts *schedule = &FGT_OPTS(fgt_schedule_opts, .kind = FGT_SCHEDULE_COSINE,
                                                  .warmup = 2, .total = 8, .min_lr = 1e-4);
    const fgt_loss_opts     *losses[] = {
        &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_MSE),
        &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_L1),
        &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_HUBER, .beta = 0.5f),
        &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_QUANTILE, .quantile = 0.9f),
    };
    float      dys[B * OUT];
    double     loss;
    fgt_optim *optim;
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .schedule = schedule, .lr = 1e-2, .clip = 1,
                                            .kind = FGT_OPTIM_ADAMW, .weight_decay = 1e-2), &optim));
    for (int step = 0; step < 8; step++) {
        check(fgt_forward(model, x, y));
        check(fgt_loss_compute(ctx, y, target, losses[step % 4], NULL, &loss, FGT_VIEW(dys, B, OUT)));
        check(fgt_backward(model, FGT_VIEW(dys, B, OUT), NULL));
        check(fgt_step(optim));
        printf("step %d: %a, rate %a, norm %a\n", step, loss, fgt_optim_get_lr(optim),
               fgt_optim_get_norm(optim));
    }
    fgt_optim_destroy(&optim);
}

static void predict(fgt_model *model, const fgt_view *x, const fgt_view *target)
{
    float          ys[B * OUT];
    fgt_metric     metric = {0};
    fgt_workspace *ws;
    check(fgt_predict(model, x, FGT_VIEW(ys, B, OUT)));
    print_numbers("predicted", ys, B * OUT);
    check(fgt_metric_add(ctx, &metric, FGT_VIEW(ys, B, OUT), target));
    for (int kind = FGT_METRIC_MSE; kind <= FGT_METRIC_SMAPE; kind++)
        printf("metric %d: %a\n", kind, fgt_metric_get(&metric, kind));
    check(fgt_model_create_workspace(model, &FGT_OPTS(fgt_workspace_opts, .batch = B), &ws));
    check(fgt_workspace_predict(ws, x, FGT_VIEW(ys, B, OUT)));
    print_numbers("by a workspace", ys, B * OUT);
    fgt_workspace_destroy(&ws);
}

int main(void)
{
    float      xs[B * T * D], ys[B * OUT], targets[B * OUT], bias[OUT];
    fgt_model *model;
    check(fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = 2), &ctx));
    model = build();
    fill(xs, B * T * D, 1);
    fill(targets, B * OUT, 2);
    train(model, FGT_VIEW(xs, B, T, D), FGT_VIEW(ys, B, OUT), FGT_VIEW(targets, B, OUT));
    predict(model, FGT_VIEW(xs, B, T, D), FGT_VIEW(targets, B, OUT));
    check(fgt_model_copy_parameter(model, "out.bias", FGT_VIEW(bias, OUT)));
    print_numbers("bias", bias, OUT);
    fgt_model_info info = {.size = sizeof info};
    check(fgt_model_get_info(model, &info));
    printf("%d tensors, %d parameters, hash %016llx\n", (int)info.tensors, (int)info.parameters,
           (unsigned long long)fgt_model_get_hash(model));
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return 0;
}
