/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_STEPS_H
#define FGTI_TABLE_STEPS_H

#include "data/join/long_rows.h"
#include "data/time/time_axis.h"

/* Called if reading the times failed with s. If several series have different steps, the axis gets the
 * longest step that leads to the times of all series. Otherwise the axis does not change, and s is
 * returned. */
fgt_status fgti_long_split_axis(const fgti_long *l, const int64_t *times, fgt_status s, fgti_axis *axis);

#endif
