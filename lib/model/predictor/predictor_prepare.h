/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_PREPARE_H
#define FGTI_PREDICTOR_PREPARE_H

#include "model/model_impl.h"
#include "model/predictor/predictor_impl.h"

/* Results that layers compute from the weights and keep. */

/* Memory in which layers prepare. It fits the layer with the most parameters, and the largest scratch. */
typedef struct fgti_preparation {
    bool      *unread;
    fgti_real *scratch;
} fgti_preparation;

/* Allocates `room` and the memory for results that layers keep. Call fgti_preparation_done() even after an
 * error. */
fgt_status fgti_preparation_init(fgt_predictor *p, fgti_preparation *room);
void       fgti_preparation_done(fgt_context *ctx, fgti_preparation *room);
/* Lets every layer compute its results from the weights. */
void fgti_predictor_prepare(fgt_predictor *p, const fgti_real *weights, fgti_exec *exec,
                            const fgti_preparation *room);

#endif
