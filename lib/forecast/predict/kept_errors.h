/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_KEPT_ERRORS_H
#define FGTI_KEPT_ERRORS_H

#include "forecast/predict/calibration.h"
#include "model/files/safetensors.h"

/* Errors of each step and target that a forecaster keeps. With 199 the quantiles of 0.5 %, 1 % ... are among
 * them: intervals of up to 99 %. */
enum { FGTI_KEPT = 199 };

/* The kept errors with those of rows row .. end-1; f->kept is there. */
fgt_status fgti_kept_errors_with(fgt_forecaster *f, const fgti_frame *frame, int64_t row, int64_t end,
                                 fgt_calibration **out);
/* As many errors of a calibration as are kept. It knows the rows of the table before `end`. */
fgt_status fgti_kept_errors_of(const fgt_forecaster *f, const fgt_calibration *c, const fgt_table *table,
                               int64_t end, fgt_calibration **out);

/* In a forecaster's file:
 *     forecast.errors         F32 [Q,H,C,199]: sorted, standardised; those that are known first
 *     forecast.errors_known   I64 [3,Q,H,C]: how many these are, for how many they stand; the time of the
 *                             last row that they know */
enum { FGTI_KEPT_TENSORS = 2 };
/* *numbers is to be freed. Without kept errors *count stays as it is. */
fgt_status fgti_kept_errors_write(const fgt_forecaster *f, int64_t **numbers, fgti_st_tensor *tensor,
                                  int64_t *count);
fgt_status fgti_kept_errors_read(const fgti_st *st, fgt_forecaster *f);

#endif
