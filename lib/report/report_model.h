/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_MODEL_H
#define FGTI_REPORT_MODEL_H

#include "report/report_data.h"

/* T of the first layer with attention along time; 0: the model has no such layer. */
int64_t fgti_report_count_tokens(const fgt_model *m);

#endif
