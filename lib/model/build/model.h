/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BUILD_MODEL_H
#define FGTI_BUILD_MODEL_H

#include <fighter/model.h>

#include "core/opts.h"

extern const fgti_opt fgti_model_opts[]; /* all options except the seed */
/* Sets *model to NULL, for calls that make a model. FGT_E_ARG: there is no context, or no place for the
 * model. */
fgt_status fgti_model_check_place(fgt_context *ctx, fgt_model **model);

#endif
