/* SPDX-License-Identifier: BSD-3-Clause */

/* The parameters of a model: memory, first values, names, and copies in and out. */

#include "model/params.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "model/adapter_types.h"
#include "model/guard.h"
#include "model/model_impl.h"

static void params_draw(const fgt_model *m, const fgti_layer *l, int32_t i, fgti_real *w)
{
    const fgti_param *p = &l->param[i];
    const fgti_rng    rng = fgti_rng_of(m->opts.seed, FGTI_STREAM_INIT, l->id, (uint64_t)i);
    if (p->init == FGTI_INIT_CLASS) {
        l->cls->init(l, i, rng, w);
        return;
    }
    for (int64_t j = 0; j < p->count; j++) {
        double v = p->init == FGTI_INIT_ONE;
        if (p->init == FGTI_INIT_VALUE) v = p->scale;
        if (p->init == FGTI_INIT_UNIFORM) v = p->scale * (2 * fgti_rng_uniform(rng, (uint64_t)j) - 1);
        if (p->init == FGTI_INIT_NORMAL) v = p->scale * fgti_rng_normal(rng, (uint64_t)j);
        w[j] = (fgti_real)v;
    }
    if (p->zero_row >= 0) {
        const int64_t n = p->count / p->shape[0];
        memset(w + p->zero_row * n, 0, (size_t)n * sizeof *w);
    }
}

/* Number of the layer's own parameters. It is 0 if the layer shares another layer's parameters. */
static int32_t own_params(const fgti_layer *l)
{
    return l->shares ? 0 : l->params;
}

int64_t fgti_params_count(const fgt_model *model)
{
    if (!model->layers) return 0;
    const fgti_layer *last = model->layer[model->layers - 1];
    return last->first_param + own_params(last);
}

fgti_param *fgti_trained_at(const fgt_model *model, int64_t i)
{
    const fgti_adapter *a = model->tuning.adapter;
    const fgti_layer   *layer;
    if (a) return i >= 0 && i < a->params ? &a->param[i] : NULL;
    return (fgti_param *)fgti_param_at(model, i, &layer);
}

fgti_trained fgti_model_trained(fgt_model *model)
{
    fgti_adapter *a = model->tuning.adapter;
    if (a) return (fgti_trained){a->size, a->weights, &a->gradients, &a->touched, a->serial};
    return (fgti_trained){model->size, model->weights, &model->gradients, &model->touched, 0};
}

const fgti_param *fgti_param_find(const fgt_model *model, const char *name)
{
    const fgti_layer *layer;
    return fgti_param_at(model, fgti_words_find(&model->param_names, name, (int64_t)strlen(name)), &layer);
}

/* Assigns a place in the slab to each parameter of the layer, after the parameters of earlier layers. */
static fgt_status params_layout(const fgt_model *model, fgti_layer *layer, int64_t *size)
{
    *size = model->size;
    for (int32_t i = 0; i < layer->params; i++) {
        fgti_param *p = &layer->param[i];
        p->offset = *size;
        p->sparse = p->sparse && !*size;
        *size += p->count;
        if (*size >= FGTI_HUGE)
            return fgti_fail(&model->ctx->error, FGT_E_SIZE, "the model has too many parameters");
    }
    return FGT_OK;
}

/* Allocates space for `size` elements and an eighth more. Then the slab of a model with many layers is not
 * copied for each layer. */
static fgt_status params_make_room(fgt_model *model, int64_t size)
{
    fgti_real    *slab;
    const int64_t room = model->size ? size + size / 8 : size;
    if (size <= model->room) return FGT_OK;
    FGTI_TRY(fgti_alloc_dirty(model->ctx, room, sizeof *slab, "parameters", (void **)&slab));
    if (model->size) memcpy(slab, model->weights, (size_t)model->size * sizeof *slab);
    fgti_free(model->ctx, model->weights);
    model->weights = slab;
    model->room    = room;
    return FGT_OK;
}

fgt_status fgti_params_extend(fgt_model *model, fgti_layer *layer)
{
    int64_t size;
    FGTI_TRY(params_layout(model, layer, &size));
    if (size == model->size) return FGT_OK;
    if (model->loading) { /* fgti_params_allocate() is called later */
        model->size = size;
        return FGT_OK;
    }
    FGTI_TRY(params_make_room(model, size));
    memset(model->weights + model->size, 0, (size_t)(size - model->size) * sizeof *model->weights);
    for (int32_t i = 0; i < layer->params; i++)
        params_draw(model, layer, i, model->weights + layer->param[i].offset);
    model->size = size;
    return FGT_OK;
}

