/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_ACCESS_H
#define FGTI_MODEL_ACCESS_H

/* Parts of a model that other folders may use besides the public calls. struct fgt_model itself is in
 * model_impl.h, which only lib/model includes. */

#include <fighter/model.h>

#include "nn/layer.h"

/* All trained parameters are in one array, the slab, one after another; their gradients are in a second one,
 * at the same offsets. While an adapter is active, both are the adapter's. Both are borrowed. From
 * fgti_gradients_need() on they do not move, because the model then takes no more layers. */
typedef struct fgti_slabs {
    fgt_context  *ctx;
    int64_t       size;                /* elements of each */
    fgti_real    *weights, *gradients; /* gradients: NULL before fgti_gradients_need() */
    fgti_touched *touched;             /* rows at the start whose gradient is sparse; touched->rows 0: no
                                        * such rows */
    uint64_t      serial; /* serial number of the adapter that owns the slabs; 0: the layers own them */
} fgti_slabs;

fgti_slabs fgti_model_slabs(fgt_model *model);

/* Elements at the start of the slabs that belong to the sparse rows. All others are dense. */
static inline int64_t fgti_slabs_sparse(const fgti_slabs *slabs)
{
    return slabs->touched->rows * slabs->touched->width;
}

/* The context, and the options with their defaults. */
fgt_context          *fgti_model_context(const fgt_model *model);
const fgt_model_opts *fgti_model_options(const fgt_model *model);

/* The output as it is now: its shape, and the name of the layer that gives it. Without layers: the input's
 * shape and "". */
fgti_shape  fgti_model_last_shape(const fgt_model *model);
const char *fgti_model_last_name(const fgt_model *model);

/* Trained parameter i: name, offset, count, whether it is frozen or sparse. NULL: i is out of range. */
const fgti_param *fgti_model_param(const fgt_model *model, int64_t i);

/* Parameter i of a model file: first the layers' parameters, then the active adapter's. *weights: the slab
 * that has it. NULL: i is out of range. */
const fgti_param *fgti_model_stored(const fgt_model *model, int64_t i, const fgti_real **weights);

/* Number of layers; NULL has 0. */
int64_t fgti_model_layers(const fgt_model *model);
/* The output for the largest batch and time, without data. */
fgt_view fgti_model_output_shape(const fgt_model *model);
/* kappa of a Fighter layer; 0: no such layer. */
int64_t fgti_model_hops(const fgt_model *model, const char *layer);
/* An option of layer i as a number, defaults filled in; NaN: the layer has no option with this name. */
double fgti_model_layer_option(const fgt_model *model, int64_t i, const char *name);

/* Whether layer i attends to tokens of another layer (cross attention). */
bool fgti_model_is_cross(const fgt_model *model, int64_t i);

/* For the layer with this name: its output's shape for one sample, an option as a number, and the name of its
 * first input ("": the model's input). Without such a layer the shape has no tokens, the option is NaN, the
 * name is NULL. */
fgti_shape  fgti_model_shape_of(const fgt_model *model, const char *layer);
double      fgti_model_option_of(const fgt_model *model, const char *layer, const char *option);
const char *fgti_model_input_of(const fgt_model *model, const char *layer);

/* Whether a tensor of a model file is part of the graph of one of the layers. */
bool fgti_model_has_graph(const fgt_model *model, const char *tensor);

/* The error text of a workspace, for functions that use the workspace. */
fgti_error *fgti_workspace_sentence(fgt_workspace *ws);

#endif
