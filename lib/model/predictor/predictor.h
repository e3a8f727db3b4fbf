/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_H
#define FGTI_PREDICTOR_H

#include <fighter/predictor.h>

/* Makes a predictor that has no weights of its own but reads the model's weights in place. When a prediction
 * finds that the weights or the active adapter have changed, it packs or folds the weights again. The model
 * takes no more layers, and must outlive the predictor. Predictions allocate nothing. */
fgt_status fgti_predictor_follow(fgt_model *model, fgt_predictor **predictor);

#endif
