/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LONE_H
#define FGTI_TABLE_LONE_H

#include "data/join/long_rows.h"
#include "data/time/step.h"

/* Looks for a row whose time is far before or after all other rows of its series, most likely because of a
 * wrong label. s is the status of reading the times. If s is an error, the error text names the row as the
 * likely cause. Otherwise a warning names the row if its series has a hole into which it would fit. */
fgt_status fgti_long_judge_labels(const fgti_long *l, const int64_t *times, const fgt_time_step *step,
                                  fgt_status s);

#endif
