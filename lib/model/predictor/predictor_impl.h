/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_IMPL_H
#define FGTI_PREDICTOR_IMPL_H

#include <fighter/predictor.h>

#include <stdatomic.h>

#include "model/model_impl.h"

/* Results that layers keep of the weights, and the parameters that are still read, are in the predictor's own
 * memory or in a mapped file: the pointers of the model lead there. */
struct fgt_predictor {
    fgt_model *model;
    int64_t    size; /* elements of model->weights */
    uint8_t   *gone; /* [tensors] 1: no pass reads it any more */
    void      *map;  /* the file, or NULL */
    size_t     map_bytes;
};

#endif
