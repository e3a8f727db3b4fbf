/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: layers, models, passes, parameters, states, workspaces. */
#include <math.h>
#include <string.h>

#include <fighter/experimental/convert.h>
#include <fighter/experimental/layer.h>
#include <fighter/experimental/vision.h>
#include <fighter/experimental/vit.h>

#include "../model_info.h"
#include "entries.h"

static const fgt_model_opts shape = {.size = sizeof shape, .batch = B, .time = T, .features = D, .seed = 5};

static fgt_status forward(world *w, fgt_model *m)
{
    float y[B * T * OUT];
    TRY(fgt_forward(m, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    SEE(w, y);
    return FGT_OK;
}

static fgt_status with_value(world *w)
{
    return fgt_workspace_set_value(fgt_model_get_workspace(w->fresh.model), "known",
                                   FGT_VIEW(sample_known, B, T, D), NULL);
}

/* ---- layers ---- */

static fgt_status add_attention(fgt_model *m)
{
    TRY(fgt_model_add(m, fgt_revin(NULL)));
    TRY(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4))));
    TRY(fgt_model_add(m, fgt_position(NULL)));
    TRY(fgt_model_add(m, fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 2))));
    TRY(fgt_model_add(m, fgt_fighter(NULL)));
    TRY(fgt_model_add(m, fgt_transformer(NULL)));
    TRY(fgt_model_add(m, fgt_layer_norm(NULL)));
    TRY(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D))));
    return fgt_model_add_from(m, fgt_revin_inverse(NULL), (const char *[]){"7", "0"}, 2);
}

static fgt_status add_recurrent(fgt_model *m)
{
    TRY(fgt_model_add(m, fgt_named("rnn", fgt_rnn(&FGT_OPTS(fgt_rnn_opts, .hidden = D)))));
    TRY(fgt_model_add(m, fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 2, .layers = 2))));
    TRY(fgt_model_add(m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 2, .bidirectional = 1))));
    TRY(fgt_model_add(m, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 4))));
    TRY(fgt_model_add(m, fgt_activation(NULL)));
    TRY(fgt_model_add(m, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.1f))));
    TRY(fgt_model_add(m, fgt_concat(NULL)));
    TRY(fgt_model_add(m, fgt_token_linear(&FGT_OPTS(fgt_token_linear_opts, .out = D))));
    TRY(fgt_model_add(m, fgt_quantiles(&FGT_OPTS(fgt_quantiles_opts, .count = 1))));
    return fgt_model_add(m, fgt_pool(NULL));
}

static fgt_status add_tokens(fgt_model *m)
{
    TRY(fgt_model_add(m, fgt_patch(&FGT_OPTS(fgt_patch_opts, .length = 2, .stride = 2))));
    TRY(fgt_model_add(m, fgt_layout(NULL)));
    TRY(fgt_model_add(m, fgt_slice(&FGT_OPTS(fgt_slice_opts, .first = 1))));
    TRY(fgt_model_add(m, fgt_extend(&FGT_OPTS(fgt_extend_opts, .count = 1))));
    TRY(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"1"}, 1));
    TRY(fgt_model_add(m, fgt_conv(NULL)));
    TRY(fgt_model_add(m, fgt_max_pool(NULL)));
    return fgt_model_add(m, fgt_moving_average(NULL));
}

static fgt_status chain_of(world *w, fgt_status (*add)(fgt_model *m))
{
    MAKE(model, fgt_model_create(w->ctx, &shape, &w->made.model));
    TRY(add(w->made.model));
    SEE(w, (uint64_t){fgt_model_get_hash(w->made.model)});
    return FGT_OK;
}

static fgt_status layers_attention(world *w)
{
    return chain_of(w, add_attention);
}

static fgt_status layers_recurrent(world *w)
{
    return chain_of(w, add_recurrent);
}

static fgt_status layers_tokens(world *w)
{
    return chain_of(w, add_tokens);
}

