/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LONE_H
#define FGTI_TABLE_LONE_H

#include "data/join/long_rows.h"
#include "data/time/step.h"

/* Looks for a row far before or after all others of its series: most likely its label is wrong. If the times
 * of the rows were refused, s, it is named as the likely cause; otherwise, if its series lacks a row in whose
 * place it would fit, in a warning. */
fgt_status fgti_long_judge_labels(const fgti_long *l, const int64_t *times, const fgt_time_step *step,
                                  fgt_status s);

#endif
