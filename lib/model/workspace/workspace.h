/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORKSPACE_H
#define FGTI_WORKSPACE_H

#include "model/model_impl.h"

/* Gives the model's own workspace memory for `purpose`. FGT_E_STATE: a pass runs, and the workspace has
 * another purpose. Until fgti_workspace_make_final() layers can still be added; adding one takes the memory
 * away. */
fgt_status fgti_workspace_own(fgt_model *model, fgti_purpose purpose);
void       fgti_workspace_drop_own(fgt_model *model);
/* fgti_workspace_begin() is called before the host sets something for the next pass. It gives memory to the
 * model's own workspace. fgti_workspace_make_final() is called after the host has set it. Unless `s` is an
 * error, the model then takes no more layers. It returns s. */
fgt_status fgti_workspace_begin(fgt_workspace *ws);
fgt_status fgti_workspace_make_final(fgt_workspace *ws, fgt_status s);
/* Makes a workspace for predictions that uses the context's threads and error text. */
fgt_status fgti_workspace_create_shared(fgt_model *model, int64_t batch, fgt_workspace **ws);
/* Computes the bytes of a workspace without making it. For training they include the gradients. *bytes is -1
 * on error. */
fgt_status fgti_workspace_bytes(const fgt_model *model, fgti_purpose purpose, const fgt_workspace_opts *o,
                                int64_t *bytes);

#endif
