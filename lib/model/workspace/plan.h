/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_PLAN_H
#define FGTI_WORKSPACE_PLAN_H

#include "model/model_impl.h"

/* Number of elements that a layer needs in a pass of the planned size. */
fgti_need fgti_workspace_need(const fgti_layer *l, int64_t batch);
/* Makes the lists of a workspace and places all its parts. The memory itself is allocated later.
 * FGT_E_SIZE. */
fgt_status fgti_workspace_plan(fgt_workspace *ws, fgti_purpose purpose, int64_t batch, int32_t workers);
size_t     fgti_workspace_lists(const fgt_model *m);
/* Number of inputs that all layers have together. */
int64_t fgti_model_edges(const fgt_model *m);

#endif
