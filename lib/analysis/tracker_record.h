/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRACKER_RECORD_H
#define FGTI_TRACKER_RECORD_H

#include "analysis/tracked.h"

/* Records the numbers of all layers in the last pass, for this epoch and step. On error
 * the rows are as before. */
fgt_status fgti_tracker_record(fgt_tracker *k, int64_t epoch, int64_t step);

#endif
