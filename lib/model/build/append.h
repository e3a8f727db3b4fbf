/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_APPEND_H
#define FGTI_APPEND_H

#include <fighter/model.h>

/* Adds the layers of the model `more`, with their weights and frozen flags. Their names get the prefix. Both
 * models have the same input and read the same values of the host. FGT_E_NAME; FGT_E_SHAPE: values with the
 * same name differ; FGT_E_NOMEM. On error destroy `model`. A model that is being loaded gets no weights. */
fgt_status fgti_model_append(fgt_model *model, const fgt_model *more, const char *prefix);

/* A part of a model: the layer `last` and all layers that it depends on. */
typedef struct fgti_model_part {
    const char *last, *at;
    float       dropout; /* dropout of all copied layers; negative: each layer keeps its own */
    /* Called after layer `at` was copied, to add further layers. Layers that read `at` then read the last
     * added layer instead. `at` NULL: never called. */
    fgt_status (*behind)(fgt_model *model, void *user);
    void *user;
} fgti_model_part;

/* Adds the part to a model of the same input. Its names, weights and frozen flags stay the same. FGT_E_NAME:
 * there is no such layer. On error destroy `model`. */
fgt_status fgti_model_append_part(fgt_model *model, const fgt_model *more, const fgti_model_part *part);

#endif
