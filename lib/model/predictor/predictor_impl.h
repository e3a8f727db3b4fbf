/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_IMPL_H
#define FGTI_PREDICTOR_IMPL_H

#include <fighter/predictor.h>

#include <stdatomic.h>

#include "model/model_impl.h"

/* A predictor. The results that layers keep, and the parameters that passes still read, are in its own memory
 * or in a mapped file. Pointers of the model lead there. */
struct fgt_predictor {
    fgt_model *model;
    int64_t    size; /* number of elements in model->weights */
    uint8_t   *gone; /* [tensors]; 1: no pass reads this parameter any more */
    void      *map;  /* the mapped file; NULL: no file */
    size_t     map_bytes;
};

#endif