static fgt_status layers_branches(world *w)
{
    MAKE(model, fgt_model_create(w->ctx, &FGT_OPTS(fgt_model_opts, .time = 3), &w->made.model));
    fgt_model *m = w->made.model;
    const fgt_embedding_opts table = {.size = sizeof table, .vocab = 5, .out = 3};
    TRY(fgt_model_add(m, fgt_named("ids", fgt_embedding(&table))));
    TRY(fgt_model_add(m, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = w->all.graph))));
    TRY(fgt_model_add(m, fgt_value(&FGT_OPTS(fgt_value_opts, .kind = FGT_VALUE_KEY_PADDING))));
    TRY(fgt_model_add_from(m, fgt_named("again", fgt_shared("ids")), (const char *[]){""}, 1));
    TRY(fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"1", "again"}, 2));
    TRY(fgt_model_add(m, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .learned = 2, .diffusion = 1))));
    TRY(fgt_model_add(m, fgt_along(FGT_AXIS_NODES, fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 2)))));
    SEE(w, (uint64_t){fgt_model_get_hash(m)});
    return FGT_OK;
}

static fgt_status layers_images(world *w)
{
    const fgt_model_opts image = {.size = sizeof image, .nodes = 4, .time = 4, .features = 1};
    MAKE(model, fgt_model_create(w->ctx, &image, &w->made.model));
    fgt_model *m = w->made.model;
    TRY(fgt_model_add(m, fgt_named("ids", fgt_value(&FGT_OPTS(fgt_value_opts, .time = 2,
                                                              .kind = FGT_VALUE_IDS)))));
    TRY(fgt_model_add(m, fgt_conv_2d(&FGT_OPTS(fgt_conv_2d_opts, .padding_height = 1, .padding_width = 1))));
    TRY(fgt_model_add(m, fgt_named("patches", fgt_patch_2d(&FGT_OPTS(fgt_patch_2d_opts, .height = 2)))));
    TRY(fgt_model_add_from(m, fgt_named("some", fgt_gather(NULL)), (const char *[]){"patches", "ids"}, 2));
    TRY(fgt_model_add_from(m, fgt_scatter(&FGT_OPTS(fgt_scatter_opts, .time = 4)),
                           (const char *[]){"some", "ids"}, 2));
    TRY(fgt_model_add(m, fgt_class_token(NULL)));
    TRY(fgt_model_add(m, fgt_drop_path(NULL)));
    SEE(w, (uint64_t){fgt_model_get_hash(m)});
    return FGT_OK;
}

static fgt_status vision_transformer(world *w)
{
    const fgt_model_opts image = {.size = sizeof image, .nodes = 4, .time = 4, .features = 1};
    MAKE(model, fgt_model_create(w->ctx, &image, &w->made.model));
    TRY(fgt_vit_add(w->made.model, &FGT_OPTS(fgt_vit_opts, .patch_height = 2, .dim = 4, .layers = 1)));
    SEE(w, (uint64_t){fgt_model_get_hash(w->made.model)});
    return FGT_OK;
}

static fgt_status get_image(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    (void)user, (void)target;
    float *pixel = x->data;
    for (int64_t i = 0; i < n * 16; i++) pixel[i] = (float)sin((double)(16 * index[i / 16] + i % 16));
    return FGT_OK;
}

static fgt_status autoencoder(world *w)
{
    const fgt_vit_opts vit    = {.size = sizeof vit, .patch_height = 2, .dim = 4, .layers = 1};
    const fgt_source   images = {.size = sizeof images, .count = 3, .get = get_image};
    float              x[16], masked[16], painted[16];
    get_image(NULL, (int64_t[]){0}, 1, FGT_VIEW(x, 1, 4, 4, 1), NULL);
    MAKE(masked, fgt_masked_autoencoder_create(w->ctx, &FGT_OPTS(fgt_masked_autoencoder_opts, .encoder = &vit,
                                                                 .height = 4, .batch = 2),
                                               &w->made.masked));
    TRY(fgt_masked_autoencoder_fit(w->made.masked,
                                   &FGT_OPTS(fgt_fit_opts, .train = &images, .training.epochs = 1), NULL));
    TRY(fgt_masked_autoencoder_reconstruct(w->made.masked, FGT_VIEW(x, 1, 4, 4, 1), 1,
                                           FGT_VIEW(masked, 1, 4, 4, 1), FGT_VIEW(painted, 1, 4, 4, 1)));
    SEE(w, painted);
    MAKE(model, fgt_model_create(w->ctx, &FGT_OPTS(fgt_model_opts, .nodes = 4, .time = 4, .features = 1),
                                 &w->made.model));
    TRY(fgt_vit_add(w->made.model, &vit));
    TRY(fgt_model_copy_parameters(w->made.model, fgt_masked_autoencoder_get_model(w->made.masked),
                                  "encoder."));
    SEE(w, (uint64_t){fgt_model_get_hash(w->made.model)});
    return FGT_OK;
}

