/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_SENSITIVITY_H
#define FGTI_REPORT_SENSITIVITY_H

#include "forecast/forecaster.h"

/* Sensitivity, as report.h has it, of target c in the window that the forecaster forecast last: by_row
 * [L], by_series [D]. */
fgt_status fgti_report_sensitivity(const fgt_forecaster *f, int64_t c, double *by_row, double *by_series);

#endif
