/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_PACKED_MODELS_H
#define TESTS_MODEL_PACKED_MODELS_H

/* Models whose layers keep something of the weights, and threads that predict with them at the same time. */

#include <fighter/fighter.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../model_info.h"
#include "../one_context.h"

enum { THREADS = 8, B = 2, T = 24, D = 8, OUT = 2, ROUNDS = 3, LAYERS = 6, WIDE = 4 };

static float tokens[B * T * D];

typedef struct lane {
    fgt_workspace *ws;
    float          y[B * T * OUT];
    fgt_status     status;
} lane;

static lane       lanes[THREADS];
static atomic_int waiting;

static fgt_view input(void)
{
    return (fgt_view){.data = tokens, .rank = 3, .shape = {B, T, D}};
}

static void draw_input(void)
{
    for (int i = 0; i < B * T * D; i++) tokens[i] = (float)((i * 37) % 101) / 50 - 1;
}

static fgt_view output(float *y)
{
    return (fgt_view){.data = y, .rank = 3, .shape = {B, T, OUT}};
}

/* ---- threads ---- */

static void *predict(void *arg)
{
    lane          *l  = arg;
    const fgt_view in = input(), out = output(l->y);
    atomic_fetch_sub(&waiting, 1);
    while (atomic_load(&waiting) > 0) continue;
    l->status = fgt_workspace_predict(l->ws, &in, &out);
    return NULL;
}

/* So that several find at once that what is kept is stale. */
static void predict_together(void)
{
    pthread_t thread[THREADS];
    atomic_store(&waiting, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, predict, &lanes[i])) abort();
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

/* ---- models ---- */

static void halve_weights(fgt_model *m)
{
    for (int64_t i = 0; i < model_info(m).tensors; i++) {
        const char *name = parameter_name(m, i);
        fgt_view    v    = {0};
        OK(parameter_shape(m, name, &v));
        float *w = v.data = calloc((size_t)fgt_view_count(&v), sizeof *w);
        OK(fgt_model_copy_parameter(m, name, &v));
        for (int64_t k = 0; k < fgt_view_count(&v); k++) w[k] /= 2;
        OK(fgt_model_set_parameter(m, name, &v));
        free(w);
    }
}

static fgt_model *with_block(int32_t number)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = {.kind = number, .layers = 2, .dropout = 0})));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    return m;
}

/* Layers that keep something and are in no block, or there in another form. */
static fgt_model *with_layer(int32_t number)
{
    const fgt_layer layers[LAYERS] = {
        fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 3, .heads = 2)),
        fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 3, .heads = 2, .out = 64)),
        fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 5)),
        fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 5, .bidirectional = 1)),
        fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 4)),
        fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .learned = 3)),
    };
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, layers[number]));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    return m;
}

/* Weights that only predictions pack, because they are large. */
static fgt_model *with_wide_layer(int32_t number)
{
    const fgt_layer layers[WIDE] = {
        fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 70)),
        fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = 2)),
        fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 4608)),
        fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 3, .heads = 2, .out = 3072)),
    };
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 64))));
    OK(fgt_model_add(m, layers[number]));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
    return m;
}

#endif
