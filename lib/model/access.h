/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_ACCESS_H
#define FGTI_MODEL_ACCESS_H

/* The parts of a model that other folders may use in addition to the public calls. struct fgt_model itself is
 * in model_impl.h, which only lib/model includes. */

#include <fighter/model.h>

#include "nn/layer.h"

/* The trained parameters and their gradients. All parameters are in one array, the slab, one after another.
 * Their gradients are in a second slab, at the same offsets. While an adapter is active, both slabs belong to
 * the adapter. The caller borrows them. From fgti_gradients_need() on they do not move, because the model
 * then takes no more layers. */
typedef struct fgti_slabs {
    fgt_context  *ctx;
    int64_t       size;                /* elements of each slab */
    fgti_real    *weights, *gradients; /* gradients NULL: fgti_gradients_need() was not called yet */
    fgti_touched *touched;             /* touched rows of a sparse gradient at the start of the slab;
                                        * touched->rows 0: no gradient is sparse */
    uint64_t      serial; /* serial number of the adapter that owns the slabs; 0: the layers own them */
} fgti_slabs;

fgti_slabs fgti_model_slabs(fgt_model *model);

/* Number of elements at the start of the slabs whose gradient is sparse. All other gradients are dense. */
static inline int64_t fgti_slabs_sparse(const fgti_slabs *slabs)
{
    return slabs->touched->rows * slabs->touched->width;
}

/* The context of a model. The next function gives its options, with defaults filled in. */
fgt_context          *fgti_model_context(const fgt_model *model);
const fgt_model_opts *fgti_model_options(const fgt_model *model);

/* The output of the model as it is now: its shape, and the name of the layer that gives it. A model without
 * layers has the input's shape and the name "". */
fgti_shape  fgti_model_last_shape(const fgt_model *model);
const char *fgti_model_last_name(const fgt_model *model);

/* Trained parameter i: its name, offset and count, and whether it is frozen or sparse. NULL: there is no
 * parameter i. */
const fgti_param *fgti_model_param(const fgt_model *model, int64_t i);

/* Parameter i of a model file. First come the layers' parameters, then the active adapter's. *weights: the
 * slab that has the parameter. NULL: there is no parameter i. */
const fgti_param *fgti_model_stored(const fgt_model *model, int64_t i, const fgti_real **weights);

/* Number of layers; 0 if model is NULL. */
int64_t fgti_model_layers(const fgt_model *model);
/* A view with the shape of the output for the largest batch and time. It has no data. */
fgt_view fgti_model_output_shape(const fgt_model *model);
/* kappa of a Fighter layer; 0: there is no such layer. */
int64_t fgti_model_hops(const fgt_model *model, const char *layer);
/* An option of layer i as a number. Defaults are filled in. NaN: the layer has no option with this name. */
double fgti_model_layer_option(const fgt_model *model, int64_t i, const char *name);

/* Whether layer i has cross attention, which attends to tokens of another layer. */
bool fgti_model_is_cross(const fgt_model *model, int64_t i);

/* For the layer with this name: the shape of its output for one sample, one of its options as a number, and
 * the name of its first input ("": the model's input). If there is no such layer, the shape has no tokens,
 * the option is NaN and the name is NULL. */
fgti_shape  fgti_model_shape_of(const fgt_model *model, const char *layer);
double      fgti_model_option_of(const fgt_model *model, const char *layer, const char *option);
const char *fgti_model_input_of(const fgt_model *model, const char *layer);

/* Whether a tensor of a model file belongs to a layer's graph. */
bool fgti_model_has_graph(const fgt_model *model, const char *tensor);

/* Where functions that use a workspace write their error text. */
fgti_error *fgti_workspace_sentence(fgt_workspace *ws);

#endif
