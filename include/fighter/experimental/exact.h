/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_EXACT_H
#define FIGHTER_EXPERIMENTAL_EXACT_H

/** @file exact.h
 *  Predictions with the bits of fgt_predict() on the model, or with shortcuts, which take less time.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/classify.h>
#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Chooses how predictions are computed. exact 1: they have the bits of fgt_predict() on the models, and
 *  attention and values of the last prediction can be read from the models. exact 0: some products of weights
 *  are computed once for all predictions (fgt_predictor_opts.exact). Then predictions take less time and
 *  differ by rounding. While a mask or a state is set on one of the classifier's models, these products are
 *  not used for that model. Files do not keep this choice. Existing workspaces do not change.
 *  Shapes   exact: 0, the default, or 1
 *  Errors   FGT_E_ARG
 *  Threads  no thread may predict at the same time */
FGT_API FGT_MUST fgt_status fgt_classifier_set_exact(fgt_classifier *classifier, int32_t exact);

/** Chooses how forecasts are computed. exact 1: forecasts, and the forecast errors computed from them, have
 *  the bits of fgt_predict() on the model; attention and values of the last forecast can be read from the
 *  model. exact 0: some products of weights are computed once for all forecasts
 *  (fgt_predictor_opts.exact). Then forecasts take less time and differ by rounding. While a mask or a state
 *  is set on the forecaster's model, these products are not used. Training is not affected. A mean of several
 *  forecasters takes this choice from its first member; a refit takes it from the forecaster that it was made
 *  from. Files do not keep the choice. Existing workspaces do not change.
 *  Shapes   exact: 0, the default, or 1
 *  Errors   FGT_E_ARG
 *  Threads  no thread may forecast at the same time */
FGT_API FGT_MUST fgt_status fgt_forecaster_set_exact(fgt_forecaster *forecaster, int32_t exact);

#ifdef __cplusplus
}
#endif
#endif