fgt_status fgti_params_allocate(fgt_model *model)
{
    model->loading = NULL;
    if (!model->size) return FGT_OK;
    model->room = model->size;
    return fgti_alloc_dirty(model->ctx, model->size, sizeof *model->weights, "parameters",
                            (void **)&model->weights);
}

bool fgti_all_finite(int64_t n, const fgti_real *x)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

const fgti_param *fgti_param_at(const fgt_model *model, int64_t i, const fgti_layer **layer)
{
    int64_t low = 0, high = model->layers; /* bounds in a search for the first layer whose parameters end
                                            * after number i */
    while (low < high) {
        const int64_t     middle = (low + high) / 2;
        const fgti_layer *l      = model->layer[middle];
        if (l->first_param + own_params(l) > i)
            high = middle;
        else
            low = middle + 1;
    }
    if (i < 0 || low == model->layers) return NULL;
    *layer = model->layer[low];
    return &(*layer)->param[i - (*layer)->first_param];
}

int64_t fgti_model_tensors(const fgt_model *model)
{
    return model->tuning.adapter ? model->tuning.adapter->params : fgti_params_count(model);
}

const fgti_param *fgti_param_need(fgt_model *model, const char *name, fgti_real **weights)
{
    const fgti_trained trained = fgti_model_trained(model);
    const fgti_param  *p       = NULL;
    *weights                   = trained.weights;
    for (int64_t i = 0; name && trained.serial && (p = fgti_trained_at(model, i)); i++)
        if (!strcmp(p->full_name, name)) return p;
    *weights = model->weights;
    p        = name ? fgti_param_find(model, name) : NULL;
    if (!p) fgti_fail(&model->ctx->error, FGT_E_NAME, "no parameter \"%s\"", name ? name : "NULL");
    return p;
}

fgt_status fgti_param_copy(fgt_model *model, const fgti_param *p, const fgti_real *slab, const fgt_view *out)
{
    FGTI_TRY(fgti_view_check(&model->ctx->error, p->full_name, out, FGTI_REAL, p->rank, p->shape));
    memcpy(out->data, slab + p->offset, (size_t)p->count * sizeof *slab);
    return FGT_OK;
}

fgt_status fgt_model_get_parameter_info(const fgt_model *model, const char *name, int64_t index,
                                        fgt_parameter_info *info)
{
    fgti_real *weights;
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "fgt_model_get_parameter_info: info is NULL");
    const fgti_param *p =
        name ? fgti_param_need((fgt_model *)model, name, &weights) : fgti_trained_at(model, index);
    if (!p && !name)
        return fgti_fail(err, FGT_E_NAME, "parameter is out of range (got %lld, need below %lld)",
                         (long long)index, (long long)fgti_model_tensors(model));
    if (!p) return FGT_E_NAME;
    fgt_parameter_info ours = {.size   = sizeof ours,
                               .name   = p->full_name,
                               .shape  = {.rank = p->rank, .dtype = FGTI_REAL},
                               .frozen = p->frozen};
    memcpy(ours.shape.shape, p->shape, sizeof p->shape);
    return fgti_result_write(err, "fgt_parameter_info", &ours, sizeof ours, info);
}

fgt_status fgt_model_copy_parameter(fgt_model *model, const char *name, const fgt_view *out)
{
    fgti_real *weights;
    if (!model) return FGT_E_ARG;
    const fgti_param *p = fgti_param_need(model, name, &weights);
    return p ? fgti_param_copy(model, p, weights, out) : FGT_E_NAME;
}

fgt_status fgt_model_set_parameter(fgt_model *model, const char *name, const fgt_view *value)
{
    fgti_real *weights;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_asking(model));
    const fgti_param *p = fgti_param_need(model, name, &weights);
    if (!p) return FGT_E_NAME;
    FGTI_TRY(fgti_view_check(&model->ctx->error, name, value, FGTI_REAL, p->rank, p->shape));
    if (!fgti_all_finite(p->count, value->data))
        return fgti_fail(&model->ctx->error, FGT_E_NONFINITE, "%s: a value is NaN or infinite", name);
    model->version++;
    memmove(weights + p->offset, value->data, (size_t)p->count * sizeof(fgti_real));
    return FGT_OK;
}

uint64_t fgt_model_get_hash(const fgt_model *model)
{
    if (!model) return 0;
    const fgti_adapter *a    = model->tuning.adapter;
    const uint64_t      hash =
        fgti_hash(FGTI_HASH_START, model->weights, model->size * (int64_t)sizeof(fgti_real));
    return a ? fgti_hash(hash, a->weights, a->size * (int64_t)sizeof(fgti_real)) : hash;
}
