/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_FILE_H
#define FGTI_MODEL_FILE_H

#include <fighter/model.h>

#include "model/files/file_output.h"
#include "model/files/safetensors.h"

/* Additional tensors and pairs, for callers that store more than the model in a file. */
typedef struct fgti_extra {
    int64_t               tensors, pairs;
    const fgti_st_tensor *tensor;
    const fgti_st_pair   *pair;
} fgti_extra;

fgt_status fgti_model_save_with(const fgt_model *model, fgti_output *out, const fgti_extra *extra);
/* Rows of the parameter "embedding.weight" that a file lacks. */
typedef struct fgti_rows_cut {
    int64_t first, count;
} fgti_rows_cut;

/* fgti_model_save_with(), but all floating-point tensors are rounded to BF16, and rows are left out. */
fgt_status fgti_model_save_small(const fgt_model *model, fgti_output *out, const fgti_extra *extra,
                                 fgti_rows_cut cut);
/* A hash of the stored parts of a model: layers, options, seed, graphs, and the active adapter. With
 * `weights` it covers the weights of the model and of the adapter. It does not cover which parameters are
 * frozen. FGT_E_NOMEM. */
fgt_status fgti_model_hash_all(const fgt_model *model, bool weights, uint64_t *hash);
/* Checks that two models have the same layers and options. Seeds and weights may differ. FGT_E_ARG. */
fgt_status fgti_model_check_same(const fgt_model *model, const fgt_model *other);
/* Checks that a file has a model with the same layers, options and seed, and that its weights can be read. */
fgt_status fgti_model_check_file(fgt_model *model, const fgti_st *st);

#endif
