/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GUARD_H
#define FGTI_GUARD_H

/* Who may use or change a model at a given time. */

#include <fighter/model.h>

/* Call it after every change of the weights. It makes results invalid that layers have computed from the
 * weights and kept. */
void fgti_model_changed(fgt_model *model);

/* Between these two calls there runs a training, or a function of the host that may predict but not train. */
void fgti_model_begin_call(fgt_model *model);
void fgti_model_end_call(fgt_model *model);
/* FGT_E_STATE: called in a pass or between the two calls above. For calls that change weights, gradients or
 * the course of a training. */
fgt_status fgti_model_check_idle(const fgt_model *model, const char *what);

/* FGT_E_STATE: plan() or memory() of a layer of the host is running, so the model is just being changed. */
fgt_status fgti_model_check_asking(const fgt_model *model);

/* FGT_E_STATE: a pass is running in this workspace. A layer of the host must not begin another pass in the
 * same memory. */
fgt_status fgti_workspace_check_busy(const fgt_workspace *ws);

/* If s is FGT_OK, makes the model final, so that no layers can be added. Returns s. */
fgt_status fgti_model_make_final(fgt_model *model, fgt_status s);

#endif
