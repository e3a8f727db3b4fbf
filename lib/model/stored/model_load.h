/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_LOAD_H
#define FGTI_MODEL_LOAD_H

#include <fighter/model.h>

#include "model/files/safetensors.h"

fgt_status fgti_model_load_from(fgt_context *ctx, const fgti_st *st, const fgt_model_opts *opts,
                                fgt_model **model);
/* Checks that a file has all weights of the model and that all are finite. With `strict` it must have no
 * other tensors. */
fgt_status fgti_model_check_weights(const fgt_model *model, const fgti_st *st, bool strict);
/* Copies the weights of a file that fgti_model_check_weights() has checked. If the file is held in memory
 * (fgti_st_hold), this cannot fail. */
fgt_status fgti_model_read_weights(fgt_model *model, const fgti_st *st);

#endif
