/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_FILE_H
#define FGTI_MODEL_FILE_H

#include <fighter/model.h>

#include "model/files/file_output.h"
#include "model/files/safetensors.h"

/* Tensors and pairs besides the model's own, for callers that store more in the same file. */
typedef struct fgti_extra {
    int64_t               tensors, pairs;
    const fgti_st_tensor *tensor;
    const fgti_st_pair   *pair;
} fgti_extra;

fgt_status fgti_model_save_with(const fgt_model *model, fgti_output *out, const fgti_extra *extra);
/* A hash of the stored parts of the model: layers, options, seed, graphs, the active adapter and, with
 * `weights`, the weights of both, but not which are frozen. FGT_E_NOMEM. */
fgt_status fgti_model_hash_all(const fgt_model *model, bool weights, uint64_t *hash);
/* Whether two models have the same layers and options; seeds and weights may differ. FGT_E_ARG. */
fgt_status fgti_model_check_same(const fgt_model *model, const fgt_model *other);
/* Whether a file has a model of the same layers, options and seed, and weights that can be read. */
fgt_status fgti_model_check_file(fgt_model *model, const fgti_st *st);

#endif
