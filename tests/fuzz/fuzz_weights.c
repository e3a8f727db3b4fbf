/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights by name into a model that stands: all of them, or none. */
#include <stdlib.h>

#include <fighter/base.h>
#include <fighter/model.h>

#include "fuzz.h"

/* One for all inputs. */
static fgt_model *model;

static void destroy(void)
{
    fgt_model_destroy(&model);
}

/* The model of corpus/fuzz_weights; seeds.c makes the same. */
static void make(fgt_context *ctx)
{
    const fgt_model_opts  shape = {.size = sizeof shape, .batch = 1, .time = 6, .features = 3, .seed = 7};
    const fgt_linear_opts wide  = {.size = sizeof wide, .out = 4};
    const fgt_gru_opts    gru   = {.size = sizeof gru, .hidden = 3};
    if (fgt_model_create(ctx, &shape, &model) || fgt_model_add(model, fgt_linear(&wide)) ||
        fgt_model_add(model, fgt_gru(&gru)))
        abort();
    atexit(destroy); /* before the context, which was made earlier */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static float x[18], y[18];
    fgt_context *ctx = fuzz_context();
    if (!ctx) return 0;
    if (!model) make(ctx);
    const uint64_t   before = fgt_model_get_hash(model);
    const fgt_status s      = fgt_model_load_weights(model, FGT_FROM_MEMORY(data, (int64_t)size));
    fuzz_count(s == FGT_OK);
    if (s != FGT_OK && fgt_model_get_hash(model) != before) abort();
    if (s == FGT_OK && fgt_predict(model, FGT_VIEW(x, 1, 6, 3), FGT_VIEW(y, 1, 6, 3))) abort();
    return 0;
}
