/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files: what loads must also predict. */
#include <stdbool.h>
#include <string.h>

#include <fighter/base.h>
#include <fighter/model.h>

#include "../model_info.h"
#include "fuzz.h"

/* Tokens of a pass, and bounds: damaged sizes may describe models that are large and legal, which are not
 * worth the time. */
enum { TIME = 6, MOST = 4096, MAX_BYTES = 1 << 20 };

/* Inputs and outputs: zeros, and ids of which each vocabulary has two. */
static float         y[MOST];
static const float   zeros[MOST];
static const int64_t ids[MOST]   = {0, 1, 1, 0, 1};
static const int32_t mask[MOST]  = {0, 0, 0, 0, 0, 1};

/* Gives a view its data; false: it is too large. */
static bool fill(fgt_view *v)
{
    const void *data = zeros;
    if (v->dtype != FGT_DTYPE_F32) data = v->dtype == FGT_DTYPE_I64 ? (const void *)ids : (const void *)mask;
    v->data = (void *)(uintptr_t)data;
    return fgt_view_count(v) <= MOST;
}

/* Values of real numbers, ids, and masks of the keys have the shapes that the model tells; other masks, whose
 * shapes it does not tell, refuse these and stay away at a second try. */
static void set_values(fgt_model *model, bool masks)
{
    for (int64_t i = 0; i < model_info(model).layers; i++) {
        fgt_layer_info info = {.size = sizeof info};
        if (fgt_model_get_layer(model, i, &info) || strcmp(info.type, "value") != 0 || !fill(&info.output))
            continue;
        const bool       set = masks || info.output.dtype == FGT_DTYPE_F32;
        const fgt_status s   = fgt_workspace_set_value(fgt_model_get_workspace(model), info.name,
                                                     set ? &info.output : NULL, NULL);
        (void)s;
    }
}

static void predict(fgt_context *ctx, const uint8_t *data, size_t size)
{
    const fgt_load_opts  opts  = {.size = sizeof opts, .batch = 1, .time = TIME};
    fgt_model           *model = NULL;
    fgt_view             in, out;
    const fgt_status     loaded = fgt_model_load(ctx, FGT_FROM_MEMORY(data, (int64_t)size), &opts, &model);
    fuzz_count(loaded == FGT_OK);
    if (loaded != FGT_OK) return;
    if (model_shapes(model, &in, &out) && fill(&in) && fgt_view_count(&out) <= MOST &&
        fgt_model_get_workspace_bytes(model, NULL) <= MAX_BYTES) {
        out.data = y;
        set_values(model, true);
        if (fgt_predict(model, &in, &out) == FGT_E_SHAPE) {
            set_values(model, false);
            const fgt_status s = fgt_predict(model, &in, &out);
            (void)s; /* any answer will do, a crash will not */
        }
    }
    fgt_model_destroy(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx = fuzz_context();
    if (ctx) predict(ctx, data, size);
    return 0;
}
