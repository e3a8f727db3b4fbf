/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_H
#define FGTI_PREDICTOR_H

#include <fighter/predictor.h>

/* Makes a predictor without weights of its own: it reads the model's weights in place, and packs or folds
 * them anew when a prediction finds that they, or the active adapter, have changed. The model takes no more
 * layers and must outlive it. Predictions allocate nothing. */
fgt_status fgti_predictor_follow(fgt_model *model, fgt_predictor **predictor);

#endif
