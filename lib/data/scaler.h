/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SCALER_H
#define FGTI_SCALER_H

#include <fighter/data.h>

#include "core/alloc.h"
#include "data/strings/list.h"

/* Mean and population standard deviation of each column of rows begin .. end-1 of values [R,C], without
 * NaN; dev is 0 where the column is constant up to rounding. mean, dev [C]: undefined after an error.
 * Sentences call a column by its name; names NULL: by its number. */
fgt_status fgti_columns_fit(fgt_context *ctx, const fgt_view *values, int64_t begin, int64_t end,
                            const fgti_strings *names, double *mean, double *dev);
/* fgt_scaler_fit(), whose sentences have the columns' names. */
fgt_status fgti_scaler_fit(fgt_scaler *scaler, const fgt_view *values, int64_t begin, int64_t end,
                           const fgti_strings *names);

#endif
