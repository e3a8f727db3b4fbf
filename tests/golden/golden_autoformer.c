/* SPDX-License-Identifier: BSD-3-Clause */
/* The Autoformer: auto-correlation, alone and in its encoder layer. The path "training" chooses delays for
 * the whole batch, "inference" for each sample; gradients of the latter need own_delays. */
#include <math.h>
#include <string.h>

#include "golden.h"

static bool of_training(golden *g)
{
    const char *path = golden_meta(g, "path");
    if (!path || (strcmp(path, "training") != 0 && strcmp(path, "inference") != 0))
        golden_fail(g, "path is %s, expected training or inference", path ? path : "not given");
    return !strcmp(path, "training");
}

/* Nodes are sequences as samples are. */
static golden_shape sequences_of(golden *g, const char *tensor)
{
    golden_shape s = golden_fold(golden_need(g, tensor));
    s.batch *= s.nodes;
    s.nodes = 1;
    return s;
}

static fgt_attention_opts correlation_opts(golden *g, const char *prefix, bool own_delays)
{
    return (fgt_attention_opts){.size  = sizeof(fgt_attention_opts),
                                .heads = (int64_t)golden_number(g, "heads", 1),
                                .no_bias =
                                    !golden_has(g, golden_name(g, "param.%squery_projection.bias", prefix)),
                                .attention.attender   = FGT_ATTENDER_CORRELATION,
                                .attention.factor     = (int32_t)golden_number(g, "factor", 1),
                                .attention.own_delays = own_delays};
}

/* Row t of a head's A has w_i at (t + d_i) mod L, as far as there are keys, and zeros. */
static void check_head(golden *g, const fgt_view *a, int64_t pair, const double *delays, const double *w,
                       int64_t count)
{
    const int64_t time = a->shape[2], keys = a->shape[3];
    const float  *got = (const float *)a->data + pair * time * keys;
    for (int64_t t = 0; t < time; t++)
        for (int64_t j = 0; j < keys; j++) {
            double want = 0;
            for (int64_t i = 0; i < count; i++)
                if ((t + (int64_t)delays[i]) % time == j) want = w[i];
            if (!(fabs((double)got[t * keys + j] - want) < 1e-5))
                golden_fail(g, "A[%lld,%lld] of pair %lld is %g, expected %g", (long long)t, (long long)j,
                            (long long)pair, (double)got[t * keys + j], want);
        }
}

/* softmax of the correlations [L] of the delays */
static void softmax_of(const double *r, const double *delays, int64_t count, double *w)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += w[i] = exp(r[(int64_t)delays[i]] - r[(int64_t)delays[0]]);
    for (int64_t i = 0; i < count; i++) w[i] /= sum;
}

/* "delays" and "correlation_mean" say what A is. */
static void check_delays(golden *g, fgt_model *m, int64_t batch)
{
    fgt_view a;
    golden_ok(g, fgt_model_get_adjacency(m, "", &a));
    const int64_t time = a.shape[2], heads = a.shape[1];
    const int64_t rows   = golden_need(g, "delays")->shape[0];
    const int64_t k      = golden_count(golden_need(g, "delays")) / rows;
    const double *delays = golden_rows(g, "delays", batch, k), *r = golden_doubles(g, "correlation_mean");
    double       *w = golden_memory(g, k, sizeof *w);
    for (int64_t b = 0; b < batch; b++) {
        softmax_of(r + b * time, delays + b * k, k, w);
        for (int64_t h = 0; h < heads; h++) check_head(g, &a, b * heads + h, delays + b * k, w, k);
    }
}

/* "delays" alone: all that A has. */
static void check_seen(golden *g, fgt_model *m, int64_t batch)
{
    fgt_view a;
    golden_ok(g, fgt_model_get_adjacency(m, "attention", &a));
    const int64_t time = a.shape[2], heads = a.shape[1], k = golden_need(g, "delays")->shape[1];
    const double *delays = golden_rows(g, "delays", batch, k);
    for (int64_t i = 0; i < batch * heads * time * time; i++) {
        const int64_t b = i / (heads * time * time), t = i / time % time, d = (i % time + time - t) % time;
        bool          seen = false;
        for (int64_t n = 0; n < k; n++) seen = seen || (int64_t)delays[b * k + n] == d;
        if (seen != (((const float *)a.data)[i] != 0))
            golden_fail(g, "sample %lld: the delay %lld is %s", (long long)b, (long long)d,
                        seen ? "not chosen" : "chosen");
    }
}

