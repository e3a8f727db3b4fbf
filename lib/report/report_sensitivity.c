/* SPDX-License-Identifier: BSD-3-Clause */
/* The sensitivity of a forecast to the rows and series of its input. */
#include "report/report_sensitivity.h"

#include <math.h>

#include <fighter/experimental/sensitivity.h>

#include "core/size.h"
#include "forecast/forecaster.h"
#include "forecast/predict/predict.h"

/* Most steps of a forecast, each with a backward pass of its own. 24 steps show daily patterns of hourly
 * rows. */
#define MOST_STEPS 24

/* Derivatives of one step with respect to the window [L,D]. With quantiles, the middle one is used. */
static fgt_status differentiate(const fgt_forecaster *f, int64_t step, int64_t c, float *out)
{
    const int64_t              l = f->info.input_len, d = fgti_forecaster_inputs(f);
    const bool                 several = f->info.quantile_count > 0;
    const fgt_sensitivity_opts o       = {.size    = sizeof o,
                                          .first   = several ? step * f->info.columns + c : step,
                                          .count   = 1,
                                          .element = 1 + (several ? fgti_forecaster_middle(f) : c)};
    return fgt_jacobian_compute(f->model, FGT_VIEW(f->own->x, 1, l, d), &o,
                                FGT_VIEW_OF(FGT_DTYPE_F32, out, 1, 1, l, 1, d));
}

static fgt_status add_squares(const fgt_forecaster *f, int64_t c, float *derivative, double *by_row,
                              double *by_series)
{
    const int64_t h = f->info.pred_len, d = fgti_forecaster_inputs(f), cells = f->info.input_len * d;
    const int64_t steps = fgti_least(h, MOST_STEPS);
    for (int64_t k = 0; k < steps; k++) {
        FGTI_TRY(differentiate(f, k * h / steps, c, derivative));
        for (int64_t i = 0; i < cells; i++) {
            const double square = (double)derivative[i] * (double)derivative[i] / (double)steps;
            by_row[i / d] += square;
            by_series[i % d] += square;
        }
    }
    return FGT_OK;
}

fgt_status fgti_report_sensitivity(const fgt_forecaster *f, int64_t c, double *by_row, double *by_series)
{
    const int64_t l = f->info.input_len, d = fgti_forecaster_inputs(f);
    float        *derivative;
    for (int64_t i = 0; i < l; i++) by_row[i] = 0;
    for (int64_t i = 0; i < d; i++) by_series[i] = 0;
    FGTI_TRY(FGTI_NEW(f->ctx, l * d, "derivatives of a forecast", &derivative));
    const fgt_status s = add_squares(f, c, derivative, by_row, by_series);
    for (int64_t i = 0; i < l; i++) by_row[i] = sqrt(by_row[i]);
    for (int64_t i = 0; i < d; i++) by_series[i] = sqrt(by_series[i]);
    fgti_free(f->ctx, derivative);
    return s;
}
