/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLOSED_FORM_H
#define FGTI_CLOSED_FORM_H

/* The linear part of a forecaster: linear regressions that are solved before the layers are trained. */

#include "forecast/forecaster_impl.h"
#include "forecast/linear/linear_map.h"

typedef struct fgti_closed_form {
    double         *effect; /* [D,K]: e = effect k + level is the effect of the known values k of a row on the
                               series */
    double         *level;  /* [D] */
    fgti_linear_map map;    /* the map of the series without this effect; map.maps is 0 if there is no map */
} fgti_closed_form;

/* The validation rows of the split choose the weights of the regressions. The regressions are solved, and the
 * effect is found, on rows train_begin .. end-1. table: has only the columns of the forecaster. Call
 * fgti_closed_form_done() even after an error. */
fgt_status fgti_closed_form_fit(fgt_forecaster *f, const fgt_table *table, const fgt_split *split,
                                int64_t end, fgti_closed_form *c);
void       fgti_closed_form_done(fgt_context *ctx, fgti_closed_form *c);

#endif
