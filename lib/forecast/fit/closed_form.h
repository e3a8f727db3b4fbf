/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLOSED_FORM_H
#define FGTI_CLOSED_FORM_H

/* Maps that a forecaster has before it is trained: linear regressions on the training rows. */

#include "forecast/forecaster.h"
#include "forecast/linear/linear_map.h"

typedef struct fgti_closed_form {
    double         *effect; /* [D,K]: e = effect k + level, of what is known of a row on the series */
    double         *level;  /* [D] */
    fgti_linear_map map;    /* of the series without that effect; maps 0: there is none */
} fgti_closed_form;

/* The mean of regressions is chosen by the split; they are solved, and the effect is found, on rows
 * train_begin .. end-1. table: only the columns of the forecaster. fgti_closed_form_done() is due even after
 * an error. */
fgt_status fgti_closed_form_fit(fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                                int64_t end, fgti_closed_form *c);
void       fgti_closed_form_done(fgt_context *ctx, fgti_closed_form *c);

#endif
