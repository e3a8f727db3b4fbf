/* SPDX-License-Identifier: BSD-3-Clause */
/* The outputs of a forecaster's model: how they are corrected and converted to the units of the table. */
#include "forecast/predict/outputs.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "data/table.h"
#include "forecast/forecaster.h"
#include "forecast/known/counts.h"

/* Whether a target is constant. If a series is constant in the training rows, the scaler has scale 1 and the
 * constant as the mean. So a constant window is exactly 0. */
static bool output_is_constant(const fgt_forecaster *f, const float *x, int64_t c)
{
    const int64_t l = f->info.input_len, inputs = fgti_forecaster_inputs(f);
    int64_t       r = 0;
    if (f->scaler->scale[c] != 1) return false;
    while (r < l && x[r * inputs + c] == 0) r++;
    return r == l;
}

static void hold_constants(const fgt_forecaster *f, const float *x, float *y, int64_t windows)
{
    const int64_t l = f->info.input_len, inputs = fgti_forecaster_inputs(f), heads = fgti_forecaster_heads(f);
    const int64_t h = f->info.pred_len, c = f->info.columns;
    for (int64_t i = 0; i < windows * c; i++) {
        float *out = y + (i / c * h * c + i % c) * heads;
        if (!output_is_constant(f, x + i / c * l * inputs, i % c)) continue;
        for (int64_t k = 0; k < h; k++) memset(out + k * c * heads, 0, (size_t)heads * sizeof *out);
    }
}

void fgti_forecast_settle(const fgt_forecaster *f, const float *x, float *y, int64_t windows)
{
    hold_constants(f, x, y, windows);
    fgti_forecast_raise(f, x, y, windows);
}

fgt_status fgti_forecast_check(const fgt_forecaster *f, fgti_error *err, const float *y, int64_t windows,
                               int64_t done)
{
    const int64_t heads = fgti_forecaster_heads(f), c = f->info.columns, h = f->info.pred_len;
    char          show[FGTI_SHOW];
    for (int64_t i = 0; i < windows * h * c * heads; i++)
        if (!isfinite(y[i]))
            return fgti_fail(err, FGT_E_DATA,
                             "\"%s\": the forecast of row %lld after the last one is %s: the weights of the "
                             "model are damaged or too large",
                             fgti_show(fgti_strings_get(&f->names, i / heads % c), show),
                             (long long)(done + 1 + i / heads / c % h), isnan(y[i]) ? "NaN" : "infinite");
    return FGT_OK;
}

void fgti_forecast_points(const fgt_forecaster *f, const float *y, int64_t cells, float *points)
{
    const int64_t heads = fgti_forecaster_heads(f), middle = fgti_forecaster_middle(f);
    for (int64_t i = 0; i < cells; i++) points[i] = y[i * heads + middle];
}

void fgti_forecast_put_quantiles(const fgt_forecaster *f, const float *y, const fgt_view *quantiles)
{
    const double *mean  = f->scaler->mean;
    const double *scale = f->scaler->scale;
    const int64_t c = f->info.columns, cells = f->info.pred_len * c, heads = f->info.quantile_count;
    for (int64_t q = 0; q < heads; q++)
        for (int64_t i = 0; i < cells; i++) {
            const float v  = y[i * heads + q];
            const bool  at = isfinite(v) && (double)v == fgti_forecaster_least(f, i % c);
            fgti_view_set(quantiles, q * cells + i, at ? 0 : v * scale[i % c] + mean[i % c]);
        }
}

double fgti_forecast_to_units(const fgt_forecaster *f, const float *y, int64_t i)
{
    const int64_t c = i % f->info.columns;
    if (isfinite(y[i]) && (double)y[i] == fgti_forecaster_least(f, c)) return 0;
    return y[i] * f->scaler->scale[c] + f->scaler->mean[c];
}

void fgti_forecast_put(const fgt_forecaster *f, const float *y, int64_t rows, const fgt_view *forecast,
                       int64_t at)
{
    for (int64_t i = 0; i < rows * f->info.columns; i++)
        fgti_view_set(forecast, at * f->info.columns + i, fgti_forecast_to_units(f, y, i));
}
