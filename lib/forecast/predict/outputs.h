/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OUTPUTS_H
#define FGTI_OUTPUTS_H

#include "forecast/forecaster_impl.h"

/* A target that was constant in the training rows and in a window stays constant: layers and maps that are
 * shared with other series do not change it. Counts are not below 0. x [windows,L,D] is the model's input, y
 * [windows,H,C,Q] its output. */
void fgti_forecast_settle(const fgt_forecaster *f, const float *x, float *y, int64_t windows);
/* FGT_E_DATA: the model's output for some windows, y [windows,H,C,Q], is not finite. Row 0 of y is row `done`
 * of the forecast. */
fgt_status fgti_forecast_check(const fgt_forecaster *f, fgti_error *err, const float *y, int64_t windows,
                               int64_t done);
/* The forecasts among the model's outputs for some cells, [cells] of [cells,Q]; y may be points. */
void fgti_forecast_points(const fgt_forecaster *f, const float *y, int64_t cells, float *points);
/* Writes rows [rows,C] of the model's forecasts in units of the table, from row `at` of `forecast` on. */
void fgti_forecast_put(const fgt_forecaster *f, const float *y, int64_t rows, const fgt_view *forecast,
                       int64_t at);
/* Output of the model [H,C,Q] as quantiles [Q,H,C] in units of the table. */
void fgti_forecast_put_quantiles(const fgt_forecaster *f, const float *y, const fgt_view *quantiles);
/* Value i of y [rows,C] in the units of the table. */
double fgti_forecast_to_units(const fgt_forecaster *f, const float *y, int64_t i);

#endif