static fgt_status blocks(world *w)
{
    MAKE(model, fgt_model_create(w->ctx, &shape, &w->made.model));
    TRY(fgt_block_add(w->made.model,
                      &FGT_OPTS(fgt_block_opts, .block = {.kind = FGT_BLOCK_MLP, .layers = 2})));
    SEE(w, (uint64_t){fgt_model_get_hash(w->made.model)});
    return FGT_OK;
}

static fgt_status layer_alone(world *w)
{
    MAKE(model, model_of_layer(w->ctx, &shape, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 4)), &w->made.model));
    const uint64_t before = fgt_model_get_hash(w->made.model);
    const fgt_status s    = fgt_s4_convert_length(w->made.model, "", T);
    if (s != FGT_OK && fgt_model_get_hash(w->made.model) != before) broken("the weights have changed");
    TRY(s);
    SEE(w, (uint64_t){fgt_model_get_hash(w->made.model)});
    return FGT_OK;
}

static fgt_status folded(world *w)
{
    float q[9], k[9], v[9], h[9];
    for (int i = 0; i < 9; i++) q[i] = k[i] = v[i] = h[i] = (float)sin(i);
    MAKE(model, fgt_fighter_create_folded(w->ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T),
                                          FGT_VIEW(q, 3, 3), FGT_VIEW(k, 3, 3), FGT_VIEW(v, 3, 3),
                                          FGT_VIEW(h, 3, 3), FGT_ACT_DEFAULT, &w->made.model));
    SEE(w, (uint64_t){fgt_model_get_hash(w->made.model)});
    return FGT_OK;
}

/* ---- a layer of the host's: y = w x + noise, with all that a layer can ask for ---- */

static fgt_status host_plan(void *user, fgt_layer_plan *plan, const void *opts)
{
    int64_t s[3];
    (void)opts, (void)user;
    if (fgt_layer_plan_count_inputs(plan) != 1) return fgt_layer_plan_fail(plan, FGT_E_ARG, "one input");
    fgt_layer_plan_get_input(plan, 0, s);
    TRY(fgt_layer_plan_set_output(plan, s[0], s[1], s[2]));
    return fgt_layer_plan_add_parameter(plan, "weight", 2, (const int64_t[]){s[2], s[2]},
                                        FGT_LAYER_INIT_NORMAL, 1);
}

static void host_memory(void *user, const int64_t s[4], const void *opts, int64_t *cache, int64_t *scratch)
{
    (void)opts, (void)user;
    *cache = *scratch = s[0] * s[1] * s[2] * s[3];
}

typedef struct host_rows {
    const fgt_layer_pass *pass;
    int64_t         width;
} host_rows;

static void host_row(void *arg, int64_t row)
{
    const host_rows *r = arg;
    float           *y = fgt_layer_pass_get_output(r->pass) + row * r->width;
    float           *c = fgt_layer_pass_get_cache(r->pass) + row * r->width;
    for (int64_t i = 0; i < r->width; i++) {
        c[i] = (float)fgt_layer_pass_get_random(r->pass, (uint64_t)(row * r->width + i));
        y[i] += fgt_layer_pass_is_training(r->pass) ? c[i] : 0;
    }
}

static fgt_status host_forward(void *user, fgt_layer_pass *pass, const void *opts)
{
    int64_t s[4];
    (void)opts, (void)user;
    fgt_layer_pass_get_shape(pass, 0, s);
    const int64_t rows = s[0] * s[1] * s[2], d = s[3];
    host_rows     r    = {pass, d};
    if (!fgt_layer_pass_get_scratch(pass)) return fgt_layer_pass_fail(pass, FGT_E_STATE, "no scratch");
    const fgt_status status = fgt_layer_pass_multiply(
        pass, &FGT_OPTS(fgt_layer_product, .m = rows, .n = d, .k = d, .a = fgt_layer_pass_get_input(pass, 0),
                        .a_row = d, .a_column = 1, .b = fgt_layer_pass_get_parameter(pass, 0), .b_row = d,
                        .b_column = 1, .c = fgt_layer_pass_get_output(pass), .c_row = d));
    fgt_layer_pass_run(pass, rows, host_row, &r);
    return status;
}

