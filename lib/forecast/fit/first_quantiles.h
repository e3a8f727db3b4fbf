/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIRST_QUANTILES_H
#define FGTI_FIRST_QUANTILES_H

/* The quantiles of a forecaster before its layers are trained. */

#include "forecast/forecaster_impl.h"

/* Sets the bias of the last map before training. At this time the layers add nothing to the map in closed
 * form, so all quantiles of a step would be its forecast m. With bias b, quantile q of step h becomes m +
 * b_{qh} u. Here u is the output of the layers for the bias 1: u is 1 or, with revin, the scale of the
 * window. b_{qh} minimises the quantile loss over some windows and all series: it is the quantile q of
 * (y - m) / u with weights u. The windows come from `validation` or, if it is NULL or has fewer than 20, from
 * `train`.
 *
 * Nothing changes if the model has no quantiles or no map, or if its last map was trained before. */
fgt_status fgti_set_first_quantiles(fgt_forecaster *f, const fgt_source *validation, const fgt_source *train);

#endif
