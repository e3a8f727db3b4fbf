/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files: what loads must also predict. */
#include <fighter/base.h>
#include <fighter/model.h>

#include "fuzz.h"

/* What the models of the corpus take; others refuse it. Damaged sizes may describe models that are
 * large and legal: those are not worth the time. */
enum { TIME = 6, FEATURES = 3, MAX_OUTPUT = 4096, MAX_BYTES = 1 << 20 };

/* The values of the models of the corpus; a model that has none of such a name refuses it. */
static void set_values(fgt_model *model)
{
    static const float   known[TIME * FEATURES];
    static const int32_t mask[TIME] = {0, 0, 0, 0, 0, 1}, ids[TIME] = {0, 1, 2, 3, 1, 0};
    fgt_status           s = fgt_model_set_value(model, "known", FGT_VIEW(known, 1, TIME, FEATURES), NULL);
    s                      = fgt_model_set_value(model, "mask", FGT_VIEW_OF(FGT_I32, mask, 1, TIME), NULL);
    s                      = fgt_model_set_value(model, "ids", FGT_VIEW_OF(FGT_I32, ids, 1, TIME), NULL);
    (void)s;
}

static void predict(fgt_context *ctx, const char *path)
{
    static float x[TIME * FEATURES], y[MAX_OUTPUT];
    fgt_model   *model = NULL;
    fgt_view     out   = {.data = y};
    if (fgt_model_load(ctx, path, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = TIME), &model)) return;
    if (!fgt_model_get_output(model, &out) && fgt_view_count(&out) <= MAX_OUTPUT &&
        fgt_workspace_size(model, NULL) <= MAX_BYTES) {
        set_values(model);
        out.data           = y;
        const fgt_status s = fgt_predict(model, FGT_VIEW(x, 1, TIME, FEATURES), &out);
        (void)s; /* any answer will do, a crash will not */
    }
    fgt_model_destroy(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char  *path = fuzz_file(data, size);
    fgt_context *ctx  = NULL;
    if (!path || fgt_context_create(NULL, &ctx)) return 0;
    predict(ctx, path);
    fgt_context_destroy(&ctx);
    return 0;
}
