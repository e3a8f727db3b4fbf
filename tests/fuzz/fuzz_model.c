/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files: what loads must also predict. */
#include <fighter/base.h>
#include <fighter/model.h>

#include "fuzz.h"

/* What the models of the corpus take; others refuse it. Damaged sizes may describe models that are
 * large and legal: those are not worth the time. */
enum { TIME = 6, FEATURES = 3, MAX_OUTPUT = 4096, MAX_BYTES = 1 << 20 };

static void predict(fgt_context *ctx, const uint8_t *data, size_t size)
{
    static float         x[TIME * FEATURES], y[MAX_OUTPUT];
    const fgt_model_opts opts  = {.size = sizeof opts, .batch = 1, .time = TIME};
    fgt_model           *model = NULL;
    fgt_view             out   = {.data = y};
    if (fgt_model_load_memory(ctx, data, (int64_t)size, &opts, &model)) return;
    if (!fgt_model_get_output(model, &out) && fgt_view_count(&out) <= MAX_OUTPUT &&
        fgt_workspace_size(model, NULL) <= MAX_BYTES) {
        out.data           = y;
        const fgt_status s = fgt_predict(model, FGT_VIEW(x, 1, TIME, FEATURES), &out);
        (void)s; /* any answer will do, a crash will not */
    }
    fgt_model_destroy(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx = fuzz_context();
    if (ctx) predict(ctx, data, size);
    return 0;
}
