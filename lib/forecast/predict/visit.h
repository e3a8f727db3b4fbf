/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VISIT_H
#define FGTI_VISIT_H

/* Forecasts of rows that are known, window by window. */

#include <fighter/experimental/evaluate.h>

#include "forecast/forecaster_impl.h"

/* Gets one window, standardised: the model's output, [H,C] or [H,C,Q], and the truth [H,C]. Missing values of
 * the truth are NaN. */
typedef fgt_status (*fgti_take_forecast)(void *user, int64_t window, const float *forecast,
                                         const float *truth);
/* Forecasts windows from..to-1 of a source and passes them to `take`, in order. */
fgt_status fgti_visit(fgt_forecaster *f, const fgt_source *source, int64_t from, int64_t to,
                      fgti_take_forecast take, void *user);

/* fgti_visit() that passes errors in place of forecasts. An error is truth - forecast; the shape is [H,C], or
 * [Q,H,C] for each quantile. */
typedef void (*fgti_take_errors)(void *user, int64_t window, const float *error, const float *truth);
fgt_status fgti_collect_errors(fgt_forecaster *f, const fgt_source *source, int64_t from, int64_t to,
                               fgti_take_errors take, void *user);

#endif
