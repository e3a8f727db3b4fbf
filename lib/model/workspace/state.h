/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_STATE_H
#define FGTI_WORKSPACE_STATE_H

#include "model/model_impl.h"

/* Puts the states in place for a pass of `batch` samples. FGT_E_STATE: the states have another batch. */
fgt_status fgti_state_start(fgt_workspace *ws, int64_t batch);
/* Called after a pass. If the pass went well, its end states are kept; otherwise the states with which it
 * started. */
void fgti_state_end(fgt_workspace *ws, int64_t batch, bool ok);
/* Moves all data of the states from a workspace to another workspace of the same model. */
void fgti_state_move(const fgt_workspace *from, fgt_workspace *to);
/* Called before the host sets a state of `batch` samples. States that are not set become zero. FGT_E_SHAPE;
 * FGT_E_STATE: the other states have another number of samples. */
fgt_status fgti_state_begin(fgt_workspace *ws, const char *name, int64_t batch);

/* Bytes of a state of `batch` samples. */
static inline size_t fgti_state_bytes(const fgti_state *s, int64_t batch)
{
    return (size_t)(s->outer * batch * s->inner) * sizeof(fgti_real);
}

#endif
