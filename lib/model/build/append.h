/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_APPEND_H
#define FGTI_APPEND_H

#include <fighter/model.h>

/* Adds the layers of another model of the same input, with its weights and frozen flags; their names get a
 * prefix. Both models read the same values of the host. FGT_E_NAME; FGT_E_SHAPE: values of one name differ;
 * FGT_E_NOMEM. On error destroy `model`. A model that is being loaded gets no weights. */
fgt_status fgti_model_append(fgt_model *model, const fgt_model *more, const char *prefix);

/* A part of a model: `last` and the layers that it depends on. */
typedef struct fgti_model_part {
    const char *last, *at;
    float       dropout; /* dropout of all layers; negative: each layer keeps its own */
    /* Called after the copy of layer `at` (NULL: never) to add further layers. Readers of `at` then read the
     * last of these instead. */
    fgt_status (*behind)(fgt_model *model, void *user);
    void *user;
} fgti_model_part;

/* Adds the part to a model of the same input, with the same names, weights and frozen flags. FGT_E_NAME:
 * there is no such layer. On error destroy `model`. */
fgt_status fgti_model_append_part(fgt_model *model, const fgt_model *more, const fgti_model_part *part);

#endif
