/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SCALE_H
#define FGTI_SCALE_H

#include "forecast/forecaster_impl.h"

typedef struct fgti_scaling {
    bool shared;  /* all targets have one mean and deviation */
    bool keeps_0; /* targets have the mean 0 */
} fgti_scaling;

/* Whether targets have mean 0, which layers with positive output need. */
bool fgti_forecaster_keeps_0(const fgt_forecaster *f);
/* Sets the scaler from the training rows. index: the numbers of the forecaster's columns in a table on disk.
 * A table in memory has only the forecaster's columns, in order. */
fgt_status fgti_forecaster_fit_scaler(fgt_forecaster *f, fgti_scaling scaling, const fgt_table *table,
                                      const fgt_split *split, const int64_t *index);

#endif
