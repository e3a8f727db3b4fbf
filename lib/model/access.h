/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_ACCESS_H
#define FGTI_MODEL_ACCESS_H

/* Parts of a model that train, analysis, blocks, vision, forecast, classify and report may use besides the
 * public calls. struct fgt_model itself is in model_impl.h, which only lib/model includes. */

#include <fighter/model.h>

#include "core/text.h"
#include "model/files/safetensors.h"
#include "nn/layer.h"

/* ---- access.c ---- */

/* All trained parameters are in one array, the slab, one after another; their gradients are in a second one,
 * at the same offsets. While an adapter is active, both are the adapter's. Both are borrowed. From
 * fgti_gradients_need() on they do not move, because the model then takes no more layers. */
typedef struct fgti_slabs {
    fgt_context  *ctx;
    int64_t       size;                /* elements of each */
    fgti_real    *weights, *gradients; /* gradients: NULL before fgti_gradients_need() */
    fgti_touched *touched;             /* rows at the start whose gradient is sparse; touched->rows 0: no
                                        * such rows */
    uint64_t      serial;  /* serial number of their adapter; 0: the layers */
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

/* Parameter i of a model file: first the layers', then the active adapter's. *weights: its slab. NULL: i is
 * out of range. */
const fgti_param *fgti_model_stored(const fgt_model *model, int64_t i, const fgti_real **weights);

/* An option of layer i, defaults filled in, as a number; NaN: it has no option with this name. */
double fgti_model_layer_option(const fgt_model *model, int64_t i, const char *name);

/* Whether layer i attends to tokens of another layer (cross attention). */
bool fgti_model_is_cross(const fgt_model *model, int64_t i);

/* For the layer with this name: its output's shape for one sample, an option as a number, and the name of its
 * first input ("": the model's input). Without such a layer the shape has no tokens, the option is NaN, the
 * name is NULL. */
fgti_shape  fgti_model_shape_of(const fgt_model *model, const char *layer);
double      fgti_model_option_of(const fgt_model *model, const char *layer, const char *option);
const char *fgti_model_input_of(const fgt_model *model, const char *layer);

/* The model's input in the last pass, ids as I32; borrowed until the next pass. FGT_E_STATE there was no
 * pass. */
fgt_status fgti_model_read_x(fgt_model *model, fgt_view *x);
/* For a layer in the last pass: its first input, real numbers in the model's type; and a parameter with the
 * part of an adapter, as in the pass; NULL: it has no parameter with this name, such as "bias". Both are
 * borrowed until the next pass. FGT_E_STATE there was no pass. */
fgt_status       fgti_model_read_input(fgt_model *model, const char *layer, fgt_view *x);
const fgti_real *fgti_model_read_weight(fgt_model *model, const char *layer, const char *name);
/* Whether a mask acted on the layer. */
bool fgti_model_has_mask(const fgt_model *model, const char *layer, fgt_mask mask);

/* Whether a tensor of a model file is part of the graph of one of the layers. */
bool fgti_model_has_graph(const fgt_model *model, const char *tensor);

/* Call it after every change of the weights: results that layers keep of them become invalid. */
void fgti_model_changed(fgt_model *model);

/* Between these two calls a training or a function of the host runs: it may predict but not train. */
void fgti_model_begin_call(fgt_model *model);
void fgti_model_end_call(fgt_model *model);
/* FGT_E_STATE between the two calls above and in a pass: for calls that change weights, gradients or the
 * course of training. */
fgt_status fgti_model_check_idle(const fgt_model *model, const char *what);

/* Makes the model's own workspace fit for training passes. FGT_E_STATE no layers; FGT_E_NOMEM. */
fgt_status fgti_model_prepare(fgt_model *model);
/* Training passes so far, which choose the random numbers of dropout; after fgti_model_prepare(). */
uint64_t fgti_model_get_passes(const fgt_model *model);
void     fgti_model_set_passes(fgt_model *model, uint64_t passes);

/* The name of the i-th fgt_value() layer that has a value of each sample: real numbers, ids or key padding;
 * NULL: i is out of range. *v becomes a view for one sample, without data. */
const char *fgti_model_sample_value(const fgt_model *model, int64_t i, fgt_view *v);

/* Copies of the values that the host has set, for passes that repeat them later. */
typedef struct fgti_values {
    fgt_view *of; /* by layers */
    int64_t   layers;
} fgti_values;
/* After fgti_model_prepare(). Destroy them even after an error. */
fgt_status fgti_values_copy(fgt_model *model, fgti_values *values);
/* Exchanges them with the values that are set; a second call exchanges them back. This sets masks anew, so
 * matrices that depend on them are refused until the next pass. */
void fgti_values_swap(fgt_model *model, fgti_values *values);
void fgti_values_done(fgt_context *ctx, fgti_values *values);

/* Whether passes start from the states at the end of the last pass. */
bool fgti_model_carries(const fgt_model *model);
/* FGT_E_STATE: the model carries states, or a state was set, so passes of the same x would not give the same
 * y. */
fgt_status fgti_model_check_stateless(const fgt_model *model, const char *what);
/* The shape of y for this x, which may have fewer samples and tokens than planned. Calls that need a last
 * pass then need a new one. */
fgt_status fgti_model_output(fgt_model *model, const fgt_view *x, fgt_view *y);
/* fgt_predict(), but during a training: it takes no more memory than training has taken. */
fgt_status fgti_model_predict(fgt_model *model, const fgt_view *x, const fgt_view *y);
/* fgt_forward() and fgt_backward() for the training after fgti_model_begin_call(). */
fgt_status fgti_model_train_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);
fgt_status fgti_model_train_backward(fgt_model *model, const fgt_view *dy);
/* A pass with everything that the backward pass needs, in the model's own workspace; without dropout, and not
 * counted among the training passes. */
