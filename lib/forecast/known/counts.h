/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_COUNTS_H
#define FGTI_COUNTS_H

#include "forecast/forecaster_impl.h"

/* The least forecast of a target, standardised; -INFINITY: no limit. */
double fgti_forecaster_least(const fgt_forecaster *f, int64_t target);
/* Raises forecasts below 0 to 0. This is done for targets that cannot be negative, and for counts whose
 * window has no value below 0. x [windows,L,D], y [windows,H,C,Q]. */
void fgti_forecast_raise(const fgt_forecaster *f, const float *x, float *y, int64_t windows);
/* Copies which targets of another forecaster are counts. */
fgt_status fgti_counts_share(const fgt_forecaster *from, fgt_forecaster *to);

#endif
