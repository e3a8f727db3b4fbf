/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OUTPUTS_H
#define FGTI_OUTPUTS_H

#include "forecast/forecaster_impl.h"

/* Corrects outputs of the model. A target that was constant in the training rows and in a window stays
 * constant: layers and maps that are shared with other series do not change it. Counts are raised to 0 if
 * they are below. x [windows,L,D] is the input of the model, and y [windows,H,C,Q] its output. */
void fgti_forecast_settle(const fgt_forecaster *f, const float *x, float *y, int64_t windows);
/* Checks outputs y [windows,H,C,Q]. FGT_E_DATA: the output for some window is not finite. Row 0 of y is row
 * `done` of the forecast. */
fgt_status fgti_forecast_check(const fgt_forecaster *f, fgti_error *err, const float *y, int64_t windows,
                               int64_t done);
/* Takes the forecasts, [cells], from the model's outputs y [cells,Q]. points may be y. */
void fgti_forecast_points(const fgt_forecaster *f, const float *y, int64_t cells, float *points);
/* Writes rows y [rows,C] of the model's forecasts to `forecast`, in units of the table, from row `at` on. */
void fgti_forecast_put(const fgt_forecaster *f, const float *y, int64_t rows, const fgt_view *forecast,
                       int64_t at);
/* Writes the output of the model, y [H,C,Q], as quantiles [Q,H,C] in units of the table. */
void fgti_forecast_put_quantiles(const fgt_forecaster *f, const float *y, const fgt_view *quantiles);
/* Returns element i of y [rows,C] in the units of the table. */
double fgti_forecast_to_units(const fgt_forecaster *f, const float *y, int64_t i);

#endif
