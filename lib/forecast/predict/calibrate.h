/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CALIBRATE_H
#define FGTI_CALIBRATE_H

#include "forecast/predict/calibration.h"

/* The first row that the model was not trained on, as far as times show. */
int64_t fgti_calibration_first(const fgt_forecaster *f, const fgt_table *table);
/* Makes the calibration of fgt_calibration_create() for rows first .. row-1, which were not trained on. The
 * kept errors cover rows before row `more`; -1: do not use them. */
fgt_status fgti_calibration_make(fgt_forecaster *f, const fgt_table *table, int64_t first, int64_t more,
                                 int64_t row, fgt_calibration **c);

#endif
