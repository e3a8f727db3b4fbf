/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecaster files: what loads must also forecast. */
#include <stdbool.h>

#include <fighter/base.h>
#include <fighter/forecast.h>

#include "fuzz.h"

/* Sizes that the forecasters of the corpus take and give; others refuse them. Damaged sizes may describe
 * models that are large and legal: those are not worth the time. */
enum { ROWS = 24, SERIES = 2, PREDICTED = 6, MAX_BYTES = 1 << 22 };

static void forecast(fgt_context *ctx, const uint8_t *data, size_t size)
{
    static const int64_t at;
    static double       rows[ROWS * SERIES], known[(ROWS + PREDICTED) * SERIES], out[PREDICTED * SERIES];
    fgt_forecaster     *f    = NULL;
    fgt_forecaster_info info = {.size = sizeof info};
    const fgt_status     loaded = fgt_forecaster_load(ctx, FGT_FROM_MEMORY(data, (int64_t)size), NULL, &f);
    fuzz_count(loaded == FGT_OK);
    if (loaded != FGT_OK) return;
    const int64_t bytes = fgt_model_get_workspace_bytes(fgt_forecaster_get_model(f), NULL);
    const bool    fits  = !fgt_forecaster_get_info(f, &info) && info.columns + info.past <= SERIES &&
                          info.known <= SERIES && info.pred_len <= PREDICTED;
    if (bytes >= 0 && bytes <= MAX_BYTES && fits) {
        const fgt_view          r  = *FGT_VIEW_OF(FGT_DTYPE_F64, rows, ROWS, info.columns + info.past);
        const fgt_view          k  = *FGT_VIEW_OF(FGT_DTYPE_F64, known, ROWS + info.pred_len, info.known);
        const fgt_forecast_rows in = {.size = sizeof in, .rows = &r, .known = &k, .time = &at};
        const fgt_status        s  = fgt_forecaster_workspace_predict_rows(
                    fgt_forecaster_get_workspace(f), &in,
                    FGT_VIEW_OF(FGT_DTYPE_F64, out, info.pred_len, info.columns));
        (void)s; /* any answer will do, a crash will not */
    }
    fgt_forecaster_destroy(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fgt_context *ctx = fuzz_context();
    if (ctx) forecast(ctx, data, size);
    return 0;
}
