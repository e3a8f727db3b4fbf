/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_CREATE_H
#define FGTI_FORECASTER_CREATE_H

#include "forecast/build/closed_forms.h"
#include "forecast/forecaster_impl.h"

/* Makes a forecaster as fgt_forecaster_create() does. Takes closed forms from `forms`, and adds missing ones
 * to `forms`. */
fgt_status fgti_forecaster_make(fgt_context *ctx, const fgt_forecaster_opts *opts, const fgt_table *table,
                                const fgt_split *split, fgti_closed_forms *forms,
                                fgt_forecaster **forecaster);
/* FGT_E_ARG: the training or the validation rows are not a range of the table. An empty validation range (end
 * <= begin) means no validation; it becomes 0, 0. */
fgt_status fgti_forecaster_check_split(fgt_context *ctx, const fgt_table *table, fgt_split *split);
/* Reads an excerpt of a table on disk: the last training rows and the first validation rows, in the ratio of
 * three to one. The excerpt takes a quarter of the memory that the table may take, but has at least eight
 * windows of L + H rows. */
fgt_status fgti_forecaster_read_excerpt(int64_t window, const fgt_table *table, const fgt_split *split,
                                        fgt_table **excerpt, fgt_split *part);
/* Makes a forecaster from its info and the names of its columns. The caller adds the model, the batch, the
 * seed, the season and the values of the scaler. On success the forecaster owns *names. */
fgt_status fgti_forecaster_new(fgt_context *ctx, const fgt_forecaster_info *info, fgti_strings *names,
                               fgt_forecaster **out);

#endif
