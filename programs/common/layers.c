/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/analysis.h>
#include <fighter/experimental/hops.h>
#include <stdlib.h>

#include "json_out.h"
#include "layers.h"
#include "model_info.h"

/* Replaces the first row of v [rows,columns] by the mean of all rows. */
static void take_means(double *v, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < columns; i++) {
        for (int64_t k = 1; k < rows; k++) v[i] += v[k * columns + i];
        v[i] /= (double)rows;
    }
}

double *layers_hops(fgt_model *model, const char *layer, int64_t *hops)
{
    fgt_view norms, shares;
    if (fgt_hops_get_shape(model, layer, &norms) != FGT_OK) return NULL;
    const int64_t n = fgt_view_count(&norms);
    double       *v = malloc((size_t)(2 * n) * sizeof *v);
    if (!v) return NULL;
    shares      = norms;
    norms.data  = v;
    shares.data = v + n;
    *hops       = norms.shape[1];
    if (fgt_hops_compute(model, layer, &norms, &shares) != FGT_OK) {
        free(v);
        return NULL;
    }
    take_means(v, norms.shape[0], *hops);
    take_means(v + n, norms.shape[0], *hops);
    for (int64_t i = 0; i < *hops; i++) v[*hops + i] = v[n + i];
    return v;
}

/* Divides each row by its sum. A row of zeros is not changed. */
static void take_shares(double *v, int64_t rows, int64_t columns)
{
    for (int64_t k = 0; k < rows; k++) {
        double sum = 0;
        for (int64_t i = 0; i < columns; i++) sum += v[k * columns + i];
        for (int64_t i = 0; sum > 0 && i < columns; i++) v[k * columns + i] /= sum;
    }
}

static json_t *pack_list(const double *v, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; list && i < n; i++) json_array_append_new(list, json_real(v[i]));
    return list;
}

/* The importance of the first `count` tokens; JSON null if the layer has another attender or no token can be
 * measured. */
static json_t *pack_importance(fgt_model *model, const char *layer, const fgt_view *dy, int64_t count)
{
    fgt_view norms;
    if (fgt_importance_get_shape(model, layer, NULL, &norms) != FGT_OK) return json_null();
    const int64_t rows = norms.shape[0], tokens = norms.shape[1];
    double       *v = calloc((size_t)(rows * tokens), sizeof *v);
    if (!v) return NULL;
    norms.data   = v;
    json_t *list = NULL;
    double  most = 0;
    if (fgt_importance_compute(model, layer, NULL, dy, &norms, NULL) == FGT_OK) {
        take_shares(v, rows, tokens);
        take_means(v, rows, tokens);
    }
    for (int64_t i = 0; i < tokens; i++) most = v[i] > most ? v[i] : most;
    list = most > 0 ? pack_list(v, count && count < tokens ? count : tokens) : json_null();
    free(v);
    return list;
}

static json_t *pack_layer(fgt_model *model, const char *layer, const fgt_view *dy, int64_t count)
{
    int64_t hops;
    double *v = layers_hops(model, layer, &hops);
    if (!v) return json_null();
    json_t *all = json_pack("{s:s, s:o, s:o, s:o}", "layer", layer, "hop_norms", pack_list(v, hops),
                            "hop_shares", pack_list(v + hops, hops), "importance",
                            pack_importance(model, layer, dy, count));
    free(v);
    return all;
}

json_t *layers_describe(fgt_model *model, const fgt_view *dy, int64_t count)
{
    fgt_layer_info info = {.size = sizeof info};
    json_t        *list = json_array();
    for (int64_t i = 0; list && i < model_info(model).layers; i++)
        if (fgt_model_get_layer(model, i, &info) == FGT_OK && info.hops > 1)
            json_array_append_new(list, pack_layer(model, info.name, dy, count));
    return list;
}