/* Predictions take the path "inference" whatever the option says. */
static void check_prediction(golden *g, golden_shape in, int64_t memory_time, const fgt_view *memory)
{
    const fgt_attention_opts opts = correlation_opts(g, "", false);
    fgt_model               *m    = golden_attention(g, in, memory_time, &opts);
    golden_set_projections(g, m, "", in.width);
    if (memory) golden_ok(g, fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", memory, NULL));
    golden_predict(g, m, in);
}

void golden_autocorrelation(golden *g)
{
    const bool         cross = golden_has(g, "input_kv"), training = of_training(g);
    const golden_shape in   = sequences_of(g, "input");
    const golden_shape kv   = cross ? sequences_of(g, "input_kv") : in;
    const int64_t      n    = golden_elements(kv);
    float             *dkv  = golden_memory(g, n, sizeof *dkv);
    const fgt_view     x_kv = cross ? golden_view(kv, golden_floats(g, "input_kv")) : (fgt_view){0};
    const fgt_view     d_kv = golden_view(kv, dkv);
    if (!training) check_prediction(g, in, cross ? kv.time : 0, cross ? &x_kv : NULL);
    const fgt_attention_opts opts = correlation_opts(g, "", !training);
    fgt_model               *m    = golden_attention(g, in, cross ? kv.time : 0, &opts);
    golden_set_projections(g, m, "", in.width);
    if (cross) golden_ok(g, fgt_workspace_set_value(fgt_model_get_workspace(m), "memory", &x_kv, &d_kv));
    golden_train(g, m, in);
    if (golden_has(g, "delays")) check_delays(g, m, in.batch);
    if (!golden_backward(g, m, in)) return;
    golden_check_projections(g, m, "", in.width);
    if (cross && golden_has(g, "grad.input_kv")) golden_gradient_is(g, "grad.input_kv", n, dkv);
}

/* ---- decomposition and norm ---- */

/* "output" is the seasonal part, "trend" the other one. */
void golden_series_decomp(golden *g)
{
    const golden_shape            in   = golden_fold(golden_need(g, "input"));
    const int64_t                 k    = (int64_t)golden_number(g, "kernel_size", 25);
    const fgt_moving_average_opts rest = {.size = sizeof rest, .window = k, .remove = 1};
    const fgt_moving_average_opts mean = {.size = sizeof mean, .window = k};
    float                        *m    = golden_memory(g, golden_elements(in), sizeof *m);
    const fgt_view                x = golden_view(in, golden_floats(g, "input")), trend = golden_view(in, m);
    golden_ok(g, fgt_predict(golden_layer(g, in, fgt_moving_average(&mean)), &x, &trend));
    golden_forward_is(g, "trend", golden_elements(in), m);
    golden_pass(g, golden_layer(g, in, fgt_moving_average(&rest)), in);
}

void golden_seasonal_norm(golden *g)
{
    const golden_shape        in = golden_fold(golden_need(g, "input"));
    const fgt_layer_norm_opts o  = {
         .size = sizeof o, .eps = (float)golden_number(g, "eps", 1e-5), .seasonal = 1};
    fgt_model *m = golden_model(g, in);
    golden_ok(g, fgt_model_add(m, fgt_named("layernorm", fgt_layer_norm(&o))));
    golden_pass(g, m, in);
}

/* ---- encoder layer ---- */

static void add_named(golden *g, fgt_model *m, const char *name, fgt_layer layer)
{
    golden_ok(g, fgt_model_add(m, fgt_named(name, layer)));
}

static void add_sum(golden *g, fgt_model *m, const char *name, const char *x, const char *y)
{
    golden_ok(g, fgt_model_add_from(m, fgt_named(name, fgt_sum(NULL)), (const char *[]){x, y}, 2));
}

/* h = seasonal(x + attention(x)), y = seasonal(h + conv2(act(conv1(h)))); own_delays: as a prediction */
static fgt_model *encoder_layer(golden *g, golden_shape in, bool own_delays)
{
    const fgt_attention_opts      attention = correlation_opts(g, "attention.", own_delays);
    const fgt_moving_average_opts rest      = {
             .size = sizeof rest, .window = (int64_t)golden_number(g, "moving_avg", 25), .remove = 1};
    const fgt_linear_opts conv1 = {
        .size = sizeof conv1, .no_bias = 1, .out = golden_need(g, "param.conv1.weight")->shape[0]};
    const fgt_linear_opts     conv2 = {.size = sizeof conv2, .no_bias = 1, .out = in.width};
    const fgt_activation_opts act = {.size = sizeof act, .kind = golden_act(g, golden_meta(g, "activation"))};
    fgt_model                *m   = golden_model(g, in);
    add_named(g, m, "attention", fgt_attention(&attention));
    add_sum(g, m, "attended", "", "attention");
    add_named(g, m, "seasonal1", fgt_moving_average(&rest));
    add_named(g, m, "conv1", fgt_linear(&conv1));
    add_named(g, m, "act", fgt_activation(&act));
    add_named(g, m, "conv2", fgt_linear(&conv2));
    add_sum(g, m, "fed", "seasonal1", "conv2");
    add_named(g, m, "seasonal2", fgt_moving_average(&rest));
    golden_set_projections(g, m, "attention.", in.width);
    golden_set(g, m, "conv1.weight", golden_floats(g, "param.conv1.weight"));
    golden_set(g, m, "conv2.weight", golden_floats(g, "param.conv2.weight"));
    return m;
}

static void check_conv(golden *g, fgt_model *m, const char *name)
{
    const char *tensor = golden_name(g, "grad.param.%s", name);
    golden_gradient_is(g, tensor, golden_count(golden_need(g, tensor)), golden_gradient(g, m, name));
}

void golden_autoformer_encoder_layer(golden *g)
{
    const golden_shape in       = sequences_of(g, "input");
    const bool         training = of_training(g);
    if (!training) golden_predict(g, encoder_layer(g, in, false), in);
    fgt_model *m = encoder_layer(g, in, !training);
    golden_train(g, m, in);
    if (golden_has(g, "delays")) check_seen(g, m, in.batch);
    if (!golden_backward(g, m, in)) return;
    golden_check_projections(g, m, "attention.", in.width);
    check_conv(g, m, "conv1.weight");
    check_conv(g, m, "conv2.weight");
}
