/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_KEPT_ERRORS_H
#define FGTI_KEPT_ERRORS_H

#include "forecast/predict/calibration.h"
#include "forecast/rows/frame.h"
#include "model/files/safetensors.h"

/* Number of errors of each step and target that a forecaster keeps. 199 errors include the quantiles of 0.5
 * %, 1 % ..., which are enough for intervals of up to 99 %. */
enum { FGTI_KEPT = 199 };

/* Makes a new calibration from the kept errors and the errors of rows row .. end-1. f->kept must not be
 * NULL. */
fgt_status fgti_kept_errors_with(fgt_forecaster *f, const fgti_frame *frame, int64_t row, int64_t end,
                                 fgt_calibration **out);
/* Makes a calibration with FGTI_KEPT errors of c, standardised by the scaler of f. */
fgt_status fgti_kept_errors_of(const fgt_forecaster *f, const fgt_calibration *c, fgt_calibration **out);

/* The tensors of kept errors in a forecaster's file:
 *     forecast.errors         F32 [Q,H,C,199]: sorted, standardised; known ones first
 *     forecast.errors_known   I64 [3,Q,H,C]: number of known errors; number of errors for which they stand;
 *                             time of the last row covered */
enum { FGTI_KEPT_TENSORS = 2 };
/* Adds the tensors. The caller frees *numbers. If there are no kept errors, *count does not change. */
fgt_status fgti_kept_errors_write(const fgt_forecaster *f, int64_t **numbers, fgti_st_tensor *tensor,
                                  int64_t *count);
fgt_status fgti_kept_errors_read(const fgti_st *st, fgt_forecaster *f);

#endif
