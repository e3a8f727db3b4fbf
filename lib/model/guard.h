/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GUARD_H
#define FGTI_GUARD_H

/* Who may use or change a model at a given time. */

#include <fighter/model.h>

/* Call it after every change of the weights: results that layers have computed from them become invalid. */
void fgti_model_changed(fgt_model *model);

/* Between these two calls a training runs, or a function of the host that may predict but not train. */
void fgti_model_begin_call(fgt_model *model);
void fgti_model_end_call(fgt_model *model);
/* FGT_E_STATE between the two calls above and in a pass: for calls that change weights, gradients or the
 * course of training. */
fgt_status fgti_model_check_idle(const fgt_model *model, const char *what);

/* FGT_E_STATE while plan() or memory() of a layer of the host's runs: the model is being changed. */
fgt_status fgti_model_check_asking(const fgt_model *model);

/* FGT_E_STATE in a pass: a layer of the host's must not begin another pass in the same memory. */
fgt_status fgti_workspace_check_busy(const fgt_workspace *ws);

/* Makes the model final if s is FGT_OK: no layers can be added. Returns s. */
fgt_status fgti_model_make_final(fgt_model *model, fgt_status s);

#endif
