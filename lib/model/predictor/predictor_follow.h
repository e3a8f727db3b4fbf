/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_FOLLOW_H
#define FGTI_PREDICTOR_FOLLOW_H

#include "model/adapter_types.h"
#include "model/model_impl.h"
#include "model/predictor/predictor_impl.h"
#include "model/predictor/predictor_prepare.h"

/* The state of a predictor that reads the weights of a model, its leader, in place and follows their
 * changes. */
typedef struct fgti_follower {
    fgt_predictor   *predictor;
    fgt_model       *leader;
    _Atomic uint64_t version; /* version of the leader's weights for which everything is prepared; 0: nothing
                               * is prepared */
    fgti_preparation room;
} fgti_follower;

/* Prepares everything again if the weights have changed. Called before a pass in a workspace of the
 * predictor. If several threads call it, the first one prepares, and the others wait. */
void fgti_follower_update(fgt_workspace *ws);
/* The tuning of the leader. */
const fgti_tuning *fgti_follower_tuning(const fgt_model *m);
/* Gives the weights back to the leader. Called before any predictor is destroyed, also if it does not follow
 * a model. */
void fgti_follower_done(fgt_predictor *p);

/* Makes a new predictor follow a model. */
fgt_status fgti_follower_make(fgt_model *model, fgt_predictor *p);

#endif
