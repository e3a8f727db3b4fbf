/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PARAMS_H
#define FGTI_PARAMS_H

#include <fighter/model.h>

#include "nn/layer.h"

/* Makes room for a layer's parameters in the slab and draws their first values. */
fgt_status fgti_params_extend(fgt_model *model, fgti_layer *layer);
/* Allocates the slab of a model that is being loaded; its contents are undefined. Sets model->loading to
 * NULL. */
fgt_status fgti_params_allocate(fgt_model *model);
/* The parameter of the layers that has this name; NULL: no parameter has it. */
const fgti_param *fgti_param_find(const fgt_model *model, const char *name);
/* Parameter i of the layers, and its layer. */
const fgti_param *fgti_param_at(const fgt_model *model, int64_t i, const fgti_layer **layer);

/* Number of parameters of the layers, without adapters. */
int64_t fgti_params_count(const fgt_model *model);
/* Number of trained parameters: the active adapter has them or, without an adapter, the layers. */
int64_t fgti_model_tensors(const fgt_model *model);
/* Trained parameter i. If an adapter is active, it belongs to the adapter, otherwise to the layers. */
fgti_param *fgti_trained_at(const fgt_model *model, int64_t i);

/* The trained parameters. If an adapter is active, they belong to the adapter, otherwise to the layers. */
typedef struct fgti_trained {
    int64_t       size;
    fgti_real    *weights;
    fgti_real   **gradients; /* where the address of the slab of gradients is stored */
    fgti_touched *touched;
    uint64_t      serial; /* serial number of the active adapter; 0: no adapter is active */
} fgti_trained;

fgti_trained fgti_model_trained(fgt_model *model);

bool fgti_all_finite(int64_t n, const fgti_real *x);

/* Finds a trained parameter with this name; if no trained one has it, a parameter of the base model.
 * *weights: the slab that holds it. NULL: not found; the error text is set. */
const fgti_param *fgti_param_need(fgt_model *model, const char *name, fgti_real **weights);
/* Copies a parameter out of a slab. */
fgt_status fgti_param_copy(fgt_model *model, const fgti_param *p, const fgti_real *slab, const fgt_view *out);

#endif
