/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_H
#define FGTI_WORKSPACE_H

#include "model/model_impl.h"

/* Gives the model's own workspace memory for `purpose`; FGT_E_STATE if it has another purpose and a pass
 * runs. Layers can still be added, which takes the memory away, until fgti_model_make_final(). */
fgt_status fgti_workspace_own(fgt_model *model, fgti_purpose purpose);
void       fgti_workspace_drop_own(fgt_model *model);
/* fgti_workspace_begin() is called before the host sets something for the next pass: it gives memory to the
 * model's own workspace. fgti_workspace_make_final() is called after that: the model then takes no more
 * layers, unless `s` is an error. It returns s. */
fgt_status fgti_workspace_begin(fgt_workspace *ws);
fgt_status fgti_workspace_make_final(fgt_workspace *ws, fgt_status s);
/* A workspace for predictions with the context's threads and its error text. */
fgt_status fgti_workspace_create_shared(fgt_model *model, int64_t batch, fgt_workspace **ws);
/* Computes the bytes of a workspace without making it; for training the gradients are included. -1 on
 * error. */
fgt_status fgti_workspace_bytes(const fgt_model *model, fgti_purpose purpose, const fgt_workspace_opts *o,
                                int64_t *bytes);

#endif