static fgt_status host_backward(void *user, fgt_layer_pass *pass, const void *opts)
{
    int64_t s[4];
    (void)opts, (void)user;
    fgt_layer_pass_get_shape(pass, 0, s);
    const int64_t rows = s[0] * s[1] * s[2], d = s[3];
    const float  *dy     = fgt_layer_pass_get_output_gradient(pass);
    const float  *x      = fgt_layer_pass_get_input(pass, 0);
    float        *dx     = fgt_layer_pass_get_input_gradient(pass, 0);
    fgt_status    status = fgt_layer_pass_multiply(
           pass, &FGT_OPTS(fgt_layer_product, .m = d, .n = d, .k = rows, .a = x, .a_row = 1, .a_column = d,
                           .b = dy, .b_row = d, .b_column = 1,
                           .c = fgt_layer_pass_get_parameter_gradient(pass, 0), .c_row = d, .beta = 1));
    if (dx && status == FGT_OK)
        status = fgt_layer_pass_multiply(pass, &FGT_OPTS(fgt_layer_product, .m = rows, .n = d, .k = d,
                                                         .a = dy, .a_row = d, .a_column = 1,
                                                         .b     = fgt_layer_pass_get_parameter(pass, 0),
                                                         .b_row = 1, .b_column = d, .c = dx, .c_row = d));
    return status;
}

/* Classes stay registered, so this one has a context of its own. */
static fgt_status host_layer(world *w)
{
    float                 y[B * T * D], dx[B * T * D];
    const fgt_layer_class cls = {.size = sizeof cls, .type = "campaign.mix", .plan = host_plan,
                                 .memory = host_memory, .forward = host_forward, .backward = host_backward};
    MAKE(context, fgt_context_create(&w->opts, &w->made.context));
    TRY(fgt_context_add_layer(w->made.context, &cls));
    MAKE(model, model_of_layer(w->made.context, &shape, (fgt_layer){.type = "campaign.mix"}, &w->made.model));
    TRY(fgt_forward(w->made.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, D)));
    SEE(w, y);
    TRY(fgt_backward(w->made.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(dx, B, T, D)));
    SEE(w, dx);
    return FGT_OK;
}

static fgt_status check_gradient(world *w)
{
    fgt_gradient_report report = {.size = sizeof report};
    TRY(with_value(w));
    TRY(fgt_model_check_gradient(w->fresh.model, FGT_VIEW(sample_x, B, T, D), NULL, &report));
    SEE(w, report.error);
    return FGT_OK;
}

/* ---- passes ---- */

static fgt_status passes(world *w)
{
    float    y[B * T * OUT], dx[B * T * D], dp[B * T * D] = {1};
    fgt_view v;
    TRY(with_value(w));
    TRY(fgt_workspace_begin_series(fgt_model_get_workspace(w->fresh.model), 0));
    TRY(forward(w, w->fresh.model));
    TRY(fgt_workspace_get_value(fgt_model_get_workspace(w->fresh.model), "both", &v));
    see_view(w, &v);
    TRY(fgt_model_add_gradient(w->fresh.model, "both", FGT_VIEW(dp, B, T, D)));
    TRY(fgt_backward(w->fresh.model, FGT_VIEW(sample_y, B, T, OUT), FGT_VIEW(dx, B, T, D)));
    SEE(w, dx);
    TRY(fgt_predict(w->fresh.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    SEE(w, y);
    return FGT_OK;
}

static fgt_status adjacency(world *w)
{
    int32_t  padding[B * T] = {0, 0, 0, 1};
    float    y[B * T * OUT];
    fgt_view a;
    fgt_edge edges[2];
    int64_t  count;
    TRY(with_value(w));
    TRY(fgt_workspace_set_mask(fgt_model_get_workspace(w->fresh.model), FGT_MASK_KEY_PADDING,
                               FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T)));
    TRY(fgt_predict(w->fresh.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    TRY(fgt_model_get_adjacency(w->fresh.model, "attention", &a));
    see_view(w, &a);
    TRY(fgt_model_get_edges(w->fresh.model, "attention", NULL, edges, 2, &count));
    SEE(w, edges[0].weight);
    return FGT_OK;
}

static fgt_status learned_graph(world *w)
{
    float    y[B * T * D];
    fgt_view a;
    fgt_edge edges[2];
    int64_t  count;
    MAKE(model,
         model_of_layer(w->ctx, &shape, fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .learned = 2)), &w->made.model));
    TRY(fgt_predict(w->made.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, D)));
    TRY(fgt_model_get_adjacency(w->made.model, "", &a));
    see_view(w, &a);
    TRY(fgt_model_get_edges(w->made.model, "", NULL, edges, 2, &count));
    SEE(w, edges[0].weight);
    return FGT_OK;
}

