/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OWN_PASSES_H
#define FGTI_OWN_PASSES_H

#include "forecast/forecaster_impl.h"

/* The workspace of the forecaster's own passes, made if needed; NULL: the model's own, because the forecaster
 * is exact, or masks or states are set there. */
fgt_status fgti_forecaster_get_passes(fgt_forecaster *f, fgt_workspace **passes);
/* Frees it, because training needs a larger one. */
void fgti_forecaster_drop_passes(fgt_forecaster *f);

#endif
