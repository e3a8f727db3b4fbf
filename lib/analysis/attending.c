/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/attending.h"

#include <string.h>

#include "blas/blas.h"
#include "model/access.h"

fgt_status fgti_attending_find(fgt_model *model, const char *layer, bool *along_nodes, bool *cross)
{
    fgti_error *err = &fgti_model_context(model)->error;
    for (int64_t i = 0; i < fgti_model_layers(model); i++) {
        fgt_layer_info info = {.size = sizeof info};
        FGTI_TRY(fgt_model_get_layer(model, i, &info));
        if (strcmp(info.name, layer) != 0) continue;
        if (cross) *cross = fgti_model_is_cross(model, i);
        if (along_nodes) *along_nodes = info.axis == FGT_AXIS_NODES;
        if (info.adjacency != FGT_ADJACENCY_NONE) return FGT_OK;
        return fgti_fail(err, FGT_E_UNSUPPORTED, "layer \"%.60s\" (%.60s) has neither attention nor a graph",
                         layer, info.type);
    }
    return fgti_fail(err, FGT_E_NAME, "there is no layer \"%.60s\"", layer);
}

void fgti_attending_power(const fgt_context *ctx, int32_t worker, int64_t t, const fgti_real *last,
                          const fgti_real *a, fgti_real *next)
{
    const fgti_gemm g = fgti_gemm_nn(t, t, t, last, t, a, t, 0, next, t);
    fgti_gemm_run(ctx->blas, fgti_worker_scratch(&ctx->exec, worker), &g);
}
