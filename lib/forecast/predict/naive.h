/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NAIVE_H
#define FGTI_NAIVE_H

#include "forecast/rows/frame.h"

/* Checks a season. FGT_E_ARG: there is no whole season before row `begin`. */
fgt_status fgti_naive_check(const fgt_forecaster *f, int64_t begin, int64_t season);
/* The naive forecast [H,C] of the rows from `row` on, standardised. */
fgt_status fgti_naive_forecast(const fgti_frame *frame, int64_t row, int64_t season, float *forecast);

#endif
