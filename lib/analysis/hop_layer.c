/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/hop_layer.h"

#include <math.h>
#include <string.h>

#include "analysis/attending.h"
#include "model/access.h"
#include "model/pass/last_pass.h"

#define NORM_EPS 1e-5 /* eps of the layer's LayerNorm */

static int64_t hop_option_of(const fgt_model *model, const char *layer, const char *option)
{
    return (int64_t)fgti_model_option_of(model, layer, option);
}

static void hop_read_weights(fgt_model *model, const char *layer, fgti_hop_layer *l)
{
    l->wk     = fgti_model_read_weight(model, layer, "k_proj.weight");
    l->bk     = fgti_model_read_weight(model, layer, "k_proj.bias");
    l->hop    = fgti_model_read_weight(model, layer, "hop_weight");
    l->bias   = fgti_model_read_weight(model, layer, "bias");
    l->norm_w = fgti_model_read_weight(model, layer, "norm.weight");
    l->norm_b = fgti_model_read_weight(model, layer, "norm.bias");
    l->wo     = fgti_model_read_weight(model, layer, "out_proj.weight");
    l->bo     = fgti_model_read_weight(model, layer, "out_proj.bias");
}

fgt_status fgti_hop_layer_open(fgt_model *model, const char *layer, fgti_hop_layer *l)
{
    fgt_view a;
    *l = (fgti_hop_layer){.ctx = fgti_model_context(model)};
    FGTI_TRY(fgti_attending_find(model, layer, &l->along_nodes, NULL));
    if (!fgti_model_hops(model, layer))
        return fgti_fail(&l->ctx->error, FGT_E_UNSUPPORTED,
                         "layer \"%.60s\" has no hops: it is not a Fighter layer", layer);
    FGTI_TRY(fgt_model_get_adjacency(model, layer, &a));
    FGTI_TRY(fgti_model_read_input(model, layer, &l->x));
    hop_read_weights(model, layer, l);
    l->groups = a.shape[0];
    l->heads  = a.shape[1];
    l->t      = a.shape[2];
    l->a      = a.data;
    l->d      = l->x.shape[l->x.rank - 1];
    l->h        = hop_option_of(model, layer, "out");
    l->k        = hop_option_of(model, layer, "attn");
    l->hops     = hop_option_of(model, layer, "hops");
    l->first    = hop_option_of(model, layer, "first_hop");
    l->attender = (int32_t)hop_option_of(model, layer, "attender");
    l->act      = (fgti_act)hop_option_of(model, layer, "act");
    l->scale    = 1 / sqrt(hop_option_of(model, layer, "scale") == FGT_ATTN_SCALE_WIDTH
                               ? (double)l->d
                               : (double)l->k / (double)l->heads);
    return FGT_OK;
}

int64_t fgti_hop_layer_row(const fgti_hop_layer *l, int64_t group, int64_t t)
{
    if (!l->along_nodes) return group * l->t + t;
    const int64_t places = l->groups / l->x.shape[0];
    return (group / places * l->t + t) * places + group % places;
}

static void hop_normalise(const fgti_hop_layer *l, double *x)
{
    double mean = 0, square = 0;
    for (int64_t n = 0; n < l->d; n++) mean += x[n] / (double)l->d;
    for (int64_t n = 0; n < l->d; n++) square += (x[n] - mean) * (x[n] - mean) / (double)l->d;
    const double rstd = 1 / sqrt(square + NORM_EPS);
    for (int64_t n = 0; n < l->d; n++)
        x[n] = (x[n] - mean) * rstd * (double)l->norm_w[n] + (double)l->norm_b[n];
}

void fgti_hop_layer_input(const fgti_hop_layer *l, int64_t group, double *x)
{
    for (int64_t t = 0; t < l->t; t++) {
        const fgti_real *from = (const fgti_real *)l->x.data + fgti_hop_layer_row(l, group, t) * l->d;
        for (int64_t n = 0; n < l->d; n++) x[t * l->d + n] = (double)from[n];
        if (l->norm_w) hop_normalise(l, x + t * l->d);
    }
}

void fgti_hop_layer_project(const fgti_hop_layer *l, int64_t power, const double *x, double *c)
{
    const int64_t d = l->d, h = l->h;
    memset(c, 0, (size_t)(l->t * h) * sizeof *c);
    if (power < l->first) return;
    const fgti_real *w = l->hop + (power - l->first) * d * h;
    for (int64_t t = 0; t < l->t; t++)
        for (int64_t n = 0; n < d; n++)
            for (int64_t o = 0; o < h; o++) c[t * h + o] += x[t * d + n] * (double)w[n * h + o];
}

void fgti_hop_layer_spread(const fgti_hop_layer *l, int64_t group, const double *b, double *c)
{
    const int64_t t = l->t, h = l->h, columns = h / l->heads;
    memset(c, 0, (size_t)(t * h) * sizeof *c);
    for (int64_t head = 0; head < l->heads; head++) {
        const fgti_real *a = l->a + (group * l->heads + head) * t * t;
        for (int64_t i = 0; i < t; i++)
            for (int64_t j = 0; j < t; j++)
                for (int64_t o = head * columns; o < (head + 1) * columns; o++)
                    c[i * h + o] += (double)a[i * t + j] * b[j * h + o];
    }
}
