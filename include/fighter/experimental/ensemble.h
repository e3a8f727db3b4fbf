/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_ENSEMBLE_H
#define FIGHTER_EXPERIMENTAL_ENSEMBLE_H

/** @file ensemble.h
 *  Ensembles: several classifiers or forecasters that predict as one.
 *
 *      fgt_classifier_take_members(first, &second);
 *      fgt_forecaster_create_mean(ctx, members, count, &mean);
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/classify.h>
#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Adds the members of another classifier to a classifier. From then on logits are means over all members, so
 *  probabilities are geometric means, scaled to sum 1. All members are saved and loaded as one classifier.
 *  Train the members before this call, each with its own seed.
 *  Source   Hansen and Salamon 1990; Lakshminarayanan, Pritzel and Blundell 2017
 *  Cost     a prediction then costs the sum of the predictions of all members
 *  Owner    takes *other and sets it to NULL; on error both are as before
 *  Errors   FGT_E_ARG NULL, *other is classifier, or *other has another context, classes, vocabulary or model
 *           (seeds and weights may differ); FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_classifier_take_members(fgt_classifier *classifier, fgt_classifier **other);

/** The model of one member. Member 0 is fgt_classifier_get_model(); added members follow in order.
 *  Shapes   as fgt_classifier_get_model()
 *  Owner    the classifier's
 *  Errors   none; NULL if there is no such member */
FGT_API fgt_model *fgt_classifier_get_member(fgt_classifier *classifier, int64_t member);

/** Makes a forecaster whose forecast is the mean of the forecasts of several forecasters, its members: y =
 *  1/M sum_m y_m. Members differ in their seeds, or in their layers, so their random errors cancel in part.
 *  The result is like any other forecaster: one model, one file, and an update trains all members. In
 *  fgt_forecaster_info, block, tokens, revin and seen rows describe the first member.
 *  Source   Breiman 1996
 *  Shapes   members [M], M in 1 .. FGT_SUM_MAX, with the same columns, L, H, calendar, identity, holidays,
 *           static features, mask, non_negative, blind and quantiles, made for the same training rows
 *  Cost     memory and time of a forecast: the sum over all members
 *  Owner    the members are copied and stay the caller's; *forecaster is the caller's, too; the context must
 *           outlive it
 *  Errors   FGT_E_ARG also members that do not fit together, or are of another context; FGT_E_NAME a name is
 *           too long; FGT_E_SHAPE static features in a file from before version 0.1; FGT_E_NOMEM. On error
 *           *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_create_mean(fgt_context *ctx, fgt_forecaster *const *members,
                                                       int64_t count, fgt_forecaster **forecaster);

#ifdef __cplusplus
}
#endif
#endif
