/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PARAMS_H
#define FGTI_PARAMS_H

#include <fighter/model.h>

#include "nn/layer.h"

/* Makes room for a layer's parameters in the slab and draws their first values. */
fgt_status fgti_params_extend(fgt_model *model, fgti_layer *layer);
/* Ends model->loading: allocates the slab, with undefined contents. */
fgt_status fgti_params_allocate(fgt_model *model);
/* The layers' parameter with this name, or NULL. */
const fgti_param *fgti_param_find(const fgt_model *model, const char *name);
/* Parameter i of the layers. */
const fgti_param *fgti_param_at(const fgt_model *model, int64_t i, const fgti_layer **layer);

/* Number of the layers' parameters, adapters not included. */
int64_t fgti_params_count(const fgt_model *model);
/* Number of trained parameters. */
int64_t fgti_model_tensors(const fgt_model *model);
/* Trained parameter i: of the active adapter, or of the layers. */
fgti_param *fgti_trained_at(const fgt_model *model, int64_t i);

/* The trained parameters: of the layers, or of the active adapter. */
typedef struct fgti_trained {
    int64_t       size;
    fgti_real    *weights;
    fgti_real   **gradients; /* where the address of the slab is stored */
    fgti_touched *touched;
    uint64_t      serial; /* serial number of the active adapter; 0: no adapter */
} fgti_trained;

fgti_trained fgti_model_trained(fgt_model *model);

bool fgti_all_finite(int64_t n, const fgti_real *x);

/* A parameter that is trained, otherwise a parameter of the base model. *weights: the slab that holds it.
 * NULL: not found, the error is set. */
const fgti_param *fgti_param_need(fgt_model *model, const char *name, fgti_real **weights);
/* Copies a parameter out of a slab. */
fgt_status fgti_param_copy(fgt_model *model, const fgti_param *p, const fgti_real *slab, const fgt_view *out);

#endif