static fgt_status states(world *w)
{
    float    h[B * D] = {0.5f}, y[B * T * OUT];
    fgt_view v        = *FGT_VIEW(h, 1, B, D);
    TRY(with_value(w));
    TRY(fgt_workspace_set_stateful(fgt_model_get_workspace(w->fresh.model), 1));
    TRY(fgt_workspace_set_state(fgt_model_get_workspace(w->fresh.model), "state.h", &v));
    TRY(forward(w, w->fresh.model));
    TRY(fgt_backward(w->fresh.model, FGT_VIEW(sample_y, B, T, OUT), NULL));
    TRY(fgt_workspace_copy_state(fgt_model_get_workspace(w->fresh.model), "state.h", &v));
    SEE(w, h);
    TRY(fgt_workspace_copy_state_gradient(fgt_model_get_workspace(w->fresh.model), "state.h", &v));
    SEE(w, h);
    TRY(fgt_predict(w->fresh.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    SEE(w, y);
    return FGT_OK;
}

static fgt_status workspace(world *w)
{
    float          y[B * T * OUT];
    float          h[B * D]       = {0.5f};
    const int32_t  padding[B * T] = {1};
    fgt_view       v, state = *FGT_VIEW(h, 1, B, D);
    MAKE(workspace, fgt_model_create_workspace(w->fresh.model, NULL, &w->made.workspace));
    fgt_workspace *ws = w->made.workspace;
    TRY(fgt_workspace_set_value(ws, "known", FGT_VIEW(sample_known, B, T, D), NULL));
    TRY(fgt_workspace_set_mask(ws, FGT_MASK_KEY_PADDING, FGT_VIEW_OF(FGT_DTYPE_I32, padding, B, T)));
    TRY(fgt_workspace_set_stateful(ws, 1));
    TRY(fgt_workspace_begin_series(ws, 0));
    TRY(fgt_workspace_set_state(ws, "state.h", &state));
    TRY(fgt_workspace_predict(ws, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    SEE(w, y);
    TRY(fgt_workspace_get_value(ws, "out", &v));
    see_view(w, &v);
    TRY(fgt_workspace_get_state_shape(ws, "state.h", &v));
    SEE(w, v.shape[2]);
    TRY(fgt_workspace_copy_state(ws, "state.h", &state));
    SEE(w, h);
    see_text(w, fgt_workspace_get_error(ws));
    return FGT_OK;
}

/* A stream, and another one that goes on from its states. */
static fgt_status stream(world *w)
{
    const fgt_workspace_opts o = {.size = sizeof o, .tokens = T};
    float                    y[B * (T - 1) * D], k[(T - 1) * B * D];
    fgt_view                 state = *FGT_VIEW(k, T - 1, B, D);
    MAKE(model, fgt_model_create(w->ctx, &shape, &w->made.model));
    TRY(fgt_model_add(w->made.model,
                      fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 2, .attention.causal = 1))));
    MAKE(workspace, fgt_model_create_workspace(w->made.model, &o, &w->made.workspace));
    fgt_workspace *ws = w->made.workspace;
    TRY(fgt_workspace_predict(ws, FGT_VIEW(sample_x, B, T - 1, D), FGT_VIEW(y, B, T - 1, D)));
    SEE(w, (int32_t){fgt_workspace_get_tokens(ws) == T - 1});
    TRY(fgt_workspace_copy_state(ws, "0.k", &state));
    SEE(w, k);
    TRY(fgt_workspace_begin_series(ws, T - 1));
    return fgt_workspace_set_state(ws, "0.k", &state);
}

static fgt_status predictor(world *w)
{
    float y[B * T * OUT];
    MAKE(predictor, fgt_predictor_create(w->fresh.model, NULL, &w->made.predictor));
    SEE(w, (int32_t){fgt_predictor_get_bytes(w->made.predictor) > 0});
    MAKE(workspace, fgt_predictor_create_workspace(w->made.predictor, NULL, &w->made.workspace));
    TRY(fgt_workspace_set_value(w->made.workspace, "known", FGT_VIEW(sample_known, B, T, D), NULL));
    TRY(fgt_workspace_predict(w->made.workspace, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    SEE(w, y);
    return FGT_OK;
}

/* It has no status: -1 says that it failed. */
static fgt_status model_size(world *w)
{
    const int64_t size = fgt_model_get_training_bytes(w->fresh.model);
    SEE(w, (int32_t){size > 0}); /* the size itself depends on the threads */
    return size < 0 ? FGT_E_NOMEM : FGT_OK;
}

static fgt_status workspace_size(world *w)
{
    const int64_t size = fgt_model_get_workspace_bytes(w->fresh.model, NULL);
    SEE(w, size);
    return size < 0 ? FGT_E_NOMEM : FGT_OK;
}

/* ---- parameters ---- */

static fgt_status parameters(world *w)
{
    float      bias[OUT];
    fgt_view   v = *FGT_VIEW(bias, OUT), weights;
    fgt_model *m = w->fresh.model;
    fgt_parameter_info info = {.size = sizeof info};
    TRY(fgt_model_get_parameter_info(m, "out.bias", 0, &info));
    see_text(w, info.name);
    SEE(w, info.shape.shape[0]);
    TRY(fgt_model_copy_parameter(m, "out.bias", &v));
    SEE(w, bias);
    TRY(fgt_model_set_parameter(m, "out.bias", &v));
    TRY(fgt_model_get_weights(m, &weights));
    TRY(fgt_model_set_weights(m, &weights));
    TRY(fgt_model_set_frozen(m, "out.", 1));
    TRY(fgt_model_get_parameter_info(m, NULL, 0, &info));
    SEE(w, info.frozen);
    SEE(w, (uint64_t){fgt_model_get_hash(m)});
    return FGT_OK;
}

static fgt_status gradients(world *w)
{
    float      bias[OUT] = {3, 4};
    fgt_view   v         = *FGT_VIEW(bias, OUT), all;
    fgt_model *m         = w->fresh.model;
    TRY(fgt_model_set_gradient(m, "out.bias", &v));
    TRY(fgt_model_copy_gradient(m, "out.bias", &v));
    SEE(w, bias);
    TRY(fgt_model_get_gradients(m, &all));
    TRY(fgt_model_set_gradients(m, &all));
    see_view(w, &all);
    return fgt_model_clear_gradients(m);
}

static fgt_status looks(world *w)
{
    fgt_layer_info info = {.size = sizeof info};
    fgt_model_info all  = {.size = sizeof all};
    TRY(fgt_model_get_info(w->fresh.model, &all));
    SEE(w, all);
    TRY(fgt_model_get_layer(w->fresh.model, 1, &info));
    see_text(w, info.name);
    see_text(w, info.inputs[0]);
    return FGT_OK;
}

/* The table says how much memory training takes, which depends on the number of threads. */
static fgt_status describe(world *w)
{
    char    text[4000];
    int64_t length;
    TRY(fgt_model_describe(w->fresh.model, text, sizeof text, &length));
    see_text(w, strstr(text, "attention") ? "attention" : "no layer");
    return FGT_OK;
}

static const entry entries[] = {
    {"fgt_model_create fgt_model_add fgt_model_add_from fgt_model_destroy fgt_revin fgt_linear fgt_position "
     "fgt_attention fgt_fighter fgt_transformer fgt_layer_norm fgt_revin_inverse",
     layers_attention, 0},
    {"fgt_rnn fgt_gru fgt_lstm fgt_s4 fgt_activation fgt_dropout fgt_concat fgt_quantiles "
     "fgt_token_linear fgt_pool",
     layers_recurrent, 0},
    {"fgt_patch fgt_layout fgt_slice fgt_extend fgt_sum fgt_moving_average fgt_conv "
     "fgt_max_pool",
     layers_tokens, 0},
    {"fgt_embedding fgt_gcn fgt_value fgt_shared fgt_named fgt_along", layers_branches, 0},
    {"fgt_patch_2d fgt_conv_2d fgt_class_token fgt_gather fgt_scatter fgt_drop_path", layers_images, 0},
    {"fgt_vit_add", vision_transformer, 0},
    {"fgt_masked_autoencoder_create fgt_masked_autoencoder_fit fgt_masked_autoencoder_reconstruct "
     "fgt_masked_autoencoder_get_model fgt_masked_autoencoder_destroy fgt_model_copy_parameters",
     autoencoder, 0},
    {"fgt_block_add", blocks, 0},
    {"fgt_s4_convert_length", layer_alone, 0},
    {"fgt_fighter_create_folded", folded, 0},
    {"fgt_context_add_layer fgt_layer_plan_count_inputs fgt_layer_plan_get_input fgt_layer_plan_set_output "
     "fgt_layer_plan_add_parameter fgt_layer_plan_fail fgt_layer_pass_get_shape fgt_layer_pass_get_input "
     "fgt_layer_pass_get_output "
     "fgt_layer_pass_get_output_gradient fgt_layer_pass_get_input_gradient fgt_layer_pass_get_parameter "
     "fgt_layer_pass_get_parameter_gradient fgt_layer_pass_get_cache fgt_layer_pass_get_scratch "
     "fgt_layer_pass_is_training "
     "fgt_layer_pass_get_random fgt_layer_pass_run fgt_layer_pass_multiply fgt_layer_pass_fail",
     host_layer, NO_TEXT},
    {"fgt_model_check_gradient", check_gradient, GRAPH},
    {"fgt_forward fgt_backward fgt_predict fgt_model_get_workspace fgt_workspace_set_value "
     "fgt_workspace_get_value fgt_model_add_gradient "
     "fgt_workspace_begin_series",
     passes, GRAPH},
    {"fgt_model_get_adjacency fgt_model_get_edges fgt_workspace_set_mask", adjacency, GRAPH},
    {"fgt_model_get_adjacency fgt_model_get_edges", learned_graph, 0},
    {"fgt_workspace_set_stateful fgt_workspace_set_state fgt_workspace_copy_state "
     "fgt_workspace_copy_state_gradient",
     states, GRAPH},
    {"fgt_model_create_workspace fgt_workspace_destroy fgt_workspace_set_value fgt_workspace_set_mask "
     "fgt_workspace_set_stateful fgt_workspace_begin_series fgt_workspace_set_state fgt_workspace_copy_state "
     "fgt_workspace_get_state_shape fgt_workspace_predict fgt_workspace_get_value fgt_workspace_get_error",
     workspace, GRAPH},
    {"fgt_model_create_workspace fgt_workspace_get_tokens", stream, 0},
    {"fgt_predictor_create fgt_predictor_create_workspace fgt_predictor_destroy fgt_predictor_get_bytes",
     predictor, GRAPH},
    {"fgt_model_get_workspace_bytes", workspace_size, GRAPH | NO_TEXT},
    {"fgt_model_get_training_bytes", model_size, GRAPH | NO_TEXT},
    {"fgt_model_get_parameter_info "
     "fgt_model_copy_parameter fgt_model_set_parameter "
     "fgt_model_get_weights fgt_model_set_weights "
     "fgt_model_set_frozen fgt_model_get_hash",
     parameters, GRAPH | QUIET},
    {"fgt_model_set_gradient fgt_model_copy_gradient fgt_model_get_gradients fgt_model_set_gradients "
     "fgt_model_clear_gradients",
     gradients, GRAPH},
    {"fgt_model_get_info fgt_model_get_layer", looks, GRAPH | QUIET},
    {"fgt_model_describe", describe, GRAPH},
};

const entry_table model_entries = {entries, LENGTH(entries)};
