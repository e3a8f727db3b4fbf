/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BUILD_MODEL_H
#define FGTI_BUILD_MODEL_H

#include <fighter/model.h>

#include "core/opts.h"

extern const fgti_opt fgti_model_opts[]; /* all but the seed */
/* For calls that make a model: sets *model to NULL. FGT_E_ARG without a context or a place for the model. */
fgt_status fgti_model_check_place(fgt_context *ctx, fgt_model **model);

#endif
