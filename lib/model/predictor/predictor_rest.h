/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_REST_H
#define FGTI_PREDICTOR_REST_H

#include "model/model_impl.h"
#include "model/predictor/predictor_impl.h"

/* The parameters that passes still read after all layers have prepared their results. */

/* Counts the elements of the parameters that are still read. fgti_predictor_place() gives them places in
 * model->weights, one after another, and sets `size`. */
int64_t fgti_predictor_rest(const fgt_predictor *p);
void    fgti_predictor_place(fgt_predictor *p);

/* Copies the parameters that are still read, in the same order, into memory of the predictor. */
fgt_status fgti_predictor_keep_rest(fgt_predictor *p, const fgti_real *weights);

#endif
