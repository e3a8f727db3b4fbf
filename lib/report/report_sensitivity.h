/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_SENSITIVITY_H
#define FGTI_REPORT_SENSITIVITY_H

#include "forecast/forecaster_impl.h"

/* Computes the sensitivity (report.h) of target c in the window of the forecaster's last forecast: by_row [L]
 * and by_series [D]. */
fgt_status fgti_report_sensitivity(const fgt_forecaster *f, int64_t c, double *by_row, double *by_series);

#endif
