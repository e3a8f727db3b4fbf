/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_FOLLOW_H
#define FGTI_PREDICTOR_FOLLOW_H

#include "model/adapter_types.h"
#include "model/model_impl.h"
#include "model/predictor/predictor_impl.h"
#include "model/predictor/predictor_prepare.h"

/* For a predictor that reads the weights of a model in place, and follows their changes. */
typedef struct fgti_follower {
    fgt_predictor   *predictor;
    fgt_model       *leader;
    _Atomic uint64_t version; /* version of the leader's weights from which everything was prepared; 0: not
                               * prepared */
    fgti_preparation room;
} fgti_follower;

/* Prepares anew if the weights have changed. Called before a pass of one of its workspaces. Of several
 * threads the first one does it, and the others wait. */
void fgti_follower_update(fgt_workspace *ws);
/* The leader's tuning. */
const fgti_tuning *fgti_follower_tuning(const fgt_model *m);
/* Gives the weights back. Called before the predictor is destroyed, even if it is no follower. */
void fgti_follower_done(fgt_predictor *p);

/* Makes a new predictor the follower of a model. */
fgt_status fgti_follower_make(fgt_model *model, fgt_predictor *p);

#endif