fgt_status fgti_model_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);
/* The backward pass of the last fgti_model_forward(); the pair may be repeated. Gradients are added to the
 * caller's array, as long as the slabs, and the rows of a sparse gradient to the caller's list. They include
 * frozen parameters; gradients of the host's values do not change. dx as in fgt_backward(). */
fgt_status fgti_model_backward(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                               fgti_touched *touched, const fgt_view *dx);

/* The same, but only down to the output of a layer of real numbers: dlayer, shaped like fgt_model_get_value()
 * of that output, gets the gradient there. */
fgt_status fgti_model_backward_until(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                                     fgti_touched *touched, const char *layer, const fgt_view *dlayer);

/* Called during fgt_backward(), which goes from the last layer to the first. The gradients of the slabs are
 * complete from element `from` on. */
typedef struct fgti_gradient_watch {
    void (*ready)(void *user, int64_t from);
    void *user;
} fgti_gradient_watch;
/* ready NULL: no more calls. */
void fgti_model_watch_gradients(fgt_model *model, fgti_gradient_watch watch);

bool fgti_all_finite(int64_t n, const fgti_real *x);

/* ---- nodes.c ---- */

/* Prefix of the names of layers that are added from now on; borrowed; NULL: no prefix. */
void fgti_model_set_prefix(fgt_model *model, const char *prefix);

/* ---- append.c ---- */

/* Adds the layers of another model of the same input, with its weights and frozen flags; their names get a
 * prefix. Values of the host are the same for both models. FGT_E_NAME; FGT_E_SHAPE values of one name differ;
 * FGT_E_NOMEM. On error destroy `model`. A model that is being loaded gets no weights. */
fgt_status fgti_model_append(fgt_model *model, const fgt_model *more, const char *prefix);

/* A part of a model: `last` and the layers that it depends on. */
typedef struct fgti_model_part {
    const char *last, *at;
    float       dropout; /* of all layers; negative: their own */
    /* Called after the copy of layer `at` (NULL: never) to add further layers. Readers of `at` then read the
     * last of these instead. */
    fgt_status (*behind)(fgt_model *model, void *user);
    void *user;
} fgti_model_part;
/* Adds the part to a model of the same input, with the same names, weights and frozen flags. FGT_E_NAME no
 * such layer. On error destroy `model`. */
fgt_status fgti_model_append_part(fgt_model *model, const fgt_model *more, const fgti_model_part *part);

/* ---- edges.c ---- */

/* For fgti_sort(): greater weights first, equal ones by row, then by column. */
int fgti_edge_order(const void *p, const void *q, const void *arg);

/* ---- workspace.c ---- */

/* Reads and checks the options of a workspace; batch: value for 0. */
fgt_status fgti_workspace_opts_read(fgti_error *err, const fgt_workspace_opts *opts, int64_t batch,
                                    fgt_workspace_opts *out);
/* The error of a workspace, for sentences of its user. */
fgti_error *fgti_workspace_sentence(fgt_workspace *ws);

/* ---- frozen.c ---- */

/* The names of the frozen parameters as in a model file; without any, out->s stays NULL. */
fgt_status fgti_frozen_write(const fgt_model *model, fgti_text *out);
/* Freezes the parameters that such a text names; NULL: no parameter. FGT_E_FORMAT. */
fgt_status fgti_frozen_read(fgt_model *model, const char *text);

/* ---- gradients.c ---- */

/* Makes the gradients, all zero, if they do not exist. */
fgt_status fgti_gradients_need(fgt_model *model);
/* Zeroes all gradients; of a sparse one only the rows touched since the last call. */
void fgti_gradients_clear(fgt_model *model);
/* Finds the rows of a sparse gradient, set as a whole, that are not zero. */
void fgti_gradients_touch(fgt_model *model);

/* ---- model_file.c ---- */

/* Tensors and pairs besides the model's own, for callers that store more in the same file. */
typedef struct fgti_extra {
    int64_t               tensors, pairs;
    const fgti_st_tensor *tensor;
    const fgti_st_pair   *pair;
} fgti_extra;
fgt_status fgti_model_save_with(const fgt_model *model, fgti_output *out, const fgti_extra *extra);
fgt_status fgti_model_load_from(fgt_context *ctx, const fgti_st *st, const fgt_model_opts *opts,
                                fgt_model **model);
/* Whether a file has a model of the same layers, options and seed, and weights that can be read. */
fgt_status fgti_model_check_file(fgt_model *model, const fgti_st *st);
/* Whether two models have the same layers and options; seeds and weights may differ. FGT_E_ARG. */
fgt_status fgti_model_check_same(const fgt_model *model, const fgt_model *other);
/* A hash of the stored parts of the model: layers, options, seed, graphs, the active adapter and, with
 * `weights`, the weights of both, but not which are frozen. FGT_E_NOMEM. */
fgt_status fgti_model_hash_all(const fgt_model *model, bool weights, uint64_t *hash);
/* Checks that a file has all weights of the model, all of them finite. `alone` refuses other tensors. */
fgt_status fgti_model_check_weights(const fgt_model *model, const fgti_st *st, bool alone);
/* Copies the weights of such a file. If it is held in memory (fgti_st_hold), this cannot fail. */
fgt_status fgti_model_read_weights(fgt_model *model, const fgti_st *st);

#endif
