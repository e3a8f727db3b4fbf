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

static fgt_attention_opts correlation_opts(golden *g, const char *prefix, bool own_delays)
{
    return (fgt_attention_opts){.size  = sizeof(fgt_attention_opts),
                                .heads = (int64_t)golden_number(g, "heads", 1),
                                .no_bias =
                                    !golden_has(g, golden_name(g, "param.%squery_projection.bias", prefix)),
                                .attender   = FGT_ATTENDER_CORRELATION,
                                .factor     = (int32_t)golden_number(g, "factor", 1),
                                .own_delays = own_delays};
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

/* Predictions take the path "inference" whatever the option says. */
static void check_prediction(golden *g, golden_shape in, int64_t memory_time, const fgt_view *memory)
{
    const fgt_attention_opts opts = correlation_opts(g, "", false);
    fgt_model               *m    = golden_attention(g, in, memory_time, &opts);
    golden_set_projections(g, m, "", in.width);
    if (memory) golden_ok(g, fgt_model_set_value(m, "memory", memory, NULL));
    golden_predict(g, m, in);
}

void golden_autocorrelation(golden *g)
{
    const bool         cross = golden_has(g, "input_kv"), training = of_training(g);
    const golden_shape in   = golden_fold(golden_need(g, "input"));
    const golden_shape kv   = cross ? golden_fold(golden_need(g, "input_kv")) : in;
    const int64_t      n    = golden_elements(kv);
    float             *dkv  = golden_memory(g, n, sizeof *dkv);
    const fgt_view     x_kv = cross ? golden_view(kv, golden_floats(g, "input_kv")) : (fgt_view){0};
    const fgt_view     d_kv = golden_view(kv, dkv);
    if (in.nodes > 1) golden_skip(g, "auto-correlation of several nodes");
    if (!training) check_prediction(g, in, cross ? kv.time : 0, cross ? &x_kv : NULL);
    const fgt_attention_opts opts = correlation_opts(g, "", !training);
    fgt_model               *m    = golden_attention(g, in, cross ? kv.time : 0, &opts);
    golden_set_projections(g, m, "", in.width);
    if (cross) golden_ok(g, fgt_model_set_value(m, "memory", &x_kv, &d_kv));
    golden_train(g, m, in);
    if (golden_has(g, "delays")) check_delays(g, m, in.batch);
    if (!golden_backward(g, m, in)) return;
    golden_check_projections(g, m, "", in.width);
    if (cross && golden_has(g, "grad.input_kv")) golden_gradient_is(g, "grad.input_kv", n, dkv);
}
